"""Fighting what a simulation wants, a little at a time: the job's work, and what has come of it so far.

A stretch of fights is done when its row says so: whoever moves `done` on owns it, and a stretch that a second worker
fought as well is thrown away. The same seed makes the same fights, so that nothing is lost but time.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from uuid import UUID

import msgspec
from django.utils import timezone

from campaigns.context import Actor
from campaigns.entrance import execute
from campaigns.job_ids import job_id
from campaigns.models import Campaign
from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.state import State
from campaigns.store import states
from encounters.commands.common import fighters
from encounters.commands.simulating import EndSimulation
from encounters.models import SimulationWork
from encounters.parts.encounters import Encounters
from encounters.parts.simulations import Simulation, Simulations
from encounters.sizing import sheets_of
from rules.board import Scene
from rules.packs import Pack
from rules.refusal import Refused
from rules.sheets import Subject
from rules.simulation import Arena, Tally, merged, simulate
from rules.simulation.designs import FOES, PARTY, measure, rows_of
from rules.sizing.sized import made

SECONDS, STRETCH = 4.0, 10
"""how long one piece of work lasts, and after how many fights it is kept"""


class Sides(msgspec.Struct):
    """Everybody who fights, as they stood when the first fight began; their names and sides."""

    subjects: list[Subject]
    sides: dict[str, str]
    names: dict[str, str]
    places: dict[str, tuple[int, int]] = {}
    initiative: dict[str, int] = {}
    ground: Scene = msgspec.field(default_factory=Scene)


class SoFar(msgspec.Struct):
    """What a simulation has come to: who fights (once that is known) and the tally, or the numbers measured."""

    who: Sides | None = None
    tally: Tally = msgspec.field(default_factory=Tally)
    measured: list[dict[str, Any]] = []


def work(campaign_id: UUID, simulation: str, seconds: float = SECONDS) -> bool:
    """Fights on for so long; whether there is more to do. A simulation that is over or gone has nothing to do."""
    began = time.monotonic()
    while True:
        left = _stretch(campaign_id, simulation, began + seconds)
        if not left or time.monotonic() >= began + seconds:
            return left


def _stretch(campaign_id: UUID, simulation: str, until: float) -> bool:
    """A stretch of fights, cut short when its time is up; whether there is more to do."""
    try:
        with states.held(campaign_id) as state:
            found = state.part(Simulations).open.get(simulation)
            if found is None:
                SimulationWork.objects.filter(campaign_id=campaign_id, simulation=simulation).delete()
                return False
            found, pack = msgspec.structs.replace(found), Packs(state).get(found.pack)
            row, _ = SimulationWork.objects.get_or_create(
                campaign_id=campaign_id, simulation=simulation, defaults={"worked_at": timezone.now()}
            )
            so_far = msgspec.convert(row.so_far, SoFar, strict=False)
            if so_far.who is None and not found.designs:
                so_far.who = _sides(state, found, pack)
    except Campaign.DoesNotExist:
        return False
    except Refused as wrong:
        return _over(campaign_id, simulation, 0, {"failed": wrong.message})
    wanted = wanted_of(found, pack)
    if not found.stopped and row.done < wanted:
        done = _fought(campaign_id, simulation, found, pack, so_far, row.done, wanted, until)
        mine = SimulationWork.objects.filter(pk=row.pk, done=row.done)
        kept = msgspec.to_builtins(so_far, str_keys=True)
        if not mine.update(done=done, so_far=kept, worked_at=timezone.now()):
            return False
        if done < wanted:
            return True
    return _over(campaign_id, simulation, so_far.tally.fights, _result(so_far, found.pack))


def wanted_of(found: Simulation, pack: Pack) -> int:
    """How much there is to do: fights, or printed numbers."""
    return len(rows_of(pack)) if found.designs else found.fights


def _fought(  # noqa: PLR0913
    campaign_id: UUID,
    simulation: str,
    found: Simulation,
    pack: Pack,
    so_far: SoFar,
    done: int,
    wanted: int,
    until: float,
) -> int:
    """Fights the next ones into what there is, one at least; how many are done then."""
    if found.designs:
        name, at = rows_of(pack)[done]
        so_far.measured.append(msgspec.to_builtins(measure(pack, name, at, found.fights, found.seed)))
        return done + 1
    assert so_far.who is not None
    arena, end = _arena(campaign_id, simulation, pack, so_far.who), min(done + STRETCH, wanted)
    while True:
        *_, tally = simulate(arena, 1, found.seed, begin=done)
        so_far.tally, done = merged(so_far.tally, tally), done + 1
        if done == end or time.monotonic() >= until:
            return done


_arenas: dict[tuple[UUID, str], Arena] = {}


def _arena(campaign_id: UUID, simulation: str, pack: Pack, who: Sides) -> Arena:
    """The arena of a simulation; the last one is kept, for the next stretch is likely its own."""
    key = (campaign_id, simulation)
    if key not in _arenas:
        _arenas.clear()
        # Who joins first matters to the dice, and a database may keep the keys of a record in an order of its own.
        sides = {one.id: who.sides[one.id] for one in who.subjects}
        initiative = {name: who.initiative[name] for name in sides if name in who.initiative}
        _arenas[key] = Arena(pack, who.subjects, sides, who.places, initiative, ground=who.ground)
    return _arenas[key]


def _sides(state: State, found: Simulation, pack: Pack) -> Sides:
    """Who fights."""
    known = state.part(Subjects).by_id
    if found.encounter:
        encounter = state.part(Encounters).open.get(found.encounter)
        if encounter is None:
            raise Refused("no_such_encounter", "The encounter is over.", field="encounter", value=found.encounter)
        present = {name: one for name, one in encounter.fight.members.items() if one.present and name in known}
        able = fighters(state, encounter)
        return Sides(
            subjects=[able[name] for name in present],
            sides={name: one.side for name, one in present.items()},
            names={name: known[name].name for name in present},
            ground=ground_of(encounter.fight.scene, present),
            places={name: cell for name, cell in encounter.fight.scene.places.items() if name in present},
            initiative={name: one.initiative for name, one in present.items() if one.initiative is not None},
        )
    party, foes = sheets_of(state, pack, found.party), made(pack, found.foes)
    return Sides(
        subjects=[*party, *foes],
        sides={**{one.id: PARTY for one in party}, **{one.id: FOES for one in foes}},
        names={**{one.id: known[one.id].name for one in party}, **{one.id: one.title for one in foes}},
    )


def ground_of(scene: Scene, present: Mapping[str, Any]) -> Scene:
    """What lies there, without what goes with those who take no part any more. Without a grid all are taken to be in
    reach: nobody plays for a position that is a matter of words."""
    areas = {name: area for name, area in scene.areas.items() if not area.on or area.on in present}
    return Scene(areas=areas, numbered=scene.numbered)


def _result(so_far: SoFar, pack: str) -> dict[str, Any]:
    """What is kept for good: of who fought, names and sides alone."""
    if so_far.who is None:
        return {"measured": so_far.measured, "pack": pack}
    tally = msgspec.to_builtins(so_far.tally, str_keys=True)
    # A database may keep the keys of an object in an order of its own.
    order = [one.id for one in so_far.who.subjects]
    return {"tally": tally, "names": so_far.who.names, "sides": so_far.who.sides, "order": order}


def give_up(campaign_id: UUID, simulation: str) -> None:
    """Ends one that cannot be fought."""
    _over(campaign_id, simulation, 0, {"failed": "These fights could not be fought to an end."})


def _over(campaign_id: UUID, simulation: str, fights: int, result: dict[str, Any]) -> bool:
    """Says what it came to, once; nothing is left to do."""
    command = EndSimulation(simulation=simulation, fights=fights, result=result)
    with states.held(campaign_id) as state:
        command_id = job_id(campaign_id, f"simulated {simulation}", state)
    with suppress(Refused):
        execute(campaign_id, command, Actor(job="simulation"), command_id=command_id)
    SimulationWork.objects.filter(campaign_id=campaign_id, simulation=simulation).delete()
    return False
