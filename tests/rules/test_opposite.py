"""Who stands on opposite sides of whom, by the squares of a grid."""

from __future__ import annotations

import pytest

from rules.board.geometry import Cell, is_between


@pytest.mark.parametrize(
    ("one", "two", "between"),
    [
        ((4, 5), (6, 5), True),
        ((4, 4), (6, 6), True),
        ((4, 5), (8, 5), True),
        ((4, 5), (5, 6), False),
        ((4, 5), (6, 6), False),
        ((4, 5), (3, 5), False),
        ((5, 5), (6, 5), False),
    ],
)
def test_the_middle_lies_on_the_line_and_between(one: Cell, two: Cell, between: bool) -> None:
    assert is_between(one, two, (5, 5)) is between and is_between(two, one, (5, 5)) is between
