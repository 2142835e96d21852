"""Sending what is due by mail and to webhooks, and again later where it failed."""

from __future__ import annotations

import re
import smtplib
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import send_mail
from django.db.models import F, Window
from django.db.models.functions import RowNumber
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from campaigns.models import Campaign, Delivery
from campaigns.notices.posting import Posted, post
from campaigns.notices.telling import said_in_hook, said_to
from campaigns.parts.notices import Notices
from campaigns.parts.table import Table
from campaigns.parts.voids import Voids
from campaigns.sealing import unseal
from campaigns.store import read, states

# A worker that died while sending holds a message up no longer than this.
LEASE = timedelta(minutes=3)
FIRST_WAIT, LONGEST_WAIT, MOST_TRIES = timedelta(seconds=30), timedelta(hours=6), 10
LONGEST = 1800
log = structlog.get_logger(__name__)


def due_deliveries(now: datetime, limit: int) -> list[int]:
    """Ids of the messages that are to be tried now: of each campaign its first, then its second ..., so that none holds
    the others up."""
    turn = Window(RowNumber(), partition_by="campaign_id", order_by=["next_at", "id"])
    due = Delivery.objects.filter(next_at__lte=now).annotate(turn=turn).order_by("turn", "next_at")
    return list(due.values_list("id", flat=True)[:limit])


def wait_after(tries: int) -> timedelta:
    """How long until the next try: 30 s, 1 min, 2 min ... 6 h at most."""
    return min(FIRST_WAIT * (1 << (tries - 1)), LONGEST_WAIT)


def deliver(ids: Iterable[int]) -> int:
    """Tries these messages, each once, if it is still due; returns how many arrived."""
    return sum(_deliver(one) for one in ids)


def _deliver(delivery_id: int) -> bool:
    now = timezone.now()
    found = Delivery.objects.filter(pk=delivery_id, next_at__lte=now).first()
    if found is None:
        return False
    # Whoever moves the hour has the message; nobody else tries it while this one does.
    mine = Delivery.objects.filter(pk=delivery_id, next_at=found.next_at)
    if not mine.update(next_at=now + LEASE, tries=F("tries") + 1):
        return False
    try:
        posted = _send(found)
    except Exception as error:
        log.exception("delivery.failed", delivery=delivery_id)
        posted = Posted(type(error).__name__)
    return _note(found, posted)


def _note(found: Delivery, posted: Posted) -> bool:
    """Keeps what came of a try: over, or the next one."""
    now, tries = timezone.now(), found.tries + 1
    rows = Delivery.objects.filter(pk=found.pk)
    if not posted.trouble:
        rows.update(next_at=None, done_at=now, trouble="")
        return True
    again = posted.again and tries < MOST_TRIES
    wait = max(wait_after(tries), timedelta(seconds=posted.wait))
    rows.update(next_at=now + wait if again else None, trouble=posted.trouble[:120])
    log.info("delivery.trouble", delivery=found.pk, tries=tries, trouble=posted.trouble, again=again)
    return False


NOTHING = Posted("there is nothing to tell any more", again=False)


def _send(found: Delivery) -> Posted:
    """Makes the message from the event as its reader may see it now, and sends it."""
    try:
        with states.held(found.campaign_id) as state:
            recorded = read.event_at(found.campaign_id, found.position)
            if recorded is None or found.position in state.part(Voids).by:
                return NOTHING
            by_hook = found.channel == Delivery.HOOK
            says = (said_in_hook if by_hook else said_to)(state, recorded, found.target)
            hook = state.part(Notices).hooks.get(found.target)
            member = state.part(Table).members.get(found.target)
            campaign = state.part(Table).name
    except Campaign.DoesNotExist:
        return NOTHING
    if says is None:
        return NOTHING
    link = address_of(found.campaign_id, found.page)
    if by_hook:
        return post(unseal(hook.sealed), message(campaign, says, link)) if hook else NOTHING
    return _mail(member.user if member else 0, campaign, says, link)


def address_of(campaign_id: UUID, page: list[str]) -> str:
    """The full address of a page of a campaign."""
    try:
        path = reverse(page[0], args=[campaign_id, *page[1:]])
    except (NoReverseMatch, IndexError):
        path = reverse("campaign", args=[campaign_id])
    return settings.SITE_URL.rstrip("/") + path


def plain(text: str) -> str:
    """Text in which nothing is markup to a chat."""
    return re.sub(r"([\\*_~|`>#\[\]()<@])", r"\\\1", text)


def message(campaign: str, says: str, link: str) -> dict[str, Any]:
    """The body that a webhook is sent, as Discord takes it; nobody is called by name or in a body."""
    text = f"**{plain(campaign)}** {plain(says)}"[:LONGEST]
    return {"username": "Tidebook", "content": f"{text}\n<{link}>", "allowed_mentions": {"parse": []}}


def _mail(user: int, campaign: str, says: str, link: str) -> Posted:
    """To the address that the account has confirmed as its own."""
    to = EmailAddress.objects.filter(user_id=user, verified=True).order_by("-primary").values_list("email", flat=True)
    address = to.first()
    if not address:
        return Posted("no confirmed address", again=False)
    subject = f"[{' '.join(campaign.split())}] {' '.join(says.split())}"[:150]
    text = f"{says}\n\n{link}\n\nHow you are told is yours to choose on the campaign's page Notices.\n"
    try:
        send_mail(subject, text, settings.DEFAULT_FROM_EMAIL, [address])
    except (smtplib.SMTPException, OSError) as error:
        return Posted(f"mail was not taken ({type(error).__name__})")
    return Posted()
