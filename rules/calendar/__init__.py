"""The campaign calendar as plain arithmetic: weeks, seasons, years of real time in the campaign's own zone.

Rules come as data (`CalendarRules`), what a campaign remembers is a `CalendarState`, and everything else follows:

    state = CalendarState()
    for event in decide(rules, state, StartCalendar(zone="Europe/London", starts_on=date(2026, 1, 5)), now):
        evolve(state, event)                              # in place

    stamp_of(rules, state, now).text                      # "Year 1, Spring, week 2"
    stamp_of(rules, state, now).places                    # {"week": 2, "season": 1, "year": 1}
    stamp_of(rules, state, now).numbers                   # {"week": 6, "season": 2, "year": 1}, since the start
    period_at(state, "season", now)                       # Period: local dates and UTC instants of its bounds
    period(state, "season", 2)
    next_due_at(state)                                    # when to look again: the column a due-search indexes

    for due in due_periods(state, now, limit=20):         # in order: weeks, then the season, then the year
        command_id = due.key                              # "season:2:1" = period and attempt
        decide(rules, state, ClosePeriod(rung=due.period.rung, number=due.period.number, attempt=due.attempt), now)

Deciders change nothing and raise `rules.refusal.Refused`; a second close of the same period is refused with
`<rung>_already_settled`. What a close resolves (marks, rolls) is `rules.development`, which offers the close of a
period together with its consequences.

Other commands: PauseCalendar, ResumeCalendar, StretchPeriod, EndEarly, LiftEnd, TakeBackClose, ChangeZone, NamePeriods.
A paused week has a date and a week key, but no place in its season and no close of its own; the season lasts until its
weeks have been played. Before `StartCalendar`, and for instants before the start, `stamp_of` is None and nothing is
due.
"""

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
from rules.calendar.decide import after, decide
from rules.calendar.due import due_periods, next_attempt, next_due_at, upcoming
from rules.calendar.events import (
    CalendarEvent,
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
from rules.calendar.evolve import evolve
from rules.calendar.geometry import instant_of, is_paused, midnight, period, period_at, week_at, zone_at
from rules.calendar.rules import CalendarRules, Rung, check_calendar
from rules.calendar.stamps import Stamp, iso_key, period_name, places_of_week, stamp_of, stamp_of_week
from rules.calendar.state import CalendarState, DuePeriod, Pause, Period, ZoneSpan, period_key

__all__ = [
    "CalendarCommand",
    "CalendarEvent",
    "CalendarPaused",
    "CalendarResumed",
    "CalendarRules",
    "CalendarStarted",
    "CalendarState",
    "ChangeZone",
    "ClosePeriod",
    "CloseTakenBack",
    "DuePeriod",
    "EndEarly",
    "EndLifted",
    "LiftEnd",
    "NamePeriods",
    "Pause",
    "PauseCalendar",
    "Period",
    "PeriodClosed",
    "PeriodStretched",
    "PeriodsNamed",
    "ResumeCalendar",
    "Rung",
    "Stamp",
    "StartCalendar",
    "StretchPeriod",
    "TakeBackClose",
    "ZoneChanged",
    "ZoneSpan",
    "after",
    "check_calendar",
    "decide",
    "due_periods",
    "evolve",
    "instant_of",
    "is_paused",
    "iso_key",
    "midnight",
    "next_attempt",
    "next_due_at",
    "period",
    "period_at",
    "period_key",
    "period_name",
    "places_of_week",
    "stamp_of",
    "stamp_of_week",
    "upcoming",
    "week_at",
    "zone_at",
]
