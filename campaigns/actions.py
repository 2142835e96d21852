"""What one action came to: the events of its command and, link by link, of all that it caused."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from campaigns.events import Recorded
from campaigns.feed import position_of
from campaigns.parts.voids import Voids
from campaigns.state import State
from campaigns.store import read
from rules.refusal import Refused


@dataclass(frozen=True)
class Action:
    """``named`` is the event that was pointed at; ``events`` those of its command and of all that came of it."""

    named: Recorded
    events: tuple[Recorded, ...]


def action_at(campaign_id: UUID, entry: str, state: State) -> Action:
    """The action that holds the event with this cursor, up to where ``state`` stands; refused where there is none."""
    named = read.event_at(campaign_id, position_of(campaign_id, entry))
    if named is None:
        raise Refused("unknown_cursor", "There is no such entry.", field="entry", value=entry)
    events = {event.position: event for event in read.events_of_command(campaign_id, named.command_id)}
    # A cause always lies before what it caused, so one pass forward finds all.
    for cause, command_id in read.causes(campaign_id, max(events), state.position):
        if cause in events:
            events.update((event.position, event) for event in read.events_of_command(campaign_id, command_id))
    return Action(named, tuple(events[position] for position in sorted(events)))


def standing(campaign_id: UUID, types: tuple[str, ...], after: int, state: State) -> list[Recorded]:
    """The events of these types behind a position that are not taken back, oldest first."""
    voided = state.part(Voids).by
    pages = read.pages_of_types(campaign_id, types, state.position, after)
    return [event for page in pages for event in page if event.position not in voided]
