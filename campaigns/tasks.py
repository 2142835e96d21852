"""Jobs of `campaigns`: doing what has become due, in every campaign, once.

The tick finds due campaigns by one indexed query and hands them out in batches. What is due is read from each
campaign's own state and done by commands whose ids follow from it; so a batch may be sent twice, worked on by two
workers at once or cut off in the middle, and the next tick finds whatever is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from celery import shared_task
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from campaigns import handing, registry
from campaigns.batches import do_due_of
from campaigns.context import Actor
from campaigns.entrance import execute
from campaigns.erasing import due_for_erasure, erase_due
from campaigns.models import Campaign
from campaigns.notices.delivering import deliver, due_deliveries
from campaigns.notices.telling import campaigns_to_tell, tell
from campaigns.registry import Duty
from campaigns.state import State
from campaigns.store import many, states
from rules.refusal import Refused

CAMPAIGNS_A_TICK = 5000
BATCH = 50
# No campaign keeps a batch to itself: after so many commands the rest waits for the next tick.
MOST_A_CAMPAIGN = 200
# So many messages one task tries, all at once: hosts that do not answer take a worker no longer than one of them would.
MESSAGES_A_TICK = 10
TELLING, DELIVERING = "campaigns.telling", "campaigns.delivering"

log = structlog.get_logger(__name__)


def on_tick(now: datetime) -> None:
    """Hands out the campaigns in which something is due, those whose owners wanted them erased, and news."""
    if due_for_erasure(now, 1):
        erase_over.apply_async(expires=handing.PATIENCE)
    _hand_out_due(now)
    _hand_out_news(now)


def _hand_out_due(now: datetime) -> None:
    """Hands out, in batches, what nobody has yet."""
    held = handing.held()
    if len(held) >= CAMPAIGNS_A_TICK:
        return
    due = [campaign for campaign in due_campaigns(now, CAMPAIGNS_A_TICK) if campaign not in held]
    for start in range(0, len(due), BATCH):
        batch = handing.hold(due[start : start + BATCH])
        try:
            ids = [str(campaign_id) for campaign_id in due[start : start + BATCH]]
            do_due.apply_async((ids, batch), expires=handing.PATIENCE)
        except BaseException:
            # What was sent is done; what was not, the next tick sends.
            handing.release(batch)
            raise


def _hand_out_news(now: datetime) -> None:
    """Hands out the campaigns whose members are to be told something, and the messages that are due.

    Both are done once however often they are handed out; the marks only keep later ticks from sending the same again
    while it is worked on."""
    waiting = campaigns_to_tell(CAMPAIGNS_A_TICK)
    if waiting:
        _hand_out(TELLING, tell_news, [str(campaign_id) for campaign_id in waiting])
    messages = due_deliveries(now, MESSAGES_A_TICK)
    if messages:
        _hand_out(DELIVERING, deliver_messages, messages)


def _hand_out(sign: str, task: Any, what: list[Any]) -> None:
    """Sends one task, unless one of its kind is worked on."""
    if not handing.hold_sign(sign):
        return
    try:
        task.apply_async((what,), expires=handing.PATIENCE)
    except BaseException:
        cache.delete(sign)
        raise


@shared_task(name="campaigns.tell_news")
def tell_news(campaign_ids: list[str]) -> None:
    """Makes the notices of these campaigns; one that fails does not keep the others waiting. What is to be sent out
    follows at once."""
    with handing.Lease(TELLING) as lease:
        for campaign_id in campaign_ids:
            lease.beat()
            try:
                tell(UUID(campaign_id))
            except Exception:
                log.exception("telling.failed", campaign=campaign_id)
    messages = due_deliveries(timezone.now(), MESSAGES_A_TICK)
    if messages:
        _hand_out(DELIVERING, deliver_messages, messages)


@shared_task(name="campaigns.deliver_messages")
def deliver_messages(ids: list[int]) -> None:
    """Sends what is due; what fails is due again later."""
    with handing.Lease(DELIVERING) as lease, ThreadPoolExecutor(MESSAGES_A_TICK, "message") as threads:
        waiting = {threads.submit(_deliver_here, one) for one in ids}
        while waiting:
            _, waiting = wait(waiting, timeout=handing.BEAT)
            lease.beat()


def _deliver_here(message: int) -> None:
    """In a thread of its own, whose connection goes with it."""
    try:
        deliver([message])
    except Exception:
        log.exception("delivering.failed", message=message)
    finally:
        connection.close()


@shared_task(name="campaigns.erase_over")
def erase_over() -> None:
    """Erases the campaigns whose days of grace are over. Two at once do no harm: each looks again under the lock."""
    for erasure in erase_due(timezone.now()):
        log.warning("campaign.erased", campaign=str(erasure.campaign), events=erasure.events)


def due_campaigns(now: datetime, limit: int) -> list[UUID]:
    """Ids of the campaigns in which something is due, the longest waiting first."""
    due = Campaign.objects.filter(due_at__lte=now).order_by("due_at")
    return list(due.values_list("id", flat=True)[:limit])


@shared_task(name="campaigns.do_due")
def do_due(campaign_ids: list[str], batch: str = "") -> None:
    """Does what is due in each of these campaigns; one that fails is logged and does not keep the others waiting.
    ``batch`` is what the tick called them."""
    with handing.lease_of(batch) as lease:
        left = _done_at_once([UUID(campaign_id) for campaign_id in campaign_ids], lease)
        heads = _warmed(left)
        for campaign_id in left:
            lease.beat()
            try:
                do_all(campaign_id, timezone.now(), heads.get(campaign_id, 0))
            except Exception:
                log.exception("due.failed", campaign=str(campaign_id))


def _done_at_once(campaign_ids: list[UUID], lease: handing.Lease) -> list[UUID]:
    """Does what can be done for all together; returns the campaigns to be looked at one by one."""

    def due(state: State, campaign_id: UUID, now: datetime) -> Iterator[Duty]:
        lease.beat()
        return due_in(state, campaign_id, now)

    try:
        return do_due_of(campaign_ids, timezone.now(), due, MOST_A_CAMPAIGN)
    except Exception:
        log.exception("due.not_at_once")
        return campaign_ids


def _warmed(campaign_ids: list[UUID]) -> dict[UUID, int]:
    """The heads of a batch, its states folded; nothing where that fails, for each campaign is looked at on its own."""
    try:
        return many.warm(campaign_ids)
    except Exception:
        log.exception("due.not_warmed")
        return {}


def do_all(campaign_id: UUID, now: datetime, reached: int = 0) -> int:
    """Sends what is due in one campaign, each command in its own transaction; returns how many were new. ``reached`` is
    where the stream was a moment ago, if that is known."""
    done = 0
    for _ in range(MOST_A_CAMPAIGN):
        duty = next(duties(campaign_id, now, reached), None)
        if duty is None:
            break
        command, command_id = duty
        try:
            answer = execute(campaign_id, command, Actor(job="calendar"), command_id=command_id)
        except Refused as refused:
            # Somebody was faster, or a GM changed the calendar between the look and the lock: the next look tells.
            log.info("due.refused", campaign=str(campaign_id), code=refused.code)
            if next(duties(campaign_id, now), None) == duty:
                break
            continue
        if answer.again and next(duties(campaign_id, now), None) == duty:
            break
        done += not answer.again
        # What came meanwhile, if anything, the next tick finds.
        reached = 0 if answer.again else answer.position
    return done


def duties(campaign_id: UUID, now: datetime, reached: int = 0) -> Iterator[Duty]:
    """What is due in a campaign at this moment; ``reached`` is where our own command has brought it, if so."""
    with states.held(campaign_id, reached) as state:
        found = list(due_in(state, campaign_id, now))
    yield from found


def due_in(state: State, campaign_id: UUID, now: datetime) -> Iterator[Duty]:
    """What is due in a campaign in this state."""
    for function in registry.duties:
        yield from function(state, campaign_id, now)
