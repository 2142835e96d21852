"""One formula, compiled and explained, beside the same as a compiled CEL expression and as plain Python by hand.

Aim: at least what CEL does. (CEL rounds its division down silently; the formula says so.)
"""

from __future__ import annotations

import json
from pathlib import Path

from rules.formulas import Formula
from rules.formulas.compile import compile_node
from rules.formulas.types import Int, Scope
from tests.bench.measure import Row, interleaved, rate
from tests.bench.rivals import ask

TEXT = "down(might / 10) + bonus if level >= 3 else max(might, bonus)"
CEL = "level >= 3 ? might / 10 + bonus : (might > bonus ? might : bonus)"
FRAME = {"might": 57, "bonus": 3, "level": 4}
COUNT = 100_000


def formula() -> Formula:
    return Formula.of(TEXT, Scope({"might": Int(), "bonus": Int(), "level": Int()}))


def compiled() -> int:
    run = compile_node(formula().node)
    for _ in range(COUNT):
        run(FRAME)
    return COUNT


def by_hand() -> int:
    def run(v: dict[str, int]) -> int:
        return v["might"] // 10 + v["bonus"] if v["level"] >= 3 else max(v["might"], v["bonus"])

    for _ in range(COUNT):
        run(FRAME)
    return COUNT


def explained() -> int:
    one = formula()
    for _ in range(COUNT // 20):
        one.explain(FRAME)
    return COUNT // 20


def cel() -> float:
    found: float = ask(Path(__file__).parent / "rival_cel.py", CEL, json.dumps(FRAME))
    return found


def main() -> list[Row]:
    work = "one formula"
    rows = interleaved(
        work,
        "per s",
        {
            "compiled": lambda: rate(compiled),
            "CEL (Rust), compiled": cel,
            "plain Python by hand": lambda: rate(by_hand),
            "with every operand": lambda: rate(explained),
        },
    )
    return [*rows, Row(work, "ours / CEL", rows[0].value / rows[1].value, "times", True, ">= 1")]


if __name__ == "__main__":
    for row in main():
        print(row)
