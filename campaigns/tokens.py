"""Personal API tokens: shown once when made, kept as a digest, gone when revoked."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db.models import Q

from campaigns.commands.texts import cleaned
from campaigns.models import ApiToken
from rules.refusal import Refused

PREFIX = "tide_"
MOST = 20
MOST_DAYS = 730


def _digest(token: str) -> bytes:
    # Plain SHA-256 does for 256 random bits: there is nothing to guess slowly.
    return hashlib.sha256(token.encode()).digest()


def make(user: int, name: str, days: int | None, may_send: bool, now: datetime) -> tuple[ApiToken, str]:
    """A new token of a user: the row, and the token itself, which is nowhere else and never shown again."""
    name = cleaned("name", name)
    if days is not None and not 1 <= days <= MOST_DAYS:
        right = f"1 to {MOST_DAYS}, or null"
        raise Refused("wrong_value", "A token lasts some days.", field="days", value=days, right=right)
    if ApiToken.objects.filter(user_id=user).count() >= MOST:
        raise Refused("too_many_tokens", f"An account holds {MOST} tokens at most; revoke one first.")
    token = PREFIX + secrets.token_urlsafe(32)
    expires = None if days is None else now + timedelta(days=days)
    row = ApiToken.objects.create(
        user_id=user, name=name, digest=_digest(token), may_send=may_send, created_at=now, expires_at=expires
    )
    return row, token


def find(token: str, now: datetime) -> ApiToken | None:
    """The row of a token that holds at this moment, its user loaded; its use is noted once an hour."""
    if not token.startswith(PREFIX):
        return None
    holds = Q(expires_at=None) | Q(expires_at__gt=now)
    row = ApiToken.objects.select_related("user").filter(holds, digest=_digest(token), user__is_active=True).first()
    if row is not None and (row.used_at is None or now - row.used_at > timedelta(hours=1)):
        ApiToken.objects.filter(pk=row.pk).update(used_at=now)
    return row
