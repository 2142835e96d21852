"""The one case format of all packs: what is given, the chosen dice, what is expected, and which rules it proves.

    subjects: {talyne: {kind: character, values: {...}}}       shared by the cases of the file
    cases:
      - case: a title
        proves: [SPI-010]
        test: identity
        roles: {holder: talyne}
        given: {pair: bold_cautious}
        dice: [9]
        expect: {outcome: binds_first, facts: {must_express: bold}}

A case of several steps has `script`, a list of such steps without titles; the subjects keep what earlier steps did.

In a fight (`scene`), steps `act`, `answer`, `close`, `end_turn`:

      - case: a blow is parried
        scene: {sides: {party: [rell], foes: [wolf]}, order: [wolf, rell]}
        script:
          - {act: bite, user: wolf, roles: {target: rell}, dice: [14, 6], expect: {asked: {rell: [parry]}}}
          - {answer: {rell: parry}, expect: {state: {rell: {stats: {hp: 13}}}}}

What takes time names a `command` (with its fields in `given`) or a question to `ask`, at the moment `now`:

      - case: a second mark in one week is refused
        proves: [SPI-092]
        calendar: {zone: Europe/London, starts_on: 2026-01-05}
        script:
          - {command: award_mark, given: {subject: talyne, side: bold}, now: "2026-01-07T20:00:00Z"}
          - {command: award_mark, given: {subject: talyne, side: cautious}, now: "2026-01-08T20:00:00Z",
             expect: {refused: pair_marked_this_week}}
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from msgspec import field

from rules.packs.schema import Base, Ids


class HeldSpec(Base, frozen=True, kw_only=True):
    """A card that a subject holds at the start of a case; `source` is the subject that caused it."""

    card: str
    values: dict[str, Any] = {}
    source: str = ""
    at: str = ""
    of: str = ""
    count: int = 1


class SubjectSpec(Base, frozen=True, kw_only=True):
    kind: str
    values: dict[str, Any] = {}
    held: list[str | HeldSpec] = []


class AreaSpec(Base, frozen=True, kw_only=True):
    """An area that lies there at the start of a case, by `at` (x, y), or going with somebody (`on`)."""

    card: str
    at: tuple[int, int] | None = None
    on: str = ""
    to: tuple[int, int] | None = None
    """for a line"""
    size: int = 0
    slows: int = 1
    shape: Literal["burst", "line", "wall"] | None = None
    """a line where it goes `to`, else a burst"""
    values: dict[str, Any] = {}
    source: str = ""
    until: str = ""
    of: str = ""
    count: int = 1


class SceneSpec(Base, frozen=True, kw_only=True):
    """A fight as it stands when a case begins: who is on which side, the order of turns (the first one's turn runs,
    unless `turn` says otherwise; left out: as listed in `sides`), squares or distances. With `prepared` it has not
    begun yet."""

    sides: dict[str, Ids]
    order: Ids = []
    turn: str = ""
    round: int = 1
    places: dict[str, tuple[int, int]] = {}
    apart: dict[str, int] = {}
    """how far two are from one another: `ana|wolf`"""
    usual: int = 1
    areas: list[AreaSpec] = []
    hidden: Ids = []
    prepared: bool = False


class ActorSpec(Base, frozen=True, kw_only=True):
    """Who acts: a seat, and the subjects this member plays."""

    seat: str = "gm"
    plays: Ids = []


class OddsExpected(Base, frozen=True, kw_only=True):
    """Exact odds: ways out of `total` equally likely rolls, by outcome or by the values of a fact."""

    total: int
    ways: dict[str, int] = {}
    fact: str = ""
    values: dict[str | int, int] = {}
    mean: str = ""
    """the mean of a fact: a fraction such as 1/6, or a decimal, to as many places as are written"""


class StateExpected(Base, frozen=True, kw_only=True):
    """Stats as read from the sheet, and the cards held (all of them, one name each time it is held)."""

    stats: dict[str, Any] = {}
    held: Ids | None = None


class Expected(Base, frozen=True, kw_only=True):
    """What must come of a step; what is not named is not looked at, except that all chosen dice must be used."""

    outcome: str | None = None
    success: bool | None = None
    facts: dict[str, Any] = {}
    values: dict[str, Any] = {}
    """variables of the test at its end, dotted for what a procedure gave"""
    rolls: dict[str, list[int]] = {}
    """faces of the dice that still count, by the roll's name"""
    title: str | None = None
    """what this run of the test is called"""
    pending: str | None = None
    """the choice that the test waits for"""
    who: str | None = None
    """whose choice that is"""
    options: Ids | None = None
    """what may be chosen there"""
    refused: str | None = None
    wrong: str | None = None
    """the input, role or choice that does not fit"""
    value: Any = None
    """for `formula`"""
    narrated: int | None = None
    says: Ids | None = None
    """what is narrated, in order"""
    account: Ids | None = None
    """sentences of how it came about, as everybody at the table is told it, in their order"""
    odds: OddsExpected | None = None
    state: dict[str, StateExpected] = {}
    seen: dict[str, str] = {}
    """the audience of facts"""
    asked: dict[str, Ids] | None = None
    """for a moment that waits: who is asked, and which reactions each may choose"""
    turn: str | None = None
    """whose turn it is after the step"""
    round: int | None = None
    order: Ids | None = None
    places: dict[str, tuple[int, int]] = {}
    areas: Ids | None = None
    """cards of the areas that lie there"""
    events: list[dict[str, Any]] | None = None
    """for `command`: every event it makes, by name (`event`) and the fields that matter"""
    settled: list[dict[str, Any]] | None = None
    """what a close did to each pair it settled, in order"""
    answer: Any = None
    """for `ask`"""
    ratings: dict[str, dict[str, int]] = {}
    """by subject, ratings of sides (short names) after the step"""
    marks: dict[str, dict[str, int]] = {}
    """by subject, unsettled marks by side after the step: all there are"""
    offers: dict[str, Ids] = {}
    """for `create` and `advance`: all that may be chosen, by choice"""
    right: str | None = None
    """for `create` and `advance`: what would be legal, as the refusal says it"""
    bought: dict[str, int] | None = None
    """how often the subject has bought each thing"""
    due: Ids | None = None
    """what levels brought that is still to be taken, the oldest first"""


