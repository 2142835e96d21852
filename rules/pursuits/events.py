"""What has happened to Pursuits. ``award`` is the id of what is given for it, empty where nothing is; ``at`` is when it
happened."""

from __future__ import annotations

import datetime as dt
from typing import Any

import msgspec


class Event(msgspec.Struct, frozen=True, kw_only=True):
    pursuit: str
    kind: str
    owner: str


class PursuitWritten(Event, frozen=True, kw_only=True):
    """One was written. ``open``: it needs nobody's consent; else it is a proposal that its writer agrees to."""

    words: str
    writer: str
    stages: tuple[str, ...]
    given: dict[str, Any]
    weeks: int
    open: bool
    shared: bool
    since: dt.datetime | None


class PursuitAgreed(Event, frozen=True, kw_only=True):
    """A member said yes or no."""

    member: str
    agrees: bool


class PursuitOpened(Event, frozen=True, kw_only=True):
    """Everybody whose consent it takes has agreed."""

    words: str
    since: dt.datetime


class PursuitReworded(Event, frozen=True, kw_only=True):
    """It has other words or stages. ``asks``: it needs consent anew, the writer's given."""

    words: str
    writer: str
    stages: tuple[str, ...]
    asks: bool


class PursuitShared(Event, frozen=True, kw_only=True):
    """The table may read it from now on."""

    words: str


class AdvanceClaimed(Event, frozen=True, kw_only=True):
    """Its player says that it advanced."""

    note: str


class AdvanceDeclined(Event, frozen=True, kw_only=True):
    """It did not, or the word was taken back."""

    reason: str


class PursuitAdvanced(Event, frozen=True, kw_only=True):
    """It advanced; ``words`` are its own. ``in_session``: how often its owner has been given
    something since the session began; ``remark`` says that this is more often than the pace has it."""

    words: str
    note: str
    award: str
    in_session: int
    remark: bool
    at: dt.datetime


class StageCompleted(Event, frozen=True, kw_only=True):
    """A stage is done, the ``number``-th."""

    number: int
    words: str
    note: str
    award: str
    at: dt.datetime


class PursuitRipened(Event, frozen=True, kw_only=True):
    """The weeks that it takes are over."""


class PursuitResolved(Event, frozen=True, kw_only=True):
    """It is closed: reached, or settled otherwise."""

    words: str
    note: str
    award: str
    in_session: int
    remark: bool
    at: dt.datetime


class PursuitAbandoned(Event, frozen=True, kw_only=True):
    """It is closed: given up, or never agreed to."""

    words: str
    reason: str


class AwardedWithout(Event, frozen=True, kw_only=True):
    """Something was given to one who has no Pursuit open (``pursuit`` is empty), for a reason."""

    reason: str
    award: str


PursuitEvent = (
    PursuitWritten
    | PursuitAgreed
    | PursuitOpened
    | PursuitReworded
    | PursuitShared
    | AdvanceClaimed
    | AdvanceDeclined
    | PursuitAdvanced
    | StageCompleted
    | PursuitRipened
    | PursuitResolved
    | PursuitAbandoned
    | AwardedWithout
)
