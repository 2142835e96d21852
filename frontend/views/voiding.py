"""Taking an entry of the ledger back, after showing all that would go with it; and letting it stand again."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from campaigns.actions import action_at
from campaigns.audience import name_finder, view_event
from campaigns.commands.voiding import RestoreAction, VoidAction, lifted_by, voidable
from campaigns.events import Recorded
from campaigns.registry import Command
from campaigns.state import State
from frontend import pages
from frontend.seat import Seat, at_table, look, require_gm
from frontend.sending import done, send
from rules.refusal import Refused

VOIDED = "events.voided"


def _sentences(state: State, seat: Seat, events: list[Recorded]) -> list[str]:
    """What the events say, to this seat."""
    names = name_finder(state)
    views = [view_event(event, seat.viewer, names) for event in events]
    return [view["says"] for view in views if view is not None]


@at_table
def entry(request: HttpRequest, campaign_id: UUID, cursor: str) -> HttpResponse:
    """What taking this entry back would void, and the button that does it; for a void, the button that lifts it."""
    why_not: Refused | None = None
    with look(request, campaign_id) as (state, seat):
        require_gm(seat)
        try:
            action = action_at(campaign_id, cursor, state)
        except Refused:
            raise Http404 from None
        lifts = action.named.type == VOIDED
        goes: list[str] = []
        try:
            goes = _sentences(state, seat, lifted_by(state, action) if lifts else voidable(state, action))
        except Refused as refusal:
            why_not = refusal
        context: dict[str, Any] = {
            **pages.frame(state, seat, "table"),
            "says": _sentences(state, seat, [action.named]),
            "goes": goes,
            "lifts": lifts,
            "why_not": why_not,
        }
    if request.method != "POST" or why_not is not None:
        return pages.show(request, "pages/take_back.html", context)
    reason = request.POST.get("reason", "")
    command: Command = RestoreAction(entry=cursor, reason=reason) if lifts else VoidAction(entry=cursor, reason=reason)
    sent = send(request, campaign_id, command)
    if sent.refusal is not None:
        return pages.show(request, "pages/take_back.html", context, sent.refusal)
    said = "It stands again." if lifts else "It is taken back, with all it caused."
    return done(request, sent, said, reverse("campaign", args=[campaign_id]))
