"""How events change the calendar's state, in place."""

from functools import singledispatch
from typing import Any

from rules.calendar.events import (
    CalendarPaused,
    CalendarResumed,
    CalendarStarted,
    CloseTakenBack,
    EndLifted,
    PeriodClosed,
    PeriodsNamed,
    PeriodStretched,
    ZoneChanged,
)
from rules.calendar.geometry import week_on
from rules.calendar.state import CalendarState, Pause, ZoneSpan, period_key


def evolve(state: CalendarState, event: Any) -> None:
    """Apply one calendar event to the state; events of others change nothing."""
    _apply(event, state)


@singledispatch
def _apply(event: Any, state: CalendarState) -> None:
    return None


@_apply.register
def _(event: CalendarStarted, state: CalendarState) -> None:
    state.start = event.starts_on
    state.rungs, state.counts = list(event.rungs), list(event.counts)
    state.zones = [ZoneSpan(first=0, zone=event.zone)]
    state.extra, state.cut, state.pauses, state.closed, state.attempts = {}, {}, [], {}, {}


@_apply.register
def _(event: CalendarPaused, state: CalendarState) -> None:
    until = None if event.until is None else week_on(state, event.until)
    state.pauses.append(Pause(first=week_on(state, event.from_date), until=until))


@_apply.register
def _(event: CalendarResumed, state: CalendarState) -> None:
    first, until = week_on(state, event.paused_from), week_on(state, event.from_date)
    state.pauses = [pause for pause in state.pauses if pause.first != first]
    if until > first:
        state.pauses.append(Pause(first=first, until=until))


@_apply.register
def _(event: PeriodStretched, state: CalendarState) -> None:
    _lengthen(state, event.number, event.weeks)


@_apply.register
def _(event: EndLifted, state: CalendarState) -> None:
    _lengthen(state, event.number, event.weeks)


def _lengthen(state: CalendarState, number: int, weeks: int) -> None:
    """Weeks more, which first give back what an early end took."""
    for kept, value in (
        (state.extra, state.extra.get(number, 0) + weeks),
        (state.cut, max(0, state.cut.get(number, 0) - weeks)),
    ):
        if value:
            kept[number] = value
        else:
            kept.pop(number, None)


@_apply.register
def _(event: PeriodClosed, state: CalendarState) -> None:
    state.closed[event.rung] = event.number
    if event.attempt > 1:
        state.attempts[period_key(event.rung, event.number)] = event.attempt


@_apply.register
def _(event: CloseTakenBack, state: CalendarState) -> None:
    state.closed[event.rung] = event.number - 1
    state.attempts[period_key(event.rung, event.number)] = event.attempt


@_apply.register
def _(event: ZoneChanged, state: CalendarState) -> None:
    first = week_on(state, event.from_date)
    state.zones = [span for span in state.zones if span.first < first] + [ZoneSpan(first=first, zone=event.zone)]


@_apply.register
def _(event: PeriodsNamed, state: CalendarState) -> None:
    if event.names:
        state.names[event.rung] = list(event.names)
    else:
        state.names.pop(event.rung, None)
