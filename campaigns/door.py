"""The door for readers: who somebody is to a campaign, and its state to read from.

Whoever may not look gets the same refusal as for a campaign that does not exist, so that nobody learns which do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from campaigns.audience import Viewer, viewer_of
from campaigns.events import GM, WATCHER
from campaigns.links import is_token_of, token_of
from campaigns.models import Campaign
from campaigns.parts.table import Table
from campaigns.state import State
from campaigns.store import states
from rules.refusal import Refused


@dataclass(frozen=True)
class LinkKey:
    """What somebody without an account shows to watch: a watcher's link and its token."""

    link: str
    token: str


def no_such_campaign() -> Refused:
    """The one answer to whoever may not look, be it because there is nothing or because it is not theirs."""
    return Refused("no_such_campaign", "There is no such campaign, or it is not yours to see.", field="campaign")


def link_holds(state: State, campaign_id: UUID, key: LinkKey, now: datetime) -> bool:
    """Whether this link lets its bearer watch at this moment: known, not revoked, not expired, the right token."""
    link = state.part(Table).links.get(key.link)
    if not is_token_of(campaign_id, key.link, key.token) or link is None:
        return False
    return link.role == WATCHER and (link.expires_at is None or link.expires_at > now)


def token_for(state: State, viewer: Viewer, link_id: str) -> str | None:
    """The secret of a link, for a GM to hand on; of a GM's invitation for the owner, who alone may make one."""
    table = state.part(Table)
    link = table.links.get(link_id)
    if link is None or viewer.role != GM or (link.role == GM and viewer.member != table.owner):
        return None
    return token_of(viewer.campaign_id, link_id)


def viewer_at(state: State, campaign_id: UUID, who: int | LinkKey, now: datetime) -> Viewer:
    """How a user (by id) or a link's bearer looks at this campaign; refused as unknown where they may not."""
    if isinstance(who, LinkKey):
        if not link_holds(state, campaign_id, who, now):
            raise no_such_campaign()
        return Viewer(campaign_id, WATCHER)
    try:
        return viewer_of(state, campaign_id, who)
    except Refused:
        raise no_such_campaign() from None


@contextmanager
def opened(campaign_id: UUID, who: int | LinkKey, now: datetime) -> Iterator[tuple[State, Viewer]]:
    """The newest state and the viewer, for reading under the campaign's lock."""
    try:
        with states.held(campaign_id) as state:
            yield state, viewer_at(state, campaign_id, who, now)
    except Campaign.DoesNotExist:
        raise no_such_campaign() from None
