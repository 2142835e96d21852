"""What has happened in development. Sides are short names within the kind, instants aware and in UTC."""

import datetime as dt
from typing import Literal

import msgspec


class MarkAwarded(msgspec.Struct, frozen=True, kw_only=True):
    """A side was marked; `proposal` is the proposal this answers, if any."""

    mark: str
    subject: str
    kind: str
    pair: str
    side: str
    at: dt.datetime
    sealed: bool
    source: str
    note: str
    proposal: str | None


class MarkProposed(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who may not award asked for a mark."""

    proposal: str
    subject: str
    kind: str
    pair: str
    side: str
    at: dt.datetime
    source: str
    note: str


class ProposalDeclined(msgspec.Struct, frozen=True, kw_only=True):
    """A proposal was answered with no."""

    proposal: str
    subject: str
    reason: str


class MarkVoided(msgspec.Struct, frozen=True, kw_only=True):
    """A mark no longer counts. `sealed` as the mark was."""

    mark: str
    subject: str
    sealed: bool
    reason: str


class PairResult(msgspec.Struct, frozen=True, kw_only=True):
    """What the settling did to one pair.

    marks      ids of the marks that counted, by side; surplus: those beyond the limit of their week or season
    remaining  marks left after cancelling, on the side `toward` (None: none left)
    outcome    rolled; cancelled (none left, no roll); at_end (the side can rise no further, no roll); no_ratings
               (the subject has no such pair, no roll); open (waits for its player)
    rating     of the marked side when it was rolled; the roll is `face` + `bonus` = `total`
    shifted    whether the pair moved; `change` is the signed change of the first side, `before` and `after` its rating
    """

    pair: str
    marks: dict[str, tuple[str, ...]]
    surplus: tuple[str, ...]
    toward: str | None
    remaining: int
    outcome: Literal["rolled", "cancelled", "at_end", "no_ratings", "open"]
    before: int | None
    after: int | None
    rating: int | None = None
    bonus: int | None = None
    face: int | None = None
    total: int | None = None
    shifted: bool = False
    change: int = 0


class SubjectSettled(msgspec.Struct, frozen=True, kw_only=True):
    """A close settled the marks of one subject. `lapsed` are proposals left without answer, `roll_until` the time that
    players have for open rolls. The `attempt` is that of the close."""

    subject: str
    kind: str
    rung: str
    number: int
    attempt: int
    results: tuple[PairResult, ...]
    lapsed: tuple[str, ...]
    roll_until: dt.datetime | None = None


class AdvancementRolled(msgspec.Struct, frozen=True, kw_only=True):
    """An open roll was made, by its player (`holder`) or by the server in the player's stead."""

    roll: str
    subject: str
    kind: str
    rung: str
    number: int
    attempt: int
    result: PairResult
    by: Literal["holder", "server"]
    in_stead: bool


DevelopmentEvent = MarkAwarded | MarkProposed | ProposalDeclined | MarkVoided | SubjectSettled | AdvancementRolled
