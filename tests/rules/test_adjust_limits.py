"""Limits on adjusting: against plain trying of every way, and as refusals of choices that break them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.dice import ChosenDice
from rules.problems import GivenError
from rules.tests import run
from rules.tests.adjust import Solver
from rules.tests.adjust_limits import Limits, Search
from tests.rules.small import one_test, pack, problems

LIMITED = """
- {roll: pool, dice: 3d6}
- adjust: pool
  by: by
  aim: sum(f for f in faces)
  protect: face == 6
  protect_most: spare
  per_die: each_die
  least: at_least
  min: low
  max: high
  into: moves
"""
INPUTS = (
    "by: {type: int}, spare: {type: int, default: 9}, each_die: {type: int, default: 9}, "
    "at_least: {type: int, default: 0}, low: {type: int, default: 1}, high: {type: int, default: 6}"
)
IT = pack(one_test(LIMITED, INPUTS, "facts: {value: moves.value, used: moves.used}\n"))


def adjusted(faces: list[int], moves: Any, **given: int) -> dict[str, Any]:
    return run(IT, "it", given, ChosenDice(faces), {"moves": moves}).facts


def ways(faces: tuple[int, ...], steps: int, direction: int, limits: Limits) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every way to turn the dice within the limits: steps used, faces after."""
    rooms = [range(limits.room(face, direction) + 1) for face in faces]
    wanted = min(limits.least, steps, sum(len(room) - 1 for room in rooms))
    for turns in product(*rooms):
        if wanted <= sum(turns) <= steps:
            yield sum(turns), tuple(face + direction * turn for face, turn in zip(faces, turns, strict=True))


def odd_aim(faces: tuple[int, ...]) -> int:
    """An aim with hills and valleys: a search that climbs step by step would get it wrong."""
    return sum((face * 7) % 5 for face in faces) + 3 * len(set(faces))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=4),
    st.integers(1, 4),
    st.sampled_from([1, -1]),
    st.sampled_from([1, -1]),
    st.builds(
        Limits, per_die=st.integers(0, 4), least=st.integers(0, 4), low=st.integers(1, 3), high=st.integers(4, 6)
    ),
)
def test_the_search_within_limits_is_exact(
    faces: list[int], steps: int, sign: int, direction: int, limits: Limits
) -> None:
    value, used, after = Search(odd_aim, sign, direction).best((), faces, steps, limits)
    every = list(ways(tuple(sorted(faces)), steps, direction, limits))
    best = max(sign * odd_aim(tuple(sorted(done))) for _, done in every)
    assert sign * value == best
    assert used == min(turned for turned, done in every if sign * odd_aim(tuple(sorted(done))) == best)
    assert (used, after) in every


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(1, 4), st.integers(1, 3), st.integers(4, 6))
def test_the_quick_solver_keeps_to_its_bounds(faces: list[int], steps: int, low: int, high: int) -> None:
    for direction in (1, -1):
        limits = Limits(low=low, high=high)
        quick = Solver(odd_aim, 1, direction, 6, len(faces), low, high).best((), faces, steps)
        assert quick == Search(odd_aim, 1, direction).best((), faces, steps, limits)[:2]


@pytest.mark.parametrize(
    ("given_", "faces", "moves", "message"),
    [
        ({"by": 3, "each_die": 1}, [1, 2, 3], [{"die": 1, "to": 3}], "die 1 cannot be turned so far"),
        ({"by": 1, "high": 4}, [4, 2, 3], [{"die": 1, "to": 5}], "die 1 cannot be turned so far"),
        ({"by": -1, "low": 2}, [4, 2, 3], [{"die": 2, "to": 1}], "die 2 cannot be turned so far"),
        ({"by": 2, "at_least": 2}, [1, 2, 3], [{"die": 1, "to": 2}], "1 steps are too few: 2 must be used"),
        ({"by": -1, "spare": 1}, [6, 6, 3], [{"die": 1, "to": 5}], "die 1 cannot be adjusted"),
    ],
)
def test_choices_that_break_a_limit_are_refused(
    given_: dict[str, int], faces: list[int], moves: Any, message: str
) -> None:
    with pytest.raises(GivenError, match=message):
        adjusted(faces, moves, **given_)


