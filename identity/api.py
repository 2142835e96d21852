"""Reads of `identity` in the API: the calendar, pairs, closed periods and their reports, the preview, what waits."""

from __future__ import annotations

from datetime import date

import msgspec

from campaigns.api.past_reads import AsOf, state_at
from campaigns.api.reading import Ask, register_read
from campaigns.events import GM
from campaigns.past import require_known
from identity import reads
from rules import calendar as rc
from rules.refusal import Refused


class PeriodsRead(msgspec.Struct):
    """Closed periods, newest first."""

    periods: list[reads.ClosedPeriod]


class PeriodsQuery(msgspec.Struct, forbid_unknown_fields=True):
    """``rung`` narrows to one kind of period, such as season."""

    rung: str = ""


class ClosedQuery(msgspec.Struct, forbid_unknown_fields=True):
    """``rung`` narrows to one kind of period, such as season; ``before``, with it, to those of a lower number."""

    rung: str = ""
    before: int = 0


class StartQuery(msgspec.Struct, forbid_unknown_fields=True):
    """The start that is thought of."""

    zone: str
    starts_on: date
    pack: str = ""


class StartRead(msgspec.Struct):
    """What would be closed at once, shortest first; nothing where the start is to come."""

    closes: tuple[reads.CatchUp, ...]


@register_read("calendar/start", title="What a start would close", answer=StartRead, query=StartQuery, roles=(GM,))
def start(ask: Ask) -> StartRead:
    """Of a start in the past: how many weeks, seasons and years close as soon as it is made."""
    query: StartQuery = ask.query
    return StartRead(closes=reads.catching_up(ask.state, ask.now, query.zone, query.starts_on, query.pack))


class MovedQuery(msgspec.Struct, forbid_unknown_fields=True):
    """The early end that is thought of (a Monday; none: the next); ``lift`` is the number of a period that would go on
    instead."""

    ends_on: date | None = None
    lift: int = 0


class MovedRead(msgspec.Struct):
    """Whose ends would move, shortest period first."""

    ends: tuple[reads.EndMoved, ...]


@register_read("calendar/moved", title="What an early end would move", answer=MovedRead, query=MovedQuery, roles=(GM,))
def moved(ask: Ask) -> MovedRead:
    """Before a season is ended early, or goes on after all: which periods would end on which day instead."""
    query: MovedQuery = ask.query
    command = rc.LiftEnd(number=query.lift) if query.lift else rc.EndEarly(ends_on=query.ends_on)
    return MovedRead(ends=reads.moved(ask.state, ask.now, command))


@register_read("calendar", title="The calendar", answer=reads.CalendarInfo)
def calendar(ask: Ask) -> reads.CalendarInfo:
    """Where the calendar stands; what waits to be closed is told to GMs."""
    return reads.calendar_info(ask.state, ask.viewer, ask.now)


@register_read("subjects/<str:subject>/pairs", title="A subject's pairs", answer=reads.SubjectPairsRead, query=AsOf)
def pairs(ask: Ask) -> reads.SubjectPairsRead:
    """Ratings, marks and history for GM and holders; names and gists for everybody. Now, or as of then."""
    state = state_at(ask, ask.query)
    require_known(ask.viewer, ask.path["subject"], ask.state, state)
    found = reads.subject_pairs(state, ask.viewer, ask.path["subject"], ask.now)
    if found is None:
        raise Refused("not_found", "There is no such subject with pairs.", field="subject")
    return found


@register_read("periods", title="Closed periods", answer=PeriodsRead, query=ClosedQuery)
def periods(ask: Ask) -> PeriodsRead:
    """Fifty: the newest, or those before a number."""
    return PeriodsRead(periods=reads.closed_periods(ask.viewer, ask.query.rung, before=max(0, ask.query.before)))


@register_read("periods/<str:rung>/<int:number>", title="The report of a closed period", answer=reads.Report)
def report(ask: Ask) -> reads.Report:
    """As the viewer may know it."""
    found = reads.period_report(ask.state, ask.viewer, ask.path["rung"], ask.path["number"])
    if found is None:
        raise Refused("not_found", "No such period has been closed.", field="number")
    return found


@register_read("preview", title="What the next close would do", answer=reads.Preview, query=PeriodsQuery, roles=(GM,))
def next_close(ask: Ask) -> reads.Preview:
    """Who will roll for what, with exact chances."""
    return reads.preview(ask.state, ask.viewer, ask.now, ask.query.rung)


@register_read("waiting", title="Dice and answers that wait", answer=reads.Waiting)
def waiting(ask: Ask) -> reads.Waiting:
    """Dice that were earned and wait, claims and inspirations that need the GM's word: all for GMs, their own for
    players."""
    return reads.waiting(ask.state, ask.viewer)
