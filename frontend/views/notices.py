"""What a member was told, the bell that counts it, how they are told; and the table's webhooks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import NoReverseMatch, reverse

from campaigns.commands import notices as commands
from campaigns.entrance import utc_now
from campaigns.notices.reading import NoticeRead, choices, mark_read, notices, unread
from campaigns.registry import notice_kinds
from frontend import pages
from frontend.seat import Seat, at_table, look, presses_only, require_gm
from frontend.sending import back, done, send
from frontend.templatetags.tide import bell as bell_drawn


@dataclass(frozen=True)
class Told:
    """One notice with the address it leads to."""

    kind: str
    says: str
    at: datetime
    voided: bool
    is_read: bool
    to: str


def _told(seat: Seat, one: NoticeRead) -> Told:
    try:
        to = reverse(one.page[0], args=[seat.campaign_id, *one.page[1:]])
    except (NoReverseMatch, IndexError):
        to = reverse("campaign", args=[seat.campaign_id])
    return Told(notice_kinds.get(one.kind, one.kind), one.says, one.at, one.voided, one.is_read, to)


def _seated(seat: Seat) -> None:
    if not seat.viewer.member:
        raise Http404


@at_table
def every(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """The newest notices."""
    with look(request, campaign_id) as (state, seat):
        _seated(seat)
        found = notices(state, seat.viewer)
        context = {
            **pages.frame(state, seat, "notices"),
            "notices": [_told(seat, one) for one in found],
            "newest": max((one.notice for one in found), default=0),
            "unread": sum(not one.is_read for one in found),
            "choices": choices(state, seat.viewer),
        }
    return pages.show(request, "pages/notices.html", context)


@at_table
def bell(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """The bell alone, for pages that are open."""
    with look(request, campaign_id) as (_, seat):
        _seated(seat)
    return HttpResponse(bell_drawn(seat.campaign_id, unread(seat.viewer)))


@presses_only
@at_table
def have_read(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """They have been read, up to the newest that the page showed."""
    with look(request, campaign_id) as (_, seat):
        _seated(seat)
    upto = request.POST.get("upto", "")
    mark_read(seat.viewer, int(upto) if upto.isdecimal() and len(upto) < 19 else 0, utc_now())
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse(status=204, headers={"HX-Trigger": "tide:read"})
    return HttpResponse(status=303, headers={"Location": reverse("notices", args=[campaign_id])})


@presses_only
@at_table
def choose(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """How to be told of each kind of news."""
    with look(request, campaign_id) as (_, seat):
        _seated(seat)
    chosen = {kind: tuple(request.POST.getlist(f"by-{kind}")) for kind in notice_kinds}
    sent = send(request, campaign_id, commands.ChooseNotices(choices=chosen))
    return back(request, sent, "So you will be told.", reverse("notices", args=[campaign_id]))


@at_table
def add_hook(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """The form that adds a webhook. Its address is asked for once and never shown."""
    with look(request, campaign_id) as (state, seat):
        require_gm(seat)
        context = {
            **pages.frame(state, seat, "settings"),
            "kinds": notice_kinds.items(),
            "readers": (
                ("watcher", "Watchers: what is published"),
                ("player", "The table: what every player sees"),
            ),
            "chosen": request.POST.getlist("kinds") or list(notice_kinds),
        }
    if request.method != "POST":
        return pages.show(request, "pages/new_hook.html", context)
    post = request.POST
    command = commands.AddHook(
        name=post.get("name", ""),
        address=post.get("address", ""),
        reads=post.get("reads", ""),
        kinds=tuple(post.getlist("kinds")),
    )
    sent = send(request, campaign_id, command)
    if sent.refusal is not None:
        return pages.show(request, "pages/new_hook.html", context, sent.refusal)
    return done(request, sent, "The webhook is told from now on.", reverse("settings", args=[campaign_id]))


@presses_only
@at_table
def test_hook(request: HttpRequest, campaign_id: UUID, hook: str) -> HttpResponse:
    """A message goes out to see whether it arrives; the answer comes to the list of webhooks."""
    with look(request, campaign_id) as (_, seat):
        require_gm(seat)
    sent = send(request, campaign_id, commands.TestHook(hook=hook))
    to = reverse("settings", args=[campaign_id])
    return back(request, sent, "A test message is on its way; what came of it will stand beside the webhook.", to)


@presses_only
@at_table
def remove_hook(request: HttpRequest, campaign_id: UUID, hook: str) -> HttpResponse:
    """The webhook is told nothing more."""
    with look(request, campaign_id) as (_, seat):
        require_gm(seat)
    sent = send(request, campaign_id, commands.RemoveHook(hook=hook))
    return back(request, sent, "It is told nothing more.", reverse("settings", args=[campaign_id]))
