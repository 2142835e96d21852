"""What can be asked about development. Sides are named by full key (`kind.side`) or, where clear, short.

Closing a period is `rules.calendar.ClosePeriod`, decided here together with what it settles.
"""

import datetime as dt

import msgspec


class AwardMark(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Mark a side of a subject's pair for conduct.

    mark           id of the mark to be (of the proposal, when the asker may not award)
    at             when the conduct happened (aware); None: now
    consequential  that it had consequences; collective: that the holder acted as a body, where that is asked
    source         what it comes of; `tested` the side a test was rolled on, where the source asks for it
    sealed         keep it from the holder's players until it is settled
    proposal       the proposal that this answers; its subject, side and time must be given again
    """

    mark: str
    subject: str
    side: str
    at: dt.datetime | None = None
    consequential: bool = False
    collective: bool = False
    source: str = ""
    tested: str | None = None
    sealed: bool = False
    note: str = ""
    proposal: str | None = None


class DeclineProposal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Answer a proposal with no."""

    proposal: str
    reason: str = ""


class VoidMark(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Take back a mark given in error, before it is settled; its week or season is free again."""

    mark: str
    reason: str = ""


class RollAdvancement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Make one open advancement roll, by its key."""

    roll: str


DevelopmentCommand = AwardMark | DeclineProposal | VoidMark | RollAdvancement
