"""Who sits behind a socket, and what that lets them see at the moment."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from campaigns.audience import Viewer, viewer_of
from campaigns.events import PLAYER, WATCHER
from campaigns.links import is_token_of
from campaigns.parts.table import Table
from campaigns.state import State
from rules.refusal import Refused


@dataclass(frozen=True)
class Seat:
    """A signed-in user, or whoever came by a watcher's link (``user`` 0)."""

    user: int = 0
    link: str = ""
    token: str = ""


@dataclass(frozen=True)
class Standing:
    """What a seat amounts to now; ``until`` is when a link ends by itself."""

    viewer: Viewer
    name: str
    is_owner: bool = False
    until: datetime | None = None

    @property
    def key(self) -> Hashable:
        """Equal for those who see the same, now and later: one audience, one log."""
        return self.viewer if self.viewer.role == PLAYER else self.viewer.role


def standing_of(state: State, campaign_id: UUID, seat: Seat, now: datetime) -> Standing | None:
    """The standing of a seat, None where it has none (any more)."""
    if seat.user:
        return _member(state, campaign_id, seat.user)
    link = state.part(Table).links.get(seat.link)
    if link is None or link.role != WATCHER or not is_token_of(campaign_id, seat.link, seat.token):
        return None
    if link.expires_at is not None and link.expires_at <= now:
        return None
    return Standing(Viewer(campaign_id, WATCHER), "Watcher", until=link.expires_at)


def _member(state: State, campaign_id: UUID, user: int) -> Standing | None:
    try:
        viewer = viewer_of(state, campaign_id, user)
    except Refused:
        return None
    table = state.part(Table)
    return Standing(viewer, table.members[viewer.member].name, is_owner=viewer.member == table.owner)
