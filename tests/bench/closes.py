"""Closing a season in many campaigns: six characters with four marked pairs each, all due at one moment, on a durable
PostgreSQL with one worker and with two, beside the floor: COPY of the very events that the closes recorded.

CLOSES says how many campaigns, 10,000 being the whole.
"""

import contextlib
import json
import os
import subprocess
import sys
from typing import Any

from tests.bench.measure import Row
from tests.services import postgres
from tests.services.site import ROOT

OURS, FLOOR = "Tidebook", "COPY"
PAIRS = 6 * 4
CAMPAIGNS = int(os.environ.get("CLOSES", "1000"))
OLD = (2000, 10_000)


def together(url: str, task: str, *each: tuple[int, ...]) -> dict[str, Any]:
    """A worker for each tuple of numbers, all at one moment: what the first answers, `all` answers, `took` seconds."""
    command = [sys.executable, "-m", "tests.bench.closes_world", task, url]
    with contextlib.ExitStack() as stack:
        running = []
        for numbers in each:
            worker = subprocess.Popen(
                [*command, *map(str, numbers)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
            )
            stack.callback(worker.wait)
            stack.callback(worker.kill)
            running.append(worker)
        for worker in running:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "ready\n", f"{task} did not start"
        for worker in running:
            assert worker.stdin is not None
            worker.stdin.write("go\n")
            worker.stdin.flush()
        answers = [json.loads(worker.communicate()[0]) for worker in running]
    took = max(a["ended"] for a in answers) - min(a["began"] for a in answers)
    return {"done": answers[0]["done"], "all": [a["done"] for a in answers], "took": took}


def closed(url: str, campaigns: int, workers: int, extra: int = 0) -> dict[str, Any]:
    """Closes `campaigns` of so long a past; `pairs` a second, the workers' answers in `all`."""
    together(url, "fill", (campaigns, extra))
    found = together(url, "close", *((worker, workers) for worker in range(workers)))
    assert sum(one["closed"] for one in found["all"]) == campaigns
    return {**found, "pairs": PAIRS * campaigns / found["took"]}


def search(url: str) -> list[Row]:
    """How long the due are looked for, among few campaigns and among many."""
    rows = []
    for campaigns in (10_000, 100_000):
        took = together(url, "search", (campaigns,))["done"]
        work = f"due-search over {campaigns:,} campaigns, 1 in 100 due"
        rows.append(Row(work, OURS, took, "ms", False))
    return rows


def season(url: str) -> list[Row]:
    """The whole, with one worker and with two, beside the floor of the same run."""
    few, one = closed(url, max(CAMPAIGNS // 10, 100), 1), closed(url, CAMPAIGNS, 1)
    copied = together(url, "floor", ())
    floor = PAIRS * CAMPAIGNS / copied["took"]
    two = closed(url, CAMPAIGNS, 2)
    work = f"season of {CAMPAIGNS:,} campaigns, {{}}".format
    each, events = two["pairs"] / 2, f"{copied['done'] / copied['took']:,.0f} events/s"
    memory = [one["done"]["late"], one["done"]["early"]]
    return [
        Row(work("COPY of its events"), FLOOR, floor, "pairs/s", aim=events),
        Row(work("1 worker"), OURS, one["pairs"], "pairs/s", aim=f"{one['pairs'] / floor:.3f} of COPY (aim: 0.1)"),
        Row(work("2 workers"), OURS, two["pairs"], "pairs/s", aim=f"{each / floor:.3f} of COPY a worker (aim: 0.1)"),
        Row("season of a tenth of them, 1 worker", OURS, few["pairs"], "pairs/s", aim=f"{_ratio(one, few)} (linear)"),
        Row("memory at the end", OURS, memory[0], "MiB", False, f"{memory[0] - memory[1]:+.0f} MiB since batch 11"),
    ]


def ages(url: str) -> list[Row]:
    """The same close in campaigns of other ages."""
    count = max(CAMPAIGNS // 20, 50)
    young, *old = [closed(url, count, 1, extra) for extra in (0, *OLD)]
    rows = [Row(f"season of {count:,} young campaigns", OURS, young["pairs"], "pairs/s")]
    for extra, found in zip(OLD, old, strict=True):
        work = f"season of {count:,} campaigns of {extra:,} events"
        rows.append(Row(work, OURS, found["pairs"], "pairs/s", aim=f"{_ratio(found, old[0])} of {OLD[0]:,} (flat)"))
    return rows


def _ratio(one: dict[str, Any], other: dict[str, Any]) -> str:
    return f"{one['pairs'] / other['pairs']:.2f}x"


def main() -> list[Row]:
    with postgres.running(durable=True) as cluster:
        found = []
        for name, part in (("season", season), ("ages", ages), ("search", search)):
            url = cluster.create(name)
            subprocess.run([sys.executable, "-m", "tests.bench.closes_world", "prepare", url], check=True, cwd=ROOT)
            found += part(url)
        return found
