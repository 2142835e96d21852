"""Rolls a second: `1d20+5` and `2d20kh1+5` as tests of a pack (rule, outcome and record) against the d20 package.

Aim: faster than d20. Ours rolls on the system's randomness.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rules.dice import SystemDice
from rules.packs import Pack
from rules.tests import prepare
from tests.bench.measure import Row, rate
from tests.bench.rivals import ask
from tests.rules.small import pack

COUNT = 5_000
PACK = """
tests:
  one:
    title: 1d20+5
    steps: [{roll: check, dice: d20}, {let: {total: check.total + 5}}, {outcome: rolled}]
    facts: {total: total}
    outcomes: {rolled: {title: Rolled}}
  best:
    title: 2d20kh1+5
    steps: [{roll: check, dice: 2d20}, {keep: check, highest: 1}, {let: {total: check.total + 5}}, {outcome: rolled}]
    facts: {total: total}
    outcomes: {rolled: {title: Rolled}}
"""


@cache
def rolls() -> Pack:
    return pack(PACK)


def ours(test: str) -> float:
    prepared, dice = prepare(rolls(), test), SystemDice()

    def go() -> int:
        for _ in range(COUNT):
            prepared.execute(dice, {}, trace=False)
        return COUNT

    return rate(go)


def main() -> list[Row]:
    rows = []
    script = Path(__file__).parent / "rival_d20.py"
    for test, text in (("one", "1d20+5"), ("best", "2d20kh1+5")):
        theirs = ask(script, text, name="dice")
        mine = sorted(ours(test) for _ in range(5))[2]
        rows += [Row(text, "d20", theirs, "per s"), Row(text, "ours", mine, "per s", True, "> d20")]
    return rows


if __name__ == "__main__":
    for row in main():
        print(row)
