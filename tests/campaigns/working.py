"""Worker processes for tests: see `tests.identity.closer`."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Any

from django.db import connection

from tests.services.forking import Forked, forked

CLOSER = "from tests.identity.closer import main; main()"


def worker(now: datetime, stop: int, *campaigns: Any) -> Forked:
    """A process that closes what is due in the database of this test."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        url = f"sqlite:///{name}"
    else:
        url = f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{name}"
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "deploy.settings"}
    return forked(environment, CLOSER, now.isoformat(), str(stop), *map(str, campaigns))
