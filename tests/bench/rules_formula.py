"""One formula, compiled and explained. Aim: at least the 0.9 million a second of a compiled CEL expression."""

from __future__ import annotations

from rules.formulas import Formula
from rules.formulas.types import Int, Scope
from tests.bench.measure import Row, interleaved, rate

TEXT = "down(might / 10) + bonus if level >= 3 else max(might, bonus)"
FRAME = {"might": 57, "bonus": 3, "level": 4}
COUNT = 100_000


def compiled() -> int:
    run = Formula.of(TEXT, Scope({"might": Int(), "bonus": Int(), "level": Int()})).run
    for _ in range(COUNT):
        run(FRAME)
    return COUNT


def explained() -> int:
    formula = Formula.of(TEXT, Scope({"might": Int(), "bonus": Int(), "level": Int()}))
    for _ in range(COUNT // 20):
        formula.explain(FRAME)
    return COUNT // 20


def main() -> list[Row]:
    rows = interleaved(
        "one formula", "per s", {"compiled": lambda: rate(compiled), "with every operand": lambda: rate(explained)}
    )
    return [Row(rows[0].work, rows[0].who, rows[0].value, rows[0].unit, True, ">= 900,000"), rows[1]]


if __name__ == "__main__":
    for row in main():
        print(row)
