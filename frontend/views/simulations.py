"""Simulated fights: those that run, what the others came to, starting and stopping them. For game masters alone."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from campaigns.packs import Packs
from campaigns.state import State
from encounters.again import asked_for, same_again
from encounters.commands.simulating import BeginSimulation, StopSimulation
from encounters.models import SimulationResult
from encounters.parts.encounters import Encounters
from encounters.sizing import sizing_packs
from encounters.tasks import send_out
from frontend import pages
from frontend.fights import simulations as told
from frontend.fights.verdicts import verdict_of
from frontend.numbers import number
from frontend.seat import at_table, look, presses_only, require_gm
from frontend.sending import Sent, back, send
from rules.refusal import Refused

PLACE = "encounters"


@at_table
def every(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """Those that run and those that are over; what can be simulated."""
    with look(request, campaign_id) as (state, seat):
        require_gm(seat)
        context = {
            **pages.frame(state, seat, PLACE),
            "running": told.running(campaign_id, state, Packs(state)),
            "results": told.results(campaign_id),
            "sizes": bool(sizing_packs(state)),
            "prepared": _prepared(state),
            "printed": [(p.id, p.manifest.title) for p in Packs(state).all() if p.source.sections["designs"]],
        }
    return pages.show(request, "pages/simulations.html", context)


def _prepared(state: State) -> list[tuple[str, str]]:
    """Encounters that have two sides."""
    found = state.part(Encounters).open.items()
    return [
        (f"{one.pack}/{name}", one.title)
        for name, one in found
        if len({member.side for member in one.fight.members.values() if member.present}) > 1
    ]


@at_table
def one(request: HttpRequest, campaign_id: UUID, simulation: str) -> HttpResponse:
    """How far one is, or what it came to."""
    with look(request, campaign_id) as (state, seat):
        require_gm(seat)
        context = {**pages.frame(state, seat, PLACE), "simulation": simulation}
        found, packs = told.open_one(state, simulation), Packs(state)
        run = next((one for one in told.running(campaign_id, state, packs) if one.id == simulation), None)
        if found is not None and run is not None:
            now, pack = told.so_far(campaign_id, simulation), packs.get(found.pack)
            context |= {"title": found.title, "run": run, "seed": found.seed, "told": told.told_now(now)}
            context["designs"] = told.measured_lines(pack, now.measured)
        else:
            kept = SimulationResult.objects.filter(campaign_id=campaign_id, simulation=simulation).first()
            if kept is None:
                raise Http404
            by = kept.result.get("pack", "")
            pack = next((p for p in packs.all() if p.id == by), None)
            context |= {"title": kept.title, "kept": kept, "seed": kept.seed, "told": told.told_of(kept.result)}
            context["designs"] = told.measured_lines(pack, kept.result.get("measured", []))
            context["failed"] = kept.result.get("failed", "")
        asked = asked_for(campaign_id, simulation)
        context["verdict"] = verdict_of(state, seat.viewer.role, asked) if asked is not None else None
        context["sizes"] = bool(sizing_packs(state))
    return pages.show(request, "pages/simulation.html", context)


@presses_only
@at_table
def begin(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """Has a prepared encounter, or the printed numbers, simulated."""
    try:
        return _asked(request, campaign_id, _wanted(request))
    except Refused as refusal:
        return begun(request, campaign_id, refusal)


def _asked(request: HttpRequest, campaign_id: UUID, command: BeginSimulation) -> HttpResponse:
    sent = send(request, campaign_id, command)
    if sent.answer is None:
        assert sent.refusal is not None
        return begun(request, campaign_id, sent.refusal)
    event: Any = sent.answer.events[0].event
    return begun(request, campaign_id, str(event.simulation))


def begun(request: HttpRequest, campaign_id: UUID, came: str | Refused) -> HttpResponse:
    """To the page of the one that was begun; where it was refused, to the list, which says why."""
    if isinstance(came, Refused):
        return back(request, Sent(refusal=came), "", reverse("simulations", args=[campaign_id]))
    send_out(campaign_id, came)
    return HttpResponseRedirect(reverse("simulation", args=[campaign_id, came]))


@presses_only
@at_table
def again(request: HttpRequest, campaign_id: UUID, simulation: str) -> HttpResponse:
    """The same once more, with new dice."""
    with look(request, campaign_id) as (_, seat):
        require_gm(seat)
        asked = asked_for(campaign_id, simulation)
    if asked is None:
        raise Http404
    return _asked(request, campaign_id, same_again(asked))


def _wanted(request: HttpRequest) -> BeginSimulation:
    post = request.POST
    fights = number(post.get("fights", "") or "1000", "fights")
    pack, _, encounter = post.get("what", "").partition("/")
    return BeginSimulation(
        title=post.get("title", "") or ("Fights" if encounter else "The printed numbers"),
        pack=pack,
        fights=fights,
        encounter=encounter,
        designs=not encounter,
        seed=post.get("seed", ""),
    )


@presses_only
@at_table
def stop(request: HttpRequest, campaign_id: UUID, simulation: str) -> HttpResponse:
    """It ends with what it has."""
    sent = send(request, campaign_id, StopSimulation(simulation=simulation))
    send_out(campaign_id, simulation)
    return back(request, sent, "It is stopped.", reverse("simulation", args=[campaign_id, simulation]))
