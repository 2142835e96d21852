"""Making a campaign's state and projected tables anew from its events, while the server runs."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from django.db import transaction

from campaigns.projecting import project_all
from campaigns.state import State
from campaigns.store import read, states
from campaigns.store.append import head_of, lock_head
from rules.refusal import Refused


def rebuild(campaign_id: UUID) -> Iterator[tuple[int, int]]:
    """Yields (events folded, events in all) as it goes. Memory holds a page of events, whatever the stream's length.

    The long way is gone without any lock; only the last few events and the tables are done under the campaign's.
    """
    head = head_of(campaign_id)
    if head is None:
        raise Refused("no_such_campaign", "There is no such campaign.", field="campaign", value=str(campaign_id))
    state, voided = State(), states.void_changes(campaign_id, 0, head.position, {})
    yield 0, head.position
    for page in read.bodies(campaign_id, 0, head.position):
        states.fold_pages(state, [page], voided)
        yield state.position, head.position
    _settle(campaign_id, state)


def _settle(campaign_id: UUID, state: State) -> None:
    with transaction.atomic(durable=True):
        locked = lock_head(campaign_id)
        if locked is None:
            return
        with states.campaign_lock(campaign_id):
            states.forget(campaign_id)
            if not states.catch_up(state, campaign_id, locked.position):
                state = states.refold(campaign_id, locked.position)
            project_all(campaign_id, state)
            states.snapshot(campaign_id, state)
