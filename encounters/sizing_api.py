"""Reads of `encounters` for game masters alone: a fight sized for the party, simulations and what they came to."""

from __future__ import annotations

from typing import Any

import msgspec

from campaigns.api.reading import Ask, register_read
from campaigns.events import GM
from encounters.models import SimulationResult, SimulationWork
from encounters.parts.simulations import Simulations
from encounters.sizing import party_of, sized_for, sizing_packs
from rules.refusal import Refused
from rules.sizing import Chosen, Sized, foe_cards


class SizingQuery(msgspec.Struct, forbid_unknown_fields=True):
    """``pack``: by whose rules (the first that knows). ``party``: subjects, apart by commas (all who are played).
    ``foes``: cards and how many, as ``wolf:3,bear:1``. ``dials``: as ``rounds:4``."""

    pack: str = ""
    party: str = ""
    foes: str = ""
    dials: str = ""


class FoeRead(msgspec.Struct):
    """What foes can be made of."""

    card: str
    title: str


class SizingRead(msgspec.Struct):
    """A fight as it adds up for a party, and what it could be made of."""

    pack: str
    party: list[str]
    sized: Sized
    made_of: list[FoeRead]


@register_read("sizing", title="A fight sized for the party", answer=SizingRead, query=SizingQuery, roles=(GM,))
def sizing(ask: Ask) -> SizingRead:
    """How much there may be of foes and how much there is, with what to beware of."""
    packs, query = sizing_packs(ask.state), ask.query
    pack = next((one for one in packs if query.pack in ("", one.id)), None)
    if pack is None:
        right = " or ".join(one.id for one in packs) or "a pack that says how fights are sized"
        raise Refused("no_sizing", "No such rules size fights.", field="pack", value=query.pack, right=right)
    party = _listed(query.party) or [one.subject for one in party_of(ask.state, pack) if one.played]
    foes = [Chosen(card, _count("foes", count or "1")) for card, count in map(_parted, _listed(query.foes))]
    dials = {
        name: int(value) if value.lstrip("-").isdecimal() else _plain(value)
        for name, value in map(_parted, _listed(query.dials))
    }
    sized = sized_for(ask.state, ask.viewer.role, pack.id, party, foes, dials)
    made_of = [FoeRead(card, pack.card(card)[1].title) for card in foe_cards(pack)]
    return SizingRead(pack.id, party, sized, made_of)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _parted(text: str) -> tuple[str, str]:
    name, _, rest = text.partition(":")
    return name.strip(), rest.strip()


def _plain(text: str) -> bool | str:
    return {"true": True, "false": False}.get(text, text)


def _count(field: str, text: str) -> int:
    if not text.isdecimal() or len(text) > 6:
        raise Refused("wrong_value", "This is no number.", field=field, value=text[:40], right="such as wolf:3")
    return int(text)


class SimulationRead(msgspec.Struct, kw_only=True):
    """A simulation. One that runs has done so many of the fights that are wanted; one that is over has its result: a
    tally with names and sides, the numbers measured, or why it failed."""

    simulation: str
    title: str
    seed: str
    fights: int
    done: int
    over: bool
    result: dict[str, Any] = {}


class SimulationsRead(msgspec.Struct):
    """Those that run, then the newest of those that are over, without their results."""

    simulations: list[SimulationRead]


@register_read("simulations", title="Simulations", answer=SimulationsRead, roles=(GM,))
def simulations(ask: Ask) -> SimulationsRead:
    """Game masters' alone."""
    over = SimulationResult.objects.filter(campaign_id=ask.campaign_id).defer("result").order_by("-position")[:50]
    return SimulationsRead([*_running(ask), *(_over(one, {}) for one in over)])


@register_read("simulations/<str:simulation>", title="A simulation", answer=SimulationRead, roles=(GM,))
def simulation(ask: Ask) -> SimulationRead:
    """How far it is, or what it came to."""
    name = ask.path["simulation"]
    for one in _running(ask):
        if one.simulation == name:
            return one
    kept = SimulationResult.objects.filter(campaign_id=ask.campaign_id, simulation=name).first()
    if kept is None:
        raise Refused("not_found", "There is no such simulation.", field="simulation")
    return _over(kept, kept.result)


def _running(ask: Ask) -> list[SimulationRead]:
    done = dict(SimulationWork.objects.filter(campaign_id=ask.campaign_id).values_list("simulation", "done"))
    return [
        SimulationRead(
            simulation=name, title=one.title, seed=one.seed, fights=one.fights, done=done.get(name, 0), over=False
        )
        for name, one in ask.state.part(Simulations).open.items()
    ]


def _over(kept: SimulationResult, result: dict[str, Any]) -> SimulationRead:
    return SimulationRead(
        simulation=kept.simulation,
        title=kept.title,
        seed=kept.seed,
        fights=kept.fights,
        done=kept.fights,
        over=True,
        result=result,
    )
