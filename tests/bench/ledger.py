"""The ledger: appending, the whole entrance, replaying, opening and rebuilding, beside `eventsourcing` and the floors.

All on one durable PostgreSQL (fsync on), every figure from processes of their own started at one moment, rounds
interleaved. Ours is what the program runs: hash chain, idempotency, three indexes and all.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.bench.measure import Row, interleaved
from tests.bench.rivals import python
from tests.services import postgres
from tests.services.site import ROOT

OURS, RIVAL, FLOOR = "Tidebook", "eventsourcing", "floor"
FOLDER = Path(__file__).parent
ROUNDS = 3


def workers(who: str, url: str, task: str, *numbers: int, count: int = 1) -> list[dict[str, float]]:
    """Runs `count` workers of one of the three at a time; what each answers."""
    if who == RIVAL:
        command = [str(python()), str(FOLDER / "ledger_rival.py")]
    else:
        command = [sys.executable, "-m", "tests.bench." + ("ledger_ours" if who == OURS else "ledger_floor")]
    command += [task, url, *map(str, numbers)]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for _ in range(count)
    ]
    try:
        for worker in running:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "ready\n", f"{who} {task} did not start"
        for worker in running:
            assert worker.stdin is not None
            worker.stdin.write("go\n")
            worker.stdin.flush()
        return [json.loads(worker.communicate()[0]) for worker in running]
    finally:
        for worker in running:
            worker.kill()
            worker.wait()


def pace(who: str, url: str, task: str, *numbers: int, count: int = 1) -> float:
    """What was done a second, by all workers together."""
    answers = workers(who, url, task, *numbers, count=count)
    took = max(a["ended"] for a in answers) - min(a["began"] for a in answers)
    return sum(a["done"] for a in answers) / took


def compared(work: str, unit: str, aim: str, rivals: dict[str, Callable[[], float]], rounds: int = ROUNDS) -> list[Row]:
    """Rows of medians; ours says the ratio to the rival (and to the floor) beside the aim."""
    rows = interleaved(work, unit, rivals, rounds)
    value = {row.who: row.value for row in rows}
    ratios = [f"{value[OURS] / value[who]:.2f}x {who}" for who in (RIVAL, FLOOR) if who in value]
    return [_with_aim(row, f"{', '.join(ratios)} (aim: {aim})") if row.who == OURS else row for row in rows]


def _with_aim(row: Row, aim: str) -> Row:
    return Row(row.work, row.who, row.value, row.unit, row.higher, aim)


def appends(url: str) -> list[Row]:
    found: list[Row] = []
    for batch, writers, events, aim in ((1, 1, 2000, "2"), (1, 4, 1000, "3"), (10, 4, 6000, "3")):
        rivals = {who: partial(pace, who, url, "append", events, batch, count=writers) for who in (OURS, RIVAL, FLOOR)}
        work = f"append, {writers} writer{'s' * (writers > 1)}, {batch} a save"
        found += compared(work, "events/s", f"{aim} x {RIVAL}", rivals)
    return found


def entrances(url: str) -> list[Row]:
    rivals = {
        OURS: partial(pace, OURS, url, "entrance", 1500),
        RIVAL: partial(pace, RIVAL, url, "append", 1500, 1),
    }
    return compared("whole entrance against a bare save", "commands/s", f"1 x {RIVAL}", rivals)


def replays(url: str) -> list[Row]:
    rivals = {who: partial(pace, who, url, "replay", 100_000) for who in (OURS, RIVAL, FLOOR)}
    return compared("replay of 100,000 events", "events/s", f"8 x {RIVAL}, 0.4 x {FLOOR}", rivals, 3)


def openings(url: str) -> list[Row]:
    rivals = {who: partial(pace, who, url, "reopen", 100, 200) for who in (OURS, RIVAL)}
    rows = compared("open: snapshot and 100 events", "opens/s", "", rivals, 3)
    short, long = (
        Row(f"open a campaign of {n:,} events", OURS, 1000 / pace(OURS, url, "open_long", n, 200), "ms", False)
        for n in (1000, 1_000_000)
    )
    return [*rows, short, _with_aim(long, f"{long.value / short.value:.2f}x that of 1,000 (aim: 1.2)")]


def rebuilds(url: str) -> list[Row]:
    found = []
    for count in (20_000, 1_000_000):
        peak = workers(OURS, url, "rebuild", count)[0]["done"] / 1024
        found.append(Row(f"memory that a rebuild of {count:,} adds", OURS, peak, "MiB", False, "flat"))
    return found


def main() -> list[Row]:
    with postgres.running(durable=True) as cluster:
        url = cluster.create("ledger")
        for who in (OURS, RIVAL, FLOOR):
            _prepare(who, url)
        return [row for part in (appends, entrances, replays, openings, rebuilds) for row in part(url)]


def _prepare(who: str, url: str) -> None:
    script = {OURS: ["-m", "tests.bench.ledger_ours"], FLOOR: ["-m", "tests.bench.ledger_floor"]}
    command = [str(python()), str(FOLDER / "ledger_rival.py")] if who == RIVAL else [sys.executable, *script[who]]
    subprocess.run([*command, "prepare", url], check=True, cwd=ROOT)
