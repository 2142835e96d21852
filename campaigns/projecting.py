"""Bringing the projections along: the rows that events touch, in their transaction; or all of them anew.

Trails are brought along by :func:`leave`: rows that an event leaves behind and that only a void takes away.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from campaigns import registry
from campaigns.events import Event, Recorded, type_of_body
from campaigns.parts.voids import Voids
from campaigns.registry import Key, Projection, Trail
from campaigns.state import State
from campaigns.store import read, rows


def project(campaign_id: UUID, state: State, events: Sequence[Event]) -> None:
    """Rewrites the rows that these events touched, from the state after them."""
    touched: dict[str, dict[Key, None]] = {}
    for event in events:
        for name in registry.projections_of(type(event)):
            touched.setdefault(name, {}).update(dict.fromkeys(registry.projections[name].touched(event)))
    for name, keys in touched.items():
        projection = registry.projections[name]
        rows.upsert(projection.model, campaign_id, projection.key, {key: projection.row(state, key) for key in keys})


def project_all(campaign_id: UUID, state: State) -> None:
    """Makes every projected row of the campaign anew and drops those that should not be."""
    # Trails first: the rest may be computed with what they hold.
    for trail in registry.trails.values():
        rows.clear(trail.model, campaign_id)
        names = tuple(_type_name(body) for body in trail.covered)
        voided = state.part(Voids).by
        for page in read.pages_of_types(campaign_id, names, state.position):
            _leave(trail, campaign_id, [e for e in page if trail.keeps_voided or e.position not in voided])

    for projection in registry.projections.values():
        wanted = {key: projection.row(state, key) for key in projection.keys(state)}
        stale = _stored_keys(projection, campaign_id) - wanted.keys()
        rows.upsert(projection.model, campaign_id, projection.key, {**wanted, **dict.fromkeys(stale)})


def leave(campaign_id: UUID, events: Sequence[Recorded]) -> None:
    """Adds the rows that newly recorded events leave behind."""
    left: dict[str, list[Recorded]] = {}
    for event in events:
        for name in registry.trails_of(type(event.event)):
            left.setdefault(name, []).append(event)
    for name, leaving in left.items():
        _leave(registry.trails[name], campaign_id, leaving)


def _leave(trail: Trail, campaign_id: UUID, events: Sequence[Recorded]) -> None:
    left = {(event.position, seq): fields for event in events for seq, fields in enumerate(trail.rows(event))}
    if left:
        rows.add(trail.model, campaign_id, ("position", "seq"), left)


def _type_name(body: type[Event]) -> str:
    return type_of_body(body).name


def _stored_keys(projection: Projection, campaign_id: UUID) -> set[Key]:
    if not projection.key:
        return set()
    manager = projection.model._default_manager
    return set(manager.filter(campaign_id=campaign_id).values_list(*projection.key))
