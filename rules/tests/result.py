"""The answer of a run: finished, waiting for a choice, or refused."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import Struct

from rules.sheets.subject import Ends
from rules.tests.trace import DieSeen, TraceStep


class Option(Struct, frozen=True, omit_defaults=True, gc=False):
    """Something that may be answered; ``note`` is said behind its title, ``first`` is what is usual."""

    id: str
    title: str = ""
    note: str = ""
    first: bool = False


class Ask(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A choice the test waits for. Answer it by running again with `choices[id]` set.

    `kind`: name (one of `options`), flag, int (`min` to `max`), die (`options` are places from 1 in roll `roll`),
    adjust (a list of {"die": place, "to": face}, `steps` in all, `direction` up or down, or the word "best";
    moves under `choices[id + "?"]` turn the dice and ask again with what is left, and decide nothing),
    subject (the id of one of `options`), subjects (a list of them, `min` to `max`), place ({x, y} or a subject's id),
    window (a moment, see below). `who`: gm, roller, asker, or the role whose player answers (`subject`: their id).

    A window asks several at once: `asked` has, for each, the reactions that they may choose from. The answer maps each
    of them to a list of reactions (an empty one: they pass). `about` says who is in the moment's roles, and its values.
    """

    id: str
    who: str
    kind: Literal["name", "flag", "int", "die", "adjust", "subject", "subjects", "place", "window"]
    title: str = ""
    text: str = ""
    options: list[Option] = []
    min: int | None = None
    max: int | None = None
    roll: str = ""
    dice: tuple[DieSeen, ...] = ()
    movable: list[int] = []
    room: list[int] = []
    """for adjust: how many steps each of the `movable` dice can still take"""
    steps: int = 0
    least: int = 0
    """for adjust: of the steps, so many must be used"""
    value: int | None = None
    """for adjust: what the dice come to as they lie, where everybody may know it"""
    direction: Literal["up", "down", ""] = ""
    subject: str = ""
    moment: str = ""
    asked: dict[str, list[Option]] = {}
    about: dict[str, Any] = {}
    seen: str = "all"
    """who may see what a moment is about, beside those who run the game"""


class Refusal(Struct, frozen=True, omit_defaults=True):
    """A `require` that did not hold: a stable reason for machines, a sentence for people."""

    reason: str
    text: str = ""


class Effect(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Something that follows, to be applied to a subject (`rules.tests.effects.apply_effect`).

    set: `stat` (at `key`) goes from `before` to `after`; apply and end: card `card` as held thing `held`; narrate:
    `text` is for people, nothing is computed. On a board: move (`before` and `after` are places and distances); place
    and lift an area (`held`); use what a limit counts (`key`); pass an instant (`key`, `subject`: whose); leave;
    grow (`after`: squares a side).
    """

    verb: Literal["set", "apply", "end", "narrate", "move", "place", "lift", "use", "pass", "leave", "grow"]
    subject: str = ""
    role: str = ""
    stat: str = ""
    key: str = ""
    before: Any = None
    after: Any = None
    card: str = ""
    held: str = ""
    ends: Ends | None = None
    values: dict[str, Any] = {}
    source: str = ""
    text: str = ""
    seen: str = "all"


class TestRun(Struct, kw_only=True, omit_defaults=True):
    """One run of a test. `status` says which of `outcome`, `pending` and `refused` is set.

    `faces` are all faces drawn, in order; with `given` and `choices` they reproduce the run exactly. `facts` are the
    typed results for others, `facts_seen` the audience of each that is not for all. `rolls` are the dice as they lie.
    """

    __test__: ClassVar[bool] = False  # not a test class, whatever its name says to pytest

    pack: str
    version: str
    test: str
    status: Literal["done", "pending", "refused"]
    title: str = ""
    """with a trace: what this run is called"""
    outcome: str | None = None
    success: bool | None = None
    facts: dict[str, Any] = {}
    facts_seen: dict[str, str] = {}
    effects: list[Effect] = []
    passed: list[tuple[str, str]] = []
    """instants that came to those who take part, and whose: they come to everybody else after it"""
    pending: Ask | None = None
    refused: Refusal | None = None
    faces: list[int] = []
    choices: dict[str, Any] = {}
    rolls: dict[str, tuple[DieSeen, ...]] = {}
    trace: list[TraceStep] = []
    values: dict[str, Any] = {}
    """with a trace: the plain variables of the test as they stand, for tools; they may hold hidden numbers"""
