"""What a simulation was asked for, so that it can be asked for again: it stands in the event that began it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from campaigns.events import decode
from campaigns.models import Campaign
from campaigns.store import read
from encounters.commands.simulating import BeginSimulation
from encounters.parts.simulations import SimulationBegun

TERMS = ("title", "pack", "party", "foes", "encounter", "designs")


def asked_for(campaign_id: UUID, simulation: str) -> SimulationBegun | None:
    """The event that began a simulation of this campaign; None where there is none."""
    upto = Campaign.objects.values_list("position", flat=True).get(pk=campaign_id)
    for _, name, version, data in reversed(read.bodies_of_types(campaign_id, 0, upto, ("simulation.begun",))):
        begun = decode(name, version, data)
        if isinstance(begun, SimulationBegun) and begun.simulation == simulation:
            return begun
    return None


def terms_of(begun: SimulationBegun) -> dict[str, Any]:
    """What fights whom, as the fields of the command that asks for the same."""
    return {name: getattr(begun, name) for name in TERMS}


def same_again(begun: SimulationBegun, seed: str = "") -> BeginSimulation:
    """The command that has the same simulated once more; with the same seed the same fights, without one new ones."""
    return BeginSimulation(**terms_of(begun), fights=begun.fights, seed=seed)
