"""What a roll is thrown for and against is told beside it, to those who may see what it was made from."""

from __future__ import annotations

from rules.dice import ChosenDice
from rules.sheets import Subject
from rules.tests import run
from tests.rules.small import one_test, pack

PROGRAM = one_test(
    """
    - {let: {name: "'Luck'"}}
    - {roll: check, dice: d20, title: "{name}", against: hero.luck}
    - {outcome: high, when: check.total > 8}
    - {outcome: low}
    """,
    more="roles: {hero: {kinds: [hero]}}\noutcomes: {high: {title: H}, low: {title: L}}\n",
)
KINDS = "kinds: {hero: {title: Hero, stats: {luck: {type: int, min: 0, max: 20, default: 9, seen: holders}}}}\n"


def test_the_number_a_roll_is_thrown_against_has_an_audience_of_its_own() -> None:
    found = run(pack(PROGRAM, KINDS), "it", {}, ChosenDice([7]), subjects={"hero": Subject(id="h", kind="hero")})
    step = next(step for step in found.trace if step.kind == "roll")
    assert (step.title, step.title_seen) == ("Luck", "all")
    assert (step.against, step.against_seen) == (9, "holders")
    assert step.seen == "all"
