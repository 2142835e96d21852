"""Dice sources: fair, recorded, reproducible; enumeration exact."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.dice import ChosenDice, EnumeratingDice, RecordedDice, SeededDice, SystemDice, face
from rules.problems import BudgetExceeded, DiceError


def test_chosen_dice_say_what_is_wrong() -> None:
    dice = ChosenDice([4, 7])
    assert dice.roll(6) == 4
    with pytest.raises(DiceError, match="a d6 has no face 7"):
        dice.roll(6)
    assert dice.left == 1
    with pytest.raises(DiceError, match="only 0 faces"):
        ChosenDice([]).roll(6)


def test_recorded_dice_go_on_with_the_source_and_remember() -> None:
    dice = RecordedDice([3], ChosenDice([5, 6]))
    assert [dice.roll(6), dice.roll(6)] == [3, 5]
    assert dice.faces == [3, 5]


def test_a_word_that_would_favour_low_faces_is_thrown_away() -> None:
    """64 bits hold 6 a whole number of times with 4 words over: those last four are not used."""
    words = iter([(1 << 64) - 1, (1 << 64) - 4, 11])
    dice = SystemDice(lambda size: next(words).to_bytes(size, "big"))
    assert dice.roll(6) == 11 % 6 + 1


def test_system_dice_show_every_face() -> None:
    dice = SystemDice()
    assert {dice.roll(4) for _ in range(400)} == {1, 2, 3, 4}


@given(st.binary(min_size=16, max_size=32), st.integers(0, 10**9), st.integers(1, 1000))
def test_seeded_faces_follow_from_seed_and_counter(seed: bytes, counter: int, sides: int) -> None:
    dice = SeededDice(seed, counter)
    rolled = [dice.roll(sides), dice.roll(sides)]
    assert rolled == [face(seed, counter, sides), face(seed, counter + 1, sides)]
    assert all(1 <= shown <= sides for shown in rolled)
    assert dice.draws == [(counter, sides, rolled[0]), (counter + 1, sides, rolled[1])]


def test_seeded_face_is_pinned() -> None:
    """HMAC-SHA256 of (0^8, 0^4) under the seed, first word modulo 20: worked out once with another tool's hmac."""
    import hashlib
    import hmac as std_hmac

    block = std_hmac.new(b"seed", bytes(12), hashlib.sha256).digest()
    assert face(b"seed", 0, 20) == int.from_bytes(block[:8], "big") % 20 + 1


def walk(program) -> dict[object, Fraction]:  # type: ignore[no-untyped-def]
    dice = EnumeratingDice()
    out: Counter[object] = Counter()
    while True:
        result = program(dice)
        out[result] += Fraction(dice.weight, dice.total)
        if not dice.advance():
            return dict(out)


def test_two_dice_are_the_triangle() -> None:
    found = walk(lambda dice: sum(dice.pool(2, 6, ordered=False)))
    assert found[7] == Fraction(6, 36) and found[2] == Fraction(1, 36)
    assert sum(found.values()) == 1


def test_multisets_and_orders_weigh_the_same() -> None:
    assert walk(lambda d: tuple(sorted(d.pool(3, 4, True)))) == walk(lambda d: tuple(d.pool(3, 4, False)))


def test_rolls_that_depend_on_rolls() -> None:
    """A d4 rolled again on a 4: 4 + d4 for a quarter of the rolls."""
    found = walk(lambda d: first if (first := d.roll(4)) < 4 else 4 + d.roll(4))
    assert found == {1: Fraction(1, 4), 2: Fraction(1, 4), 3: Fraction(1, 4)} | {
        n: Fraction(1, 16) for n in (5, 6, 7, 8)
    }


def test_hostile_pools_are_refused() -> None:
    with pytest.raises(BudgetExceeded):
        EnumeratingDice().pool(40, 20, ordered=False)
    with pytest.raises(BudgetExceeded):
        EnumeratingDice().pool(12, 12, ordered=True)
