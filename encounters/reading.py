"""What the hub asks the database, in a thread: one look at a campaign for all its sockets, pages of what was missed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest
from django.utils.module_loading import import_string

from campaigns import feed, registry
from campaigns.audience import Viewer
from campaigns.entrance import utc_now
from campaigns.events import GM, Recorded
from campaigns.models import Campaign
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table
from campaigns.parts.voids import EventsVoided, VoidLifted
from campaigns.state import State
from campaigns.store import states
from encounters import frames
from encounters.log import Item, Place
from encounters.standing import Seat, Standing, standing_of

PAGE = 500
# Name by id of a member or subject, and whether the subject is hidden.
Names = dict[str, tuple[str, bool]]


@dataclass(frozen=True)
class Known:
    """What a campaign's feed knows before a look: None as position where it has not looked yet."""

    position: int | None
    seats: Sequence[Seat]
    audiences: Mapping[Hashable, tuple[Viewer, int]]
    names: Names


@dataclass
class Look:
    """What a look found: events from ``start`` to ``position``.

    ``standings`` holds the seats that were asked for and, where rights may have changed, all. ``audiences`` are the
    logs to be kept from now on: the place where a new one starts, and what the events brought it.
    """

    start: int
    position: int
    names: Names
    standings: dict[Seat, Standing | None] = field(default_factory=dict)
    starts: dict[Hashable, tuple[Viewer, Place]] = field(default_factory=dict)
    items: dict[Hashable, list[Item]] = field(default_factory=dict)
    retold: bool = False


class MovedBackError(Exception):
    """The campaign stands before what the feed has already told: the database was restored."""


def look(campaign_id: UUID, known: Known, joining: Sequence[Seat]) -> Look:
    """One look for all. Raises Campaign.DoesNotExist, MovedBackError, and what the database raises."""
    with states.held(campaign_id) as state:
        start = state.position if known.position is None else known.position
        if state.position < start:
            raise MovedBackError
        events = feed.events_after(state, campaign_id, start, PAGE) if state.position > start else []
        touched = known.position is None or any(map(_touches_people, events))
        found = Look(start, events[-1].position if events else start, known.names)
        if touched:
            found.names = names_seen(state)
        found.retold = touched or any(map(_is_void, events))
        asked = [*known.seats, *joining] if found.retold else joining
        now = utc_now()
        found.standings = {seat: standing_of(state, campaign_id, seat, now) for seat in asked}
        _tell(state, known, found, events)
        return found


def _tell(state: State, known: Known, found: Look, events: Sequence[Recorded]) -> None:
    """Fills in starts and items: each audience's view is made once."""
    audiences = dict(known.audiences)
    for standing in found.standings.values():
        if standing is not None and standing.key not in audiences:
            place = Place(found.start, feed.newest(state, standing.viewer, found.start))
            audiences[standing.key] = (standing.viewer, place.tail)
            found.starts[standing.key] = (standing.viewer, place)
    if not events:
        return
    for key, (viewer, tail) in audiences.items():
        renamed = found.names is not known.names and is_renamed(known.names, found.names, viewer)
        found.items[key] = items_of(state, viewer, events, tail, renamed=renamed)


def items_of(state: State, viewer: Viewer, events: Sequence[Recorded], tail: int, *, renamed: bool) -> list[Item]:
    """Encoded frames of what events brought a viewer whose newest entry is at ``tail``."""
    items = []
    for step in feed.follow(state, viewer, events, tail):
        told = () if step.entry is None else (frames.event(step.entry),)
        items.append(Item(step.position, (*told, *map(frames.again, step.again)), step.entry is not None))
    if renamed:
        items.append(Item(events[-1].position, (frames.RENEW,), False))
    return items


@dataclass(frozen=True)
class Missed:
    """A page of what somebody missed, and the place it leads to."""

    items: list[Item]
    place: Place


def missed(campaign_id: UUID, viewer: Viewer, place: Place, upto: int) -> Missed | None:
    """What came behind a place, up to ``upto`` and a page at most; None where the viewer never stood there.

    ``upto`` is what the feed has looked at with the rights that the viewer has now, so nothing newer may be told.
    """
    with states.held(campaign_id) as state:
        if place.at == place.tail > 0 and not feed.is_shown(state, viewer, place.tail):
            return None
        page = feed.events_after(state, campaign_id, place.at, PAGE)
        events = [event for event in page if event.position <= upto]
        renamed = any(map(_touches_people, events)) and is_renamed(
            names_seen(states.fold(campaign_id, place.at)), names_seen(state), viewer
        )
        items = items_of(state, viewer, events, place.tail, renamed=renamed)
        tail = next((item.position for item in reversed(items) if item.is_entry), place.tail)
        whole = len(events) < PAGE
        return Missed(items, Place(upto if whole else events[-1].position, tail))


def _is_void(event: Recorded) -> bool:
    return isinstance(event.event, EventsVoided | VoidLifted)


def _touches_people(event: Recorded) -> bool:
    """Whether seats, characters or their names may be others after it."""
    touched = (kind for kind, _ in registry.evolvers_of(type(event.event)))
    return _is_void(event) or any(kind in (Table, Subjects) for kind in touched)


def names_seen(state: State) -> Names:
    """Every name that the log may say."""
    members = {i: (m.name, False) for i, m in state.part(Table).members.items()}
    return members | {i: (s.name, s.hidden) for i, s in state.part(Subjects).by_id.items()}


def is_renamed(before: Names, after: Names, viewer: Viewer) -> bool:
    """Whether somebody whom the viewer knows is called otherwise, so that older entries read differently."""
    return any(
        i in before and before[i][0] != name and (not hidden or viewer.role == GM)
        for i, (name, hidden) in after.items()
    )


def heads(campaign_ids: Iterable[UUID]) -> dict[UUID, int]:
    """The newest position of each of these campaigns that there is."""
    return dict(Campaign.objects.filter(id__in=list(campaign_ids)).values_list("id", "position"))


def is_signed_in(session_key: str, user: int) -> bool:
    """Whether this session is still one of this user, who may still sign in."""
    request: Any = HttpRequest()
    request.session = import_string(f"{settings.SESSION_ENGINE}.SessionStore")(session_key)
    found = get_user(request)
    return found.is_authenticated and found.pk == user
