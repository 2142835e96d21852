"""Watchers who came by a link and have no account: their browser's session remembers the link, nothing else."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest

from campaigns.entrance import utc_now
from campaigns.links import is_token_of
from campaigns.parts.table import Table
from campaigns.state import State

KEY = "watching"


def _lets_in(state: State, link: str) -> bool:
    found = state.part(Table).links.get(link)
    if found is None or found.role != "watcher":
        return False
    return found.expires_at is None or found.expires_at > utc_now()


def begin(request: HttpRequest, state: State, campaign_id: UUID, link: str, token: str) -> bool:
    """Lets this browser watch, if the link is a valid watcher's link; False otherwise."""
    if not is_token_of(campaign_id, link, token) or not _lets_in(state, link):
        return False
    request.session[KEY] = {**request.session.get(KEY, {}), campaign_id.hex: link}
    return True


def watches(request: HttpRequest, state: State, campaign_id: UUID) -> bool:
    """Whether this browser came by a watcher's link that is still valid."""
    link = request.session.get(KEY, {}).get(campaign_id.hex, "")
    return bool(link) and _lets_in(state, link)
