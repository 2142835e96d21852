"""Members, roles, links, leaving."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from campaigns.commands import seats
from campaigns.door import token_for
from campaigns.entrance import utc_now
from campaigns.parts.table import Table
from campaigns.registry import Command
from campaigns.state import State
from frontend import pages
from frontend.numbers import number
from frontend.people import OpenLink, people
from frontend.seat import Seat, at_table, look, presses_only, require_gm
from frontend.sending import back, done, send

LINK_DAYS = (("1", "One day"), ("7", "A week"), ("30", "30 days"), ("365", "A year"), ("", "Until it is revoked"))
ROLES = (
    ("gm", "Game master", "Sees behind the screen and runs the game. Only the owner can give this."),
    ("player", "Player", "Plays characters, calls tests and rolls."),
    ("watcher", "Watcher", "Sees what is published, and does nothing."),
)


def _links(request: HttpRequest, state: State, seat: Seat) -> list[OpenLink]:
    if not seat.is_gm:
        return []
    now = utc_now()
    return [
        OpenLink(i, link.role, link.expires_at, link.uses_left, _address(request, state, seat, i))
        for i, link in state.part(Table).links.items()
        if (link.expires_at is None or link.expires_at > now) and link.uses_left != 0
    ]


def _address(request: HttpRequest, state: State, seat: Seat, link: str) -> str:
    token = token_for(state, seat.viewer, link)
    return request.build_absolute_uri(reverse("join", args=[seat.campaign_id, link, token])) if token else ""


@at_table
def members(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """Who sits at the table; for game masters also the open links."""
    with look(request, campaign_id) as (state, seat):
        if seat.is_watcher and not seat.viewer.member:
            raise Http404
        context = {
            **pages.frame(state, seat, "people"),
            "people": people(state, seat),
            "links": _links(request, state, seat),
            "link_days": LINK_DAYS,
        }
    return pages.show(request, "pages/people.html", context)


def _asked(request: HttpRequest, member: str) -> tuple[Command, str] | None:
    """The command that a press on a member's page asks for, and what to say once it is done."""
    act = request.POST.get("act")
    if act == "role":
        return seats.ChangeRole(member=member, role=request.POST.get("role", "")), "The role is changed."
    if act == "owner":
        return seats.HandOverOwnership(member=member), "The campaign is handed over."
    if act == "remove":
        return seats.RemoveMember(member=member), "The seat is free."
    return None


@at_table
def person(request: HttpRequest, campaign_id: UUID, member: str) -> HttpResponse:
    """What may be done about one member: change the role, hand over the campaign, remove."""
    with look(request, campaign_id) as (state, seat):
        found = next((one for one in people(state, seat) if one.member == member and one.acts), None)
        context: dict[str, Any] = {**pages.frame(state, seat, "people"), "person": found}
    if found is None:
        raise Http404
    context["roles"] = [role for role in ROLES if seat.is_owner or role[0] != "gm"]
    asked = _asked(request, member) if request.method == "POST" else None
    if asked is None:
        return pages.show(request, "pages/person.html", context)
    sent = send(request, campaign_id, asked[0])
    if sent.refusal is None:
        return done(request, sent, asked[1], reverse("people", args=[campaign_id]))
    return pages.show(request, "pages/person.html", context, sent.refusal)


@presses_only
@at_table
def make_link(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """A new invitation or watcher's link."""
    with look(request, campaign_id) as (_, seat):
        require_gm(seat)
    days = request.POST.get("days", "7")
    command = seats.MakeLink(role=request.POST.get("role", ""), days=number(days, "days") if days else None)
    sent = send(request, campaign_id, command)
    return back(request, sent, "The link is made. Copy it and send it on.", reverse("people", args=[campaign_id]))


@presses_only
@at_table
def revoke_link(request: HttpRequest, campaign_id: UUID, link: str) -> HttpResponse:
    """A link lets nobody in from now on."""
    with look(request, campaign_id) as (_, seat):
        require_gm(seat)
    sent = send(request, campaign_id, seats.RevokeLink(link=link))
    return back(request, sent, "The link is revoked.", reverse("people", args=[campaign_id]))


@at_table
def leave(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """Leaving the table, after a question."""
    with look(request, campaign_id) as (state, seat):
        context = {
            **pages.frame(state, seat, "people"),
            "heading": f"Leave {seat.campaign}?",
            "say": "Your seat falls free. Everything you did stays in the ledger.",
            "do": "Leave the table",
            "tone": "button--danger",
        }
    if not seat.viewer.member:
        raise Http404
    if request.method != "POST":
        return pages.show(request, "pages/confirm.html", context)
    sent = send(request, campaign_id, seats.Leave())
    if sent.refusal is None:
        response = done(request, sent, f"You have left {seat.campaign}.", reverse("home"))
        if request.htmx:  # type: ignore[attr-defined]
            response.headers["HX-Redirect"] = reverse("home")
        return response
    return pages.show(request, "pages/confirm.html", context, sent.refusal)
