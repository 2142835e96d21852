"""Checking a campaign of this server: its chain, its dice, its pictures. For those who run it with the server's key for
seeds not revealed yet; for a member with what that member may see, as from their own export."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from uuid import UUID

import msgspec

from campaigns.audience import Viewer
from campaigns.pictures import look_over_into
from campaigns.seeds import seed_bytes
from campaigns.store import read
from campaigns.store.append import Head, head_of
from campaigns.store.checking import Report, Shown, check, shown
from rules.refusal import Refused


def _head(campaign_id: UUID) -> Head:
    head = head_of(campaign_id)
    if head is None:
        raise Refused("no_such_campaign", "There is no such campaign.", field="campaign", value=str(campaign_id))
    return head


def verify_campaign(campaign_id: UUID) -> Report:
    """Checks a whole stream as it stands at this moment, while the server runs."""
    head = _head(campaign_id)

    def stream(kind: str = "") -> Iterator[Shown]:
        for position, event, digest in read.stored(campaign_id, 0, head.position, kind):
            yield shown(position, event, digest)

    def opener(audience: str, number: int, nonce: str, commitment: str) -> bytes | None:
        seed = seed_bytes(campaign_id, audience, number, nonce)
        # A seed that another server promised cannot be opened here.
        return seed if hashlib.sha256(seed).hexdigest() == commitment else None

    report = check(stream, (head.position, head.digest), reveals=stream("seed.revealed"), opener=opener)
    look_over_into(report, campaign_id, head.position)
    return report


def verify_seen(viewer: Viewer) -> Report:
    """Checks the chain whole, and the dice as far as a member may see them."""
    from campaigns.transfer.exporting import seen_line
    from campaigns.transfer.lines import partly

    campaign_id, head = viewer.campaign_id, _head(viewer.campaign_id)

    def stream(kind: str = "") -> Iterator[Shown]:
        for position, event, digest in read.stored(campaign_id, 0, head.position, kind):
            try:
                yield partly(seen_line(viewer, position, event, digest))
            except (msgspec.MsgspecError, ValueError, Refused) as error:
                yield Shown(position, digest, b"", {}, f"its data cannot be read: {error}")

    return check(stream, (head.position, head.digest), reveals=stream("seed.revealed"), whole=False)
