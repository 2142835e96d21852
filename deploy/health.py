"""/healthz for whatever restarts the site, /metrics for whoever watches it."""

import os
from collections.abc import Callable
from hmac import compare_digest
from pathlib import Path

import structlog
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_prometheus.exports import ExportToDjangoView

from deploy import heartbeat

log = structlog.get_logger(__name__)


def _database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _redis() -> None:
    import redis

    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2) as client:
        client.ping()


def _broker() -> None:
    if settings.HOSTED:
        return _redis()
    folder = Path(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_in"])
    if not os.access(folder, os.W_OK):
        raise OSError(f"cannot write to {folder}")
    return None


def _layer() -> None:
    # In memory there is nothing that could be down; on Redis the layer is the same server as the broker's.
    if settings.HOSTED:
        _redis()


CHECKS: dict[str, Callable[[], None]] = {"database": _database, "broker": _broker, "layer": _layer}


def _state(name: str, check: Callable[[], None]) -> str:
    try:
        check()
    except Exception:
        log.exception("health.down", part=name)
        return "down"
    return "ok"


def _jobs() -> str:
    """ok, late (no tick for the length of six), or none yet. Late jobs are no reason to restart the web."""
    try:
        last = heartbeat.last()
    except Exception:
        return "unknown"
    if last is None:
        return "none yet"
    late = (timezone.now() - last).total_seconds() > 6 * settings.TICK_SECONDS
    return "late" if late else "ok"


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when database, broker and layer answer, else 503; never says why to the outside, that is in the log."""
    parts = {name: _state(name, check) for name, check in CHECKS.items()}
    healthy = all(state == "ok" for state in parts.values())
    body = {"status": "ok" if healthy else "down", "parts": parts | {"jobs": _jobs()}}
    return JsonResponse(body, status=200 if healthy else 503)


def _may_read_metrics(request: HttpRequest) -> bool:
    """By the token if one is set; else only this machine itself, and nobody when hosted or through a proxy."""
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "")
        return compare_digest(given.encode(), f"Bearer {settings.METRICS_TOKEN}".encode())
    direct = "X-Forwarded-For" not in request.headers and not settings.PROXIES and not settings.HOSTED
    return direct and request.META.get("REMOTE_ADDR") in ("127.0.0.1", "::1")


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    if not _may_read_metrics(request):
        return HttpResponseForbidden("Metrics are for the host: send TIDEBOOK_METRICS_TOKEN as a bearer token.\n")
    response: HttpResponse = ExportToDjangoView(request)
    return response
