"""The state of a campaign: its parts, folded from its events.

A state belongs to whoever folded it and is changed in place; see :mod:`campaigns.store.states` for who may hold one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from campaigns import registry
from campaigns.events import Event

S = TypeVar("S", bound=msgspec.Struct)


class State:
    """All parts of one campaign as of ``position`` (0: nothing has happened), by the type of their state."""

    __slots__ = ("_found", "_found_at", "parts", "position")

    def __init__(self) -> None:
        self.position = 0
        self._found: dict[Any, Any] = {}
        self._found_at = 0
        self.parts: dict[type[msgspec.Struct], Any] = {part.state: part.state() for part in registry.parts.values()}

    def part(self, kind: type[S]) -> S:
        """The part whose state has this type."""
        return self.parts[kind]  # type: ignore[no-any-return]

    def once(self, key: Any, find: Callable[[], Any]) -> Any:
        """What ``find()`` says, asked once for as long as the state stays as it is. ``key`` names the question."""
        if self._found_at != self.position:
            self._found, self._found_at = {}, self.position
        if key not in self._found:
            self._found[key] = find()
        return self._found[key]

    def evolve(self, event: Event, position: int) -> None:
        """Folds one event into every part that knows it."""
        for kind, evolver in registry.evolvers_of(type(event)):
            evolver(self.parts[kind], event, position)
        self.position = position


def schema_version() -> str:
    """Names the shape of today's state, so that a snapshot of another shape is never read (hex, 16 digits)."""
    return _schema_of(tuple(registry.parts))


@lru_cache(8)
def _schema_of(_parts: tuple[str, ...]) -> str:
    schemas, shapes = msgspec.json.schema_components([part.state for part in registry.parts.values()])
    revisions = {name: part.revision for name, part in registry.parts.items()}
    text = msgspec.json.encode([revisions, schemas, shapes], order="deterministic")
    return hashlib.sha256(text).hexdigest()[:16]


def freeze(state: State) -> bytes:
    """The state as bytes, for a snapshot."""
    return msgspec.msgpack.encode({part.name: state.parts[part.state] for part in registry.parts.values()})


def thaw(data: bytes, position: int) -> State:
    """The state that :func:`freeze` wrote."""
    state = State()
    raw = msgspec.msgpack.decode(data, type=dict[str, msgspec.Raw])
    for name, part in registry.parts.items():
        if name in raw:
            state.parts[part.state] = msgspec.msgpack.decode(raw[name], type=part.state)
    state.position = position
    return state
