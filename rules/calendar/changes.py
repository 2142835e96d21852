"""Deciders for starting, pausing, resuming, moving to another zone, and naming."""

import datetime as dt
import zoneinfo

from rules.calendar.commands import ChangeZone, NamePeriods, PauseCalendar, ResumeCalendar, StartCalendar
from rules.calendar.events import CalendarPaused, CalendarResumed, CalendarStarted, PeriodsNamed, ZoneChanged
from rules.calendar.geometry import instant_of, is_paused, midnight, monday_of, rung_place, start_of, week_at, week_on
from rules.calendar.rules import CalendarRules
from rules.calendar.state import CalendarState, Pause
from rules.dates import day_said
from rules.faults import nearest, repeated
from rules.refusal import Refused

MONDAY = 0


def start(
    rules: CalendarRules, state: CalendarState, command: StartCalendar, now: dt.datetime
) -> list[CalendarStarted]:
    """Start, or start anew while nothing has closed (SPI-095: on a Monday)."""
    if any(state.closed.values()):
        raise Refused("calendar_already_running", "Periods of this calendar have closed; it can no longer start anew.")
    zone = known_zone(command.zone)
    on_monday(command.starts_on, "starts_on", f"{rules.ladder[1].id if len(rules.ladder) > 1 else 'start'}_starts_on")
    distance = abs((command.starts_on - now.astimezone(zone).date()).days) // 7
    if distance > rules.start_within_weeks:
        raise Refused(
            "start_too_far_away",
            f"The start lies {distance} weeks from today.",
            field="starts_on",
            value=command.starts_on,
            right=f"at most {rules.start_within_weeks} weeks from today, before or after",
        )
    return [
        CalendarStarted(
            zone=command.zone,
            starts_on=command.starts_on,
            rungs=tuple(rung.id for rung in rules.ladder),
            counts=tuple(rung.count or 1 for rung in rules.ladder),
        )
    ]


def pause(rules: CalendarRules, state: CalendarState, command: PauseCalendar, now: dt.datetime) -> list[CalendarPaused]:
    """A break from a week that has not ended on, for whole weeks or until further notice."""
    start_of(state)
    running = week_at(state, now)
    current, first = max(running, 0), max(running + 1, 0)
    latest = state.pauses[-1] if state.pauses else None
    if command.from_date is not None:
        on_monday(command.from_date, "from_date")
        first = week_on(state, command.from_date)
    if first < current or first > current + rules.max_stretch_weeks:
        raise _out_of_reach(state, "pause", command.from_date, current, current + rules.max_stretch_weeks)
    if latest is not None and (latest.until is None or latest.until > first):
        raise Refused(
            "already_paused", "The calendar is paused then already.", field="from_date", right="resume it first"
        )
    if command.weeks is not None and not 1 <= command.weeks <= rules.max_stretch_weeks:
        raise weeks_wrong(command.weeks, rules.max_stretch_weeks)
    until = None if command.weeks is None else monday_of(state, first + command.weeks)
    return [CalendarPaused(from_date=monday_of(state, first), until=until)]


def resume(
    rules: CalendarRules, state: CalendarState, command: ResumeCalendar, now: dt.datetime
) -> list[CalendarResumed]:
    """End the latest pause. Weeks of it that are over stay uncounted."""
    start_of(state)
    current = max(week_at(state, now), 0)
    latest = _unfinished(state, current)
    earliest = max(latest.first, current)
    until = earliest
    if command.from_date is not None:
        on_monday(command.from_date, "from_date")
        until = week_on(state, command.from_date)
    if until < earliest or until > earliest + rules.max_stretch_weeks:
        raise _out_of_reach(state, "resume", command.from_date, earliest, earliest + rules.max_stretch_weeks)
    return [CalendarResumed(paused_from=monday_of(state, latest.first), from_date=monday_of(state, until))]


