"""A test resolved from data against the same rule written by hand: the identity test, two rolls, with its record.

Both roll the same seeded dice and leave the same: outcome, facts, every face, and the dice as they lie. Checking what
is given and the trace are measured apart, for the hand-written rule has neither. Aim: within 3 times.
"""

from __future__ import annotations

from typing import Any

from rules.dice import SeededDice
from rules.packs import load_pack
from rules.sheets import Subject
from rules.tests import prepare, run
from tests.bench.measure import Row, interleaved, rate

COUNT = 4_000
TALYNE = Subject(id="talyne", kind="character", values={"rating": {"bold_cautious": 14}})


def read(dice: SeededDice, rating: int, extra: bool, settings: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """One side: the d20, less the d4 if it has one."""
    d20 = dice.roll(20)
    rolled = [{"sides": 20, "face": d20, "kept": True}]
    total = d20
    highest = d20 == 20
    if extra:
        d4 = dice.roll(settings["advantage_die"])
        rolled.append({"sides": settings["advantage_die"], "face": d4, "kept": True})
        total -= d4
        highest = highest or (settings["highest_face_dice"] == "any" and d4 == settings["advantage_die"])
    if highest:
        return "critical_failure", rolled
    if (d20 if settings["exact_match_on"] == "d20_face" else total) == rating:
        return "critical_success", rolled
    return ("success" if total < rating else "failure"), rolled


def by_hand(values: dict[str, int], pair: str, inspired: str, dice: SeededDice, settings: dict[str, Any]) -> Any:
    """The whole test in plain Python."""
    left = values.get(pair, 10)
    right = 20 - left
    first = "left" if left >= right else "right"
    names = {"left": "bold", "right": "cautious"}
    sides = [(first, left if first == "left" else right)]
    sides.append(("right", right) if first == "left" else ("left", left))
    record: dict[str, Any] = {"rolls": {}, "facts": {}}
    for number, (side, rating) in enumerate(sides):
        result, record["rolls"][number] = read(dice, rating, inspired == side, settings)
        other = names[sides[1 - number][0]]
        if result in ("success", "critical_success"):
            strength = "strong" if result == "critical_success" else "ordinary"
            record["facts"] = {"must_express": names[side], "strength": strength}
            break
        if result == "critical_failure":
            record["facts"] = {"must_express": other, "strength": "strong"}
            break
    record["outcome"] = record["facts"].get("must_express", "free")
    record["faces"] = [die["face"] for rolls in record["rolls"].values() for die in rolls]
    return record


SETTINGS = {"advantage_die": 4, "highest_face_dice": "any", "exact_match_on": "total"}


def written() -> int:
    dice = SeededDice(b"bench")
    for _ in range(COUNT):
        by_hand(TALYNE.values["rating"], "bold_cautious", "right", dice, SETTINGS)
    return COUNT


GIVEN = {"pair": "bold_cautious", "inspired_right": True}


def from_data() -> int:
    dice, test = SeededDice(b"bench"), prepare(load_pack("spindrift-identity"), "identity", GIVEN, {"holder": TALYNE})
    for _ in range(COUNT):
        test.execute(dice, {}, trace=False)
    return COUNT


def checked_anew(trace: bool) -> int:
    dice, pack = SeededDice(b"bench"), load_pack("spindrift-identity")
    for _ in range(COUNT):
        run(pack, "identity", GIVEN, dice, {}, subjects={"holder": TALYNE}, trace=trace)
    return COUNT


def main() -> list[Row]:
    rows = interleaved(
        "identity test, two rolls",
        "per s",
        {
            "plain Python by hand": lambda: rate(written),
            "from data": lambda: rate(from_data),
            "from data, given anew": lambda: rate(lambda: checked_anew(trace=False)),
            "from data, with its trace": lambda: rate(lambda: checked_anew(trace=True)),
        },
    )
    return [
        *rows,
        Row("identity test, two rolls", "by hand / from data", rows[0].value / rows[1].value, "times", False, "<= 3"),
    ]


if __name__ == "__main__":
    for row in main():
        print(row)
