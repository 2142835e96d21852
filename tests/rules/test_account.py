"""How a test came about as people tell it: dice as they lie, sentences of the rules, each for those who may know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from rules.dice import ChosenDice
from rules.packs import Pack, load_pack
from rules.sheets import Subject
from rules.tests import odds, run
from rules.tests.account import account
from tests.rules.small import pack

GAME = """
kinds: {hero: {title: Hero, stats: {might: {type: int, default: 3}, luck: {type: int, default: 2, seen: holders}}}}
procedures:
  aside:
    takes: {who: {type: subject, kinds: [hero]}}
    steps: [{say: Something stirs.}]
    gives: []
tests:
  climb:
    title: Climb
    roles: {hero: {title: Hero, kinds: [hero]}}
    inputs: {goal: {type: int, by: gm, seen: gm}}
    steps:
      - {roll: dice, title: Grip, against: goal, count: 2, sides: 20}
      - {keep: dice, highest: 1}
      - let: {total: dice.total + hero.might}
      - {say: "{dice.total} and {hero.might} make {total}."}
      - {say: "Luck stands at {hero.luck}."}
      - {say: "Against {goal}."}
      - {say: it was close., when: total == goal}
      - {do: [{say: It was hard.}, {call: aside, with: {who: hero}}], when: goal > 15}
      - {call: aside, with: {who: hero}, when: hero.might > 99}
      - {outcome: top, when: total >= goal, seen: all}
      - {outcome: falls, seen: all}
    outcomes: {top: {title: Top, success: true}, falls: {title: Falls, success: false}}
"""
SHIPPED = ("attribute-checks", "frontiers-fantasy", "spindrift-identity", "trait-tests")


def told(game: Pack, test: str, given: dict[str, Any], faces: list[int], **subjects: Subject) -> dict[str, list[str]]:
    """Audience -> the account that it reads."""
    result = run(game, test, given, ChosenDice(faces), {}, subjects=subjects)
    return {audience: list(account(result.trace, audience)) for audience in ("all", "holders", "gm")}


def test_each_audience_is_told_what_it_may_know_and_no_more() -> None:
    """What decides whether something is said is as secret as what it says, through steps and procedures."""
    found = told(pack(GAME), "climb", {"goal": 17}, [14, 9], hero=Subject(id="ana", kind="hero"))
    dice, sums = "14 and 9 (dropped) on 2d20", "14 and 3 make 17."
    assert found["all"] == [f"Grip: {dice}", sums]
    assert found["holders"] == [f"Grip: {dice}", sums, "Luck stands at 2."]
    assert found["gm"] == [
        f"Grip against 17: {dice}",
        sums,
        "Luck stands at 2.",
        "Against 17.",
        "It was close.",
        "It was hard.",
        "Something stirs.",
    ]


def test_sentences_change_nothing_of_what_a_test_comes_to() -> None:
    """17 of 20 faces of the better of two: 1 - (13/20)^2 reach 17 with 3."""
    hero = Subject(id="ana", kind="hero")
    found = odds(pack(GAME), "climb", {"goal": 17}, {}, subjects={"hero": hero}).outcomes
    assert found["top"] == 1 - found["falls"]
    assert found["falls"] * 400 == 13 * 13


def test_a_check_is_told_from_what_was_added_to_what_came_of_it() -> None:
    game = load_pack("frontiers-fantasy")
    hero = Subject(id="ana", kind="character", values={"score": {"vigor": 14}, "skills": ["athletics"]})
    given = {"attribute": "vigor", "skill": "athletics", "dt": 15}
    found = told(game, "check", given, [8, 18], hero=hero)
    assert found["all"] == [
        "Athletics is theirs and brings a Favor.",
        "Vigor adds its Rank, 4.",
        "Favor on the Resolution Die: 1 more to roll, the highest counts.",
        "Resolution Die: 8 (dropped) and 18 on 2d20",
        "18 on the die and 4 make 22.",
    ]
    assert found["gm"] == [*found["all"], "Against a threshold of 15."]


def test_an_attribute_check_is_told_so_too() -> None:
    """Four (40 / 10) against nothing; faces 12, 12, 9, 10, 5, 1, 2: one twelve is cancelled by the one."""
    game = load_pack("attribute-checks")
    hero = Subject(id="ana", kind="character", values={"natural_value": {"might": 0}})
    found = told(game, "attribute_check", {"attribute": "might"}, [9, 9, 10, 5, 6, 2, 3], hero=hero)
    assert found["all"][-3:] == [
        "The dice: 9, 9, 10, 5, 6, 2 and 3 on 7d12",
        "Passes 3, fails 2, neutral 2: the net is 1.",
        "It reads as a failure with partial success.",
    ]
    assert "Might has a Factor Value of 0." in found["holders"]
    assert not any("Factor Value" in line for line in found["all"])


def steps_of(game: Pack, steps: Sequence[Any], seen: set[str]) -> Iterator[Any]:
    """Every step of a program, those of the procedures that it calls too."""
    procedures = game.source.sections["procedures"]
    for step in steps:
        yield step
        for inner in (step.do, step.other, step.steps):
            if isinstance(inner, list):
                yield from steps_of(game, inner, seen)
        if step.call in procedures and step.call not in seen:
            seen.add(step.call)
            yield from steps_of(game, procedures[step.call].steps, seen)


def speaks(step: Any) -> bool:
    """Whether a step has a sentence for those who read the result."""
    return bool(step.say or (step.text and step.require is None))


@pytest.mark.parametrize("name", SHIPPED)
def test_every_test_with_dice_says_what_they_were_added_to(name: str) -> None:
    game, silent = load_pack(name), []
    for test, program in game.tests.items():
        steps = list(steps_of(game, program.spec.steps, set()))
        if program.offered == "test" and any(step.roll for step in steps) and not any(map(speaks, steps)):
            silent.append(test)
    assert silent == []
