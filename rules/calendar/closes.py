"""Deciders for closing a period and for taking a close back."""

import datetime as dt

from rules.calendar.commands import ClosePeriod, TakeBackClose
from rules.calendar.due import next_attempt, upcoming
from rules.calendar.events import CloseTakenBack, PeriodClosed
from rules.calendar.geometry import first_week, rung_place, start_of
from rules.calendar.rules import CalendarRules
from rules.calendar.state import CalendarState, Period, period_key
from rules.dates import day_said
from rules.refusal import Refused


def close(rules: CalendarRules, state: CalendarState, command: ClosePeriod, now: dt.datetime) -> list[PeriodClosed]:
    """Close the period whose turn it is. Refused when it is not over, closed already, or another comes first."""
    start_of(state)
    rung_place(state, command.rung)
    if command.number <= state.closed.get(command.rung, 0):
        raise already_settled(command.rung, command.number)
    expected = next_attempt(state, command.rung, command.number)
    first = next(upcoming(state), None)
    if first is None or first.period.ends_at is None or first.period.ends_at > now:
        raise _not_over(command, None if first is None else first.period)
    if (first.period.rung, first.period.number) != (command.rung, command.number):
        raise _not_in_turn(state, command, first.period, now)
    if command.attempt != expected:
        raise Refused(
            "stale_attempt",
            f"This close of {first.period.key} is out of date.",
            field="attempt",
            value=command.attempt,
            right=str(expected),
        )
    assert first.period.ends is not None
    return [
        PeriodClosed(
            rung=command.rung,
            number=command.number,
            attempt=expected,
            starts=first.period.starts,
            ends=first.period.ends,
            ended_at=first.period.ends_at,
        )
    ]


def take_back(
    rules: CalendarRules, state: CalendarState, command: TakeBackClose, now: dt.datetime
) -> list[CloseTakenBack]:
    """Undo the last close of a rung, if no close of a longer period rests on it."""
    place, rung = rung_place(state, command.rung), command.rung
    last = state.closed.get(rung, 0)
    if command.number > last or command.number < 1:
        raise Refused(
            f"{rung}_not_closed", f"{rung} {command.number} is not closed.", field="number", right=str(last or "")
        )
    if command.number < last:
        raise _later_first(rung, last)
    end = first_week(state, place, command.number + 1)
    for above in range(place + 1, len(state.rungs)):
        settled = state.closed.get(state.rungs[above], 0)
        settled_end = first_week(state, above, settled + 1)
        if settled and end is not None and settled_end is not None and settled_end >= end:
            raise _later_first(state.rungs[above], settled)
    done = state.attempts.get(period_key(rung, command.number), 1)
    return [CloseTakenBack(rung=rung, number=command.number, attempt=done, reason=command.reason)]


def already_settled(rung: str, number: int) -> Refused:
    """The refusal of anything that comes after a period's close."""
    return Refused(
        f"{rung}_already_settled",
        f"{rung} {number} has been settled.",
        field="number",
        value=number,
        right=f"{rung} {number + 1}",
    )


def _not_over(command: ClosePeriod, ahead: Period | None) -> Refused:
    when = "not before the calendar resumes"
    if ahead is not None and ahead.ends is not None:
        when = f"from {day_said(ahead.ends)} ({ahead.rung} {ahead.number})"
    return Refused(
        f"{command.rung}_not_over",
        f"{command.rung} {command.number} is not over.",
        field="number",
        value=command.number,
        right=when,
    )


def _not_in_turn(state: CalendarState, command: ClosePeriod, first: Period, now: dt.datetime) -> Refused:
    for ahead in upcoming(state):
        if ahead.period.ends_at is None or ahead.period.ends_at > now:
            return _not_over(command, None)
        if (ahead.period.rung, ahead.period.number) == (command.rung, command.number):
            break
    return Refused(
        "close_in_order",
        f"{first.rung} {first.number} has to be closed first.",
        field="number",
        value=command.number,
        right=first.key,
    )


def _later_first(rung: str, number: int) -> Refused:
    return Refused(
        "later_close_stands",
        f"{rung} {number} was closed after it and rests on it.",
        field="number",
        right=f"take back {rung} {number} first",
    )
