"""The feed of a campaign as one viewer may follow it: pages of views and opaque cursors.

A cursor is the encrypted position of the last event the viewer saw, so that what is hidden leaves neither hole nor
count in it.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from django.conf import settings

from campaigns.audience import Viewer, name_finder, view_event
from campaigns.parts.voids import Voids
from campaigns.state import State
from campaigns.store import read
from rules.refusal import Refused


@dataclass(frozen=True)
class Entry:
    """One event of a viewer's feed: its cursor, the cursor it follows (None at the beginning), what is shown."""

    cursor: str
    follows: str | None
    view: dict[str, Any]
    position: int


def _cipher(campaign_id: UUID) -> Cipher[modes.ECB]:
    # One block, unique a position: ECB is a keyed permutation here, and the same position gives the same cursor.
    key = hashlib.sha256(b"tidebook cursors" + settings.SECRET_KEY.encode() + campaign_id.bytes).digest()
    return Cipher(algorithms.AES(key), modes.ECB())


def cursor_of(campaign_id: UUID, position: int) -> str:
    """The cursor of a position, 22 characters."""
    encryptor = _cipher(campaign_id).encryptor()
    block = encryptor.update(position.to_bytes(16, "big")) + encryptor.finalize()
    return base64.urlsafe_b64encode(block).decode().rstrip("=")


def position_of(campaign_id: UUID, cursor: str) -> int:
    """The position of a cursor that this server gave out for this campaign; refused otherwise."""
    try:
        decryptor = _cipher(campaign_id).decryptor()
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


def newer(state: State, viewer: Viewer, after: int, limit: int = 200) -> list[Entry]:
    """Up to ``limit`` entries behind ``after`` (a position the viewer saw, 0 for none), oldest first."""
    entries: list[Entry] = []
    follows = cursor_of(viewer.campaign_id, after) if after else None
    names, voids = name_finder(state), state.part(Voids).by
    while len(entries) < limit:
        page = read.events_after(viewer.campaign_id, after, limit)
        for event in page:
            after = event.position
            view = view_event(event, viewer, names, voided=event.position in voids)
            if view is not None:
                cursor = cursor_of(viewer.campaign_id, event.position)
                entries.append(Entry(cursor, follows, view, event.position))
                follows = cursor
        if len(page) < limit:
            break
    return entries


def older(state: State, viewer: Viewer, before: int, limit: int = 50) -> list[Entry]:
    """Up to ``limit`` entries before a position, newest first; ``follows`` is the next older one in the list."""
    found: list[tuple[int, dict[str, Any]]] = []
    names, voids = name_finder(state), state.part(Voids).by
    while len(found) <= limit:
        page = read.events_before(viewer.campaign_id, before, limit)
        for event in page:
            before = event.position
            view = view_event(event, viewer, names, voided=event.position in voids)
            if view is not None:
                found.append((event.position, view))
        if len(page) < limit:
            break
    cursors = [cursor_of(viewer.campaign_id, position) for position, _ in found]
    return [
        Entry(cursors[i], cursors[i + 1] if i + 1 < len(found) else None, view, position)
        for i, (position, view) in enumerate(found[:limit])
    ]