class CalendarStart(Base, frozen=True, kw_only=True):
    """The calendar of a case: its zone and the Monday on which it begins."""

    zone: str = "UTC"
    starts_on: dt.date


class CaseStep(Base, frozen=True, kw_only=True):
    """One thing done: a test run, a formula read, an instant that comes, the odds asked for, somebody made or grown,
    or, in what takes time, a command given or a question asked."""

    test: str | None = None
    formula: str | None = None
    happens: str | None = None
    command: str | None = None
    ask: str | None = None
    act: str | None = None
    """an action of a card, used by `user` on those in `roles`"""
    answer: dict[str, Any] | None = None
    """what those who are asked say: a moment's reactions by subject, or the choice that is waited for by its id"""
    close: bool = False
    """nobody else answers the moment"""
    end_turn: bool = False
    begin: dict[str, Any] | None = None
    """the fight begins: initiatives by subject, where the pack's test does not give them"""
    end_fight: bool = False
    adjust: dict[str, Any] | None = None
    """by the game master's hand: fields of `rules.fight.commands.Adjust`"""
    place: dict[str, tuple[int, int]] | None = None
    rank: dict[str, int] | None = None
    """initiatives that change"""
    join: dict[str, dict[str, Any]] | None = None
    """who comes into the fight: fields of `rules.fight.commands.Join`"""
    user: str = ""
    create: str | None = None
    """a kind: somebody is made by `choices`, who is then called `of` (or `made`)"""
    ready: str = ""
    """for `create`: begin with the choices of a ready-made character"""
    advance: str | None = None
    """what the subject `of` buys or takes by `choices`; `level`: it comes to the next level"""
    now: dt.datetime | None = None
    by: Literal["gm", "holder", "server"] = "gm"
    of: str = ""
    roles: dict[str, str | Ids] = {}
    caller: Literal["gm", "player", "watcher", "server"] | None = None
    """the seat that calls for the test: refused (`not_allowed`) where it may not, or gives what is the GM's to give"""
    actor: ActorSpec | None = None
    """who rolls"""
    given: dict[str, Any] = {}
    choices: dict[str, Any] = {}
    dice: list[int] = []
    expect: Expected = Expected()


class Case(CaseStep, frozen=True, kw_only=True):
    title: str = field(name="case")
    proves: Ids = []
    settings: dict[str, Any] = {}
    subjects: dict[str, SubjectSpec] = {}
    calendar: CalendarStart | None = None
    members: dict[str, Literal["gm", "player"]] = {}
    """who sits at the table, for Pursuits"""
    making: Ids = []
    """subjects whose pairs are still being made"""
    scenes: dict[str, dict[str, Any]] = {}
    """where invocations and rolls are made, by their `call` or `roll`: fields of `rules.invocations.Scene`"""
    scene: SceneSpec | None = None
    script: list[CaseStep] = []


class CaseFile(Base, frozen=True, kw_only=True):
    subjects: dict[str, SubjectSpec] = {}
    scenes: dict[str, dict[str, Any]] = {}
    calendar: CalendarStart | None = None
    """for cases that name none of their own"""
    scene: SceneSpec | None = None
    """for cases that name none of their own"""
    cases: list[Case]
