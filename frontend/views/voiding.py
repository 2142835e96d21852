"""Taking an entry of the ledger back, after showing all that would go with it; and letting it stand again."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from campaigns.actions import action_at
from campaigns.audience import name_finder, view_event
from campaigns.commands.voiding import RestoreAction, VoidAction
from campaigns.events import Recorded
from campaigns.previews import Preview, preview_restore, preview_void
from campaigns.registry import Command
from frontend import pages
from frontend.changes import Changes, told
from frontend.seat import at_table, look, require_gm
from frontend.sending import done, send
from rules.refusal import Refused

VOIDED = "events.voided"


def _changes(request: HttpRequest, campaign_id: UUID, preview: Preview | None) -> list[Changes]:
    """What would be another, in the words of the campaign's rules."""
    if preview is None:
        return []
    with look(request, campaign_id) as (state, _):
        return told(state, preview.changes)


def _instead(campaign_id: UUID, named: Recorded) -> tuple[str, str] | None:
    """Where what cannot be taken back here is put right, as the way there and its name."""
    if not named.type.startswith(("calendar.", "period.")):
        return None
    weeks, number = getattr(named.event, "weeks", None), getattr(named.event, "number", None)
    place = f"go-on-{number}" if isinstance(weeks, int) and weeks < 0 else "levers"
    return f"{reverse('calendar', args=[campaign_id])}#{place}", "To the calendar"


@at_table
def entry(request: HttpRequest, campaign_id: UUID, cursor: str) -> HttpResponse:
    """What taking this entry back would void and change, what of it people have seen, and the button that does it; for
    a void, the same about letting it stand again."""
    why_not: Refused | None = None
    preview: Preview | None = None
    with look(request, campaign_id) as (state, seat):
        require_gm(seat)
        try:
            named = action_at(campaign_id, cursor, state).named
        except Refused:
            raise Http404 from None
        view = view_event(named, seat.viewer, name_finder(state))
        lifts = named.type == VOIDED
        context: dict[str, Any] = {
            **pages.frame(state, seat, "table"),
            "says": view["says"] if view else "",
            "lifts": lifts,
        }
    try:
        preview = preview_restore(campaign_id, cursor) if lifts else preview_void(campaign_id, cursor)
    except Refused as refusal:
        why_not = refusal
    context |= {"instead": _instead(campaign_id, named) if why_not is not None else None}
    context |= {"why_not": why_not, "preview": preview, "changes": _changes(request, campaign_id, preview)}
    if request.method != "POST" or why_not is not None:
        return pages.show(request, "pages/take_back.html", context)
    reason = request.POST.get("reason", "")
    command: Command = RestoreAction(entry=cursor, reason=reason) if lifts else VoidAction(entry=cursor, reason=reason)
    sent = send(request, campaign_id, command)
    if sent.refusal is not None:
        return pages.show(request, "pages/take_back.html", context, sent.refusal)
    said = "It stands again." if lifts else "It is taken back, with all it caused."
    return done(request, sent, said, reverse("campaign", args=[campaign_id]))