def test_what_limits_leave_can_be_done() -> None:
    assert adjusted([6, 6, 3], [{"die": 2, "to": 5}], by=-1, spare=1) == {"value": 14, "used": 1}
    assert adjusted([6, 6, 3], "best", by=-2, spare=1) == {"value": 13, "used": 2}
    assert adjusted([1, 2, 3], "best", by=5, each_die=1) == {"value": 9, "used": 3}
    assert adjusted([4, 4, 4], "best", by=3, high=4) == {"value": 12, "used": 0}
    assert adjusted([5, 5, 4], "best", by=3, at_least=3, high=5) == {"value": 15, "used": 1}, "no room for more"


def test_a_limit_on_protected_dice_needs_protected_dice() -> None:
    text = one_test("- {roll: pool, dice: 3d6}\n- {adjust: pool, by: 1, aim: sum(faces), protect_most: 1, into: x}")
    assert "`protect_most` needs `protect`" in problems(text)[0]


# ------------------------------------------------------------------------------------------ whose choice, titles

BY_VALUE = """
- pick: side
  from: [{is: gm, when: n > 0}, {is: roller}]
- {ask: sure, flag: true, who: side}
"""


def test_whose_choice_can_be_a_value() -> None:
    it = pack(one_test(BY_VALUE, "n: {type: int}"))
    for number, who in ((1, "gm"), (0, "roller")):
        asked = run(it, "it", {"n": number}, ChosenDice([])).pending
        assert asked is not None
        assert asked.who == who


def test_a_value_that_may_name_nobody_is_refused() -> None:
    text = one_test(BY_VALUE.replace("is: gm", "is: nobody"), "n: {type: int}")
    assert "nobody here is called 'side'" in problems(text)[0]


NAMED = """
kinds: {hero: {title: Hero, stats: {name: {type: int, default: 3}, secret: {type: int, default: 1, seen: gm}}}}
tests:
  it:
    title: It
    named: "%s"
    roles: {who: {kinds: [hero]}}
    inputs: {n: {type: int}}
    steps: [{let: {x: n}}]
"""


def test_the_title_of_one_call() -> None:
    from rules.sheets import Subject

    it = pack(NAMED % "It with {n} by {who.title}")
    done = run(it, "it", {"n": 4}, ChosenDice([]), subjects={"who": Subject(id="a", kind="hero", title="Ana")})
    assert done.title == "It with 4 by Ana"


def test_a_title_shows_nothing_hidden() -> None:
    assert "a title is read by everybody" in problems(NAMED % "It with {who.secret}")[0]
    assert "unknown name" in problems(NAMED % "It with {nn}")[0]


# ------------------------------------------------------------------------------------------ looking before choosing


def looked(faces: list[int], moves: list[dict[str, int]], **given: int) -> Any:
    return run(IT, "it", given, ChosenDice(faces), {"moves?": moves}).pending


def test_a_look_turns_the_dice_and_asks_again() -> None:
    asked = run(IT, "it", {"by": 4, "each_die": 3, "at_least": 2}, ChosenDice([1, 5, 6])).pending
    assert asked is not None
    assert (asked.value, asked.steps, asked.least) == (12, 4, 2)
    assert (asked.movable, asked.room) == ([1, 2], [3, 1])
    then = looked([1, 5, 6], [{"die": 1, "to": 3}], by=4, each_die=3, at_least=2)
    assert (then.value, then.steps, then.least) == (14, 2, 0)
    assert (then.movable, then.room) == ([1, 2], [1, 1])
    assert [(die.face, die.natural) for die in then.dice] == [(3, 1), (5, 5), (6, 6)]


def test_a_look_keeps_to_the_limits_and_decides_nothing() -> None:
    with pytest.raises(GivenError, match="cannot be turned so far"):
        looked([1, 5, 6], [{"die": 1, "to": 5}], by=4, each_die=3)
    once = run(IT, "it", {"by": 1}, ChosenDice([1, 5, 6]), {"moves?": []})
    assert (once.status, once.choices) == ("pending", {})


def test_what_the_dice_come_to_is_told_where_all_may_know() -> None:
    hidden = LIMITED.replace("aim: sum(f for f in faces)", "aim: sum(faces) + secret")
    it = pack(one_test(hidden, INPUTS + ", secret: {type: int, seen: gm}"))
    asked = run(it, "it", {"by": 1, "secret": 3}, ChosenDice([1, 5, 6])).pending
    assert asked is not None
    assert asked.value is None
