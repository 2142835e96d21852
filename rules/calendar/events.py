"""What has happened to a calendar. Dates are local dates, instants aware and in UTC."""

import datetime as dt

import msgspec


class CalendarStarted(msgspec.Struct, frozen=True, kw_only=True):
    """The first week began (or will begin) on `starts_on`. The ladder is kept as it stood."""

    zone: str
    starts_on: dt.date
    rungs: tuple[str, ...]
    counts: tuple[int, ...]


class CalendarPaused(msgspec.Struct, frozen=True, kw_only=True):
    """Weeks from `from_date` up to `until` (None: until further notice) do not count."""

    from_date: dt.date
    until: dt.date | None


class CalendarResumed(msgspec.Struct, frozen=True, kw_only=True):
    """The pause that began on `paused_from` ends: the week of `from_date` counts again."""

    paused_from: dt.date
    from_date: dt.date


class PeriodStretched(msgspec.Struct, frozen=True, kw_only=True):
    """A period became `weeks` longer (negative: ends early). `ends` is its new end, None while that is unknown."""

    rung: str
    number: int
    weeks: int
    ends: dt.date | None


class EndLifted(msgspec.Struct, frozen=True, kw_only=True):
    """A period that was to end early, or had, gets the `weeks` back that it lost. `ends` is its new end, None while
    that is unknown."""

    rung: str
    number: int
    weeks: int
    ends: dt.date | None


class PeriodClosed(msgspec.Struct, frozen=True, kw_only=True):
    """A period was closed. It ran from `starts` up to, not including, `ends`."""

    rung: str
    number: int
    attempt: int
    starts: dt.date
    ends: dt.date
    ended_at: dt.datetime


class CloseTakenBack(msgspec.Struct, frozen=True, kw_only=True):
    """The close of a period, its `attempt`-th, no longer holds. What it resolved is voided beside this event."""

    rung: str
    number: int
    attempt: int
    reason: str


class ZoneChanged(msgspec.Struct, frozen=True, kw_only=True):
    """Weeks beginning on `from_date` or later begin at that zone's midnight."""

    zone: str
    from_date: dt.date


class PeriodsNamed(msgspec.Struct, frozen=True, kw_only=True):
    """The periods of a rung have new names; none: those of the pack."""

    rung: str
    names: tuple[str, ...]


CalendarEvent = (
    CalendarStarted
    | CalendarPaused
    | CalendarResumed
    | PeriodStretched
    | EndLifted
    | PeriodClosed
    | CloseTakenBack
    | ZoneChanged
    | PeriodsNamed
)
