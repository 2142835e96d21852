"""From which seat a request looks at a campaign. Every page of a campaign begins here and sees nothing past it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.utils import timezone

from campaigns import door
from campaigns.audience import Viewer
from campaigns.context import Actor
from campaigns.entrance import utc_now
from campaigns.events import GM, WATCHER
from campaigns.models import Campaign
from campaigns.parts.calendar import zone_of
from campaigns.parts.table import Table
from campaigns.state import State
from campaigns.store import states
from frontend import watching
from rules.refusal import Refused


@dataclass(frozen=True)
class Seat:
    """Who looks: the viewer (role, member, subjects played), how the table calls them, whether they own it, and the
    address of the live feed that this seat may follow."""

    campaign_id: UUID
    campaign: str
    viewer: Viewer
    name: str
    is_owner: bool
    feed: str

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


_AT_TABLE = "tide_at_table"


@contextmanager
def look(request: HttpRequest, campaign_id: UUID) -> Iterator[tuple[State, Seat]]:
    """The campaign's state, for reading, and the seat of whoever asks; times are said in the campaign's zone from then
    on, until the answer of `at_table`; without that, within this block alone.

    Raises Stranger, Campaign.DoesNotExist.
    """
    with ExitStack() as ends:
        state = ends.enter_context(states.held(campaign_id))
        zone = zone_of(state, utc_now())
        if getattr(request, _AT_TABLE, False):
            timezone.activate(zone)
        else:
            # The thread serves other requests next; no zone is left to them.
            ends.enter_context(timezone.override(zone))
        yield state, _seat(request, state, campaign_id)


def _seat(request: HttpRequest, state: State, campaign_id: UUID) -> Seat:
    table = state.part(Table)
    viewer, feed = _viewer(request, state, campaign_id)
    name = table.members[viewer.member].name if viewer.member else "Watcher"
    return Seat(campaign_id, table.name, viewer, name, bool(viewer.member) and viewer.member == table.owner, feed)


def _viewer(request: HttpRequest, state: State, campaign_id: UUID) -> tuple[Viewer, str]:
    """By one's own seat; without one, by the link that this browser came by."""
    own = request.user.pk if request.user.is_authenticated else None
    link = watching.key_of(request, campaign_id)
    ways: list[tuple[int | door.LinkKey, str]] = []
    if own is not None:
        ways.append((own, f"/ws/campaigns/{campaign_id}/feed"))
    if link is not None:
        ways.append((link, f"/ws/watch/{campaign_id}/{link.link}/{link.token}/feed"))
    for who, feed in ways:
        try:
            return door.viewer_at(state, campaign_id, who, utc_now()), feed
        except Refused:
            continue
    raise Stranger


class Gone(Http404):
    """What was there and is not any more, in words that whoever asks may read, with a way on and its name."""

    def __init__(self, title: str, say: str, to: str = "", name: str = "") -> None:
        super().__init__(title)
        self.title, self.say, self.to, self.name = title, say, to, name


View = Callable[..., HttpResponse]


def at_table(view: View) -> View:
    """Decorator of a campaign's views: strangers are asked to sign in, or find nothing there."""

    @wraps(view)
    def answer(request: HttpRequest, campaign_id: UUID, *args: Any, **kwargs: Any) -> HttpResponse:
        outer = getattr(request, _AT_TABLE, False)
        setattr(request, _AT_TABLE, True)
        try:
            with timezone.override(None):  # what `look` changes ends with the answer
                return view(request, campaign_id, *args, **kwargs)
        except (Stranger, Campaign.DoesNotExist):
            if not request.user.is_authenticated and not request.htmx:  # type: ignore[attr-defined]
                return redirect_to_login(request.get_full_path())
            raise Http404 from None
        except Refused as refusal:
            # What a view did not show at its own form.
            return render(request, "refused.html", {"refusal": refusal}, status=422)
        finally:
            setattr(request, _AT_TABLE, outer)

    return answer


def presses_only(view: View) -> View:
    """Decorator of what only a press of a button asks for. Its address, typed, shared or come back to, leads to the
    nearest page above it."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST":
            return view(request, *args, **kwargs)
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["POST"])
        return HttpResponseRedirect(_page_above(request.path))

    answer.presses_only = True  # type: ignore[attr-defined]
    return answer


def _page_above(path: str) -> str:
    while path != "/":
        path = path.rstrip("/").rpartition("/")[0] + "/"
        try:
            found = resolve(path)
        except Resolver404:
            continue
        if not getattr(found.func, "presses_only", False):
            return path
    return path


def require_gm(seat: Seat) -> None:
    """Only the GM's pages; the entrance checks commands again."""
    if not seat.is_gm:
        raise PermissionDenied


def actor_of(request: HttpRequest) -> Actor:
    """Who sends a command from this request."""
    return Actor(user=request.user.pk)
