"""Worker processes for tests: see `tests.identity.closer`."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import connection

ROOT = Path(__file__).resolve().parents[2]


def worker(now: datetime, stop: int, *campaigns: Any) -> subprocess.Popen[str]:
    """A process that closes what is due in the database of this test."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        url = f"sqlite:///{name}"
    else:
        url = f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{name}"
    command = [sys.executable, "-m", "tests.identity.closer", now.isoformat(), str(stop), *map(str, campaigns)]
    environment = {**os.environ, "DATABASE_URL": url}
    return subprocess.Popen(command, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE)
