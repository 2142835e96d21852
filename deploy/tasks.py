"""The one scheduled task: every few seconds, ask each app what is due.

An app with work that becomes due gives its `tasks.py` a function `on_tick(now: datetime) -> None`, with `now` in UTC.
It looks in the database, so that a missed, late or doubled tick changes nothing but the moment.
"""

from importlib import import_module
from importlib.util import find_spec

import structlog
from celery import shared_task
from django.apps import apps
from django.utils import timezone

from deploy import heartbeat

log = structlog.get_logger(__name__)
APPS = ("campaigns", "identity", "encounters")


@shared_task(name="deploy.tick")
def tick() -> None:
    """Call every app's `on_tick`; one that fails is logged and does not keep the others from their turn."""
    now = timezone.now()
    heartbeat.record(now)
    for name in APPS:
        if not apps.is_installed(name) or find_spec(f"{name}.tasks") is None:
            continue
        due = getattr(import_module(f"{name}.tasks"), "on_tick", None)
        if due is None:
            continue
        try:
            due(now)
        except Exception:
            log.exception("tick.failed", app=name)
