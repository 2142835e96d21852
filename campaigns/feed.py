"""The feed of a campaign as one viewer may follow it: pages of views and opaque cursors.

A cursor is the encrypted position of the last event the viewer saw, so that what is hidden leaves neither hole nor
count in it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from django.conf import settings

from campaigns.audience import Viewer, is_seen, name_finder, view_event
from campaigns.events import Recorded
from campaigns.parts.voids import EventsVoided, VoidLifted, Voids
from campaigns.state import State
from campaigns.store import read
from rules.refusal import Refused

# Events read at once: a viewer to whom much is hidden must not cost a query an event.
PAGE = 64
# So many of the newest stay with a state: what every page of a campaign asks for, and what its table's page does.
KEPT = (16, 112)
# Events that the first page has more than are asked for.
SPARE = 7


@dataclass(frozen=True)
class Entry:
    """One event of a viewer's feed: its cursor, the cursor it follows (None at the beginning), what is shown."""

    cursor: str
    follows: str | None
    view: dict[str, Any]
    position: int


@lru_cache(maxsize=1024)
def _cipher(campaign_id: UUID, secret: str) -> Cipher[modes.ECB]:
    # One block, unique a position: ECB is a keyed permutation here, and the same position gives the same cursor.
    key = hashlib.sha256(b"tidebook cursors" + secret.encode() + campaign_id.bytes).digest()
    return Cipher(algorithms.AES(key), modes.ECB())


def cursor_of(campaign_id: UUID, position: int) -> str:
    """The cursor of a position, 22 characters."""
    encryptor = _cipher(campaign_id, settings.SECRET_KEY).encryptor()
    block = encryptor.update(position.to_bytes(16, "big")) + encryptor.finalize()
    return base64.urlsafe_b64encode(block).decode().rstrip("=")


def position_of(campaign_id: UUID, cursor: str) -> int:
    """The position of a cursor that this server gave out for this campaign; refused otherwise."""
    try:
        decryptor = _cipher(campaign_id, settings.SECRET_KEY).decryptor()
        block = decryptor.update(base64.urlsafe_b64decode(cursor + "==")) + decryptor.finalize()
        position = int.from_bytes(block, "big") if len(block) == 16 else -1
    except ValueError:
        position = -1
    if not 0 <= position < 1 << 63:
        raise Refused(
            "unknown_cursor",
            "This cursor is not one of this campaign.",
            field="cursor",
            value=cursor,
            right="the cursor of the last event you saw, or none to start anew",
        )
    return position


def events_after(state: State, campaign_id: UUID, after: int, limit: int) -> list[Recorded]:
    """Up to ``limit`` events behind ``after`` that the state knows; what came since is for the next look."""
    page = read.events_after(campaign_id, after, limit)
    # Another process may have recorded more since the state was taken: names and rights of that are not known here.
    return [event for event in page if event.position <= state.position]


def newer(state: State, viewer: Viewer, after: int, limit: int = 200) -> list[Entry]:
    """Up to ``limit`` entries behind ``after`` (a position the viewer saw, 0 for none), oldest first."""
    entries: list[Entry] = []
    page_size, last = max(limit, PAGE), after
    while len(entries) < limit:
        page = events_after(state, viewer.campaign_id, after, page_size)
        found = [step.entry for step in follow(state, viewer, page, last) if step.entry is not None]
        entries += found
        if len(page) < page_size:
            break
        after, last = page[-1].position, found[-1].position if found else last
    return entries[:limit]


def older(state: State, viewer: Viewer, before: int, limit: int = 50) -> list[Entry]:
    """Up to ``limit`` entries before a position, newest first; ``follows`` is the next older one in the list."""
    found: list[tuple[int, dict[str, Any]]] = []
    names, voids = name_finder(state), state.part(Voids).by
    # Most viewers see most events: the first page is small, and those behind it grow.
    before, page_size = min(before, state.position + 1), limit + 1 + SPARE
    while len(found) <= limit:
        page = _before(state, viewer.campaign_id, before, page_size)
        for event in page:
            before = event.position
            view = view_event(event, viewer, names, voided=event.position in voids)
            if view is not None:
                _name_entries(view, event, _reached(state, viewer, event))
                found.append((event.position, view))
        if len(page) < page_size:
            break
        page_size = max(PAGE, 2 * page_size)
    cursors = [cursor_of(viewer.campaign_id, position) for position, _ in found]
    return [
        Entry(cursors[i], cursors[i + 1] if i + 1 < len(found) else None, view, position)
        for i, (position, view) in enumerate(found[:limit])
    ]


def _before(state: State, campaign_id: UUID, before: int, limit: int) -> list[Recorded]:
    """Up to ``limit`` events before a position, newest first. The very newest are read once for all who look."""
    for size in KEPT:
        if limit <= size:
            newest = state.once(("newest", size), partial(read.events_before, campaign_id, state.position + 1, size))
            known = [event for event in newest if event.position < before]
            if len(known) >= limit or len(newest) < size:
                return known[:limit]
    return read.events_before(campaign_id, before, limit)


