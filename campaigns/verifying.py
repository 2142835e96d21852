"""Checking a campaign of this server: its chain and its dice, with the server's key for seeds not revealed yet."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from uuid import UUID

from campaigns.seeds import seed_bytes
from campaigns.store import read
from campaigns.store.append import head_of
from campaigns.store.checking import Report, Shown, check, shown
from rules.refusal import Refused


def verify_campaign(campaign_id: UUID) -> Report:
    """Checks a whole stream as it stands at this moment, while the server runs."""
    head = head_of(campaign_id)
    if head is None:
        raise Refused("no_such_campaign", "There is no such campaign.", field="campaign", value=str(campaign_id))

    def stream(kind: str = "") -> Iterator[Shown]:
        for position, event, digest in read.stored(campaign_id, 0, head.position, kind):
            yield shown(position, event, digest)

    def opener(audience: str, number: int, nonce: str, commitment: str) -> bytes | None:
        seed = seed_bytes(campaign_id, audience, number, nonce)
        # A seed that another server promised cannot be opened here.
        return seed if hashlib.sha256(seed).hexdigest() == commitment else None

    return check(stream, (head.position, head.digest), reveals=stream("seed.revealed"), opener=opener)
