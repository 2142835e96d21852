"""Ending a fight: asked first, with who is how; and the page of one that is over."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from campaigns.past import as_of, corrected
from encounters.commands.preparing import EndEncounter
from encounters.seeing import Since
from frontend import pages
from frontend.fights.board import board_view
from frontend.fights.ended import ended
from frontend.seat import at_table, look
from frontend.sending import done, send
from frontend.views.board import board_context
from frontend.views.encounters import prepared
from rules.refusal import Refused


@at_table
def end(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """Asks whether it is over, and says who is how."""
    with look(request, campaign_id) as (state, seat):
        prepared(state, seat, encounter)
        context = board_context(state, seat, encounter)
    if request.method != "POST":
        return pages.show(request, "pages/end_encounter.html", context)
    sent = send(request, campaign_id, EndEncounter(encounter=encounter))
    if sent.refusal is not None:
        return pages.show(request, "pages/end_encounter.html", context, sent.refusal)
    to = reverse("ended_encounter", args=[campaign_id, encounter])
    answer = done(request, sent, "The fight is over.", to)
    if request.htmx:  # type: ignore[attr-defined]
        answer.headers["HX-Redirect"] = to
    return answer


@at_table
def over(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """Who was how when it ended, as far as this seat may know."""
    with look(request, campaign_id) as (state, seat):
        found = next((one for one in ended(state, seat) if one.encounter == encounter), None)
        if found is None:
            raise Http404
        then = as_of(campaign_id, position=found.last)
        try:
            board = board_view(then, seat.viewer, encounter, Since(state, corrected(campaign_id, then, state)))
        except Refused:
            raise Http404 from None
        context = {**pages.frame(state, seat, "encounters"), "ended": found, "board": board, "read": board.read}
    on_screen = request.GET.get("screen") == "1"
    return pages.show(request, f"pages/ended_{'screen' if on_screen else 'encounter'}.html", context)
