"""What the calendar has to remember: a start, and what was not ordinary since."""

import datetime as dt

import msgspec


class ZoneSpan(msgspec.Struct, kw_only=True):
    """From week boundary `first` on (0 is the start of the calendar) midnights are those of `zone`."""

    first: int
    zone: str


class Pause(msgspec.Struct, kw_only=True):
    """Weeks `first` up to, not including, `until` do not count; `until` None: until further notice."""

    first: int
    until: int | None = None


class CalendarState(msgspec.Struct, kw_only=True):
    """A campaign's calendar. Weeks are counted from 0 at `start`, all other periods from 1.

    It grows with what the GM does to the calendar, never with the age of the campaign: ordinary periods follow from
    the start by arithmetic.

    start     local date (a Monday) of the first week; None before the calendar is started
    rungs     ids of the ladder in force, lowest first, and
    counts    how many of the rung below each holds (the lowest: 1), both fixed at the start, so that a later change of
              the pack moves no period that has been played
    zones     whose midnights divide the weeks, by week boundary
    extra     weeks a period of the second rung is longer (or, negative, shorter) than ordinary
    cut       of those, the weeks that an early end took and nothing has given back
    pauses    weeks that do not count, in order
    names     names given by the GM, by rung, in place of the pack's
    closed    by rung, the number of the last closed period
    attempts  by period key, how often the period has been closed so far, kept for those that were taken back
    """

    start: dt.date | None = None
    rungs: list[str] = []
    counts: list[int] = []
    zones: list[ZoneSpan] = []
    extra: dict[int, int] = {}
    cut: dict[int, int] = {}
    pauses: list[Pause] = []
    names: dict[str, list[str]] = {}
    closed: dict[str, int] = {}
    attempts: dict[str, int] = {}


class Period(msgspec.Struct, frozen=True, kw_only=True):
    """One week, season, year ... of a campaign.

    `starts` and `ends` are local dates, `ends` being the first day that no longer belongs to it; `begins_at` and
    `ends_at` the same as UTC instants. The end is unknown (None) while a pause without end lies in it.
    """

    rung: str
    number: int
    starts: dt.date
    begins_at: dt.datetime
    ends: dt.date | None
    ends_at: dt.datetime | None

    @property
    def key(self) -> str:
        """The period's name within its campaign, such as `season:3`."""
        return period_key(self.rung, self.number)


class DuePeriod(msgspec.Struct, frozen=True, kw_only=True):
    """A period that is over and not closed, with the number of the attempt that closes it (1 unless taken back)."""

    period: Period
    attempt: int

    @property
    def key(self) -> str:
        """The close's name within its campaign, such as `season:3:1`: what a command id is made of."""
        return f"{self.period.key}:{self.attempt}"


def period_key(rung: str, number: int) -> str:
    """The name of a period within its campaign, such as `season:3`."""
    return f"{rung}:{number}"
