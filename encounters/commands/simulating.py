"""Having fights simulated: asking for them, stopping them, and, by the job alone, saying what they came to."""

from __future__ import annotations

from typing import Any

from campaigns.commands.texts import cleaned
from campaigns.context import Context
from campaigns.events import GM_ONLY, Draft
from campaigns.registry import Command, decides
from campaigns.state import State
from encounters.parts.encounters import Encounters
from encounters.parts.simulations import Simulation, SimulationBegun, SimulationEnded, Simulations, SimulationStopped
from encounters.sizing import sheets_of
from rules.packs import Pack
from rules.refusal import Refused
from rules.sizing import Chosen
from rules.sizing.sized import made

MOST_OPEN, MOST_FIGHTS, MOST_SEED = 5, 20_000, 60


class BeginSimulation(Command):
    """Has so many ``fights`` simulated by the machine of encounters. ``party`` (subjects) against ``foes`` (cards that
    foes are made of), or everybody in ``encounter`` as they stand; ``designs``: the numbers that the pack's source
    prints, each by so many fights. The same ``seed`` makes the same fights; empty: a new one."""

    title: str
    pack: str
    fights: int = 1000
    party: list[str] = []
    foes: list[Chosen] = []
    encounter: str = ""
    designs: bool = False
    seed: str = ""


class StopSimulation(Command):
    """It ends with the fights that it has."""

    simulation: str


class EndSimulation(Command):
    """What it came to; sent by the job that fights."""

    simulation: str
    fights: int
    result: dict[str, Any]


@decides(BeginSimulation, "simulation.begin", roles=["gm"], title="Simulating fights")
def begin(state: State, command: BeginSimulation, context: Context) -> list[Draft]:
    """Checked as far as it can be before the first fight."""
    if len(state.part(Simulations).open) >= MOST_OPEN:
        raise Refused("too_many", "Too many simulations run.", field="title", right="wait, or stop one")
    if not 1 <= command.fights <= MOST_FIGHTS:
        right = f"1 to {MOST_FIGHTS}"
        raise Refused("out_of_range", "Not so many fights.", field="fights", value=command.fights, right=right)
    pack = context.packs.get(command.pack)
    if not pack.knows_fights:
        raise Refused("no_fights", f"{pack.manifest.title} knows no fights.", field="pack", value=pack.id)
    _check_sides(state, command, pack)
    event = SimulationBegun(
        simulation=context.new_id(),
        pack=pack.id,
        title=cleaned("title", command.title),
        fights=command.fights,
        seed=cleaned("seed", command.seed, MOST_SEED, empty=True) or context.new_id(),
        party=command.party,
        foes=command.foes,
        encounter=command.encounter,
        designs=command.designs,
    )
    return [Draft(event, audience=GM_ONLY)]


def _check_sides(state: State, command: BeginSimulation, pack: Pack) -> None:
    """Somebody stands on either side, and everybody is known."""
    if command.designs:
        if not pack.source.sections["designs"]:
            raise Refused("no_designs", f"{pack.manifest.title} has no printed numbers.", field="designs")
        return
    if command.encounter:
        found = state.part(Encounters).open.get(command.encounter)
        if found is None or found.pack != pack.id:
            right = "an encounter of these rules that is not over"
            raise Refused("no_such_encounter", "No such encounter.", field="encounter", right=right)
        if len({one.side for one in found.fight.members.values() if one.present}) < 2:
            raise Refused("one_side", "Two sides are wanted for a fight.", field="encounter", right="bring in others")
        return
    if not command.party or not sheets_of(state, pack, command.party):
        raise Refused("missing", "Say who fights.", field="party", right="at least one subject")
    if not made(pack, command.foes):
        raise Refused("missing", "Say against whom.", field="foes", right="at least one foe")


def known_simulation(state: State, simulation: str) -> Simulation:
    """One that is not over."""
    found = state.part(Simulations).open.get(simulation)
    if found is None:
        right = "one that is not over"
        raise Refused("no_such_simulation", "No such simulation.", field="simulation", value=simulation, right=right)
    return found


@decides(StopSimulation, "simulation.stop", roles=["gm"], title="Stopping a simulation")
def stop(state: State, command: StopSimulation, context: Context) -> list[Draft]:
    """What was fought so far is kept."""
    found = known_simulation(state, command.simulation)
    if found.stopped:
        raise Refused("as_it_is", "It is stopped already.", field="simulation", value=command.simulation)
    return [Draft(SimulationStopped(simulation=command.simulation, title=found.title), audience=GM_ONLY)]


@decides(EndSimulation, "simulation.end", roles=["gm"], title="Ending a simulation")
def end(state: State, command: EndSimulation, context: Context) -> list[Draft]:
    """The job's alone: what fights came to is not for people to say."""
    context.require(context.role == "job", "job_only", "Only the job that fights says this.", right="stop it")
    found = known_simulation(state, command.simulation)
    event = SimulationEnded(
        simulation=command.simulation,
        title=found.title,
        fights=command.fights,
        seed=found.seed,
        result=command.result,
    )
    return [Draft(event, audience=GM_ONLY)]
