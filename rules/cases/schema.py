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
"""

from __future__ import annotations

from typing import Any

from msgspec import field

from rules.packs.schema import Base, Ids


class HeldSpec(Base, frozen=True, kw_only=True):
    """A card that a subject holds at the start of a case."""

    card: str
    values: dict[str, Any] = {}
    at: str = ""
    of: str = ""
    count: int = 1


class SubjectSpec(Base, frozen=True, kw_only=True):
    kind: str
    values: dict[str, Any] = {}
    held: list[str | HeldSpec] = []


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
    pending: str | None = None
    """the choice that the test waits for"""
    options: Ids | None = None
    """what may be chosen there"""
    refused: str | None = None
    wrong: str | None = None
    """the input, role or choice that does not fit"""
    value: Any = None
    """for `formula`"""
    narrated: int | None = None
    odds: OddsExpected | None = None
    state: dict[str, StateExpected] = {}
    seen: dict[str, str] = {}
    """the audience of facts"""


class CaseStep(Base, frozen=True, kw_only=True):
    """One thing done: a test run, a formula read, an instant that comes, or the odds asked for."""

    test: str | None = None
    formula: str | None = None
    happens: str | None = None
    of: str = ""
    roles: dict[str, str] = {}
    actor: ActorSpec | None = None
    given: dict[str, Any] = {}
    choices: dict[str, Any] = {}
    dice: list[int] = []
    expect: Expected = Expected()


class Case(CaseStep, frozen=True, kw_only=True):
    title: str = field(name="case")
    proves: Ids = []
    settings: dict[str, Any] = {}
    subjects: dict[str, SubjectSpec] = {}
    script: list[CaseStep] = []


class CaseFile(Base, frozen=True, kw_only=True):
    subjects: dict[str, SubjectSpec] = {}
    cases: list[Case]
