"""Tables of `encounters`: simulations that are not over, how far each has come, what the others came to."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from campaigns.models import Campaign


class OpenSimulation(models.Model):
    """Projection: a simulation that is not over."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="open_simulations")
    simulation = models.CharField(max_length=40)
    title = models.CharField(max_length=120)
    fights = models.PositiveIntegerField(help_text="How many are wanted.")
    stopped = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "simulation"], name="simulation_id")
        ]

    def __str__(self) -> str:
        return self.title


class SimulationWork(models.Model):
    """How far the job has come with a simulation; no truth of the campaign's: lost, it begins anew to the same end."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="simulation_work")
    simulation = models.CharField(max_length=40)
    done = models.PositiveIntegerField(default=0)
    so_far = models.JSONField(default=dict)
    worked_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "simulation"], name="simulation_work_id")
        ]

    def __str__(self) -> str:
        return f"{self.simulation}: {self.done}"


class SimulationResult(models.Model):
    """Trail: what a simulation came to."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="simulation_results")
    position = models.PositiveBigIntegerField()
    seq = models.PositiveIntegerField()
    simulation = models.CharField(max_length=40)
    title = models.CharField(max_length=120)
    fights = models.PositiveIntegerField()
    seed = models.CharField(max_length=80)
    ended_at = models.DateTimeField()
    result = models.JSONField()

    class Meta:
        ordering: ClassVar[list[str]] = ["campaign", "-position"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "position", "seq"], name="simulation_result_place")
        ]

    def __str__(self) -> str:
        return self.title
