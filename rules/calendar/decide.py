"""What becomes of a calendar command: the events it makes, or why it is refused."""

import copy
import datetime as dt
from typing import Any

from rules.calendar.changes import change_zone, name_periods, pause, resume, start
from rules.calendar.closes import close, take_back
from rules.calendar.commands import (
    CalendarCommand,
    ChangeZone,
    ClosePeriod,
    EndEarly,
    LiftEnd,
    NamePeriods,
    PauseCalendar,
    ResumeCalendar,
    StartCalendar,
    StretchPeriod,
    TakeBackClose,
)
from rules.calendar.events import CalendarEvent
from rules.calendar.evolve import evolve
from rules.calendar.lengths import end_early, lift_end, stretch
from rules.calendar.rules import CalendarRules
from rules.calendar.state import CalendarState

_DECIDERS: dict[type, Any] = {
    StartCalendar: start,
    PauseCalendar: pause,
    ResumeCalendar: resume,
    StretchPeriod: stretch,
    EndEarly: end_early,
    LiftEnd: lift_end,
    ClosePeriod: close,
    TakeBackClose: take_back,
    ChangeZone: change_zone,
    NamePeriods: name_periods,
}


def decide(
    rules: CalendarRules, state: CalendarState, command: CalendarCommand, now: dt.datetime
) -> list[CalendarEvent]:
    """The events a command makes at the aware instant `now`. Changes nothing; raises `Refused`."""
    events: list[CalendarEvent] = _DECIDERS[type(command)](rules, state, command, now)
    return events


def after(state: CalendarState, *events: Any) -> CalendarState:
    """A copy of the state with these events applied, for looking ahead."""
    ahead = copy.deepcopy(state)
    for event in events:
        evolve(ahead, event)
    return ahead
