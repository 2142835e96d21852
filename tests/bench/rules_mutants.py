"""Every mutant of every pack, one name, number, operator, reference or indent changed at a time. Aim: 95 in 100 found.

An hour or so on a small machine; broken off, it goes on where it was (`tests/rules/mutant_run.py`).
"""

from __future__ import annotations

from rules.packs import pack_ids
from tests.bench.measure import Row
from tests.rules.mutant_hunt import found_by
from tests.rules.mutant_run import whole


def main() -> list[Row]:
    rows = []
    for pack in pack_ids():
        found, tried = found_by(whole(pack).values())
        rows.append(Row(f"mutants of {pack}, {tried} tried", "found", 100 * found / tried, "%", True, ">= 95"))
    return rows


if __name__ == "__main__":
    for row in main():
        print(row)
