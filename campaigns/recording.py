"""Recorded streams: the bodies of a campaign's events as this version writes them, with the state they fold to.

Kept in the tests for ever: whatever becomes of event types, evolvers and upcasters, an old stream must still replay to
the state it had. A recording is text, a line an event, so that changes to it are seen in review.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TextIO
from uuid import UUID

import msgspec

from campaigns import registry
from campaigns.state import State
from campaigns.store import read, states
from campaigns.store.append import head_of
from rules.refusal import Refused


def record(campaign_id: UUID, target: TextIO) -> int:
    """Writes the campaign's stream and state; returns the number of events."""
    head = head_of(campaign_id)
    if head is None:
        raise Refused("no_such_campaign", "There is no such campaign.", field="campaign", value=str(campaign_id))
    for page in read.bodies(campaign_id, 0, head.position):
        for body in page:
            target.write(msgspec.json.encode(body).decode() + "\n")
    state = plain(states.refold(campaign_id, head.position))
    target.write(msgspec.json.encode({"state": state}, order="sorted").decode() + "\n")
    return head.position


def replay(lines: Iterator[str]) -> tuple[State, dict[str, Any]]:
    """(the state that a recording folds to today, the one it folded to when it was recorded)."""
    state = State()
    bodies: list[tuple[Any, ...]] = []
    for line in lines:
        found = msgspec.json.decode(line)
        if isinstance(found, dict):
            states.fold_bodies(state, bodies)
            return state, found["state"]
        bodies.append(tuple(found))
    raise Refused("broken_file", "The recording ends before its state.", field="file")


def plain(state: State) -> dict[str, Any]:
    """A state as plain data, by part, as a recording that is read again holds it."""
    parts = {part.name: state.parts[part.state] for part in registry.parts.values()}
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(parts))
    return found


def lost(recorded: Any, today: Any, path: str = "") -> Iterator[str]:
    """Where a state of today differs from what was recorded. What has been added since is no difference."""
    if isinstance(recorded, dict) and isinstance(today, dict):
        for key, value in recorded.items():
            if key not in today:
                yield f"{path}.{key} is gone"
            else:
                yield from lost(value, today[key], f"{path}.{key}")
    elif recorded != today:
        yield f"{path} was {recorded!r} and is {today!r}"
