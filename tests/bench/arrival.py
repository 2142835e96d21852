"""From a commit in another process to a second client: embedded (looking at heads) and hosted (through Redis)."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import tempfile
from typing import Any

from tests.bench.fanout import Audience, serving
from tests.bench.measure import Row
from tests.services import postgres, redis
from tests.services.feeding import Elsewhere
from tests.services.site import ROOT, clean_environment

EVENTS = 100


def _one(name: str, environment: dict[str, str]) -> list[Row]:
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=environment, cwd=ROOT, check=True)
    elsewhere = Elsewhere(environment)
    table = elsewhere.ask("start")

    async def scenario(port: int) -> list[float]:
        audience, taken, rng = Audience(), [], random.Random(1)
        seats = [(table["members"], session) for session in list(table["sessions"].values())[:2]]
        await audience.open(port, seats)
        for number in range(100_000, 100_000 + EVENTS):
            arguments: dict[str, Any] = {"campaign": table["campaign"], "owner": table["owner"], "name": f"No {number}"}
            at = (await asyncio.to_thread(elsewhere.ask, "rename", **arguments))["at"]
            await audience.all_came(number)
            taken.append((max(audience.arrived[number]) - at) / 1e6)
            await asyncio.sleep(rng.uniform(0.01, 0.3))  # so that no beat of ours meets one of the hub's
        audience.close()
        return sorted(taken)

    with serving("deploy.asgi:application", environment) as port:
        taken = asyncio.run(scenario(port))
    elsewhere.close()
    return [
        Row(f"commit to a second client, {name}, {label}", "tidebook", taken[index], "ms", False, "under 1,000")
        for label, index in (("p50", EVENTS // 2), ("p99", EVENTS - 2))
    ]


def main() -> list[Row]:
    """The rows of the table."""
    with tempfile.TemporaryDirectory() as folder:
        rows = _one("embedded, from a job", clean_environment(TIDEBOOK_DATA_DIR=folder))
    with postgres.running(durable=True) as cluster, redis.running() as url, tempfile.TemporaryDirectory() as folder:
        environment = clean_environment(
            DATABASE_URL=cluster.create("arrival"),
            TIDEBOOK_DATA_DIR=folder,
            TIDEBOOK_REDIS_URL=url,
            TIDEBOOK_SECRET_KEY="for benchmarks only " * 3,
        )
        rows += _one("hosted", environment)
    return rows
