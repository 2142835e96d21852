"""What one audience was told lately: encoded frames by position, so that each socket goes on at its own pace."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from campaigns.audience import Viewer

KEPT = 512


class Item(NamedTuple):
    """The frames that one position brought to an audience; ``is_entry``: an event of it is shown there."""

    position: int
    texts: tuple[str, ...]
    is_entry: bool


class Place(NamedTuple):
    """Where a socket stands: all up to ``at`` was told; its newest entry is at ``tail`` (0: none)."""

    at: int
    tail: int


class Log:
    """Items of one audience behind ``base`` up to ``upto``; the oldest are dropped, and then read from the stream.

    ``start`` and ``end`` are the places at the two ends, so that their ``at`` is ``base`` and ``upto``.
    """

    def __init__(self, viewer: Viewer, start: Place) -> None:
        self.viewer = viewer
        self.start = self.end = start
        self._items: list[Item] = []
        self._positions: list[int] = []

    def extend(self, items: Sequence[Item], upto: int) -> None:
        """Takes in what the events up to ``upto`` brought."""
        self._items += items
        self._positions += [item.position for item in items]
        tail = next((item.position for item in reversed(items) if item.is_entry), self.end.tail)
        self.end = Place(upto, tail)
        if len(self._items) > 2 * KEPT:
            self._drop(len(self._items) - KEPT)

    def _drop(self, count: int) -> None:
        dropped = self._items[:count]
        tail = next((item.position for item in reversed(dropped) if item.is_entry), self.start.tail)
        self.start = Place(dropped[-1].position, tail)
        del self._items[:count], self._positions[:count]

    def since(self, at: int) -> list[Item]:
        """The items behind ``at``, which is not before the start."""
        return self._items[bisect_right(self._positions, at) :]

    def place_of(self, position: int) -> Place | None:
        """Where somebody stands whose newest entry is at ``position``; None where this log does not reach back."""
        if self.start == (position, position):
            return self.start
        index = bisect_right(self._positions, position) - 1
        if index >= 0 and self._positions[index] == position and self._items[index].is_entry:
            return Place(position, position)
        return None
