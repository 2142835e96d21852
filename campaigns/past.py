"""States of the past: as of a position, a calendar season or a date, as they were known then; and why a value is so.

What is meant by then is when things were written down, not when they happened: a mark of Monday that was told on Friday
is not in the state as of Wednesday.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any
from uuid import UUID

from campaigns.audience import Viewer, name_finder, view_event
from campaigns.events import GM, Recorded
from campaigns.feed import position_of
from campaigns.parts.subjects import Subjects
from campaigns.parts.voids import Voids
from campaigns.registry import Why, explainers
from campaigns.state import State
from campaigns.store import read, states
from campaigns.store.append import head_of
from rules.dates import day_said
from rules.refusal import Refused

# The entries by which somebody learns of a subject at first.
SUBJECT_TOLD = ("subject.created", "subject.revealed")


def position_as_of(
    campaign_id: UUID,
    *,
    position: int | None = None,
    season: tuple[int, int] | None = None,
    date: datetime | None = None,
) -> int:
    """The newest position at or before a position, the end of a season (year, season) or an instant (aware)."""
    head = head_of(campaign_id)
    if head is None:
        raise Refused("no_such_campaign", "There is no such campaign.", field="campaign", value=str(campaign_id))
    if date is not None:
        return read.position_when(campaign_id, date, head.position)
    if season is not None:
        return read.position_of_stamp(campaign_id, season, head.position)
    if position is None:
        return head.position
    if not 0 <= position <= head.position:
        raise Refused("not_yet", "The campaign has not come so far.", field="position", value=position)
    return position


def as_of(
    campaign_id: UUID,
    *,
    position: int | None = None,
    season: tuple[int, int] | None = None,
    date: datetime | None = None,
) -> State:
    """The state as of a position, the end of a season or an instant; it belongs to the caller.

    What was voided later still counted then, and counts here.
    """
    return states.fold(campaign_id, position_as_of(campaign_id, position=position, season=season, date=date))


def corrected(campaign_id: UUID, then: State, now: State) -> State:
    """The moment of a past state as today's corrections leave it: what was voided since is out, what stands again is
    in. What was shown in error and taken back is not there to be looked back at."""
    voided = {at: by for at, by in now.part(Voids).by.items() if at <= then.position}
    differs = voided.keys() ^ then.part(Voids).by.keys()
    return states.fold_as_if(campaign_id, then.position, voided, min(differs)) if differs else then


@dataclass(frozen=True)
class Moment:
    """A moment of a campaign's past that somebody asks for: its newest position, what to call it, and the instant that
    it names (None: that of its newest entry)."""

    position: int
    said: str
    at: datetime | None = None


def moment_of(
    campaign_id: UUID, *, entry: str = "", season: str = "", date: str = "", zone: tzinfo = UTC
) -> Moment | None:
    """The moment named by an entry's cursor, by a season ("2.3": the third of the second year) or by a date (ISO 8601,
    the whole day where it has no time; where it names no zone in ``zone``); None where none is named. Refused where it
    is none.

    That of an entry lies behind all that came of the same command: nobody ever saw less of it.
    """
    if entry:
        position = position_as_of(campaign_id, position=position_of(campaign_id, entry))
        return Moment(read.end_of_command(campaign_id, position), "that entry of the ledger")
    if season:
        year, _, number = season.partition(".")
        if not (year.isdecimal() and number.isdecimal()) or len(season) > 12:
            right = "a year and a season, such as 2.3"
            raise Refused("wrong_value", "This is no season.", field="season", value=season, right=right)
        wanted = (int(year), int(number))
        return Moment(position_as_of(campaign_id, season=wanted), f"the end of year {year}, season {number}")
    if date:
        instant = _instant(date, zone)
        whole = len(date) <= len("2026-11-30")
        said = f"the end of {day_said(instant.date())}" if whole else f"{day_said(instant.date())}, {instant:%H:%M}"
        return Moment(position_as_of(campaign_id, date=instant), said, instant)
    return None


def _instant(text: str, zone: tzinfo) -> datetime:
    try:
        found = datetime.fromisoformat(text)
        if len(text) <= len("2026-11-30"):
            found = found.replace(hour=23, minute=59, second=59, microsecond=999999)
        found = found if found.tzinfo is not None else found.replace(tzinfo=zone)
        found.astimezone(UTC)  # the first and the last day that there is may have no instant in UTC
    except (ValueError, OverflowError):
        right = "a date such as 2026-11-30, or with a time 2026-11-30T21:00"
        raise Refused("wrong_value", "This is no date.", field="date", value=text, right=right) from None
    return found


def first_told(state: State, viewer: Viewer, types: tuple[str, ...], field: str, some_id: str) -> Recorded | None:
    """The first entry of these types about something (``field`` of theirs is its id) that the viewer may see and that
    was not taken back."""
    names, voided = name_finder(state), state.part(Voids).by
    for page in read.pages_of_types(viewer.campaign_id, types, state.position):
        for event in page:
            if event.position in voided or getattr(event.event, field) != some_id:
                continue
            if view_event(event, viewer, names) is not None:
                return event
    return None


def require_known(viewer: Viewer, subject: str, *known: State) -> None:
    """Refuses, alike for what is hidden and what is not there, a subject that does not exist for the viewer in each of
    these states, that of now first: what is hidden now was not shown then, whatever was taken back since. Of one that
    is there now and was not then, the refusal says since when."""
    for place, state in enumerate(known):
        found: Any = state.part(Subjects).by_id.get(subject)
        if found is not None and (not found.hidden or viewer.role == GM or subject in viewer.plays):
            continue
        first = first_told(known[0], viewer, SUBJECT_TOLD, "subject", subject) if place else None
        if first is None or first.position <= state.position:
            raise Refused("not_found", "There is no such subject.", field="subject", value=subject)
        right = f"from {first.recorded_at.isoformat(timespec='seconds')} on"
        raise Refused("not_yet_written", "It was not yet written down then.", field="date", value=None, right=right)


def explain(state: State, viewer: Viewer, subject: str, name: str) -> Why:
    """Why a value of a subject is what it is in a state (of now or of the past), as far as the viewer may know."""
    for explainer in explainers:
        why = explainer(state, viewer, subject, name)
        if why is not None:
            return why
    raise Refused("unexplained", "Nothing here tells why.", field="name", value=name)
