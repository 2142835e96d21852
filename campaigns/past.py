"""States of the past: as of a position, a calendar season or a date, as they were known then; and why a value is so."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from campaigns.audience import Viewer
from campaigns.registry import Why, explainers
from campaigns.state import State
from campaigns.store import read, states
from campaigns.store.append import head_of
from rules.refusal import Refused


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


def explain(state: State, viewer: Viewer, subject: str, name: str) -> Why:
    """Why a value of a subject is what it is in a state (of now or of the past), as far as the viewer may know."""
    for explainer in explainers:
        why = explainer(state, viewer, subject, name)
        if why is not None:
            return why
    raise Refused("unexplained", "Nothing here tells why.", field="name", value=name)
