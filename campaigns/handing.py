"""What has been handed out to workers, so that a later tick hands out the rest and nothing twice in vain.

A batch that waits in the queue is held for PATIENCE seconds, as long as its message may be worked on. Once a worker has
it, it is held for as long as that worker shows that it lives: LEASE seconds from its last step. So what a killed worker
had is handed out again a few seconds later, whatever the others do. All of it lies in the cache: where that forgets, or
two ticks come at once, a batch is worked on twice, which changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from uuid import UUID, uuid4

from django.core.cache import cache

# Messages older than this are not worked on any more.
PATIENCE = 120
LEASE = 15
# How often a worker shows that it lives, in seconds.
BEAT = 2
BATCHES = "campaigns.due.batches"


def _key(batch: str) -> str:
    return f"campaigns.due.batch.{batch}"


def held() -> set[UUID]:
    """The campaigns of all batches that are waited for."""
    living = cache.get_many([_key(batch) for batch in cache.get(BATCHES) or ()])
    cache.set(BATCHES, [key.rpartition(".")[2] for key in living], 2 * PATIENCE)
    return {UUID(hex=campaign) for campaigns in living.values() for campaign in campaigns.split()}


def hold(campaign_ids: Sequence[UUID]) -> str:
    """Marks a batch as handed out; returns its name."""
    batch = uuid4().hex
    cache.set(_key(batch), " ".join(campaign.hex for campaign in campaign_ids), PATIENCE)
    cache.set(BATCHES, [*(cache.get(BATCHES) or ()), batch], 2 * PATIENCE)
    return batch


def hold_sign(sign: str) -> bool:
    """Marks the one task of a kind as handed out; False where it is already."""
    return bool(cache.add(sign, 1, PATIENCE))


def release(batch: str) -> None:
    """A batch is not waited for any more."""
    cache.delete(_key(batch))


def lease_of(batch: str) -> Lease:
    """A worker's hold on a batch (of no name: on nothing)."""
    return Lease(_key(batch) if batch else "")


class Lease:
    """A worker's hold on what was handed out, while it works on it: :meth:`beat` says that it lives."""

    def __init__(self, sign: str) -> None:
        self._sign, self._shown = sign, float("-inf")

    def __enter__(self) -> Lease:
        self.beat()
        return self

    def __exit__(self, *_error: object) -> None:
        if self._sign:
            cache.delete(self._sign)

    def beat(self) -> None:
        """To be called between steps, as often as one likes."""
        now = time.monotonic()
        if self._sign and now - self._shown >= BEAT:
            self._shown = now
            cache.touch(self._sign, LEASE)
