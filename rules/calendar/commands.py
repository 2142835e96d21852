"""What can be asked of a calendar. Dates are local dates of the campaign; None takes the default named here."""

import datetime as dt

import msgspec


class StartCalendar(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Start the first period on a Monday, in an IANA time zone. May be given again until something has closed."""

    zone: str
    starts_on: dt.date


class PauseCalendar(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A break in play: from a Monday (default: the next), for some weeks or until further notice."""

    from_date: dt.date | None = None
    weeks: int | None = None


class ResumeCalendar(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """End the break: the first week that counts again (default: the week that now runs, if the break has begun)."""

    from_date: dt.date | None = None


class StretchPeriod(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Make a period of the second rung longer by whole weeks (default: the one that now runs)."""

    weeks: int
    number: int | None = None


class EndEarly(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """End the running period of the second rung early, at the end of a week (default: of this one).

    The Monday with which the running week began ends it at once.
    """

    ends_on: dt.date | None = None


class LiftEnd(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Let a period of the second rung that was ended early go on as if it had not been (default: the last such)."""

    number: int | None = None


class ClosePeriod(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Close a period that is over. The attempt is 1, and one more each time the close was taken back."""

    rung: str
    number: int
    attempt: int = 1


class TakeBackClose(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Undo the last close of a rung, so that the period can be closed anew."""

    rung: str
    number: int
    reason: str = ""


class ChangeZone(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From the next midnight that is a week's end in both zones on, weeks follow another zone."""

    zone: str


class NamePeriods(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Give the periods of a rung names of the table's own (empty: the pack's again)."""

    rung: str
    names: tuple[str, ...]


CalendarCommand = (
    StartCalendar
    | PauseCalendar
    | ResumeCalendar
    | StretchPeriod
    | EndEarly
    | LiftEnd
    | ClosePeriod
    | TakeBackClose
    | ChangeZone
    | NamePeriods
)
