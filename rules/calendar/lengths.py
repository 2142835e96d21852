"""Deciders that make one period longer or shorter by whole weeks."""

import datetime as dt

from rules.calendar.changes import on_monday, weeks_wrong
from rules.calendar.commands import EndEarly, LiftEnd, StretchPeriod
from rules.calendar.events import EndLifted, PeriodStretched
from rules.calendar.geometry import (
    counted_before,
    first_week,
    instant_of,
    is_paused,
    monday_of,
    number_in,
    second_first,
    start_of,
    week_at,
    week_of_counted,
    week_on,
)
from rules.calendar.rules import CalendarRules
from rules.calendar.state import CalendarState
from rules.dates import day_said
from rules.refusal import Refused


def stretch(
    rules: CalendarRules, state: CalendarState, command: StretchPeriod, now: dt.datetime
) -> list[PeriodStretched]:
    """Lengthen the running period, or one that is over and not closed, so that it ends after `now` (SPI-095)."""
    rung, current = _second(state), max(week_at(state, now), 0)
    running = number_in(state, 1, current)
    number = running if command.number is None else command.number
    if not state.closed.get(rung, 0) < number <= running:
        raise Refused(
            f"{rung}_already_settled" if number <= state.closed.get(rung, 0) else f"{rung}_not_begun",
            f"{rung} {number} cannot be stretched now.",
            field="number",
            value=number,
            right=f"{state.closed.get(rung, 0) + 1} to {running}",
        )
    if not 1 <= command.weeks <= rules.max_stretch_weeks:
        raise weeks_wrong(command.weeks, rules.max_stretch_weeks)
    end = week_of_counted(state, second_first(state, number + 1) + command.weeks - 1)
    if end is not None and instant_of(state, end + 1) <= now:
        missing = counted_before(state, current + 1) - second_first(state, number + 1)
        raise Refused(
            "still_over",
            f"{rung} {number} would still be over.",
            field="weeks",
            value=command.weeks,
            right=f"{missing} weeks or more",
        )
    ends = None if end is None else monday_of(state, end + 1)
    return [PeriodStretched(rung=rung, number=number, weeks=command.weeks, ends=ends)]


def end_early(rules: CalendarRules, state: CalendarState, command: EndEarly, now: dt.datetime) -> list[PeriodStretched]:
    """Let the running period end with a week that counts: one that is not over, or at once with the last one that is,
    so that the running week begins the next period."""
    rung, current = _second(state), max(week_at(state, now), 0)
    number = number_in(state, 1, current)
    end = current + 1
    if command.ends_on is not None:
        on_monday(command.ends_on, "ends_on")
        end = week_on(state, command.ends_on)
    first, ordinary = first_week(state, 1, number), first_week(state, 1, number + 1)
    at_once = end == current and first is not None and first < current
    if (end <= current and not at_once) or (ordinary is not None and end >= ordinary) or is_paused(state, end - 1):
        raise _not_early(state, rung, current if first is None or first == current else current - 1, ordinary)
    weeks = counted_before(state, end) - second_first(state, number + 1)
    return [PeriodStretched(rung=rung, number=number, weeks=weeks, ends=monday_of(state, end))]


def lift_end(rules: CalendarRules, state: CalendarState, command: LiftEnd, now: dt.datetime) -> list[EndLifted]:
    """Give a period back what an early end took from it, as long as it is not closed. It may be that it is over all
    the same by now, and is closed at the end that it would have had."""
    rung = _second(state)
    number = max(state.cut, default=0) if command.number is None else command.number
    if number not in state.cut:
        raise Refused(
            "not_ended_early",
            f"No {rung} was ended early." if command.number is None else f"{rung} {number} was not ended early.",
            field="number",
            value=command.number,
            right=" or ".join(map(str, sorted(state.cut))),
        )
    settled = state.closed.get(rung, 0)
    if number <= settled:
        raise Refused(
            "later_close_stands",
            f"{rung} {number} is closed.",
            field="number",
            value=number,
            right=f"take back {rung} {settled} first",
        )
    weeks = state.cut[number]
    end = week_of_counted(state, second_first(state, number + 1) + weeks - 1)
    ends = None if end is None else monday_of(state, end + 1)
    return [EndLifted(rung=rung, number=number, weeks=weeks, ends=ends)]


def _not_early(state: CalendarState, rung: str, before: int, ordinary: int | None) -> Refused:
    """Why a period cannot end then, and on which Mondays behind the week ``before`` it could."""
    last = before + 4 if ordinary is None else ordinary - 1
    ends = [week for week in range(before + 1, last + 1) if not is_paused(state, week - 1)]
    right = " or ".join(day_said(monday_of(state, week)) for week in ends[:4])
    return Refused(
        "no_earlier_end",
        f"The {rung} cannot end early then.",
        field="ends_on",
        right=right or f"let the {rung} end as it stands",
    )


def _second(state: CalendarState) -> str:
    start_of(state)
    if len(state.rungs) < 2:
        raise Refused("no_such_period", "This calendar has weeks only.", right="a calendar with a longer period")
    return state.rungs[1]
