"""Whatever is rolled and chosen, a run is a pure function of what is given, the faces and the choices."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.dice import ChosenDice, RecordedDice
from rules.packs import load_pack
from rules.sheets import Subject
from rules.tests import TestRun, apply_effects, odds, run, undo_effect
from tests.rules.pool import pool_pack
from tests.rules.small import one_test, pack

BRANCHING = one_test(
    """
    - {roll: first, dice: 2d6}
    - {ask: keep_high, flag: true}
    - {keep: first, highest: 1, when: keep_high}
    - {keep: first, lowest: 1, when: not keep_high}
    - repeat: 2
      as: turn
      steps:
        - {ask: bet, min: 0, max: first.total, when: hero.luck > 0, otherwise: 0}
        - {roll: more, count: bet, sides: 4}
        - {change: {hero.luck: 0 - bet}}
        - {change: {hero.score: more.total + turn}}
        - {apply: tired, of: hero, until: {at: turn_end, of: hero}, when: more.total > 3}
    - {outcome: high, when: hero.score > 8}
    - {outcome: low}
    """,
    more="roles: {hero: {kinds: [hero]}}\noutcomes: {high: {title: H}, low: {title: L}}\nfacts: {score: hero.score}\n",
)
HERO = """
kinds:
  hero:
    title: Hero
    stats: {luck: {type: int, min: 0, max: 9, bounds: clamp, default: 9}, score: {type: int, default: 0}}
card_types: {condition: {title: Condition}}
cards: {condition: {tired: {title: Tired, stacks: count, modifiers: [{stat: score, add: -1}]}}}
"""


class RandomDice:
    """Faces from a seeded generator, for tests that must be repeatable."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def roll(self, sides: int) -> int:
        return self.random.randint(1, sides)


def played(it: Any, subject: Subject, seed: int) -> TestRun:
    """Played to its end as a table does: a choice at a time, each run taking up the one before."""
    dice, choose = RandomDice(seed), Random(seed + 1)
    faces: list[int] = []
    choices: dict[str, Any] = {}
    for _ in range(10):
        found = run(it, "it", {}, RecordedDice(faces, dice), choices, subjects={"hero": subject})
        faces = found.faces
        if found.pending is None:
            return found
        ask = found.pending
        low, high = ask.min or 0, ask.max or 0
        choices = {**found.choices, ask.id: choose.random() < 0.5 if ask.kind == "flag" else choose.randint(low, high)}
    raise AssertionError("the test asks without end")


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_a_run_played_choice_by_choice_is_the_run_from_the_start(seed: int) -> None:
    it, ana = pack(HERO, BRANCHING), Subject(id="ana", kind="hero")
    found = played(it, ana, seed)
    again = run(it, "it", {}, ChosenDice(found.faces), found.choices, subjects={"hero": ana})
    assert msgspec.to_builtins(again) == msgspec.to_builtins(found)
    quiet = run(it, "it", {}, ChosenDice(found.faces), found.choices, subjects={"hero": ana}, trace=False)
    assert (quiet.outcome, quiet.facts, quiet.effects) == (found.outcome, found.facts, found.effects)
    assert ana.values == {} and ana.held == []


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_effects_applied_and_taken_back_leave_the_subject_as_it_was(seed: int) -> None:
    it = pack(HERO, BRANCHING)
    ana = Subject(id="ana", kind="hero", values={"luck": 5, "score": 1})
    found = played(it, ana, seed)
    after = apply_effects(ana, found.effects)
    assert after.values["score"] >= 4 and 0 <= after.values.get("luck", 5) <= 5
    back = [undo for effect in reversed(found.effects) if (undo := undo_effect(effect)) is not None]
    assert apply_effects(after, back) == ana


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 20), st.booleans(), st.booleans(), st.sampled_from(["left", "right"]))
def test_odds_are_whole_and_hold_what_is_rolled(rating: int, left: bool, right: bool, first: str) -> None:
    it = load_pack("spindrift-identity")
    ana = Subject(id="ana", kind="character", values={"rating": {"bold_cautious": rating}})
    given_ = {"pair": "bold_cautious", "inspired_left": left, "inspired_right": right}
    found = odds(it, "identity", given_, {"first": first}, subjects={"holder": ana})
    assert sum(found.outcomes.values()) == 1
    rolled = run(it, "identity", given_, RandomDice(rating), {"first": first}, subjects={"holder": ana})
    assert rolled.outcome in found.outcomes
    assert all(rolled.facts[name] in chances for name, chances in found.facts.items() if name in rolled.facts)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 12), min_size=7, max_size=7), st.integers(-3, 3), st.randoms())
def test_the_order_of_dice_in_a_pool_does_not_matter(faces: list[int], adjustments: int, random: Random) -> None:
    shuffled = list(faces)
    random.shuffle(shuffled)
    one, two = (
        run(pool_pack(), "check", {"adjustments": adjustments}, ChosenDice(dice), {"moves": "best"})
        for dice in (faces, shuffled)
    )
    assert (one.outcome, one.facts) == (two.outcome, two.facts)
