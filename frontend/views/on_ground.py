"""The game master's hand on the ground: areas, with a look at who stands in them, and distances without a grid."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid5

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from encounters.commands import hand
from frontend import pages
from frontend.fights import ground
from frontend.seat import at_table, look
from frontend.sending import Sent, command_id_of, done, send
from frontend.views.board import board_context
from frontend.views.encounters import once, prepared
from rules.refusal import Refused


@at_table
def lay(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """Lays an area by hand, with a reason; before it lies, the form says who would stand in it."""
    asked = request.POST if request.method == "POST" else request.GET
    with look(request, campaign_id) as (state, seat):
        found, pack = prepared(state, seat, encounter)
        context = board_context(state, seat, encounter)
        can = {one.subject for one in context["read"].fighters}
        seen = ground.laying(pack, found, context["read"], asked)
        grounds, bars = ground.grounds(pack), ground.barring(pack)
        context |= {"asked": asked, "grounds": grounds, "bars": bars, "foreseen": seen, "can": can}
        card = asked.get("card") or next((key for _, cards in grounds for key, _ in cards), "")
        context["shape"] = asked.get("shape") or ("line" if card in bars else "burst")
        context["inside"] = asked.getlist("inside")
    if request.method != "POST":
        return pages.show(request, "pages/lay_area.html", context)
    try:
        laid = ground.laid_of(request.POST, bool(context["read"].width))
        reason, secret = request.POST.get("reason", ""), request.POST.get("secret") == "on"
        command = hand.AdjustInEncounter(encounter=encounter, reason=reason, lay=[laid], secret=secret)
        sent = send(request, campaign_id, command)
    except Refused as refusal:
        sent = Sent(refusal=refusal)
    if sent.refusal is not None:
        return pages.show(request, "pages/lay_area.html", context, sent.refusal)
    return done(request, sent, "There it lies.", reverse("encounter", args=[campaign_id, encounter]))


@at_table
def distances(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """Says, where there is no grid, how far the others are from somebody."""
    asked = request.POST if request.method == "POST" else request.GET
    with look(request, campaign_id) as (state, seat):
        found, _ = prepared(state, seat, encounter)
        context = board_context(state, seat, encounter)
        names = [one.subject for one in context["read"].fighters]
        of = asked.get("of") or context["board"].acting
        of = of if of in names else next(iter(names), "")
        context |= {"of": of, "rows": ground.distances(found, context["read"], of), "typed_in": asked}
    if request.method != "POST":
        return pages.show(request, "pages/distances.html", context)
    try:
        for other, units in ground.said_distances(request.POST, found, of):
            command: Any = hand.PlaceApart(encounter=encounter, one=of, other=other, units=units)
            once(request, campaign_id, command, uuid5(command_id_of(request), other))
    except Refused as refusal:
        return pages.show(request, "pages/distances.html", context, refusal)
    return done(request, Sent(), "So far they are.", reverse("encounter", args=[campaign_id, encounter]))
