"""Tokens of invitation and watcher's links: derived from the server's key, so that no event and no table holds them."""

from __future__ import annotations

import base64
import hashlib
import hmac
from uuid import UUID

from django.conf import settings


def token_of(campaign_id: UUID, link: str) -> str:
    """The secret of a link (22 characters); who has it may use the link until it expires or is revoked."""
    key = b"tidebook links" + settings.SECRET_KEY.encode()
    mac = hmac.digest(key, campaign_id.bytes + link.encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(mac[:16]).decode().rstrip("=")


def is_token_of(campaign_id: UUID, link: str, token: str) -> bool:
    """Whether a token belongs to a link, compared in constant time."""
    return hmac.compare_digest(token_of(campaign_id, link).encode(), token.encode())
