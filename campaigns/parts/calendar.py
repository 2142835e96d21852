"""The calendar: where the campaign stands in weeks and longer periods, and which of them have been closed.

The arithmetic is `rules.calendar`; here its events get their envelope's types, and what a close left in the stream is
remembered for as long as it can be taken back.
"""

# Event bodies stand on the frozen structs of the pure rules; only the type checker minds that their base is not frozen.
# mypy: disable-error-code="misc"

from __future__ import annotations

from datetime import date, datetime
from typing import TypeVar
from zoneinfo import ZoneInfo

import msgspec

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, PLAYER, WATCHER, Data, Event, Names, Stamp, event_type, in_story
from campaigns.sections import section
from campaigns.state import State
from rules import calendar as rc
from rules.calendar.geometry import next_counted

# Later periods rest on every change of the calendar; it is put right by another one.
STAYS = "The calendar is put right by its own levers, on its page."
EVERYBODY: dict[str, tuple[str, ...]] = {GM: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: EVERY_FIELD}


class Calendar(msgspec.Struct):
    """Part of the state.

    ``pack`` gives the rules. ``clock`` is what `rules.calendar` keeps. ``closes`` holds, by rung, the positions of what
    its last close recorded; ``waits``, by period key, until when a close that was taken back is left to the GM.
    """

    pack: str = ""
    clock: rc.CalendarState = msgspec.field(default_factory=rc.CalendarState)
    closes: dict[str, list[int]] = {}
    waits: dict[str, datetime] = {}


part = registry.part("calendar", Calendar)


def day_said(given: str) -> str:
    """A date of an event, "2026-11-16", as a sentence says it: "16 November 2026"."""
    day = date.fromisoformat(given)
    return f"{day.day} {day:%B %Y}"


