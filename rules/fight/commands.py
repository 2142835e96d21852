"""What can be asked of a fight. Who may ask it is the caller's to judge."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from rules.board import Cell
from rules.tests.perform import Act


class Command(Struct, frozen=True, kw_only=True, tag_field="command", tag=True, gc=False):
    """Base of all commands."""


class Join(Command, frozen=True, kw_only=True):
    """Somebody takes part: from the start, or, once the fight runs, from the next round on with this `initiative`."""

    subject: str
    side: str
    hidden: bool = False
    place: Cell | None = None
    initiative: int | None = None


class Show(Command, frozen=True, kw_only=True):
    """Hide somebody from the players, or let them be seen."""

    subject: str
    hidden: bool


class Leave(Command, frozen=True, kw_only=True):
    """Somebody takes no more part."""

    subject: str


class Begin(Command, frozen=True, kw_only=True):
    """Start. `initiative` where it is given by hand; for others the pack's test gives it, with what is `given` to it by
    subject. Equals stand by their `tie`, then by a roll-off."""

    initiative: dict[str, int] = {}
    given: dict[str, dict[str, Any]] = {}


class Use(Command, frozen=True, kw_only=True):
    """An action of a card."""

    act: Act
    choices: dict[str, Any] = {}


class Answer(Command, frozen=True, kw_only=True):
    """The answer to what is waited for; in a moment that asks several, that of one (`subject`)."""

    answer: Any
    subject: str = ""


class Close(Command, frozen=True, kw_only=True):
    """Nobody else answers this moment: the rest pass."""


class Cancel(Command, frozen=True, kw_only=True):
    """What waits is not done after all: nothing of it has happened."""


class EndTurn(Command, frozen=True, kw_only=True):
    """The running turn is over."""


class Pause(Command, frozen=True, kw_only=True):
    """Hold the fight, or let it go on."""

    paused: bool


class Put(Command, frozen=True, kw_only=True):
    """By the game master's hand: somebody stands there."""

    subject: str
    place: Cell


class Apart(Command, frozen=True, kw_only=True):
    """By the game master's word: how far two are from one another."""

    one: str
    other: str
    units: int


class Rank(Command, frozen=True, kw_only=True):
    """Another initiative from the next round on."""

    subject: str
    initiative: int


class Laid(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An area that is laid by hand, as `rules.board.Area` has it. Without a `shape`: a line where it goes `to`, else a
    burst."""

    card: str
    at: Cell | None = None
    on: str = ""
    to: Cell | None = None
    size: int = 0
    slows: int = 1
    shape: Literal["burst", "line", "wall"] | None = None
    inside: list[str] = []
    values: dict[str, Any] = {}
    source: str = ""


class Adjust(Command, frozen=True, kw_only=True):
    """By the game master's hand: kept stats, cards given and ended (by held id), with a reason once the fight runs;
    areas gone and laid."""

    reason: str = ""
    set: dict[str, dict[str, Any]] = {}
    give: dict[str, list[str]] = {}
    end: dict[str, list[str]] = {}
    lift: list[str] = []
    lay: list[Laid] = []


class End(Command, frozen=True, kw_only=True):
    """The fight is over."""
