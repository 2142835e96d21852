"""What can be asked about Pursuits. Who may ask it is the apps' to say; `by` tells a GM from a holder and a job."""

from __future__ import annotations

from typing import Any

import msgspec


class WritePursuit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Write one: ``owner`` is a subject, or empty for the party's. ``member`` writes it and so agrees to it."""

    pursuit: str
    kind: str
    words: str
    member: str = ""
    owner: str = ""
    stages: tuple[str, ...] = ()
    given: dict[str, Any] = {}
    weeks: int = 0


class AgreePursuit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A member says yes or no to one that is proposed. ``words`` and ``stages``: as they were read, where that is said;
    nobody agrees to what was put otherwise meanwhile."""

    pursuit: str
    member: str
    agrees: bool = True
    words: str = ""
    stages: tuple[str, ...] | None = None


class RewordPursuit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Other words, or other stages still to come. What needs consent needs it anew."""

    pursuit: str
    words: str
    member: str = ""
    stages: tuple[str, ...] | None = None


class SharePursuit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Its player lets the table read it."""

    pursuit: str


class ClaimAdvance(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Its player says that it advanced; a GM answers."""

    pursuit: str
    note: str


class DeclineAdvance(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A GM says that it did not, or its player takes the word back. ``claim``: the word that this answers, as it was
    read."""

    pursuit: str
    reason: str = ""
    claim: str | None = None


class AdvancePursuit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """It advanced in earnest. ``claim``: the word that this answers, and ``moves``: how often it had moved on (advances
    and stages done), as they were read; so that two who say it of one step say it once."""

    pursuit: str
    note: str = ""
    claim: str | None = None
    moves: int | None = None


class CompleteStage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The stage that comes next is done; the last one is done by resolving it. ``moves``: as for an advance."""

    pursuit: str
    note: str = ""
    moves: int | None = None


class ResolvePursuit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """It is reached, or settled otherwise. ``earns``: reaching it counts as one more advance, where advances are what
    is given for; ``by_calendar``: its weeks are over."""

    pursuit: str
    note: str = ""
    earns: bool = True
    by_calendar: bool = False


class AbandonPursuit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """It is given up, or the proposal of it withdrawn; that costs nothing."""

    pursuit: str
    reason: str = ""


class AwardWithout(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A GM gives a subject what a kind of Pursuits gives, though it has none open, and says why."""

    kind: str
    owner: str
    reason: str


PursuitCommand = (
    WritePursuit
    | AgreePursuit
    | RewordPursuit
    | SharePursuit
    | ClaimAdvance
    | DeclineAdvance
    | AdvancePursuit
    | CompleteStage
    | ResolvePursuit
    | AbandonPursuit
    | AwardWithout
)