@in_story
@event_type(
    "calendar.started",
    shows=EVERYBODY,
    says=lambda d, names: f"The calendar begins on {day_said(d['starts_on'])}, in the time of {d['zone']}.",
    stays=STAYS,
)
class CalendarStarted(Event, rc.CalendarStarted, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The first week begins on ``starts_on``; ``pack`` gives the calendar."""

    pack: str


def _paused_said(d: Data, _names: Names) -> str:
    first = day_said(d["from_date"])
    return f"The calendar pauses from {first} " + (f"until {day_said(d['until'])}." if d["until"] else "on.")


@in_story
@event_type("calendar.paused", shows=EVERYBODY, says=_paused_said, stays=STAYS)
class CalendarPaused(Event, rc.CalendarPaused, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Weeks from ``from_date`` up to ``until`` (None: until further notice) do not count."""


@in_story
@event_type(
    "calendar.resumed",
    shows=EVERYBODY,
    says=lambda d, names: f"The calendar goes on from {day_said(d['from_date'])}.",
    stays=STAYS,
)
class CalendarResumed(Event, rc.CalendarResumed, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The pause that began on ``paused_from`` ends; the week of ``from_date`` counts again."""


def _stretched_said(d: Data, _names: Names) -> str:
    weeks = d["weeks"]
    how = f"{weeks} weeks longer" if weeks > 1 else "a week longer" if weeks == 1 else "shorter"
    return f"{d['title']} becomes {how}" + (f" and ends before {day_said(d['ends'])}." if d["ends"] else ".")


@event_type("calendar.stretched", shows=EVERYBODY, says=_stretched_said, stays=STAYS)
class PeriodStretched(Event, rc.PeriodStretched, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A period became ``weeks`` longer (negative: it ends early). ``title`` is how it is called."""

    title: str


def _lifted_said(d: Data, _names: Names) -> str:
    return f"{d['title']} goes on" + (f" and ends before {day_said(d['ends'])}." if d["ends"] else ".")


@event_type("calendar.end_lifted", shows=EVERYBODY, says=_lifted_said, stays=STAYS)
class EndLifted(Event, rc.EndLifted, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A period that was ended early has its ``weeks`` back. ``title`` is how it is called."""

    title: str


@event_type(
    "calendar.zone_changed",
    shows=EVERYBODY,
    says=lambda d, names: f"The calendar follows the time of {d['zone']} from {day_said(d['from_date'])}.",
    stays=STAYS,
)
class ZoneChanged(Event, rc.ZoneChanged, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Weeks that begin on ``from_date`` or later begin at that zone's midnight."""


@event_type(
    "calendar.named",
    shows=EVERYBODY,
    says=lambda d, names: f"The table names its {d['rung']}s: {', '.join(d['names']) or 'as the pack does'}.",
    stays=STAYS,
)
class PeriodsNamed(Event, rc.PeriodsNamed, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The periods of a rung have new names; none: those of the pack."""


_CLOSED = ("rung", "number", "title", "starts", "ends", "ended_at")


@in_story
@event_type(
    "period.closed",
    shows={GM: EVERY_FIELD, PLAYER: _CLOSED, WATCHER: _CLOSED},
    says=lambda d, names: f"{d['title']} has ended.",
    stays="The end of a period is taken back on the calendar.",
)
class PeriodClosed(Event, rc.PeriodClosed, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A period was closed. ``recorded`` counts the events of the close, this one among them, that go with it when it
    is taken back; what they tell is not everybody's, and neither is their number."""

    title: str
    recorded: int = 1


@event_type(
    "period.reopened",
    shows={GM: EVERY_FIELD, PLAYER: ("rung", "number", "title", "reason")},
    says=lambda d, names: f"{d['title']} is to be closed once more.",
    stays=STAYS,
)
class CloseTakenBack(Event, rc.CloseTakenBack, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A close no longer holds. ``until``: no job closes the period again before that."""

    title: str
    until: datetime


CLOCK_EVENTS = (
    CalendarStarted,
    CalendarPaused,
    CalendarResumed,
    PeriodStretched,
    EndLifted,
    ZoneChanged,
    PeriodsNamed,
    PeriodClosed,
    CloseTakenBack,
)


@part.evolves(CalendarPaused, CalendarResumed, PeriodStretched, ZoneChanged, PeriodsNamed)
def _moved(calendar: Calendar, event: Event, _position: int) -> None:
    rc.evolve(calendar.clock, event)


@part.evolves(EndLifted)
def _lifted(calendar: Calendar, event: EndLifted, _position: int) -> None:
    rc.evolve(calendar.clock, event)
    calendar.waits.pop(rc.period_key(event.rung, event.number), None)


@part.evolves(CalendarStarted)
def _started(calendar: Calendar, event: CalendarStarted, _position: int) -> None:
    calendar.pack = event.pack
    rc.evolve(calendar.clock, event)


@part.evolves(PeriodClosed)
def _closed(calendar: Calendar, event: PeriodClosed, position: int) -> None:
    rc.evolve(calendar.clock, event)
    calendar.closes[event.rung] = list(range(position, position + event.recorded))
    calendar.waits.pop(rc.period_key(event.rung, event.number), None)


@part.evolves(CloseTakenBack)
def _taken_back(calendar: Calendar, event: CloseTakenBack, _position: int) -> None:
    rc.evolve(calendar.clock, event)
    calendar.closes.pop(event.rung, None)
    calendar.waits[rc.period_key(event.rung, event.number)] = event.until


def calendar_rules(state: State) -> rc.CalendarRules | None:
    """The rules of the campaign's calendar; None where none of its packs has one."""
    found = section(state, "calendar", rc.CalendarRules, state.part(Calendar).pack)
    return found[1] if found else None


@registry.falls_due(*CLOCK_EVENTS)
def due_at(state: State) -> datetime | None:
    """From when a job has something to close; None while nothing will be due."""
    calendar = state.part(Calendar)
    if calendar.clock.start is None:
        return None
    due = rc.next_due_at(calendar.clock)
    if due is None or not calendar.waits:
        return due
    first = next(rc.upcoming(calendar.clock), None)
    wait = calendar.waits.get(first.period.key) if first else None
    return max(due, wait) if wait else due


@registry.stamps_by
def stamp(state: State, instant: datetime) -> Stamp:
    """The places of an instant on the calendar's three lowest rungs; zero before the start and on missing rungs."""
    calendar = state.part(Calendar)
    if calendar.clock.start is None or calendar_rules(state) is None:
        return Stamp()
    at = rc.week_at(calendar.clock, instant)
    if at < 0:
        return Stamp()
    week, season, year = ([place or 0 for place in rc.places_of_week(calendar.clock, at).values()] + [0, 0, 0])[:3]
    return Stamp(year=year, season=season, week=week)


def zone_of(state: State, instant: datetime) -> ZoneInfo:
    """The zone that the campaign's calendar follows at an instant; UTC before there is one."""
    clock = state.part(Calendar).clock
    return rc.zone_at(clock, max(rc.week_at(clock, instant), 0)) if clock.start else ZoneInfo("UTC")


def words(state: State) -> str:
    """Where the calendar stands by what has been closed: "Year 3, Autumn, week 2"; empty before its start."""
    calendar = state.part(Calendar)
    rules = calendar_rules(state)
    if rules is None or calendar.clock.start is None:
        return ""
    week = calendar.clock.closed.get(calendar.clock.rungs[0], 0)
    counted = next_counted(calendar.clock, week)
    return rc.stamp_of_week(rules, calendar.clock, week if counted is None else counted).text


E = TypeVar("E", bound=Event)


def typed(event: msgspec.Struct, body: type[E], **more: object) -> E:
    """An event of the pure rules as the event type that the stream keeps."""
    return body(**{name: getattr(event, name) for name in event.__struct_fields__}, **more)


def starts_of(state: State, rung: str, number: int) -> date | None:
    """The local date on which a period begins; None while that is unknown."""
    found = rc.period(state.part(Calendar).clock, rung, number)
    return found.starts if found else None
