"""From a committed event to the last of many sockets on one process, against bare Channels group_send over Redis.

Both are sent from another process, as hosted pages and jobs do, and served by one web server process of the same kind;
the rival hands on bytes of the same length and filters nothing. Rounds alternate in one run.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.lines import Line
from tests.bench.measure import Row
from tests.services import postgres, redis
from tests.services.feeding import Elsewhere
from tests.services.network import free_port, listens, until
from tests.services.site import ROOT, clean_environment

ROUNDS, EVENTS, GAP = 3, 60, 0.1
MISSED = 20
OURS, RIVAL = "tidebook", "channels group_send"


@contextmanager
def serving(application: str, environment: dict[str, str]) -> Iterator[int]:
    """One process of the web server, answering on the port given."""
    port = free_port()
    command = [sys.executable, "-m", "granian", "--interface", "asginl", "--port", str(port), "--workers", "1"]
    command += ["--log-level", "warning", "--workers-kill-timeout", "3", application]
    process = subprocess.Popen(command, env=environment, cwd=ROOT)
    try:
        until(lambda: listens(port), 60, "the web server")
        time.sleep(1)
        yield port
    finally:
        process.terminate()
        process.wait(20)


class Audience:
    """Lines that count when the frame with each number came to them."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.arrived: dict[int, list[int]] = {}

    def heard(self, line: Line, body: bytes, now: int) -> None:
        """Takes a frame in; the number stands behind ``No``."""
        start = body.find(b"No ")
        if start >= 0:
            self.arrived.setdefault(int(body[start + 3 : start + 9]), []).append(now)

    async def open(self, port: int, seats: list[tuple[str, str]]) -> float:
        """Opens a line a seat (path, session), all at once; seconds until the last was greeted."""
        began = time.perf_counter()
        self.lines = [Line(port, path, self.heard, session) for path, session in seats]
        await asyncio.gather(*(line.connect() for line in self.lines))
        return time.perf_counter() - began

    async def all_came(self, number: int, seconds: float = 20.0) -> None:
        """Waits until every line has the frame with this number."""
        deadline = time.monotonic() + seconds
        while len(self.arrived.get(number, ())) < len(self.lines):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{len(self.arrived.get(number, ()))} of {len(self.lines)} have {number}")
            await asyncio.sleep(0.01)

    def close(self) -> None:
        """Ends every line."""
        for line in self.lines:
            line.transport.close()


def seats_of(table: dict[str, Any], count: int) -> list[tuple[str, str]]:
    """A fifth each: the GM, three players, watchers by link."""
    sessions = list(table["sessions"].values())
    kinds = [*((table["members"], session) for session in sessions), (table["watch"], "")]
    return [kinds[number % len(kinds)] for number in range(count)]


async def measure(port: int, seats: list[tuple[str, str]], send: Any) -> list[float]:
    """Milliseconds from each event to its arrival at the last line."""
    audience, last = Audience(), []
    await audience.open(port, seats)
    try:
        for number in range(100_000, 100_000 + EVENTS):
            at = (await asyncio.to_thread(send, number))["at"]
            await audience.all_came(number)
            if number >= 100_005:
                last.append((max(audience.arrived[number]) - at) / 1e6)
            await asyncio.sleep(GAP)
    finally:
        audience.close()
    await asyncio.sleep(0.5)
    return last


async def come_back(port: int, table: dict[str, Any], count: int, send: Any) -> float:
    """Seconds until many who missed events at once have come back and have all of them."""
    newest: dict[str, str] = {}

    def greeted(line: Line, body: bytes, _: int) -> None:
        newest[f"{line.path} {line.session}"] = json.loads(body)["cursor"]

    seats = seats_of(table, count)
    for path, session in set(seats):
        line = Line(port, path, greeted, session)
        await line.connect()
        line.transport.close()
    for number in range(200_000, 200_000 + MISSED):
        await asyncio.to_thread(send, number)
    audience = Audience()
    began = time.perf_counter()
    try:
        await audience.open(port, [(f"{p}?cursor={newest[f'{p} {s}']}", s) for p, s in seats])
        await audience.all_came(200_000 + MISSED - 1, 60)
        return time.perf_counter() - began
    finally:
        audience.close()


def _rows(count: int, figures: dict[str, list[float]]) -> list[Row]:
    rows = []
    for name, at in (("p50", 0.5), ("p99", 0.99)):
        found = {who: _quantile(values, at) for who, values in figures.items()}
        goal = 0.5 if count == 100 else 0.6
        aim = f"{found[OURS] / found[RIVAL]:.2f} of it; aim {goal}"
        rows += [
            Row(f"event to the last of {count} sockets, {name}", who, value, "ms", False, aim if who == OURS else "")
            for who, value in found.items()
        ]
    return rows


def _quantile(values: list[float], at: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * at))]


def main() -> list[Row]:
    """The rows of the table."""
    rows: list[Row] = []
    with postgres.running(durable=True) as cluster, redis.running() as url, tempfile.TemporaryDirectory() as folder:
        secret = {"TIDEBOOK_SECRET_KEY": "for benchmarks only " * 3, "TIDEBOOK_REDIS_URL": url}
        environment = clean_environment(DATABASE_URL=cluster.create("fanout"), TIDEBOOK_DATA_DIR=folder, **secret)
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=environment, cwd=ROOT, check=True)
        elsewhere = Elsewhere(environment)
        table = elsewhere.ask("start")
        body = "x" * len(_sample(table))

        def ours(number: int) -> dict[str, Any]:
            return elsewhere.ask("rename", campaign=table["campaign"], owner=table["owner"], name=f"No {number}")

        def rival(number: int) -> dict[str, Any]:
            return elsewhere.ask("group_send", group="table", text=f"No {number}{body}")

        rival_environment = {**environment, "PYTHONPATH": str(ROOT)}
        back = []
        for count in (100, 500):
            figures: dict[str, list[float]] = {OURS: [], RIVAL: []}
            for _ in range(ROUNDS):
                with serving("deploy.asgi:application", environment) as port:
                    figures[OURS] += asyncio.run(measure(port, seats_of(table, count), ours))
                    if count == 500:
                        back.append(asyncio.run(come_back(port, table, count, ours)))
                with serving("tests.services.bare_channels:application", rival_environment) as port:
                    figures[RIVAL] += asyncio.run(measure(port, [("/", "")] * count, rival))
            rows += _rows(count, figures)
        rows.append(Row(f"500 come back at once, {MISSED} events missed", OURS, statistics.median(back), "s", False))
        elsewhere.close()
    return rows


def _sample(table: dict[str, Any]) -> str:
    """About the frame of a renamed campaign, less the number."""
    view = {"type": "campaign.renamed", "at": "2026-11-30T04:08:40.730696+00:00", "actor": {"name": "Olga"}}
    view |= {"stamp": {"year": 0, "season": 0, "week": 0}, "says": "The campaign is now called No 100000."}
    view |= {"data": {"name": ""}, "voided": False}
    return json.dumps({"kind": "event", "cursor": "c" * 22, "follows": "f" * 22, "event": view}, separators=(",", ":"))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    for row in main():
        print(row)
