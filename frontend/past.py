"""Looking back: the moment of the past that a page was asked for, and the moments it offers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Max
from django.http import Http404, HttpRequest

from campaigns.entrance import utc_now
from campaigns.events import Recorded
from campaigns.feed import cursor_of
from campaigns.parts.calendar import zone_of
from campaigns.parts.subjects import Subjects
from campaigns.past import SUBJECT_TOLD, as_of, corrected, first_told, moment_of
from campaigns.state import State
from campaigns.store import read
from encounters.seeing import Since
from frontend.people import SubjectLine, sees_subject, subjects
from frontend.seat import Seat
from identity.models import PeriodEntry
from identity.reads import closed_periods
from rules.dates import time_said
from rules.refusal import Refused

NAMES = ("entry", "season", "date")


@dataclass(frozen=True)
class Back:
    """What a page looks at: the state as it was written down by an instant, what that is in words ("" is now), the
    instant, the query that links carry on."""

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
    now = utc_now()
    zone = zone_of(state, now)
    try:
        moment = moment_of(seat.campaign_id, **asked, zone=zone)
        if moment is None:
            return Back(state, "", now, "")
        then = as_of(seat.campaign_id, position=min(moment.position, state.position))
    except Refused:
        raise Http404 from None
    last = read.event_at(seat.campaign_id, then.position) if then.position else None
    at = min(moment.at or (last.recorded_at if last else now), now)
    said = time_said(at.astimezone(zone)) if asked["entry"] else moment.said
    return Back(then, said, at, urlencode({name: text for name, text in asked.items() if text}))


@dataclass(frozen=True)
class NotYet:
    """Something that was not yet written down at a moment: its name, when it first was, and the query that looks back
    to the end of that day. ``shown``: it had been written down, and was first shown to the table on that day."""

    name: str
    at: datetime
    query: str
    shown: bool


def subject_not_yet(back: Back, now: State, seat: Seat, subject: str) -> NotYet:
    """What is to be said of a subject that this seat knows now and did not know at the moment; Http404 where it was
    known then, or was never."""
    first = first_told(now, seat.viewer, SUBJECT_TOLD, "subject", subject)
    found = now.part(Subjects).by_id.get(subject)
    return _not_yet(back, now, first, found.name if found else "")


def encounter_not_yet(back: Back, now: State, seat: Seat, encounter: str) -> NotYet:
    """The same of an encounter, by what this seat was told of first."""
    first = first_told(now, seat.viewer, ("encounter.prepared", "encounter.begun"), "encounter", encounter)
    return _not_yet(back, now, first, first.event.title if first else "")  # type: ignore[attr-defined]


def _not_yet(back: Back, now: State, first: Recorded | None, name: str) -> NotYet:
    if first is None or first.position <= back.state.position:
        raise Http404
    zone = zone_of(now, utc_now())
    day = first.recorded_at.astimezone(zone).date()
    return NotYet(name, first.recorded_at, urlencode({"date": day.isoformat()}), first.type == "subject.revealed")


def first_entry(campaign_id: UUID) -> datetime:
    """When the first thing of a campaign was written down."""
    first = read.event_at(campaign_id, 1)
    assert first is not None
    return first.recorded_at


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
        for one in subjects(back.state, seat, now)
        if seat.is_gm or (one.id in known and sees_subject(seat, one.id, known[one.id]))
    ]
