"""What the hub asks the database, in a thread: one look at a campaign for all its sockets, pages of what was missed."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest
from django.utils.module_loading import import_string

from campaigns import feed, registry
from campaigns.audience import Viewer
from campaigns.entrance import utc_now
from campaigns.events import GM, Event, Recorded, event_types
from campaigns.models import Campaign
from campaigns.parts.affiliations import Affiliations
from campaigns.parts.subjects import SubjectRenamed, SubjectRevealed, Subjects
from campaigns.parts.table import MemberJoined, Table
from campaigns.parts.voids import EventsVoided, VoidLifted
from campaigns.state import State
from campaigns.store import read, states
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
    people: bool = False


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
            found.names, found.people = names_seen(state), True
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
        found.items[key] = items_of(state, viewer, events, tail, (known.names, found.names))


def items_of(
    state: State, viewer: Viewer, events: Sequence[Recorded], tail: int, names: tuple[Names, Names]
) -> list[Item]:
    """Encoded frames of what events brought a viewer whose newest entry is at ``tail``; ``names`` before and after.

    That what came before reads differently from an event on is said with that very event, and before it: whoever has
    the event has heard it, and whoever fetched the list before the event hears it yet.
    """
    steps = feed.follow(state, viewer, events, tail)
    shown = {step.position for step in steps if step.entry is not None}
    items = dict.fromkeys(_renewals(names, viewer, events, shown), Item(0, (frames.RENEW,), False))
    for step in steps:
        # The entry comes last: whoever has it has the rest, and may resume behind it.
        told = () if step.entry is None else (frames.event(step.entry),)
        first = items[step.position].texts if step.position in items else ()
        items[step.position] = Item(0, (*first, *map(frames.again, step.again), *told), step.entry is not None)
    return [item._replace(position=position) for position, item in sorted(items.items())]


def _renewals(
    names: tuple[Names, Names], viewer: Viewer, events: Sequence[Recorded], shown: Container[int]
) -> list[int]:
    """Positions of the events from which on older ones read differently to the viewer, who sees those in ``shown``.

    Of several changes that cancel each other out somebody may have seen the middle. What is hidden does not count
    there: how often a viewer is told to fetch anew must not betray it.
    """
    naming = [event for event in events if _may_rename(event, names[0])]
    if not naming:
        return []
    several = len({event.command_id for event in naming if event.position in shown}) > 1
    return [event.position for event in naming] if several or is_renamed(*names, viewer, events) else []


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
        after = before = names_seen(state)
        if any(map(_touches_people, events)):
            before = names_seen(states.fold(campaign_id, place.at))
        items = items_of(state, viewer, events, place.tail, (before, after))
        tail = next((item.position for item in reversed(items) if item.is_entry), place.tail)
        whole = len(events) < PAGE
        return Missed(items, Place(upto if whole else events[-1].position, tail))


class Before(NamedTuple):
    """What seats saw as of a position of the past: their ``keys`` (None: the seat was empty, so nothing was seen with
    other rights). ``calm``: nobody's rights or names changed since, so none were looked at."""

    calm: bool
    keys: dict[Seat, Hashable | None]


def view_before(campaign_id: UUID, seats: Sequence[Seat], position: int, upto: int) -> Before:
    """What seats saw of the past as of a position, for those who see it now as of ``upto``."""
    with states.held(campaign_id):
        types = tuple(kind.name for kind in event_types() if _folds_people(kind.body))
        if not read.bodies_of_types(campaign_id, position, upto, types):
            return Before(calm=True, keys={})
        state, now = states.fold(campaign_id, position), utc_now()
        then = {seat: standing_of(state, campaign_id, seat, now) for seat in seats}
    return Before(calm=False, keys={seat: one.key if one is not None else None for seat, one in then.items()})


def _folds_people(body: type[Event]) -> bool:
    folds = (kind for kind, _ in registry.evolvers_of(body))
    return issubclass(body, EventsVoided | VoidLifted) or any(kind in (Table, Subjects, Affiliations) for kind in folds)


def _is_void(event: Recorded) -> bool:
    return isinstance(event.event, EventsVoided | VoidLifted)


def _touches_people(event: Recorded) -> bool:
    """Whether seats, characters or their names may be others after it."""
    return _folds_people(type(event.event))


def names_seen(state: State) -> Names:
    """Every name that the log may say."""
    members = {i: (m.name, False) for i, m in state.part(Table).members.items()}
    return members | {i: (s.name, s.hidden) for i, s in state.part(Subjects).by_id.items()}


def _may_rename(event: Recorded, before: Names) -> bool:
    """Whether somebody of ``before`` may be called otherwise from this event on."""
    match event.event:
        case EventsVoided() | VoidLifted():
            return True
        case SubjectRenamed(subject=who) | SubjectRevealed(subject=who) | MemberJoined(member=who):
            return who in before
    return False


def is_renamed(before: Names, after: Names, viewer: Viewer, events: Sequence[Recorded]) -> bool:
    """Whether somebody whom the viewer knows is called otherwise, or has become known or unknown to them, so that older
    entries read differently.

    Who is new is named in no older entry, except where a void was lifted.
    """
    ids = before.keys() | after.keys() if any(map(_is_void, events)) else before.keys()
    for i in ids:
        old, new = before.get(i), after.get(i)
        hidden = all(one is None or one[1] for one in (old, new))
        if (old and old[0]) != (new and new[0]) and (not hidden or viewer.role == GM):
            return True
        if old and new and old[1] != new[1] and viewer.role != GM:
            return True
    return False


def heads(campaign_ids: Iterable[UUID]) -> dict[UUID, int]:
    """The newest position of each of these campaigns that there is."""
    return dict(Campaign.objects.filter(id__in=list(campaign_ids)).values_list("id", "position"))


def is_signed_in(session_key: str, user: int) -> bool:
    """Whether this session is still one of this user, who may still sign in."""
    request: Any = HttpRequest()
    request.session = import_string(f"{settings.SESSION_ENGINE}.SessionStore")(session_key)
    found = get_user(request)
    return found.is_authenticated and found.pk == user
