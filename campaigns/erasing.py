"""The one door through which events go: erasing a campaign whose owner asked for it, after its days of grace.

Its pictures go with them. What stays is a row of the audit: which campaign, whose wish, when, how many events, the
digest of the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import models, transaction

from campaigns.models import Campaign, Erasure
from campaigns.parts.table import Table
from campaigns.store import rows, states
from campaigns.store.append import Head, lock_head


def grace() -> timedelta:
    """How long an owner may change their mind."""
    return timedelta(days=settings.ERASURE_GRACE_DAYS)


def due_for_erasure(now: datetime, limit: int = 100) -> list[UUID]:
    """Ids of the campaigns whose grace is over, the longest waiting first."""
    due = Campaign.objects.filter(deleted_at__lte=now - grace()).order_by("deleted_at")
    return list(due.values_list("pk", flat=True)[:limit])


def erase_due(now: datetime) -> Iterator[Erasure]:
    """Erases the campaigns whose grace is over, each in a transaction of its own; yields the audit's rows."""
    for campaign_id in due_for_erasure(now):
        erasure = erase(campaign_id, now)
        if erasure is not None:
            yield erasure


def erase(campaign_id: UUID, now: datetime) -> Erasure | None:
    """Erases one campaign whole, if its erasure is due by its own events; None where it is not, or no longer."""
    with transaction.atomic(durable=True):
        head = lock_head(campaign_id)
        if head is None:
            return None
        with states.campaign_lock(campaign_id):
            table = states.current(campaign_id, head.position).part(Table)
            states.forget(campaign_id)
            if table.erase_asked_at is None or table.erase_asked_at > now - grace():
                return None
            erasure = _open_door(head, table, table.erase_asked_at, now)
            for table_name in ("campaigns_event", "campaigns_picture"):
                rows.run(f"DELETE FROM {table_name} WHERE campaign_id = %s", [rows.adapt(campaign_id)])
            models.QuerySet(Campaign).filter(pk=campaign_id).delete()
            erasure.finished_at = now
            erasure.save(update_fields=["finished_at"])
    return erasure


def _open_door(head: Head, table: Table, asked_at: datetime, now: datetime) -> Erasure:
    owner = table.members[table.owner]
    return Erasure.objects.create(
        campaign=head.campaign_id,
        name=table.name,
        owner=owner.name,
        user=owner.user or None,
        asked_at=asked_at,
        begun_at=now,
        events=head.position,
        digest=head.digest,
    )
