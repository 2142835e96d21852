"""From events to notices and deliveries, each campaign behind its own head."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from campaigns.audience import Viewer, name_finder, view_event, viewer_of
from campaigns.events import PLAYER, Recorded
from campaigns.models import Campaign, Delivery, Notice, NoticeHead, Untold
from campaigns.parts.calendar import PeriodClosed
from campaigns.parts.notices import MAIL, PAGE, HookTested, Notices
from campaigns.parts.table import CampaignImported, Table
from campaigns.parts.voids import Voids
from campaigns.registry import Telling, Trail, tellers, told_along, trail
from campaigns.state import State
from campaigns.store import read, states
from rules.refusal import Refused

AT_ONCE = 500
# What was recorded longer ago is news to nobody: an imported past, a history from before there were notices.
NEWS = timedelta(days=14)


TRIAL = "A test message: what happens at the table will be told here."


def _told_of() -> tuple[type, ...]:
    return (*tellers, CampaignImported)


def _row(recorded: Recorded) -> Iterable[Mapping[str, Any]]:
    return [] if recorded.cause and type(recorded.event) in told_along else [{}]


trail(Trail("untold", Untold, _told_of, _row))


def campaigns_to_tell(limit: int) -> list[UUID]:
    """Campaigns in which something happened that nobody has been told of."""
    return list(Untold.objects.order_by().values_list("campaign_id", flat=True).distinct()[:limit])


@dataclass
class _Found:
    """What some events came to."""

    notices: dict[tuple[str, int], Notice] = field(default_factory=dict)
    deliveries: dict[tuple[str, str, int], Delivery] = field(default_factory=dict)


def tell(campaign_id: UUID) -> int:
    """Tells of what a campaign has not been told yet; returns how many notices and deliveries were made."""
    made = 0
    while True:
        positions = list(
            Untold.objects.filter(campaign_id=campaign_id)
            .order_by("position")
            .values_list("position", flat=True)[:AT_ONCE]
        )
        if not positions:
            return made
        head, _ = NoticeHead.objects.get_or_create(campaign_id=campaign_id)
        fresh = [position for position in positions if position > head.position]
        found = _look(campaign_id, fresh) if fresh else _Found()
        told = _keep(campaign_id, head.position, max(positions), found)
        if told is None:
            return made
        made += told


def _keep(campaign_id: UUID, head: int, upto: int, found: _Found) -> int | None:
    """One transaction: the head moves, what was found is kept, the rows go. None where somebody else was faster."""
    with transaction.atomic():
        mine = NoticeHead.objects.filter(campaign_id=campaign_id, position=head).update(position=max(head, upto))
        if not mine:
            return None
        Notice.objects.bulk_create(found.notices.values())
        Delivery.objects.bulk_create(found.deliveries.values())
        Untold.objects.filter(campaign_id=campaign_id, position__lte=upto).delete()
    return len(found.notices) + len(found.deliveries)


def _look(campaign_id: UUID, positions: Sequence[int]) -> _Found:
    """Whom these events concern, as the campaign stands now: who left, or lost a right, is not told any more."""
    found, now = _Found(), timezone.now()
    try:
        with states.held(campaign_id) as state:
            events = _with_those_along(campaign_id, read.events_at(campaign_id, positions))
            begins = max((e.position for e in events if isinstance(e.event, CampaignImported)), default=0)
            for recorded in events:
                if recorded.position > begins and recorded.recorded_at > now - NEWS:
                    _tell_one(state, recorded, now, found)
    except Campaign.DoesNotExist:
        return _Found()
    return found


def _with_those_along(campaign_id: UUID, events: list[Recorded]) -> list[Recorded]:
    """These events and those that are told along with them: what came of a close lies behind it."""
    places = {event.position for event in events}
    for event in events:
        if isinstance(event.event, PeriodClosed) and event.event.recorded > 1:
            places |= set(range(event.position + 1, event.position + event.event.recorded))
    return read.events_at(campaign_id, sorted(places)) if len(places) > len(events) else events


def _tell_one(state: State, recorded: Recorded, now: datetime, found: _Found) -> None:
    if recorded.position in state.part(Voids).by:
        return
    for teller in tellers.get(type(recorded.event), ()):
        for telling in teller(state, recorded):
            _tell_members(state, recorded, telling, now, found)
            _tell_hooks(state, recorded, telling, now, found)


def _tell_members(state: State, recorded: Recorded, telling: Telling, now: datetime, found: _Found) -> None:
    notices, campaign_id = state.part(Notices), recorded.campaign_id
    for member in telling.members:
        # Nobody is told what they did themselves.
        if recorded.actor == f"member:{member}" or said_to(state, recorded, member) is None:
            continue
        common: dict[str, Any] = {"campaign_id": campaign_id, "position": recorded.position, "kind": telling.kind}
        common |= {"page": list(telling.page), "made_at": now}
        channels = notices.channels(member, telling.kind)
        if PAGE in channels:
            found.notices.setdefault((member, recorded.position), Notice(member=member, **common))
        if MAIL in channels:
            mail = Delivery(channel=Delivery.MAIL, target=member, next_at=now, **common)
            found.deliveries.setdefault((MAIL, member, recorded.position), mail)


def _tell_hooks(state: State, recorded: Recorded, telling: Telling, now: datetime, found: _Found) -> None:
    for hook_id, hook in state.part(Notices).hooks.items():
        key = (Delivery.HOOK, hook_id, recorded.position)
        heard = telling.hook == hook_id if telling.hook else telling.kind in hook.kinds
        if not heard or key in found.deliveries or said_in_hook(state, recorded, hook_id) is None:
            continue
        found.deliveries[key] = Delivery(
            campaign_id=recorded.campaign_id,
            position=recorded.position,
            kind=telling.kind,
            page=list(telling.page),
            channel=Delivery.HOOK,
            target=hook_id,
            made_at=now,
            next_at=now,
        )


def viewer_of_member(state: State, campaign_id: UUID, member: str) -> Viewer | None:
    """How a member looks at the campaign now; None for one who has left, or has no account here."""
    found = state.part(Table).members.get(member)
    if found is None or not found.role or not found.user:
        return None
    try:
        return viewer_of(state, campaign_id, found.user)
    except Refused:
        return None


def said_to(state: State, recorded: Recorded, member: str) -> str | None:
    """What an event says to a member; None where it does not exist for them."""
    viewer = viewer_of_member(state, recorded.campaign_id, member)
    view = view_event(recorded, viewer, name_finder(state)) if viewer else None
    return view["says"] if view else None


def said_in_hook(state: State, recorded: Recorded, hook_id: str) -> str | None:
    """What an event says to the readers of a webhook: watchers, or players who play nobody."""
    hook = state.part(Notices).hooks.get(hook_id)
    if hook is None:
        return None
    if isinstance(recorded.event, HookTested):
        # No news of the campaign: its readers see that messages arrive.
        return TRIAL if recorded.event.hook == hook_id else None
    viewer = Viewer(recorded.campaign_id, PLAYER if hook.reads == PLAYER else hook.reads)
    view = view_event(recorded, viewer, name_finder(state))
    return view["says"] if view else None
