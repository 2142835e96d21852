"""From which seat a request looks at a campaign. Every page of a campaign begins here and sees nothing past it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse

from campaigns.audience import Viewer, viewer_of
from campaigns.context import Actor
from campaigns.events import GM, WATCHER
from campaigns.models import Campaign
from campaigns.parts.table import Table
from campaigns.state import State
from campaigns.store import states
from frontend import watching
from rules.refusal import Refused


@dataclass(frozen=True)
class Seat:
    """Who looks: the viewer (role, member, subjects played), how the table calls them, whether they own it."""

    campaign_id: UUID
    campaign: str
    viewer: Viewer
    name: str
    is_owner: bool

    @property
    def is_gm(self) -> bool:
        """Whether this seat has the GM's rights."""
        return self.viewer.role == GM

    @property
    def is_watcher(self) -> bool:
        """Whether this seat only watches."""
        return self.viewer.role == WATCHER


class Stranger(Exception):  # noqa: N818
    """The request has no seat at this table."""


@contextmanager
def look(request: HttpRequest, campaign_id: UUID) -> Iterator[tuple[State, Seat]]:
    """The campaign's state, for reading, and the seat of whoever asks. Raises Stranger, Campaign.DoesNotExist."""
    with states.held(campaign_id) as state:
        yield state, _seat(request, state, campaign_id)


def _seat(request: HttpRequest, state: State, campaign_id: UUID) -> Seat:
    table = state.part(Table)
    viewer = None
    if request.user.is_authenticated:
        try:
            viewer = viewer_of(state, campaign_id, request.user.pk)
        except Refused:
            viewer = None
    if viewer is None and watching.watches(request, state, campaign_id):
        viewer = Viewer(campaign_id, WATCHER)
    if viewer is None:
        raise Stranger
    name = table.members[viewer.member].name if viewer.member else "Watcher"
    return Seat(campaign_id, table.name, viewer, name, bool(viewer.member) and viewer.member == table.owner)


View = Callable[..., HttpResponse]


def at_table(view: View) -> View:
    """Decorator of a campaign's views: strangers are asked to sign in, or find nothing there."""

    @wraps(view)
    def answer(request: HttpRequest, campaign_id: UUID, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, campaign_id, *args, **kwargs)
        except (Stranger, Campaign.DoesNotExist):
            if not request.user.is_authenticated and not request.htmx:  # type: ignore[attr-defined]
                return redirect_to_login(request.get_full_path())
            raise Http404 from None

    return answer


def require_gm(seat: Seat) -> None:
    """Only the GM's pages; the entrance checks commands again."""
    if not seat.is_gm:
        raise PermissionDenied


def actor_of(request: HttpRequest) -> Actor:
    """Who sends a command from this request."""
    return Actor(user=request.user.pk)
