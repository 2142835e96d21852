"""Where the calendar stands at a moment, in words and real dates."""

from __future__ import annotations

from datetime import date, datetime

import msgspec

from campaigns.audience import Viewer
from campaigns.commands.calendar import next_close, seed_audience
from campaigns.events import GM
from campaigns.parts.calendar import Calendar, calendar_rules
from campaigns.parts.seeds import Seeds
from campaigns.sections import section
from campaigns.state import State
from rules import calendar as rc
from rules.calendar.geometry import monday_of, week_on
from rules.refusal import Refused


class PeriodInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A period that runs: ``title`` of its kind ("Season"), ``name`` of its own ("Year 3, Autumn"), local dates
    (``ends`` is the first day after it, None while a pause without end lies in it), and the instant of its end."""

    rung: str
    number: int
    title: str
    name: str
    starts: date
    ends: date | None
    ends_at: datetime | None


class WaitingClose(msgspec.Struct, frozen=True, kw_only=True):
    """A period that is over and not closed. ``left_to_gm_until``: a close that was taken back and no job repeats
    before that. The three first fields are those of the command that closes it."""

    rung: str
    number: int
    attempt: int
    name: str
    ends: date | None
    left_to_gm_until: datetime | None


class LastClose(msgspec.Struct, frozen=True, kw_only=True):
    """The last close of a rung, and whether a GM may still take it back."""

    rung: str
    number: int
    name: str
    may_take_back: bool


class EarlyEnd(msgspec.Struct, frozen=True, kw_only=True):
    """A period that was ended early and may go on: it ends with ``ends`` (the first day after it) and would with
    ``would_end``. ``closed``: its close has to be taken back first."""

    number: int
    name: str
    ends: date | None
    would_end: date | None
    closed: bool


class EndMoved(msgspec.Struct, frozen=True, kw_only=True):
    """A period, by name, whose end moves from one day to another; None where a pause without end hides it."""

    name: str
    before: date | None
    after: date | None


class CalendarInfo(msgspec.Struct, frozen=True, kw_only=True):
    """``text`` is the stamp in words ("Year 3, Autumn, week 2"), empty before the start. ``rungs`` are its kinds of
    periods, ``periods`` those that run now, shortest first. ``pause_from`` and ``pause_until`` (None: until it is
    resumed) are the pause that runs or is still to come. ``next_close`` is the period that closes next, ``next_at``
    when. ``waiting``, ``last_closes`` and ``early_ends`` are the GM's, empty for others. From ``zone_from`` on another
    zone, ``zone_next``, is followed."""

    started: bool
    has_calendar: bool
    text: str = ""
    zone: str = ""
    zone_next: str = ""
    zone_from: date | None = None
    starts_on: date | None = None
    paused: bool = False
    paused_until: date | None = None
    pause_from: date | None = None
    pause_until: date | None = None
    week_key: str = ""
    rungs: tuple[str, ...] = ()
    periods: tuple[PeriodInfo, ...] = ()
    next_close: str = ""
    next_at: datetime | None = None
    waiting: tuple[WaitingClose, ...] = ()
    last_closes: tuple[LastClose, ...] = ()
    early_ends: tuple[EarlyEnd, ...] = ()


class CatchUp(msgspec.Struct, frozen=True, kw_only=True):
    """How many periods of a rung would close at once; ``title`` is of its kind, ``last`` the last one's own name."""

    rung: str
    title: str
    count: int
    last: str


def catching_up(state: State, now: datetime, zone: str, starts_on: date, pack: str = "") -> tuple[CatchUp, ...]:
    """What a calendar that began on ``starts_on`` would have to close at once, shortest rung first; nothing where that
    day is to come. Refused where the calendar could not be started so."""
    found, clock = section(state, "calendar", rc.CalendarRules, pack), state.part(Calendar).clock
    if found is None:
        raise Refused("no_calendar", "There is no calendar.", field="pack", value=pack, right="a pack with a calendar")
    started = rc.decide(found[1], clock, rc.StartCalendar(zone=zone, starts_on=starts_on), now)
    clock = rc.after(clock, *started)
    last = {due.period.rung: due.period.number for due in rc.due_periods(clock, now)}
    return tuple(
        CatchUp(
            rung=rung.id,
            title=rung.title,
            count=last[rung.id],
            last=rc.period_name(found[1], clock, rung.id, last[rung.id]),
        )
        for rung in found[1].ladder
        if rung.id in last
    )


def moved(state: State, now: datetime, command: rc.CalendarCommand) -> tuple[EndMoved, ...]:
    """Which ends a change of a period's length would move, of that period and the longer ones that hold it. Refused
    where the command is."""
    rules, clock = calendar_rules(state), state.part(Calendar).clock
    if rules is None:
        return ()
    found = []
    for event in rc.decide(rules, clock, command, now):
        after, begins = rc.after(clock, event), rc.period(clock, event.rung, event.number)  # type: ignore[union-attr]
        for rung in clock.rungs[1:] if begins else ():
            assert begins is not None
            one = rc.period_at(clock, rung, begins.begins_at)
            then = rc.period(after, rung, one.number) if one else None
            if one and then and one.ends != then.ends:
                name = rc.period_name(rules, clock, rung, one.number)
                found.append(EndMoved(name=name, before=one.ends, after=then.ends))
    return tuple(found)


