"""The built-in functions of formulas. Division exists only inside the four roundings, see `check`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rules.problems import RulesError

# So many bits a product may have. Numbers that square themselves in a loop would soon fill the memory.
MOST_BITS = 256


def times(a: int, b: int) -> int:
    """The product. Raises RulesError where it is beyond all measure."""
    product = a * b
    if product.bit_length() > MOST_BITS:
        raise RulesError("a product grows beyond all measure")
    return product


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def half_up_div(a: int, b: int) -> int:
    """The nearest whole number; a half goes up (toward plus infinity)."""
    return (2 * a + b) // (2 * b) if b > 0 else (-2 * a - b) // (-2 * b)


def trunc_div(a: int, b: int) -> int:
    return a // b if (a >= 0) == (b > 0) else -(-a // b)


DIVISIONS: dict[str, Callable[[int, int], int]] = {
    "down": lambda a, b: a // b,
    "up": ceil_div,
    "near": half_up_div,
    "toward_zero": trunc_div,
}


def clamp(value: int, low: int, high: int) -> int:
    return low if value < low else high if value > high else value


def highest(values: Sequence[int], n: int) -> list[int]:
    return sorted(values, reverse=True)[: max(n, 0)]


def lowest(values: Sequence[int], n: int) -> list[int]:
    return sorted(values)[: max(n, 0)]


def distinct(values: Sequence[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


def best(values: Sequence[int], default: int | None, pick: Callable[[Sequence[int]], int], name: str) -> int:
    """The highest or lowest of a list; an empty one needs a default."""
    if values:
        return pick(values)
    if default is None:
        raise RulesError(f"{name} of an empty list")
    return default


def max_of(values: Sequence[int], default: int | None = None) -> int:
    return best(values, default, max, "max")


def min_of(values: Sequence[int], default: int | None = None) -> int:
    return best(values, default, min, "min")


def stack_sum(modifiers: Sequence[dict[str, Any]]) -> int:
    """Every modifier counts."""
    return sum(m["value"] for m in modifiers)


def stack_best_and_worst(modifiers: Sequence[dict[str, Any]]) -> int:
    """Of each type the highest bonus and the worst penalty; an untyped one has its source for a type."""
    best_of: dict[str, int] = {}
    worst_of: dict[str, int] = {}
    for m in modifiers:
        kind, value = m.get("type") or "from " + m.get("source", ""), m["value"]
        if value > 0:
            best_of[kind] = max(best_of.get(kind, 0), value)
        else:
            worst_of[kind] = min(worst_of.get(kind, 0), value)
    return sum(best_of.values()) + sum(worst_of.values())


def stack_best(modifiers: Sequence[dict[str, Any]]) -> int:
    """Of each type the highest only (the least bad, if all are penalties)."""
    best_of: dict[str, int] = {}
    for m in modifiers:
        kind, value = m.get("type") or "from " + m.get("source", ""), m["value"]
        best_of[kind] = max(best_of.get(kind, value), value)
    return sum(best_of.values())


STACKING: dict[str, Callable[[Sequence[dict[str, Any]]], int]] = {
    "sum": stack_sum,
    "best_per_type": stack_best,
    "best_and_worst_per_type": stack_best_and_worst,
}


HELD = "@held"
"""where a sheet has the cards in force by their name"""


def has_card(sheet: Any, card: str) -> bool:
    """Whether somebody holds a card; compiled formulas look it up themselves."""
    return card in sheet[HELD]


class Question:
    """A question to the board: a method of it, which compiled formulas call themselves."""

    __slots__ = ("method",)

    def __init__(self, method: str) -> None:
        self.method = method

    def __call__(self, board: Any, *args: Any) -> Any:
        return getattr(board, self.method)(*args)
