"""Exact odds: against numbers of the rules, against a second engine, and against plain counting."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.dice import ChosenDice
from rules.problems import BudgetExceeded
from rules.tests import ChoiceNeeded, odds, run
from rules.tests.adjust import Solver
from tests.rules.pool import pool_pack
from tests.rules.small import one_test, pack

ALL = 12**7
BANDS = ("penalty", "failure", "partial", "success", "superb", "epic_success")


@pytest.mark.parametrize(
    ("adjustments", "ways"),
    [
        (0, (2208573, 13545579, 11082400, 8520610, 474400, 246)),
        (3, (191075, 5134397, 9918995, 17571926, 3006118, 9297)),
        (-3, (8413724, 18686553, 6286294, 2371729, 73472, 36)),
    ],
)
def test_seven_d12_with_adjustments_played_best(adjustments: int, ways: tuple[int, ...]) -> None:
    """Counts over all 12^7 rolls, known from the rules' own worked tables (ATC-085, 088, 089)."""
    found = odds(pool_pack(), "check", {"adjustments": adjustments}, {"moves": "best"})
    assert found.of == ALL and found.cases == 31824
    assert tuple(int(found.facts["band"][band] * ALL) for band in BANDS) == ways
    assert odds(pool_pack(), "check", {"adjustments": adjustments}, {"moves": "best"}) is found


def test_the_net_of_the_pool_by_another_engine() -> None:
    import icepool

    def net(*faces: int) -> int:
        over = faces.count(12) - faces.count(1)
        return sum(f >= 9 for f in faces) - sum(f <= 3 for f in faces) + max(over, 0)

    class Net(icepool.MultisetEvaluator):
        """Walks faces with their counts, as icepool does."""

        def next_state(self, state, order, outcome, count):  # type: ignore[no-untyped-def]
            passes, over = state or (0, 0)
            passes += count * ((outcome >= 9) - (outcome <= 3))
            over += count * ((outcome == 12) - (outcome == 1))
            return passes, over

        def final_outcome(self, final_state, order, outcomes, *sizes, **more):  # type: ignore[no-untyped-def]
            return final_state[0] + max(final_state[1], 0)

    second = Net()(icepool.d12.pool(7))
    found = odds(pool_pack(), "check").facts["net"]
    assert net(12, 12, 10, 9, 6, 4, 1) == 4
    assert {value: int(chance * ALL) for value, chance in found.items()} == dict(second.items())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=4),
    st.lists(st.integers(1, 6), max_size=2),
    st.integers(0, 3),
    st.sampled_from([1, -1]),
    st.lists(st.integers(-3, 3), min_size=6, max_size=6),
)
def test_the_solver_finds_the_best_of_all_ways(
    movable: list[int], fixed: list[int], steps: int, direction: int, worth: list[int]
) -> None:
    """Against trying every way to spend the steps, for an aim that no rule of thumb fits."""

    def aim(faces: tuple[int, ...]) -> int:
        return sum(worth[face - 1] for face in faces) + 4 * (len(set(faces)) == len(faces))

    tried = [
        (aim(tuple(sorted([*fixed, *moved]))), sum(spent))
        for spent in product(range(steps + 1), repeat=len(movable))
        if sum(spent) <= steps and all(1 <= face + direction * by <= 6 for face, by in zip(movable, spent, strict=True))
        for moved in [[face + direction * by for face, by in zip(movable, spent, strict=True)]]
    ]
    best = max(value for value, _ in tried)
    solver = Solver(aim, 1, direction, 6, len(movable) + len(fixed))
    value, used = solver.best(fixed, movable, steps)
    assert (value, used) == (best, min(spent for found, spent in tried if found == best))
    after = solver.after(fixed, movable, steps)
    assert aim(tuple(sorted((*fixed, *after)))) == best
    assert sum(abs(a - b) for a, b in zip(sorted(movable), after, strict=True)) == used


@settings(max_examples=25, deadline=None)
@given(st.integers(-30, 30), st.integers(-5, 5), st.sampled_from([-1, 0, 1]))
def test_advantage_by_plain_counting(goal: int, bonus: int, edge: int) -> None:
    """p, 1-(1-p)^2 and p^2 with 20 always and 1 never enough."""
    it = pack(
        one_test(
            """
            - {roll: check, count: 1 if edge == 0 else 2, sides: 20}
            - {keep: check, highest: 1, when: edge > 0}
            - {keep: check, lowest: 1, when: edge < 0}
            - {outcome: yes_, when: check.total == 20 or check.total != 1 and check.total + bonus >= goal}
            - {outcome: no_}
            """,
            "goal: {type: int}, bonus: {type: int}, edge: {type: int, min: -1, max: 1}",
            "outcomes: {yes_: {title: Y}, no_: {title: N}}\n",
        )
    )
    p = Fraction(min(max(21 - (goal - bonus), 1), 19), 20)
    wanted = {0: p, 1: 1 - (1 - p) ** 2, -1: p**2}[edge]
    assert odds(it, "it", {"goal": goal, "bonus": bonus, "edge": edge}).outcomes["yes_"] == wanted


def test_order_counts_where_the_program_looks_at_places() -> None:
    it = pack(one_test("- {roll: pool, dice: 2d6}\n- {let: {first: 'pool.faces[0]'}}", more="facts: {first: first}\n"))
    assert odds(it, "it").facts["first"] == {face: Fraction(1, 6) for face in range(1, 7)}


def test_choices_must_be_fixed() -> None:
    it = pack(
        one_test(
            """
            - {roll: a, dice: d6}
            - {ask: again, flag: true, when: a.total < 3, otherwise: false}
            - {let: {x: again}}
            """
        )
    )
    with pytest.raises(ChoiceNeeded) as caught:
        odds(it, "it")
    assert caught.value.ask.id == "again"
    assert odds(it, "it", {}, {"again": True}).outcomes == {"done": 1}


def test_refusals_have_odds_too() -> None:
    it = pack(one_test("- {roll: a, dice: d6}\n- {require: a.total > 1, reason: unlucky}"))
    assert odds(it, "it").refused == Fraction(1, 6)


def test_too_many_cases_are_refused() -> None:
    it = pack(one_test("- {roll: a, dice: 30d20}"))
    with pytest.raises(BudgetExceeded):
        odds(it, "it")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 12), min_size=7, max_size=7), st.integers(-4, 4))
def test_adjustments_move_the_net_by_at_most_their_number(faces: list[int], adjustments: int) -> None:
    """ATC-065: one step changes the net by 0 or 1, never the wrong way."""
    before = run(pool_pack(), "check", {}, ChosenDice(faces)).facts["net"]
    after = run(pool_pack(), "check", {"adjustments": adjustments}, ChosenDice(faces), {"moves": "best"}).facts["net"]
    moved = (after - before) * (1 if adjustments > 0 else -1)
    assert 0 <= moved <= abs(adjustments)
