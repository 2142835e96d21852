"""Bringing the projections along: the rows that events touch, in their transaction; or all of them anew."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from campaigns import registry
from campaigns.events import Event
from campaigns.registry import Key, Projection
from campaigns.state import State
from campaigns.store import rows


def project(campaign_id: UUID, state: State, events: Sequence[Event]) -> None:
    """Rewrites the rows that these events touched, from the state after them."""
    for projection in registry.projections.values():
        touched = dict.fromkeys(key for event in events for key in projection.touched(event))
        if touched:
            rows.upsert(
                projection.model, campaign_id, projection.key, {key: projection.row(state, key) for key in touched}
            )


def project_all(campaign_id: UUID, state: State) -> None:
    """Makes every projected row of the campaign anew and drops those that should not be."""
    for projection in registry.projections.values():
        wanted = {key: projection.row(state, key) for key in projection.keys(state)}
        stale = _stored_keys(projection, campaign_id) - wanted.keys()
        rows.upsert(projection.model, campaign_id, projection.key, {**wanted, **dict.fromkeys(stale)})


def _stored_keys(projection: Projection, campaign_id: UUID) -> set[Key]:
    if not projection.key:
        return set()
    manager = projection.model._default_manager
    return set(manager.filter(campaign_id=campaign_id).values_list(*projection.key))
