"""The states of many campaigns at once, from few queries: what a job that works on a batch begins with."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from uuid import UUID

from campaigns import state as folding
from campaigns.state import State
from campaigns.store import append, read, rows, states
from campaigns.store.append import Head

# Many streams are read at once only where little of each is to be read.
LONGEST_TAIL = 2 * states.SNAPSHOT_EVERY


def warm(campaign_ids: Sequence[UUID]) -> dict[UUID, int]:
    """The positions of these campaigns; states among them that were not kept are read together, and kept."""
    heads = append.heads_of(campaign_ids)
    for campaign_id, state in _read(_missing(heads)).items():
        with states.campaign_lock(campaign_id):
            states.keep(campaign_id, state)
    return {campaign_id: head.position for campaign_id, head in heads.items()}


def take(campaign_ids: Sequence[UUID]) -> dict[UUID, tuple[Head, State]]:
    """The heads of these campaigns with their states, which belong to whoever takes them: nobody else of this process
    has them until :func:`give_back`."""
    heads, found = append.heads_of(campaign_ids), {}
    for campaign_id, head in heads.items():
        with states.campaign_lock(campaign_id):
            state = states.take_out(campaign_id, head.position)
        if state is not None:
            found[campaign_id] = head, state
    fresh = _read({i: head for i, head in heads.items() if i not in found})
    return {**found, **{i: (heads[i], state) for i, state in fresh.items()}}


def give_back(campaign_id: UUID, state: State, *, snapshot: bool = False) -> None:
    """Lets everybody have a state that was taken, as it is committed by now; ``snapshot`` has it written, too."""
    with states.campaign_lock(campaign_id):
        states.keep_if_newer(campaign_id, state)
        if snapshot:
            states.offer_snapshot(campaign_id, state)


def _missing(heads: Mapping[UUID, Head]) -> dict[UUID, Head]:
    return {i: head for i, head in heads.items() if not states.is_kept(i)}


def _read(heads: Mapping[UUID, Head]) -> dict[UUID, State]:
    """The states as of these heads: from the newest snapshots and what lies behind each. Left out, to be looked at
    alone, is a campaign that moved meanwhile, has long been without a snapshot, or had a void reach behind it."""
    kept = _snapshots([i for i, head in heads.items() if head.position >= states.SNAPSHOT_EVERY])
    found = {i: kept.get(i) or State() for i in heads}
    found = {i: state for i, state in found.items() if heads[i].position - state.position <= LONGEST_TAIL}
    for campaign_id, page in read.tails({i: (state.position, heads[i].position) for i, state in found.items()}):
        if not states.fold_tail(found[campaign_id], page):
            del found[campaign_id]
    return {i: state for i, state in found.items() if state.position == heads[i].position}


def _snapshots(campaign_ids: Sequence[UUID]) -> dict[UUID, State]:
    if not campaign_ids:
        return {}
    marks = ", ".join(["%s"] * len(campaign_ids))
    newest = (
        "SELECT campaign_id, MAX(position) AS position FROM campaigns_snapshot"
        f" WHERE schema = %s AND campaign_id IN ({marks}) GROUP BY campaign_id"
    )
    found = rows.fetch(
        f"SELECT s.campaign_id, s.position, s.state FROM campaigns_snapshot s JOIN ({newest}) n"
        " ON n.campaign_id = s.campaign_id AND n.position = s.position WHERE s.schema = %s",
        [folding.schema_version(), *map(rows.adapt, campaign_ids), folding.schema_version()],
    )
    return {
        rows.read_uuid(campaign): folding.thaw(zlib.decompress(bytes(state)), position)
        for campaign, position, state in found
    }
