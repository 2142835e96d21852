"""Loading and checking every pack on the shelf, from bytes to programs. Aim: under 1 s for all."""

from __future__ import annotations

import statistics
import time

from rules.packs import find_folder, load_files, pack_ids
from rules.packs.source import read_folder
from tests.bench.measure import Row


def load_all() -> float:
    began = time.perf_counter()
    for name in pack_ids():
        load_files(read_folder(find_folder(name)))
    return time.perf_counter() - began


def main() -> list[Row]:
    seconds = statistics.median(load_all() for _ in range(3))
    return [Row(f"load and check {len(pack_ids())} packs", "ours", seconds, "s", False, "< 1")]


if __name__ == "__main__":
    for row in main():
        print(row)
