"""When the calendar resolves a Pursuit: after whole weeks that count, or, without a calendar, after so many days."""

from __future__ import annotations

import datetime as dt

from rules.calendar.geometry import counted_before, instant_of, week_at, week_of_counted
from rules.calendar.state import CalendarState
from rules.pursuits.rules import PursuitRules
from rules.pursuits.state import Pursuit, PursuitsState


def ripe_at(found: Pursuit, clock: CalendarState) -> dt.datetime | None:
    """The instant at which its weeks are over: the running week does not count, nor do weeks of a pause. None while
    that is unknown (a pause without end), or where no weeks are waited for."""
    if not found.open or not found.weeks or found.ripe or found.since is None:
        return None
    if clock.start is None:
        return found.since + dt.timedelta(weeks=found.weeks)
    week = week_at(clock, found.since)
    begun = week if instant_of(clock, week) == found.since else week + 1
    last = week_of_counted(clock, counted_before(clock, max(begun, 0)) + found.weeks - 1)
    return None if last is None else instant_of(clock, last + 1)


def next_ripe(rules: PursuitRules, state: PursuitsState, clock: CalendarState) -> tuple[dt.datetime, str] | None:
    """The first Pursuit that the calendar will resolve, with its instant."""
    waiting = [
        (at, pursuit)
        for pursuit, found in state.pursuits.items()
        if (kind := rules.kind(found.kind)) is not None
        and kind.by_calendar
        and (at := ripe_at(found, clock)) is not None
    ]
    return min(waiting, default=None)
