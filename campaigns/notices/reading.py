"""A member's notices as they may see them now, and how they and the webhooks are told."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import msgspec

from campaigns.audience import Viewer, name_finder, view_event
from campaigns.models import Delivery, Notice, Untold
from campaigns.parts.notices import MAIL, PAGE, HookTested, Notices
from campaigns.parts.voids import Voids
from campaigns.registry import notice_kinds
from campaigns.state import State
from campaigns.store import read, rows

MOST = 100


class NoticeRead(msgspec.Struct, frozen=True, kw_only=True):
    """One notice: what kind of news, the event's sentence, when it happened, whether it was taken back since, whether
    it has been read, and the page it leads to (its name and arguments)."""

    notice: int
    kind: str
    says: str
    at: datetime
    voided: bool
    is_read: bool
    page: tuple[str, ...]


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """How a member is told of a kind of news."""

    kind: str
    title: str
    on_page: bool
    by_mail: bool


class HookRead(msgspec.Struct, frozen=True, kw_only=True):
    """A webhook without its address, which nobody is shown. ``trouble`` of the last message; ``waiting`` are still
    tried, ``arrived_at`` is when one last arrived; ``under_way``: some have not been tried yet."""

    hook: str
    name: str
    reads: str
    kinds: tuple[str, ...]
    waiting: int
    arrived_at: datetime | None
    trouble: str
    under_way: bool


def unread(viewer: Viewer) -> int:
    """How many notices a member has not read."""
    if not viewer.member:
        return 0
    # Every page of a campaign asks this.
    sql = "SELECT COUNT(*) FROM campaigns_notice WHERE campaign_id = %s AND member = %s AND read_at IS NULL"
    found = rows.fetch(sql, [rows.adapt(viewer.campaign_id), viewer.member])
    return int(found[0][0])


def notices(state: State, viewer: Viewer, limit: int = MOST) -> list[NoticeRead]:
    """The newest notices of a member; what they may no longer see is not among them."""
    own = Notice.objects.filter(campaign_id=viewer.campaign_id, member=viewer.member)
    rows = list(own.order_by("-position")[:limit]) if viewer.member else []
    events = {event.position: event for event in read.events_at(viewer.campaign_id, [row.position for row in rows])}
    names, voids, found = name_finder(state), state.part(Voids).by, []
    for row in rows:
        view = view_event(events[row.position], viewer, names) if row.position in events else None
        if view is not None:
            found.append(
                NoticeRead(
                    notice=row.pk,
                    kind=row.kind,
                    says=view["says"],
                    at=datetime.fromisoformat(view["at"]),
                    voided=row.position in voids,
                    is_read=row.read_at is not None,
                    page=tuple(row.page),
                )
            )
    return found


def mark_read(viewer: Viewer, upto: int, now: datetime) -> int:
    """A member has read their notices up to one (its number). Nobody else's are touched; it is nobody's history."""
    own = Notice.objects.filter(campaign_id=viewer.campaign_id, member=viewer.member, read_at__isnull=True)
    return own.filter(pk__lte=upto).update(read_at=now)


def choices(state: State, viewer: Viewer) -> list[Choice]:
    """Every kind of news, and how the member is told of it."""
    chosen = state.part(Notices)
    told = {kind: chosen.channels(viewer.member, kind) for kind in notice_kinds}
    return [
        Choice(kind=kind, title=title, on_page=PAGE in told[kind], by_mail=MAIL in told[kind])
        for kind, title in notice_kinds.items()
    ]


def _asked(campaign_id: UUID, hook: str) -> bool:
    """Whether a test message was asked for that no job has seen yet."""
    untold = Untold.objects.filter(campaign_id=campaign_id).order_by("-position").values_list("position", flat=True)
    newest = read.events_at(campaign_id, list(untold[:20]))
    return any(isinstance(event.event, HookTested) and event.event.hook == hook for event in newest)


def hooks(state: State, campaign_id: UUID) -> list[HookRead]:
    """The webhooks of a campaign, for its GMs."""
    found = []
    for hook_id, hook in state.part(Notices).hooks.items():
        own = Delivery.objects.filter(campaign_id=campaign_id, channel=Delivery.HOOK, target=hook_id)
        last = own.exclude(trouble="", done_at=None).order_by("-position", "-pk").first()
        arrived = own.filter(done_at__isnull=False).order_by("-done_at").values_list("done_at", flat=True).first()
        found.append(
            HookRead(
                hook=hook_id,
                name=hook.name,
                reads=hook.reads,
                kinds=hook.kinds,
                waiting=own.filter(next_at__isnull=False).count(),
                arrived_at=arrived,
                trouble=last.trouble if last else "",
                under_way=own.filter(next_at__isnull=False, tries=0).exists() or _asked(campaign_id, hook_id),
            )
        )
    return found
