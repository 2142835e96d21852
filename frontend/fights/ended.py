"""Fights that are over: which the viewer may know of, and how each stood when it ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from campaigns.audience import name_finder, view_event
from campaigns.events import Recorded
from campaigns.feed import cursor_of
from campaigns.parts.voids import Voids
from campaigns.state import State
from campaigns.store import read
from frontend.seat import Seat

ENDED = ("encounter.ended",)
MOST = 30


@dataclass(frozen=True)
class Ended:
    """A fight that is over: when it ended, and by ``last`` (a position) how it stood just before."""

    encounter: str
    title: str
    at: datetime
    last: int
    cursor: str


def ended(state: State, seat: Seat) -> list[Ended]:
    """Those that the seat may know of, the newest first."""
    names, voided = name_finder(state), state.part(Voids).by
    found = [event for event in reversed(_events(state, seat)) if event.position not in voided]
    return [_ended(event) for event in found if view_event(event, seat.viewer, names) is not None][:MOST]


def _events(state: State, seat: Seat) -> list[Recorded]:
    def read_all() -> list[Recorded]:
        pages = read.pages_of_types(seat.campaign_id, ENDED, state.position)
        return [event for page in pages for event in page]

    found: list[Recorded] = state.once("fights that are over", read_all)
    return found


def _ended(event: Recorded) -> Ended:
    what: Any = event.event
    first = read.events_of_command(event.campaign_id, event.command_id)[0].position
    cursor = cursor_of(event.campaign_id, first - 1)
    return Ended(what.encounter, what.title, event.recorded_at, first - 1, cursor)
