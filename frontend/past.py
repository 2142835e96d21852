"""Looking back: the moment of the past that a page was asked for, and the moments it offers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.db.models import Max
from django.http import Http404, HttpRequest

from campaigns.entrance import utc_now
from campaigns.feed import cursor_of
from campaigns.parts.subjects import Subjects
from campaigns.past import as_of, corrected, moment_of
from campaigns.state import State
from campaigns.store import read
from encounters.seeing import Since
from frontend.people import SubjectLine, sees_subject, subjects
from frontend.seat import Seat
from identity.models import PeriodEntry
from identity.reads import closed_periods
from rules.refusal import Refused

NAMES = ("entry", "season", "date")


@dataclass(frozen=True)
class Back:
    """What a page looks at: a state, when that is in words ("" is now), the instant, the query that links carry on."""

    state: State
    said: str
    at: datetime
    query: str


@dataclass(frozen=True)
class Offered:
    """A moment that a page offers: the close of a period, by the cursor of the last entry that came of it."""

    title: str
    entry: str


def look_back(request: HttpRequest, state: State, seat: Seat) -> Back:
    """The moment in the address, or now. A moment that is none is a page that is none."""
    asked = {name: request.GET.get(name, "")[:80] for name in NAMES}
    try:
        moment = moment_of(seat.campaign_id, **asked)
        if moment is None:
            return Back(state, "", utc_now(), "")
        then = as_of(seat.campaign_id, position=min(moment.position, state.position))
    except Refused:
        raise Http404 from None
    last = read.event_at(seat.campaign_id, then.position) if then.position else None
    query = urlencode({name: text for name, text in asked.items() if text})
    return Back(
        then,
        _said(request, moment.said, last.recorded_at if last else None),
        last.recorded_at if last else utc_now(),
        query,
    )


def _said(request: HttpRequest, said: str, recorded_at: datetime | None) -> str:
    """An entry is called by when it was written."""
    if request.GET.get("entry") and recorded_at is not None:
        return f"{recorded_at.day} {recorded_at:%B %Y, %H:%M} UTC"
    return said


def since(back: Back, now: State, seat: Seat) -> Since | None:
    """What came after the moment that is looked at; None where that is now."""
    return Since(now, corrected(seat.campaign_id, back.state, now)) if back.said else None


def offered(state: State, seat: Seat) -> list[Offered]:
    """The closes of periods that pages offer to look back to, the newest first, those of weeks left out; for every
    seat the same."""
    return state.once("moments offered", lambda: _offered(seat))


def _offered(seat: Seat) -> list[Offered]:
    rows = PeriodEntry.objects.filter(campaign_id=seat.campaign_id).values_list("rung", "number")
    ends = {(rung, number): position for rung, number, position in rows.annotate(last=Max("position"))}
    found = closed_periods(seat.viewer)
    shortest = min(found, key=lambda one: one.ends - one.starts).rung if found else ""
    return [
        Offered(one.title, cursor_of(seat.campaign_id, ends[one.rung, one.number]))
        for one in found
        if one.rung != shortest
    ]


def subjects_then(back: Back, now: State, seat: Seat) -> list[SubjectLine]:
    """The subjects of a past state that this seat may see: what is hidden from it now was not shown then."""
    known = now.part(Subjects).by_id
    return [
        one
        for one in subjects(back.state, seat)
        if seat.is_gm or (one.id in known and sees_subject(seat, one.id, known[one.id]))
    ]
