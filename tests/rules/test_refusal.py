"""Refusals say values as JSON has them, never as Python writes them."""

from datetime import UTC, date, datetime
from uuid import UUID

import pytest

from rules.refusal import Refused, plain


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (date(2026, 12, 2), '"2026-12-02"'),
        (datetime(2026, 12, 2, 9, tzinfo=UTC), '"2026-12-02T09:00:00+00:00"'),
        (True, "true"),
        ([9, "ten", None], '[9, "ten", null]'),
        ({"might": (1, 2)}, '{"might": [1, 2]}'),
        (frozenset({"b", "a"}), '["a", "b"]'),
        (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        ("Übel", '"Übel"'),
    ],
)
def test_a_value_is_said_as_json_has_it(value: object, said: str) -> None:
    assert str(Refused("wrong", "Wrong.", field="x", value=value)) == f"Wrong. (x: {said})"


def test_plain_values_are_what_json_can_hold() -> None:
    assert plain({1: {date(2026, 1, 5)}}) == {"1": ["2026-01-05"]}
