"""Projections of `encounters`: simulations that are not over; and the trail of what those that are came to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from campaigns.events import Recorded
from campaigns.registry import Key, Projection, Trail, projection, trail
from campaigns.state import State
from encounters import models
from encounters.parts.simulations import SimulationBegun, SimulationEnded, Simulations, SimulationStopped

BODIES = (SimulationBegun, SimulationStopped, SimulationEnded)


def _touched(event: SimulationBegun | SimulationStopped | SimulationEnded) -> Iterable[Key]:
    return [(event.simulation,)]


def _keys(state: State) -> Iterable[Key]:
    return [(simulation,) for simulation in state.part(Simulations).open]


def _row(state: State, key: Key) -> Mapping[str, Any] | None:
    found = state.part(Simulations).open.get(str(key[0]))
    if found is None:
        return None
    return {"title": found.title, "fights": found.fights, "stopped": found.stopped}


def _result(recorded: Recorded) -> Iterable[Mapping[str, Any]]:
    event = recorded.event
    assert isinstance(event, SimulationEnded)
    yield {
        "simulation": event.simulation,
        "title": event.title,
        "fights": event.fights,
        "seed": event.seed,
        "ended_at": recorded.recorded_at,
        "result": event.result,
    }


projection(Projection("simulations", models.OpenSimulation, ("simulation",), BODIES, _touched, _keys, _row))
trail(Trail("simulation_results", models.SimulationResult, (SimulationEnded,), _result))
