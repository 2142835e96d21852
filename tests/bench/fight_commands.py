"""A command through the whole entrance in a fight of twelve: strikes and all they do, moments that are closed and
turns that end, decided, recorded, projected and committed one after the other on a durable PostgreSQL.
"""

from __future__ import annotations

import json
import subprocess
import sys

from tests.bench.measure import Row
from tests.services import postgres
from tests.services.site import ROOT

OURS = "tidebook"


def main() -> list[Row]:
    """The rows of the table."""
    with postgres.running(durable=True) as cluster:
        command = [sys.executable, "-m", "tests.bench.fight_commands_world", cluster.create("fight")]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    rows = [
        Row("a command in a fight of 12, CPU of the site", OURS, found["cpu"], "ms", False, f"{found['count']} sent")
    ]
    for kind, at in found["kinds"].items():
        rows.append(
            Row(f"a command in a fight of 12, {kind}, CPU", OURS, at["cpu"], "ms", False, f"{at['count']} sent")
        )
    for name in ("p50", "p99"):
        rows.append(Row(f"a command in a fight of 12, {name}", OURS, found[name], "ms", False))
    rows.append(Row("events that a command records", OURS, found["events"], "events"))
    return rows
