"""What can be told about numbers and conditions before any value is known: interval arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rules.formulas.functions import MOST_BITS
from rules.formulas.types import Bool, Int, Text, Type


def add(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def negate(kind: Type) -> Int:
    assert isinstance(kind, Int)
    return Int(None if kind.high is None else -kind.high, None if kind.low is None else -kind.low)


def arithmetic(op: str, left: Type, right: Type) -> Int:
    """Bounds of a sum, difference, product or remainder."""
    assert isinstance(left, Int) and isinstance(right, Int)
    if op == "-":
        right, op = negate(right), "+"
    if op == "+":
        return Int(add(left.low, right.low), add(left.high, right.high))
    if op == "*":
        return product(left, right)
    if right.low is not None and right.low > 0:
        return Int(0, None if right.high is None else right.high - 1)
    return Int()


def product(left: Int, right: Int) -> Int:
    if left.low is None or left.high is None or right.low is None or right.high is None:
        both_positive = (left.low or -1) >= 0 and (right.low or -1) >= 0
        return Int(0) if both_positive else Int()
    corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    # Past this a product is refused when it is worked out; its bounds need not be carried along.
    if max(corner.bit_length() for corner in corners) > MOST_BITS:
        return Int()
    return Int(min(corners), max(corners))


def division(left: Type, right: Type, divide: Callable[[int, int], int]) -> Int:
    """Bounds of a rounded division by a constant above zero; anything else is unbounded."""
    assert isinstance(left, Int) and isinstance(right, Int)
    if right.low is None or right.low != right.high or right.low <= 0:
        return Int()
    by = right.low
    return Int(*(None if end is None else divide(end, by) for end in (left.low, left.high)))


def logic(op: str, kinds: Sequence[Type]) -> bool | None:
    known = [kind.known for kind in kinds if isinstance(kind, Bool)]
    decisive = op == "or"
    if decisive in known:
        return decisive
    return (not decisive) if all(k is (not decisive) for k in known) else None


def compare(op: str, left: Type, right: Type) -> bool | None:
    """The value of a comparison where the bounds settle it."""
    if isinstance(left, Text) and isinstance(right, Text):
        same = left.options is not None and left.options == right.options and len(left.options) == 1
        return (op == "==") if same else None
    if not (isinstance(left, Int) and isinstance(right, Int)):
        return None
    if op in ("==", "!="):
        return equality(op, left, right)
    if op in (">", ">="):
        left, right, op = right, left, "<" if op == ">" else "<="
    return less(left, right, strict=op == "<")


def equality(op: str, left: Int, right: Int) -> bool | None:
    if less(left, right, strict=True) or less(right, left, strict=True):
        return op == "!="
    one_value = left.low is not None and left.low == left.high == right.low == right.high
    return (op == "==") if one_value else None


def less(left: Int, right: Int, strict: bool) -> bool | None:
    """Whether every value of left is below (or at most) every value of right; None when it depends."""
    if (
        left.high is not None
        and right.low is not None
        and (left.high < right.low or (not strict and left.high == right.low))
    ):
        return True
    if (
        left.low is not None
        and right.high is not None
        and (left.low > right.high or (strict and left.low == right.high))
    ):
        return False
    return None
