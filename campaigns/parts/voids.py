"""Voids: events that were taken back. They stay in the stream; the state is folded without them."""

from __future__ import annotations

import msgspec

from campaigns import registry
from campaigns.events import GM, PLAYER, WATCHER, Event, event_type


class Voids(msgspec.Struct):
    """Part of the state: position of a voided event -> position of the event that voided it."""

    by: dict[int, int] = {}

    def take_in(self, event: EventsVoided | VoidLifted, position: int) -> None:
        """Notes what an event at ``position`` voids, or lifts again."""
        if isinstance(event, EventsVoided):
            for voided in event.positions:
                self.by.setdefault(voided, position)
        else:
            for lifted in event.positions:
                self.by.pop(lifted, None)


part = registry.part("voids", Voids)


@event_type(
    "events.voided",
    shows={GM: ("reason",), PLAYER: ("reason",), WATCHER: ("reason",)},
    stays="What took something back is itself taken back by letting that stand again.",
    rides=True,
    says=lambda d, names: f"Taken back: {d['reason']}",
)
class EventsVoided(Event):
    """An action and all it caused were taken back; ``positions`` of all of them, oldest first.

    Positions leave to nobody: the feed gives viewers the cursors of those entries that they can see.
    """

    positions: tuple[int, ...]
    reason: str


@event_type(
    "void.lifted",
    shows={GM: ("reason",), PLAYER: ("reason",), WATCHER: ("reason",)},
    stays="What stands again is taken back by a new void.",
    rides=True,
    says=lambda d, names: "What was taken back stands again" + (f": {d['reason']}" if d["reason"] else "."),
)
class VoidLifted(Event):
    """A void was itself taken back; ``positions`` count again."""

    positions: tuple[int, ...]
    reason: str


@part.evolves(EventsVoided, VoidLifted)
def _taken_in(voids: Voids, event: EventsVoided | VoidLifted, position: int) -> None:
    voids.take_in(event, position)
