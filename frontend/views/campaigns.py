"""Campaigns from outside: the list of one's own, starting one, taking a seat by a link, watching by a link."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid5

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from campaigns import invitations, links
from campaigns.commands.seats import JoinByLink
from campaigns.commands.starting import StartCampaign
from campaigns.door import opened
from campaigns.entrance import found, utc_now
from campaigns.events import GM
from campaigns.feed import older
from campaigns.models import Campaign, Member
from campaigns.parts.table import Link, Table
from campaigns.state import State
from campaigns.store import states
from frontend import packs, watching
from frontend.seat import actor_of
from frontend.sending import command_id_of, done, send
from frontend.uploads import uploaded_files
from rules.refusal import Refused


def home(request: HttpRequest) -> HttpResponse:
    """One's campaigns, the last written first; for strangers the landing page."""
    if not request.user.is_authenticated:
        return render(request, "pages/landing.html")
    rows = Member.objects.filter(user=request.user).exclude(role="").select_related("campaign")
    seats = [
        {
            "campaign_id": row.campaign_id,
            "name": row.campaign.name,
            "calendar": row.campaign.calendar,
            "recorded_at": _last_written(row),
            "role": row.role,
            "is_owner": row.is_owner,
            "level": 0.3,
        }
        for row in rows
    ]
    seats.sort(key=lambda seat: seat["recorded_at"], reverse=True)
    return render(request, "pages/campaigns.html", {"seats": seats, "nav_campaigns": True})


def _last_written(row: Member) -> datetime:
    """When the newest event that this member may see was recorded: what is hidden from them must not show here."""
    if row.role == GM:
        return row.campaign.recorded_at
    try:
        with opened(row.campaign_id, row.user_id or 0, utc_now()) as (state, viewer):
            newest = older(state, viewer, state.position + 1, 1)
    except Refused:
        # Removed, or the campaign erased, since the rows were read: the next look shows the list without it.
        return row.campaign.recorded_at
    return datetime.fromisoformat(newest[0].view["recorded"]) if newest else row.campaign.recorded_at


@login_required
def start(request: HttpRequest) -> HttpResponse:
    """The form that begins a campaign. Its id derives from the form's own, so that two presses begin one campaign."""
    refusal = None
    if request.method == "POST":
        try:
            command_id = command_id_of(request)
            campaign_id = uuid5(command_id, "campaign")
            chosen = packs.versions(request.POST.getlist("packs"))
            own = uploaded_files(request, "a zip or a YAML file") if request.FILES else {}
            post = request.POST
            command = StartCampaign(
                name=post.get("name", ""), owner_name=post.get("owner_name", ""), packs=chosen, files=own
            )
            found(campaign_id, command, actor_of(request), command_id=command_id)
            return redirect("campaign", campaign_id)
        except Refused as refused:
            refusal = refused
    typed = request.POST if request.method == "POST" else {"owner_name": request.user.get_username()}
    context = {
        "offered": packs.offered(request.POST.getlist("packs")),
        "typed": typed,
        "refusal": refusal,
        "nav_campaigns": True,
    }
    return render(request, "pages/start.html", context, status=422 if refusal else 200)


def _valid(state: State, campaign_id: UUID, link: str, token: str) -> Link | None:
    """The link, if it would let somebody in now."""
    known = state.part(Table).links.get(link)
    if known is None or not links.is_token_of(campaign_id, link, token):
        return None
    expired = known.expires_at is not None and known.expires_at <= utc_now()
    return None if expired or known.uses_left == 0 else known


def join(request: HttpRequest, campaign_id: UUID, link: str, token: str) -> HttpResponse:
    """An invitation: says to what, and gives the seat to who is signed in. A watcher's link opens the campaign."""
    try:
        with states.held(campaign_id) as state:
            known, table = _valid(state, campaign_id, link, token), state.part(Table)
            name, role = table.name, known.role if known else ""
            seated = bool(request.user.pk and table.member_of(request.user.pk))
            if known and not seated and role == "watcher":
                watching.begin(request, campaign_id, link)
    except Campaign.DoesNotExist:
        known, seated, name, role = None, False, "", ""
    if seated or role == "watcher":
        return redirect("campaign", campaign_id)
    if known is None:
        return render(request, "pages/join.html", status=404)
    if not request.user.is_authenticated:
        invitations.remember(request)
    context = {"campaign": name, "role": role, "refusal": None}
    if request.method == "POST" and request.user.is_authenticated:
        sent = send(request, campaign_id, JoinByLink(link=link, token=token, name=request.POST.get("name", "")))
        if sent.refusal is None:
            invitations.forget(request)
            return done(request, sent, f"Welcome to {name}.", f"/c/{campaign_id}/")
        context["refusal"] = sent.refusal
    return render(request, "pages/join.html", context, status=422 if context["refusal"] else 200)
