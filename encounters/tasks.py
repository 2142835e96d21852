"""Jobs of `encounters`: fighting simulations, a few seconds at a time, so that nothing else waits long for a worker."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import structlog
from celery import shared_task
from django.core.cache import cache

from encounters.models import OpenSimulation, SimulationWork
from encounters.simulating import give_up, work

A_TICK, PATIENCE = 20, 60
# A simulation nobody has worked on for so long is handed out again.
QUIET = timedelta(seconds=30)

log = structlog.get_logger(__name__)


def on_tick(now: datetime) -> None:
    """Hands out simulations that nobody works on."""
    for campaign_id, simulation in idle_simulations(now, A_TICK):
        send_out(campaign_id, simulation)


def send_out(campaign_id: UUID, simulation: str) -> None:
    """Sends a simulation to a worker, unless one has it. Where no broker takes it now, the next tick sends it."""
    if not cache.add(_sign(simulation), 1, PATIENCE):
        return
    try:
        fight_on.apply_async((str(campaign_id), simulation), expires=PATIENCE)
    except Exception:
        cache.delete(_sign(simulation))
        log.exception("simulation.not_sent", simulation=simulation)


def idle_simulations(now: datetime, limit: int) -> list[tuple[UUID, str]]:
    """Those that are not over and that nobody has worked on lately."""
    busy = SimulationWork.objects.filter(worked_at__gt=now - QUIET).exclude(done=0).values_list("simulation", flat=True)
    found = OpenSimulation.objects.exclude(simulation__in=list(busy)).order_by("pk")
    return list(found.values_list("campaign_id", "simulation")[:limit])


def _sign(simulation: str) -> str:
    return f"encounters.simulating.{simulation}"


@shared_task(name="encounters.fight_on")
def fight_on(campaign_id: str, simulation: str) -> None:
    """Fights for some seconds, and sends itself again while there is more to do."""
    try:
        more = work(UUID(campaign_id), simulation)
    except Exception:
        log.exception("simulation.failed", campaign=campaign_id, simulation=simulation)
        give_up(UUID(campaign_id), simulation)
        return
    if more:
        cache.set(_sign(simulation), 1, PATIENCE)
        fight_on.apply_async((campaign_id, simulation), expires=PATIENCE)
    else:
        cache.delete(_sign(simulation))
