"""Where periods begin and end: whole-number arithmetic on weeks, and the one place where weeks become instants.

Weeks are numbered from 0 at the calendar's start. A *counted* week is one outside every pause. A period of the second
rung is a run of counted weeks together with the pauses before and between them, so that periods follow each other
without gap. All boundaries of all periods are week boundaries.
"""

import datetime as dt
import functools
from zoneinfo import ZoneInfo

from rules.calendar.state import CalendarState, Period
from rules.refusal import Refused

WEEK = 7


def start_of(state: CalendarState) -> dt.date:
    """The first day of the calendar. Refused when it has not been started."""
    if state.start is None:
        raise Refused("calendar_not_started", "The campaign's calendar has not been started.", right="start it first")
    return state.start


def monday_of(state: CalendarState, week: int) -> dt.date:
    """The local date on which a week begins."""
    return start_of(state) + dt.timedelta(days=WEEK * week)


def week_on(state: CalendarState, day: dt.date) -> int:
    """The week in which a local date lies; negative before the start."""
    return (day - start_of(state)).days // WEEK


def zone_at(state: CalendarState, week: int) -> ZoneInfo:
    """The zone whose midnight begins a week."""
    name = state.zones[0].zone
    for span in state.zones:
        if span.first <= week:
            name = span.zone
    return ZoneInfo(name)


def instant_of(state: CalendarState, week: int) -> dt.datetime:
    """The instant, in UTC, at which a week begins."""
    return midnight(monday_of(state, week), zone_at(state, week))


@functools.lru_cache(maxsize=16384)
def midnight(day: dt.date, zone: ZoneInfo) -> dt.datetime:
    """The instant at which a local day begins. A midnight that a clock change skips is the moment of the change, one
    that it repeats is the first of the two."""
    return dt.datetime.combine(day, dt.time(0), zone).astimezone(dt.UTC)


def week_at(state: CalendarState, at: dt.datetime) -> int:
    """The week in which an instant lies; negative before the start."""
    week = week_on(state, at.astimezone(zone_at(state, 0)).date())
    while instant_of(state, week) > at:
        week -= 1
    while instant_of(state, week + 1) <= at:
        week += 1
    return week


def is_paused(state: CalendarState, week: int) -> bool:
    """Whether a week lies in a pause."""
    return any(pause.first <= week and (pause.until is None or week < pause.until) for pause in state.pauses)


def counted_before(state: CalendarState, week: int) -> int:
    """How many weeks before this one count."""
    counted = week
    for pause in state.pauses:
        until = week if pause.until is None else min(pause.until, week)
        counted -= max(0, until - pause.first)
    return counted


def week_of_counted(state: CalendarState, index: int) -> int | None:
    """The week that is the `index`-th (from 0) to count; None when it waits behind a pause without end."""
    week = index
    for pause in state.pauses:
        if week >= pause.first:
            if pause.until is None:
                return None
            week += pause.until - pause.first
    return week


def next_counted(state: CalendarState, week: int) -> int | None:
    """This week or the first after it that counts; None in a pause without end."""
    for pause in state.pauses:
        if pause.first <= week and (pause.until is None or week < pause.until):
            if pause.until is None:
                return None
            week = pause.until
    return week


def second_number(state: CalendarState, counted: int) -> int:
    """The number of the second-rung period that holds the counted week with this index."""
    length = state.counts[1]
    number, first = 1, 0
    for odd in sorted(state.extra):
        ordinary = (odd - number) * length
        if counted < first + ordinary:
            break
        first += ordinary
        own = length + state.extra[odd]
        if counted < first + own:
            return odd
        first += own
        number = odd + 1
    return number + (counted - first) // length


def second_first(state: CalendarState, number: int) -> int:
    """The index among counted weeks of the first week of a second-rung period."""
    extra = sum(weeks for odd, weeks in state.extra.items() if odd < number)
    return (number - 1) * state.counts[1] + extra


def first_week(state: CalendarState, rung: int, number: int) -> int | None:
    """The week with which a period begins, by place of its rung on the ladder; None while that is unknown."""
    if number <= 1:
        return 0
    if rung == 0:
        return number - 1
    for count in state.counts[2 : rung + 1]:
        number = (number - 1) * count + 1
    last_before = week_of_counted(state, second_first(state, number) - 1)
    return None if last_before is None else last_before + 1


def number_in(state: CalendarState, rung: int, week: int) -> int:
    """The number of the period of a rung that holds a week (from the start on)."""
    if rung == 0:
        return week + 1
    number = second_number(state, counted_before(state, week))
    for count in state.counts[2 : rung + 1]:
        number = (number - 1) // count + 1
    return number


def rung_place(state: CalendarState, rung: str) -> int:
    """The place of a rung on the ladder, from 0. Refused when there is none of that name."""
    if rung not in state.rungs:
        raise Refused(
            "unknown_period",
            f"This calendar has no {rung!r}.",
            field="rung",
            value=rung,
            right=", ".join(state.rungs) or "start the calendar first",
        )
    return state.rungs.index(rung)


def period(state: CalendarState, rung: str, number: int) -> Period | None:
    """One period with its bounds; None when its beginning is unknown, behind a pause without end."""
    place = rung_place(state, rung)
    first = first_week(state, place, number)
    if first is None:
        return None
    end = first_week(state, place, number + 1)
    return Period(
        rung=rung,
        number=number,
        starts=monday_of(state, first),
        begins_at=instant_of(state, first),
        ends=None if end is None else monday_of(state, end),
        ends_at=None if end is None else instant_of(state, end),
    )


def period_at(state: CalendarState, rung: str, at: dt.datetime) -> Period | None:
    """The period of a rung that holds an instant; None before the start of the calendar."""
    if state.start is None:
        return None
    week = week_at(state, at)
    if week < 0:
        return None
    return period(state, rung, number_in(state, rung_place(state, rung), week))
