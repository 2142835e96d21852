"""When the jobs last ran, as the web processes can see it: in Redis when hosted, else in a file of the data folder."""

import os
from datetime import datetime

from django.conf import settings
from django.core.cache import cache

KEY = "tidebook:last-tick"


def record(now: datetime) -> None:
    if settings.HOSTED:
        cache.set(KEY, now.isoformat(), timeout=None)
        return
    draft = settings.DATA_DIR / f"last-tick.{os.getpid()}"
    draft.write_text(now.isoformat())
    draft.replace(settings.DATA_DIR / "last-tick")


def last() -> datetime | None:
    """The moment of the last tick, None before the first."""
    if settings.HOSTED:
        text = cache.get(KEY)
    else:
        path = settings.DATA_DIR / "last-tick"
        text = path.read_text() if path.exists() else None
    return datetime.fromisoformat(text) if text else None