def newest(state: State, viewer: Viewer, upto: int) -> int:
    """Position of the newest entry at or before ``upto``, 0 where the viewer has seen nothing yet."""
    before, page_size = min(upto, state.position) + 1, 2 + SPARE
    while page := _before(state, viewer.campaign_id, before, page_size):
        for event in page:
            if is_seen(viewer, event.type, event.audience, event.holders):
                return event.position
        if len(page) < page_size:
            break
        before, page_size = page[-1].position, max(PAGE, 2 * page_size)
    return 0


@dataclass(frozen=True)
class Step:
    """What one event brings to somebody who follows: its entry, if they may see it, and the earlier entries that read
    differently because of it (voided, or standing again)."""

    position: int
    entry: Entry | None
    again: tuple[Entry, ...] = ()


def follow(state: State, viewer: Viewer, events: Sequence[Recorded], last: int) -> list[Step]:
    """The steps of a viewer whose newest entry is at ``last`` (0: none) through events that come behind it.

    Events that bring this viewer nothing leave no step.
    """
    steps: list[Step] = []
    names, voids, campaign_id = name_finder(state), state.part(Voids).by, viewer.campaign_id
    follows = cursor_of(campaign_id, last) if last else None
    for event in events:
        entry, reached = None, _reached(state, viewer, event)
        again = reached + _other_voids(state, viewer, event)
        view = view_event(event, viewer, names, voided=event.position in voids)
        if view is not None:
            _name_entries(view, event, reached)
            entry = Entry(cursor_of(campaign_id, event.position), follows, view, event.position)
            follows = entry.cursor
        if entry or again:
            steps.append(Step(event.position, entry, again))
    return steps


def _reached(state: State, viewer: Viewer, event: Recorded) -> tuple[Entry, ...]:
    """The entries that a void, or its lifting, reaches, as they read now. Their ``follows`` is not told again."""
    if not isinstance(event.event, EventsVoided | VoidLifted):
        return ()
    names, voids, entries = name_finder(state), state.part(Voids).by, []
    for reached in read.events_at(viewer.campaign_id, event.event.positions):
        view = view_event(reached, viewer, names, voided=reached.position in voids)
        if view:
            entries.append(Entry(cursor_of(viewer.campaign_id, reached.position), None, view, reached.position))
    return tuple(entries)


def _other_voids(state: State, viewer: Viewer, event: Recorded) -> tuple[Entry, ...]:
    """The earlier voids and liftings of what a void, or its lifting, reaches: whether they hold has changed by it."""
    if not isinstance(event.event, EventsVoided | VoidLifted):
        return ()
    mine, names, entries = set(event.event.positions), name_finder(state), []
    earlier = read.bodies_of_types(viewer.campaign_id, min(mine), event.position - 1, ("events.voided", "void.lifted"))
    for other in read.events_at(viewer.campaign_id, [position for position, *_ in earlier]):
        view = view_event(other, viewer, names, voided=other.position in state.part(Voids).by)
        if view and isinstance(other.event, EventsVoided | VoidLifted) and mine & set(other.event.positions):
            _name_entries(view, other, _reached(state, viewer, other))
            entries.append(Entry(cursor_of(viewer.campaign_id, other.position), None, view, other.position))
    return tuple(entries)


def _name_entries(view: dict[str, Any], event: Recorded, again: tuple[Entry, ...]) -> None:
    """Tells, of a void or its lifting, the cursors of the entries it reaches, as far as the viewer sees them, whether
    any of them is struck out now, and says what the first of them, or the one that was named, says."""
    if not isinstance(event.event, EventsVoided | VoidLifted):
        return
    view["data"]["entries"] = [entry.cursor for entry in again]
    view["data"]["holds"] = any(entry.view["voided"] for entry in again)
    if again:
        named = next((entry for entry in again if entry.position == event.cause), again[0])
        view["says"] = _void_said(event.event, named.view["says"], len(again) - 1)


def _void_said(event: EventsVoided | VoidLifted, what: str, more: int) -> str:
    """What was taken back, or stands again, and why."""
    word = "Taken back" if isinstance(event, EventsVoided) else "Stands again"
    behind = f", and {more} more" if more else ""
    reason = f" Why: {event.reason}" if event.reason else ""
    return f"{word}: {what.rstrip('.')}{behind}.{reason}"


def is_shown(state: State, viewer: Viewer, position: int) -> bool:
    """Whether there is an event at this position and the viewer may see it."""
    event = read.event_at(viewer.campaign_id, position)
    return event is not None and view_event(event, viewer, name_finder(state)) is not None
