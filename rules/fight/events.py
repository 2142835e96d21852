"""What happened to a fight: enough to fold it, and the effects for the sheets."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from rules.board import Cell
from rules.fight.order import Order
from rules.fight.state import Doing
from rules.tests.result import Ask, Effect


class Event(Struct, frozen=True, kw_only=True, tag_field="event", tag=True, omit_defaults=True, gc=False):
    """Base of all events."""


class Joined(Event, frozen=True, kw_only=True):
    subject: str
    side: str
    hidden: bool = False
    place: Cell | None = None
    initiative: int | None = None
    order: Order | None = None
    size: int = 1
    """squares a side"""


class Shown(Event, frozen=True, kw_only=True):
    subject: str
    hidden: bool


class Left(Event, frozen=True, kw_only=True):
    subject: str
    order: Order | None = None


class Ordered(Event, frozen=True, kw_only=True):
    """Initiatives are known; `rolled` are the faces of those that were rolled."""

    initiative: dict[str, int]
    order: Order
    rolled: list[int] = []
    diagonal: Literal["one", "alternating"] = "one"
    """how slanting steps are counted on the grid, by the pack as it stands when the fight begins"""


class Ranked(Event, frozen=True, kw_only=True):
    subject: str
    initiative: int
    order: Order


class Waited(Event, frozen=True, kw_only=True):
    """Something is begun, or answered in part: it waits for a choice. Nothing of it has changed anything yet; `effects`
    are those so far, to be shown."""

    doing: Doing
    faces: list[int]
    choices: dict[str, Any]
    ask: Ask
    effects: list[Effect] = []


class Done(Event, frozen=True, kw_only=True):
    """Something is over, with all that came of it."""

    doing: Doing
    faces: list[int] = []
    choices: dict[str, Any] = {}
    effects: list[Effect] = []
    outcome: str | None = None
    facts: dict[str, Any] = {}
    facts_seen: dict[str, str] = {}


class Cancelled(Event, frozen=True, kw_only=True):
    doing: Doing


class Paused(Event, frozen=True, kw_only=True):
    paused: bool


class Adjusted(Event, frozen=True, kw_only=True):
    """By hand, for a reason."""

    reason: str
    effects: list[Effect]
