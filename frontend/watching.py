"""Watchers who came by a link and have no account: their browser's session remembers the link, nothing else."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest

from campaigns.door import LinkKey
from campaigns.links import token_of

KEY = "watching"


def begin(request: HttpRequest, campaign_id: UUID, link: str) -> None:
    """Remembers a watcher's link whose token was right. Whether it still holds is asked at every page."""
    request.session[KEY] = {**request.session.get(KEY, {}), campaign_id.hex: link}


def key_of(request: HttpRequest, campaign_id: UUID) -> LinkKey | None:
    """The link by which this browser watches a campaign, if it ever came by one."""
    link = request.session.get(KEY, {}).get(campaign_id.hex, "")
    return LinkKey(link, token_of(campaign_id, link)) if link else None
