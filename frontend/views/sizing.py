"""Putting a fight together for the party, by what the rules say of its size: for game masters alone."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid5

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from msgspec.structs import replace

from campaigns.parts.subjects import Subjects
from campaigns.registry import Command
from campaigns.state import State
from encounters.commands import preparing as commands
from encounters.commands.simulating import BeginSimulation
from encounters.models import SimulationResult
from encounters.parts.encounters import Encounters
from encounters.sizing import sizing_packs
from frontend import pages
from frontend.fights import foes
from frontend.fights.sizing import chosen_of, sizing_form
from frontend.seat import at_table, look, require_gm
from frontend.sending import command_id_of
from frontend.views.encounters import once
from frontend.views.simulations import begun
from rules.fight import Fight
from rules.packs import Pack
from rules.refusal import Refused
from rules.sizing import Chosen, foe_cards

WIDTH, HEIGHT, SECONDS = 16, 10, 60
PARTY, FOES = "party", "foes"


@at_table
def put_together(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """Who fights whom, how it adds up as it is put together, and, when it is right, preparing it."""
    with look(request, campaign_id) as (state, seat):
        require_gm(seat)
        packs = sizing_packs(state)
        if not packs:
            raise Http404
        typed = request.POST or request.GET
        pack = next((one for one in packs if one.id == typed.get("pack", one.id)), packs[0])
        context = {
            **pages.frame(state, seat, "encounters"),
            "form": sizing_form(state, seat.viewer.role, pack, typed),
            "packs": [(one.id, one.manifest.title) for one in packs],
            "title": typed.get("title", ""),
            "simulated": SimulationResult.objects.filter(campaign_id=campaign_id).exists(),
        }
    if request.method == "POST" and typed.get("act") == "simulate":
        return _simulate(request, campaign_id, pack)
    if request.method != "POST" or typed.get("act") != "prepare":
        return pages.show(request, "pages/put_together.html", context)
    try:
        encounter = _prepare(request, campaign_id, pack)
    except Refused as refusal:
        return pages.show(request, "pages/put_together.html", context, refusal)
    return HttpResponseRedirect(reverse("encounter", args=[campaign_id, encounter]))


def _simulate(request: HttpRequest, campaign_id: UUID, pack: Pack) -> HttpResponse:
    """Has it fought by the thousand."""
    typed = request.POST
    try:
        chosen = chosen_of(pack, typed)
        of_foes = ", ".join(f"{one.count} {pack.card(one.card)[1].title}" for one in chosen)
        named = typed.get("title", "").strip() or of_foes
        wanted = BeginSimulation(title=named[:80] or "Fights", pack=pack.id, party=typed.getlist("party"), foes=chosen)
        fields = sorted((key, given) for key, given in typed.lists() if key not in ("csrfmiddlewaretoken", "act"))
        (event,) = once(request, campaign_id, wanted, uuid5(command_id_of(request), f"simulate {fields}"))
    except Refused as refusal:
        return begun(request, campaign_id, refusal)
    return begun(request, campaign_id, str(event.simulation))


def _prepare(request: HttpRequest, campaign_id: UUID, pack: Pack) -> str:
    """Prepares the encounter, brings the party in, makes the foes and brings them in, unseen. Everything has an id that
    follows from the form's, so that a second press, or one after a refusal half way, makes nobody twice."""
    press, typed = command_id_of(request), request.POST
    chosen = chosen_of(pack, typed)
    if not chosen:
        raise Refused("missing", "Choose some foes first.", field="foes")
    prepared = commands.PrepareEncounter(
        title=typed.get("title", ""), pack=pack.id, foes="words", seconds=SECONDS, width=WIDTH, height=HEIGHT
    )
    encounter = str(once(request, campaign_id, prepared, press)[0].encounter)
    with look(request, campaign_id) as (state, _):
        found = state.part(Encounters).open[encounter]
        empty = replace(found, fight=Fight())
        near, far = foes.free_squares(empty, far=False), foes.free_squares(empty, far=True)
        makers = [(_maker(request, campaign_id, state, pack, one, press), one) for one in chosen]
        known = {one: s for one, s in state.part(Subjects).by_id.items() if one not in found.fight.members}
    for subject in dict.fromkeys(typed.getlist("party")):
        x, y = next(near, (0, 0))
        joined = commands.JoinEncounter(encounter=encounter, subject=subject, side=PARTY, x=x, y=y)
        once(request, campaign_id, joined, uuid5(press, f"party {subject}"))
    for maker, one in makers:
        for number, name in enumerate(foes.numbered(maker.title, one.count, known)):
            subject = maker.made(name, number, True)
            x, y = next(far, (0, 0))
            maker.joined(encounter, subject, number, side=FOES, hidden=True, x=x, y=y)
    return encounter


def _maker(  # noqa: PLR0913
    request: HttpRequest, campaign_id: UUID, state: State, pack: Pack, one: Chosen, press: UUID
) -> foes.Maker:
    def tell(command: Command, command_id: UUID) -> list[Any]:
        return once(request, campaign_id, command, command_id)

    key = f"card:{foe_cards(pack)[one.card]}:{one.card}"
    return foes.Maker(state, pack, key, uuid5(press, one.card), tell, one.numbers)
