"""Every mutant of every pack, one name, number, operator, reference or indent changed at a time. Aim: 95 in 100 found.

Hours for the large packs on a small machine; `python -m tests.rules.mutants PACK:COUNT` tries a sample.
"""

from __future__ import annotations

from rules.packs import pack_ids
from tests.bench.measure import Row
from tests.rules.mutants import whole
from tests.services.chromium import RESULTS


def main() -> list[Row]:
    rows = []
    for pack in pack_ids():
        tried, alive = whole(pack)
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"mutants-{pack}.txt").write_text("".join(f"{mutant}\n" for mutant in alive))
        found = 100 * (tried - len(alive)) / tried
        rows.append(Row(f"mutants of {pack}, {tried} tried", "found", found, "%", True, ">= 95"))
    return rows


if __name__ == "__main__":
    for row in main():
        print(row)
