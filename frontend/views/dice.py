"""The dice: how they fell, and the seeds by which anybody can check them."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from campaigns.commands.seeds import RenewSeeds
from frontend import pages
from frontend.dice import dice_told, members_named, running_first, seeds_told
from frontend.seat import at_table, look
from frontend.sending import back, send

SHOWN = 30


@at_table
def show(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """Statistics and seeds, as far as this seat may see dice; the game master may reveal and renew seeds."""
    with look(request, campaign_id) as (state, seat):
        if seat.is_watcher:
            raise Http404
        context = pages.frame(state, seat, "dice")
        known = (seat, state.position, members_named(state))
    if request.method == "POST":
        sent = send(request, campaign_id, RenewSeeds())
        said = "The seeds that gave dice are revealed, and new ones are promised."
        if sent.answer is not None and not sent.answer.events and not sent.answer.again:
            said = "No seed has given a die since it was promised, so there is nothing to reveal."
        return back(request, sent, said, reverse("dice", args=[campaign_id]))
    running, revealed = running_first(seeds_told(*known))
    every = request.GET.get("all") == "1"
    context |= {
        "dice": dice_told(*known),
        "running": running,
        "revealed": revealed if every else revealed[:SHOWN],
        "more": 0 if every else max(0, len(revealed) - SHOWN),
        "api": f"/api/campaigns/{campaign_id}/seeds/",
    }
    return pages.show(request, "pages/dice.html", context)
