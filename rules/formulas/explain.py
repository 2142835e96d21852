"""The second evaluator: walks the checked tree and records every operand, to answer "why is this number this?"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from rules.formulas import nodes as n
from rules.formulas.compile import position
from rules.formulas.effort import SLOWLY, effort_of, metered, start
from rules.formulas.functions import DIVISIONS, times
from rules.formulas.types import Map

ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": times,
    "%": lambda a, b: a % b,
    **DIVISIONS,
}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}


class Part(msgspec.Struct, frozen=True):
    """One operand: the words of the formula it stands for, and its value."""

    source: str
    value: Any


class Explained(msgspec.Struct, frozen=True):
    """A formula with its value and the operands it was made from, in the order they were read."""

    formula: str
    value: Any
    parts: tuple[Part, ...]


def explain(text: str, node: n.Node, frame: Mapping[str, Any]) -> Explained:
    """Evaluate and record; parts of a branch that was not taken are not read."""
    start()
    walker = Walker(text, frame)
    value = walker.value(node)
    parts = {part.source: part for part in walker.parts}
    return Explained(text, value, tuple(parts.values()))


class Walker:
    """Evaluates a checked tree; `parts` collects what was read from outside (names, fields, items, functions)."""

    def __init__(self, text: str, frame: Mapping[str, Any]) -> None:
        self.text, self.frame = text, frame
        self.parts: list[Part] = []
        self.locals: dict[str, Any] = {}

    def value(self, node: n.Node) -> Any:
        match node:
            case n.Const():
                return node.value
            case n.Local():
                return self.locals[node.name]
            case n.Name() | n.Field() | n.CardField() | n.BaseOf() | n.Item():
                return self.read(node)
            case n.Call():
                return self.record(node, node.function.call(*(self.value(arg) for arg in node.args)))
            case n.Comp():
                return self.comp(node)
            case n.Listing():
                return tuple(self.value(value) for value in node.values)
        return self.operator(node)

    def record(self, node: n.Node, value: Any) -> Any:
        if not self.locals and isinstance(value, int | str | bool):
            self.parts.append(Part(self.text.encode()[node.start : node.end].decode(), value))
        return value

    def read(self, node: n.Node) -> Any:
        """A value from outside: its base is not a part of its own."""
        before = len(self.parts)
        value: Any
        match node:
            case n.Name():
                value = self.frame[node.name]
            case n.Field():
                value = self.value(node.base)[node.name]
            case n.CardField():
                value = node.values[self.value(node.base)]
            case n.BaseOf():
                value = self.value(node.base).base(node.stat)
            case n.Item():
                base, key = self.value(node.base), self.value(node.key)
                value = base[key] if isinstance(node.base.type, Map) else position(base, key)
        del self.parts[before:]
        return self.record(node, value)

    def operator(self, node: n.Node) -> Any:
        match node:
            case n.Unary():
                value = self.value(node.value)
                return (not value) if node.op == "not" else -value
            case n.Binary():
                return ARITHMETIC[node.op](self.value(node.left), self.value(node.right))
            case n.Logic():
                return self.logic(node)
            case n.Compare():
                return self.compare(node)
            case n.If():
                return self.value(node.then if self.value(node.test) else node.other)
        raise TypeError(f"no value for {type(node).__name__}")

    def logic(self, node: n.Logic) -> bool:
        stop_at = node.op == "or"
        for part in node.values:
            if bool(self.value(part)) is stop_at:
                return stop_at
        return not stop_at

    def compare(self, node: n.Compare) -> bool:
        left = self.value(node.values[0])
        for op, other in zip(node.ops, node.values[1:], strict=True):
            right = self.value(other)
            if not COMPARISONS[op](left, right):
                return False
            left = right
        return True

    def comp(self, node: n.Comp) -> list[Any]:
        source, out = self.value(node.source), []
        work = sum(effort_of(part).work for part in (node.element, *node.tests))
        for value in metered(source, work, SLOWLY):
            self.locals[node.var] = value
            if all(self.value(test) for test in node.tests):
                out.append(self.value(node.element))
        self.locals.pop(node.var, None)
        return out