def calendar_info(state: State, viewer: Viewer, now: datetime) -> CalendarInfo:
    """The calendar at this moment; the dates are no secret, what may be done about them is shown to GMs."""
    calendar, rules = state.part(Calendar), calendar_rules(state)
    clock = calendar.clock
    if rules is None or clock.start is None:
        return CalendarInfo(started=False, has_calendar=rules is not None)
    stamp = rc.stamp_of(rules, clock, now)
    ahead = next_close(state)
    is_gm = viewer.role == GM
    pause_from, pause_until = _pause(clock, now)
    return CalendarInfo(
        started=True,
        has_calendar=True,
        text=stamp.text if stamp else "",
        zone=_zone(clock, now),
        zone_next=_next_zone(clock, now)[0],
        zone_from=_next_zone(clock, now)[1],
        starts_on=clock.start,
        paused=stamp.paused if stamp else False,
        paused_until=_paused_until(clock, now),
        pause_from=pause_from,
        pause_until=pause_until,
        week_key=stamp.week_key if stamp else "",
        rungs=tuple(clock.rungs),
        periods=_periods(rules, clock, now),
        next_close=rc.period_name(rules, clock, ahead.period.rung, ahead.period.number) if ahead else "",
        next_at=ahead.period.ends_at if ahead else None,
        waiting=_waiting(rules, calendar, now) if is_gm else (),
        last_closes=_last_closes(state, rules) if is_gm else (),
        early_ends=_early_ends(state, rules) if is_gm else (),
    )


def _zone(clock: rc.CalendarState, now: datetime) -> str:
    return rc.zone_at(clock, max(rc.week_at(clock, now), 0)).key


def _next_zone(clock: rc.CalendarState, now: datetime) -> tuple[str, date | None]:
    """The zone that is to come, and from which day on."""
    week = max(rc.week_at(clock, now), 0)
    for span in clock.zones:
        if span.first > week and span.zone != _zone(clock, now):
            return span.zone, monday_of(clock, span.first)
    return "", None


def zone_on(clock: rc.CalendarState, day: date) -> str:
    """The zone whose midnight begins a day on which a week begins."""
    return rc.zone_at(clock, max(week_on(clock, day), 0)).key


def _early_ends(state: State, rules: rc.CalendarRules) -> tuple[EarlyEnd, ...]:
    """What was ended early and is open, or closed by a close that can be taken back."""
    calendar, running, found = state.part(Calendar), state.part(Seeds).running, []
    clock = calendar.clock
    for number, weeks in sorted(clock.cut.items()):
        rung = clock.rungs[1]
        closed = number <= clock.closed.get(rung, 0)
        if closed and seed_audience(calendar, rung, number) not in running:
            continue
        name = rc.period_name(rules, clock, rung, number)
        lifted = rc.after(clock, rc.EndLifted(rung=rung, number=number, weeks=weeks, ends=None))
        now_is, then = rc.period(clock, rung, number), rc.period(lifted, rung, number)
        if now_is and then:
            early = EarlyEnd(number=number, name=name, ends=now_is.ends, would_end=then.ends, closed=closed)
            found.append(early)
    return tuple(found)


def _paused_until(clock: rc.CalendarState, now: datetime) -> date | None:
    week = rc.week_at(clock, now)
    for pause in clock.pauses:
        if pause.until is not None and pause.first <= week < pause.until:
            return monday_of(clock, pause.until)
    return None


def _pause(clock: rc.CalendarState, now: datetime) -> tuple[date | None, date | None]:
    """The dates of the pause that runs or is still to come: its first day, the first day after it."""
    current = max(rc.week_at(clock, now), 0)
    for pause in clock.pauses[-1:]:
        if pause.until is None or pause.until > max(current, pause.first):
            return monday_of(clock, pause.first), None if pause.until is None else monday_of(clock, pause.until)
    return None, None


def _periods(rules: rc.CalendarRules, clock: rc.CalendarState, now: datetime) -> tuple[PeriodInfo, ...]:
    titles = {rung.id: rung.title for rung in rules.ladder}
    running = [rc.period_at(clock, rung, now) for rung in clock.rungs]
    return tuple(
        PeriodInfo(
            rung=found.rung,
            number=found.number,
            title=titles.get(found.rung, found.rung),
            name=rc.period_name(rules, clock, found.rung, found.number),
            starts=found.starts,
            ends=found.ends,
            ends_at=found.ends_at,
        )
        for found in running
        if found is not None
    )


def _waiting(rules: rc.CalendarRules, calendar: Calendar, now: datetime) -> tuple[WaitingClose, ...]:
    return tuple(
        WaitingClose(
            rung=due.period.rung,
            number=due.period.number,
            attempt=due.attempt,
            name=rc.period_name(rules, calendar.clock, due.period.rung, due.period.number),
            ends=due.period.ends,
            left_to_gm_until=calendar.waits.get(due.period.key),
        )
        for due in rc.due_periods(calendar.clock, now, limit=20)
    )


def _last_closes(state: State, rules: rc.CalendarRules) -> tuple[LastClose, ...]:
    calendar, running = state.part(Calendar), state.part(Seeds).running
    clock = calendar.clock
    return tuple(
        LastClose(
            rung=rung,
            number=number,
            name=rc.period_name(rules, clock, rung, number),
            may_take_back=bool(calendar.closes.get(rung))
            and seed_audience(calendar, rung, number) in running
            and not _rested_on(clock, rung, number),
        )
        for rung, number in ((rung, clock.closed.get(rung, 0)) for rung in clock.rungs)
        if number
    )


def _rested_on(clock: rc.CalendarState, rung: str, number: int) -> bool:
    """Whether the close of a longer period ended no earlier and so rests on this one."""
    own = rc.period(clock, rung, number)
    for above in clock.rungs[clock.rungs.index(rung) + 1 :]:
        settled = rc.period(clock, above, clock.closed[above]) if clock.closed.get(above) else None
        if own and settled and own.ends and settled.ends and settled.ends >= own.ends:
            return True
    return False
