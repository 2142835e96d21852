"""Loading and checking every pack on the shelf, from bytes to programs, in CPU time: in a new process, where nothing is
warm and the library itself has still to be read, and once more in one that has loaded them before. Aim: under 1 s.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

from rules.packs import find_folder, load_files, pack_ids
from rules.packs.source import read_folder
from tests.bench.measure import Row
from tests.services.site import ROOT

NEW = """
import json, time
from rules.packs import load_pack, pack_ids
began = time.process_time()
for name in pack_ids():
    load_pack(name)
print(json.dumps([time.process_time() - began, time.process_time()]))
"""


def in_a_new_process() -> tuple[float, float]:
    """Seconds for the packs alone, and for all that the process does."""
    done = subprocess.run([sys.executable, "-c", NEW], cwd=ROOT, capture_output=True, text=True, check=True)
    packs, all_of_it = json.loads(done.stdout)
    return packs, all_of_it


def again() -> float:
    files = [read_folder(find_folder(name)) for name in pack_ids()]
    began = time.process_time()
    for one in files:
        load_files(one)
    return time.process_time() - began


def main() -> list[Row]:
    work = f"load and check {len(pack_ids())} packs"
    new = [in_a_new_process() for _ in range(5)]
    again()
    return [
        Row(work, "new process, packs", statistics.median(packs for packs, _ in new), "s CPU", False, "< 1"),
        Row(work, "new process, everything", statistics.median(every for _, every in new), "s CPU", False),
        Row(work, "once more", statistics.median(again() for _ in range(5)), "s CPU", False),
    ]


if __name__ == "__main__":
    for row in main():
        print(row)
