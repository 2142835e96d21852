"""The admin of `encounters`: simulations that run, which may be stopped, and what others came to, to be run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import admin

from campaigns.admin_base import CampaignModelAdmin, InCampaign, Send
from encounters import models
from encounters.again import asked_for, terms_of


@admin.register(models.OpenSimulation)
class OpenSimulationAdmin(CampaignModelAdmin):
    """Simulations that are not over."""

    list_display = ("title", "fights", "done", "stopped", "campaign")
    list_filter = (InCampaign, "stopped")
    list_select_related = ("campaign",)
    search_fields = ("title",)
    ordering = ("campaign_id", "title")
    fields = ("campaign", "title", "fights", "done", "stopped")
    readonly_fields = ("done",)

    @admin.display(description="Fought so far")
    def done(self, row: models.OpenSimulation) -> int:
        """How far the job has come."""
        work = models.SimulationWork.objects.filter(campaign_id=row.campaign_id, simulation=row.simulation).first()
        return work.done if work is not None else 0

    def get_sends(self, row: Any) -> Sequence[Send]:
        """One that is stopping already is not stopped again."""
        return () if row.stopped else (Send("simulation.stop", "Stop it", fixed={"simulation": "simulation"}),)


def _terms(row: models.SimulationResult) -> Mapping[str, Any]:
    begun = asked_for(row.campaign_id, row.simulation)
    return terms_of(begun) if begun is not None else {}


@admin.register(models.SimulationResult)
class SimulationResultAdmin(CampaignModelAdmin):
    """What simulations came to."""

    list_display = ("title", "fights", "ended_at", "campaign")
    list_filter = (InCampaign,)
    list_select_related = ("campaign",)
    search_fields = ("title", "seed")
    ordering = ("campaign_id", "-position")
    fields = ("campaign", "title", "fights", "ended_at", "seed", "result")
    sends = (Send("simulation.begin", "Run it again", filled=_terms),)
