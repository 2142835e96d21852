"""Simulated fights: asked for by a game master, fought by a job, told to game masters alone.

The state keeps those that are not over; what they came to lies in the event that ends them, and in the trail.
"""

from __future__ import annotations

from typing import Any

import msgspec

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, Event, event_type
from rules.sizing import Chosen


class Simulation(msgspec.Struct):
    """One that is not over. ``party`` are subjects and ``foes`` what is made for it, or all who take part in
    ``encounter``; ``designs``: the pack's printed numbers instead. ``stopped``: it ends with what it has."""

    pack: str
    title: str
    fights: int
    seed: str
    party: list[str] = []
    foes: list[Chosen] = []
    encounter: str = ""
    designs: bool = False
    stopped: bool = False


class Simulations(msgspec.Struct):
    """Part of the state: simulations that are not over, by id."""

    open: dict[str, Simulation] = {}


part = registry.part("simulations", Simulations)


@event_type(
    "simulation.begun",
    shows={GM: EVERY_FIELD},
    says=lambda d, names: f"{d['title']}: fights are to be simulated.",
)
class SimulationBegun(Event):
    """A GM wants fights simulated; nobody else knows of it."""

    simulation: str
    pack: str
    title: str
    fights: int
    seed: str
    party: list[str] = []
    foes: list[Chosen] = []
    encounter: str = ""
    designs: bool = False


@event_type(
    "simulation.stopped",
    shows={GM: EVERY_FIELD},
    says=lambda d, names: f"{d['title']}: the simulation is stopped.",
)
class SimulationStopped(Event):
    """It ends with what it has."""

    simulation: str
    title: str


@event_type(
    "simulation.ended",
    shows={GM: EVERY_FIELD},
    says=lambda d, names: f"{d['title']}: {d['fights']} fights were simulated.",
)
class SimulationEnded(Event):
    """What it came to: ``result`` holds a tally with the names of those who fought, or the numbers measured."""

    simulation: str
    title: str
    fights: int
    seed: str
    result: dict[str, Any]


@part.evolves(SimulationBegun)
def _begun(simulations: Simulations, event: SimulationBegun, _position: int) -> None:
    simulations.open[event.simulation] = Simulation(
        pack=event.pack,
        title=event.title,
        fights=event.fights,
        seed=event.seed,
        party=event.party,
        foes=event.foes,
        encounter=event.encounter,
        designs=event.designs,
    )


@part.evolves(SimulationStopped)
def _stopped(simulations: Simulations, event: SimulationStopped, _position: int) -> None:
    found = simulations.open.get(event.simulation)
    if found is not None:
        found.stopped = True


@part.evolves(SimulationEnded)
def _ended(simulations: Simulations, event: SimulationEnded, _position: int) -> None:
    simulations.open.pop(event.simulation, None)