def change_zone(rules: CalendarRules, state: CalendarState, command: ChangeZone, now: dt.datetime) -> list[ZoneChanged]:
    """Another zone, from the first week boundary that is still to come in the old zone and in the new one, so that
    no instant already past changes its week."""
    start_of(state)
    zone = known_zone(command.zone)
    latest = state.zones[-1]
    if latest.zone == command.zone:
        since = f" from {day_said(monday_of(state, latest.first))} on" if latest.first > week_at(state, now) else ""
        raise Refused("zone_unchanged", f"The calendar follows {command.zone}{since or ' already'}.", field="zone")
    week = max(week_at(state, now) + 1, 0)
    while midnight(monday_of(state, week), zone) <= now or instant_of(state, week) <= now:
        week += 1
    return [ZoneChanged(zone=command.zone, from_date=monday_of(state, week))]


def name_periods(
    rules: CalendarRules, state: CalendarState, command: NamePeriods, now: dt.datetime
) -> list[PeriodsNamed]:
    """Names of the table's own; as many as there are places."""
    place = rung_place(state, command.rung)
    for name in repeated(command.names):
        raise Refused("name_repeated", f"Two are called {name!r}.", field="names", value=name, right="different names")
    if any(not name.strip() or len(name) > 60 for name in command.names):
        raise Refused("name_wrong", "A name is empty or too long.", field="names", right="1 to 60 letters each")
    wanted = state.counts[place + 1] if place + 1 < len(state.counts) else len(command.names)
    if command.names and len(command.names) != wanted:
        raise Refused(
            "names_do_not_fit",
            f"There are {wanted} places to name.",
            field="names",
            value=len(command.names),
            right=f"{wanted} names, or none for the pack's own",
        )
    return [PeriodsNamed(rung=command.rung, names=command.names)]


# Files beside the zones that mean another zone on another server, or none.
OF_THE_MACHINE = frozenset({"localtime", "posixrules", "Factory"})


def known_zone(name: str) -> zoneinfo.ZoneInfo:
    """The IANA zone of that name. Refused with the nearest known name, also for what only this machine calls so."""
    try:
        if name in OF_THE_MACHINE or name.startswith(("posix/", "right/")):
            raise zoneinfo.ZoneInfoNotFoundError(name)
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        known = sorted(zoneinfo.available_timezones() - OF_THE_MACHINE)
        raise Refused(
            "unknown_zone",
            f"There is no time zone {name!r}.",
            field="zone",
            value=name,
            right=nearest(name, known) or "an IANA name such as Europe/London",
        ) from error


def on_monday(day: dt.date, field: str, code: str = "not_a") -> None:
    """Refused when a day is no Monday, with the Mondays beside it."""
    if day.weekday() == MONDAY:
        return
    before = day - dt.timedelta(days=day.weekday())
    mondays = [before]
    if dt.date.max - before >= dt.timedelta(days=7):  # the last days of 9999 have no Monday after them
        mondays.append(before + dt.timedelta(days=7))
    raise Refused(
        f"{code}_monday",
        f"{day_said(day)} is not a Monday; weeks begin on Mondays.",
        field=field,
        value=day,
        right=" or ".join(map(day_said, mondays)),
    )


def weeks_wrong(weeks: int, most: int) -> Refused:
    """The refusal of a number of weeks that is none or too many."""
    return Refused(
        "weeks_out_of_range",
        f"{weeks} weeks are not possible.",
        field="weeks",
        value=weeks,
        right=f"1 to {most} whole weeks",
    )


def _out_of_reach(state: CalendarState, what: str, day: dt.date | None, first: int, last: int) -> Refused:
    return Refused(
        f"{what}_out_of_reach",
        f"It is not possible to {what} from then.",
        field="from_date",
        value=day,
        right=f"a Monday from {day_said(monday_of(state, first))} to {day_said(monday_of(state, last))}",
    )


def _unfinished(state: CalendarState, current: int) -> Pause:
    """The pause that runs now or is still to come."""
    latest = state.pauses[-1] if state.pauses else None
    if latest is not None and (is_paused(state, current) or latest.first > current):
        return latest
    raise Refused("not_paused", "The calendar is not paused.")
