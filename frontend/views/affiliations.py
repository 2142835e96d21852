"""Who belongs to a body: taking somebody in, letting somebody go; the game master's."""

from __future__ import annotations

from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from campaigns.commands import affiliations as commands
from campaigns.entrance import utc_now
from campaigns.parts.subjects import Subjects
from campaigns.state import State
from frontend import pages
from frontend.people import subjects
from frontend.seat import Seat, at_table, look, presses_only, require_gm
from frontend.sending import Sent, back, done, send
from frontend.views.marks import instant
from frontend.views.subjects import find
from frontend.when import calendar_of
from rules.refusal import Refused


def may_gain(state: State, seat: Seat, subject: str) -> dict[str, Any]:
    """What the form offers: the bodies that a subject could belong to, or the subjects that could belong to it."""
    kind = state.part(Subjects).by_id[subject].kind
    taken, every = commands.members_taken(state, kind), subjects(state, seat)
    return {
        "bodies": [] if taken else [o for o in every if kind in commands.members_taken(state, o.kind)],
        "members": [o for o in every if o.kind in taken],
    }


@at_table
def begin(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """The form on a subject's page: into which body it goes, or, of a body, who comes in."""
    with look(request, campaign_id) as (state, seat):
        require_gm(seat)
        found, zone = find(state, seat, subject), calendar_of(state, seat).zone or "UTC"
        context: dict[str, Any] = {
            **pages.frame(state, seat, "subjects"),
            "subject": found,
            **may_gain(state, seat, subject),
            "zone": zone,
            "now": utc_now().astimezone(ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M"),
        }
    if request.method != "POST":
        return pages.show(request, "pages/new_affiliation.html", context)
    post = request.POST
    try:
        command = commands.BeginAffiliation(
            subject=post.get("member") or subject,
            body=subject if post.get("member") else post.get("body", ""),
            standing=post.get("standing", ""),
            since=instant(post.get("since", ""), zone, "since"),
        )
        sent = send(request, campaign_id, command)
    except Refused as refusal:
        sent = Sent(refusal=refusal)
    if sent.refusal is not None:
        return pages.show(request, "pages/new_affiliation.html", context, sent.refusal)
    return done(request, sent, "They belong there now.", reverse("subject", args=[campaign_id, subject]))


@presses_only
@at_table
def end(request: HttpRequest, campaign_id: UUID, affiliation: str) -> HttpResponse:
    """It is over from now on."""
    with look(request, campaign_id) as (_, seat):
        require_gm(seat)
    command = commands.EndAffiliation(affiliation=affiliation, reason=request.POST.get("reason", ""))
    to = reverse("subject", args=[campaign_id, request.POST.get("subject", "")])
    return back(request, send(request, campaign_id, command), "It is over.", to)
