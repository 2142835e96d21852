"""How much work a formula may be: what is known when it is checked, and a meter for lists that are walked when it runs.

Packs come from anybody who may lay house rules, and a formula runs inside a command. So none may hang: functions that
call functions that call functions have their cost worked out beforehand; lists have a bound; and walks within walks
are counted, for each formula and, where whoever runs them asks for it (:func:`budget`), for all of a command together.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from rules.formulas import nodes as n
from rules.formulas.reads import children
from rules.problems import BudgetExceeded

MOST_WORK = 2_000
"""nodes that a function may come to, with all that it calls"""
DEEPEST = 40
"""functions that may call one another in a row"""
LONGEST = 1_000
"""items of a list"""
MOST_WALKED = 400_000
"""items times nodes that one formula may walk"""
MOST_IN_ALL, SLOWLY = 2_000_000, 5
"""items times nodes that all formulas of one command may walk: a second or two. One that is told step by step takes
that many times as long"""
SIMPLE, FEW = 60, 64
"""a walk of fewer nodes an item, through fewer items, is not counted, unless it stands within another one"""
HEAVY = 200
"""nodes from which on a call of a function counts like a walk"""


class Effort(NamedTuple):
    """`work`: nodes, each list counted as if it had one item. `depth`: calls of functions in a row. `walks`: whether a
    list is walked by something that is called."""

    work: int
    depth: int
    walks: bool


NOTHING = Effort(1, 0, False)


def effort_of(node: n.Node) -> Effort:
    """The effort of a checked formula; of a pack's function each was worked out when it was declared."""
    work, depth, walks = 1, 0, False
    for child in children(node):
        found = effort_of(child)
        work, depth, walks = work + found.work, max(depth, found.depth), walks or found.walks
    if isinstance(node, n.Comp):
        walks = True
    if isinstance(node, n.Call):
        called = getattr(node.function.call, "effort", NOTHING)
        work, depth, walks = work + called.work, max(depth, called.depth + 1), walks or called.walks
    return Effort(work, depth, walks)


def too_much(name: str, found: Effort) -> str:
    """What is wrong with a function of this effort; empty if nothing is."""
    if found.work > MOST_WORK:
        return f"{name} is too much work: with all that it calls it comes to more than {MOST_WORK} steps"
    if found.depth > DEEPEST:
        return f"{name} is too deep: functions may call one another {DEEPEST} deep"
    return ""


class Meter(threading.local):
    """What the running formula has walked, and what all of this command's may walk yet (None: nobody asked)."""

    spent = 0
    left: int | None = None


METER = Meter()


def start() -> None:
    """A formula begins."""
    METER.spent = 0


@contextmanager
def budget() -> Iterator[None]:
    """Within it all formulas of this thread walk no more than MOST_IN_ALL together; within another one, its rest."""
    if METER.left is not None:
        yield
        return
    METER.left = MOST_IN_ALL
    try:
        yield
    finally:
        METER.left = None


def _take(work: int) -> None:
    if METER.left is not None:
        METER.left -= work
        if METER.left < 0:
            raise BudgetExceeded("the rules walk too many lists for one command")


def metered(items: Sequence[Any], work: int, slowness: int = 1) -> Sequence[Any]:
    """The items, counted at so many nodes each. Raises BudgetExceeded past what one formula, or one command's, may."""
    METER.spent += len(items) * work
    if METER.spent > MOST_WALKED:
        raise BudgetExceeded("a formula walks too many lists within lists")
    _take(len(items) * work * slowness)
    return items


def simple(items: Sequence[Any], work: int) -> Sequence[Any]:
    """The items of a walk that is counted only where they are many."""
    if len(items) >= FEW:
        _take(len(items) * work)
    return items


def charged(value: Any, work: int) -> Any:
    """The value of a function that was so much work."""
    _take(work)
    return value


def joined(one: Sequence[Any], two: Sequence[Any]) -> list[Any]:
    """One list after the other. Raises BudgetExceeded where that is too long."""
    if len(one) + len(two) > LONGEST:
        raise BudgetExceeded(f"a list has at most {LONGEST} items")
    return [*one, *two]
