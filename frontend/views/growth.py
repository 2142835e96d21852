"""Growing: the menu of what can be bought, what levels brought, and what a game master gives."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from campaigns.commands import growth as commands
from campaigns.packs import Packs
from campaigns.registry import Command
from campaigns.state import State
from frontend import pages, sheets
from frontend.making import chosen_in
from frontend.seat import Seat, at_table, look
from frontend.sending import back, done, send
from frontend.views.subjects import find, may_change
from rules.packs import Pack


def grows(state: State, seat: Seat, subject: str, pack_id: str) -> Pack:
    """The pack by which a subject of this seat's grows; there is nothing where it does not."""
    line = find(state, seat, subject)
    if not may_change(seat, subject) or pack_id not in Packs(state).ids():
        raise Http404
    pack = Packs(state).get(pack_id)
    if line.kind not in pack.advancements:
        raise Http404
    return pack


@at_table
def every(request: HttpRequest, campaign_id: UUID, subject: str, pack: str) -> HttpResponse:
    """All that is offered; a GM gives levels and awards from here."""
    with look(request, campaign_id) as (state, seat):
        rules = grows(state, seat, subject, pack)
        line = find(state, seat, subject)
        context: dict[str, Any] = {
            **pages.frame(state, seat, "subjects"),
            "subject": line,
            "pack": rules.id,
            "plan": rules.advancements[line.kind].spec,
            "offers": sheets.offers(state, seat, subject, rules),
            "level": sheets.level_of(state, subject, rules),
            "ahead": sheets.level_ahead(state, subject, rules) if seat.is_gm else [],
        }
    if request.method != "POST":
        return pages.show(request, "pages/growth.html", context)
    reason = request.POST.get("reason", "")
    offer = request.POST.get("offer", "")
    command: Command = commands.GainLevel(subject=subject, pack=pack, reason=reason)
    if offer:
        command = commands.AwardGrowth(subject=subject, pack=pack, offer=offer, reason=reason)
    sent = send(request, campaign_id, command)
    return back(request, sent, "It is given.", reverse("subject", args=[campaign_id, subject]))


@at_table
def one(request: HttpRequest, campaign_id: UUID, subject: str, pack: str, offer: str) -> HttpResponse:
    """One thing to buy or take, with its choices."""
    asked = request.POST if request.method == "POST" else request.GET
    with look(request, campaign_id) as (state, seat):
        rules = grows(state, seat, subject, pack)
        plan = rules.advancements[find(state, seat, subject).kind].offers.get(offer)
        if plan is None or plan.award:
            raise Http404
        choices = chosen_in(asked, {choice.id: choice for choice in plan.choices})
        context = {
            **pages.frame(state, seat, "subjects"),
            "subject": find(state, seat, subject),
            "pack": rules.id,
            "offer": sheets.offer_view(state, seat, subject, rules, offer, choices),
            "waits": bool(plan.choices),
            "follows": sheets.would_change(state, seat, subject, rules, offer, choices) if asked.get("look") else (),
        }
    if request.method != "POST" or "look" in asked:
        return pages.show(request, "pages/grow.html", context)
    sent = send(request, campaign_id, commands.TakeGrowth(subject=subject, pack=pack, offer=offer, choices=choices))
    if sent.refusal is not None:
        return pages.show(request, "pages/grow.html", context, sent.refusal)
    return done(request, sent, f"{plan.title}: done.", reverse("subject", args=[campaign_id, subject]))
