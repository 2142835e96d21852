"""A fight as it stands. Sheets are not in it: they are the campaign's, and what changes them is listed as effects."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

from rules.board import Scene
from rules.fight.order import Instant, Order
from rules.tests.perform import Act
from rules.tests.result import Ask


class Member(Struct, kw_only=True, omit_defaults=True):
    """Somebody in the fight: on which side, hidden from players or not, still there or not."""

    side: str
    hidden: bool = False
    present: bool = True
    initiative: int | None = None
    tie: int = 0


class Doing(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What is done: an action, or the instants that come with the start, a turn's end, the end. `order` is the order of
    turns once it is over, `ends` says that the fight is."""

    act: Act | None = None
    instants: list[Instant] = []
    order: Order | None = None
    ends: bool = False


class Waiting(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A doing that waits for an answer: with faces and choices so far it comes to the same point again."""

    doing: Doing
    faces: list[int]
    choices: dict[str, Any]
    ask: Ask


class Fight(Struct, kw_only=True, omit_defaults=True):
    """Everything later decisions need. `order` exists once the fight runs; one thing is done at a time."""

    status: Literal["prepared", "running", "paused", "ended"] = "prepared"
    members: dict[str, Member] = {}
    order: Order | None = None
    scene: Scene = field(default_factory=Scene)
    waiting: Waiting | None = None
