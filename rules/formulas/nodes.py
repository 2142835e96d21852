"""The checked tree of a formula. Every node knows its type and its place in the text (start, end)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rules.formulas.types import Function, Type


@dataclass(frozen=True, slots=True)
class Node:
    type: Type
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Const(Node):
    value: Any


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A variable of the frame."""

    name: str


@dataclass(frozen=True, slots=True)
class Local(Node):
    """The running variable of `... for x in ...`."""

    name: str


@dataclass(frozen=True, slots=True)
class Field(Node):
    """A field of a record or a stat of a role."""

    base: Node
    name: str


@dataclass(frozen=True, slots=True)
class CardField(Node):
    """A field of the card that `base` names; `values` maps card id to the value."""

    base: Node
    name: str
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BaseOf(Node):
    """The value of a stat of a role before modifiers."""

    base: Node
    stat: str


@dataclass(frozen=True, slots=True)
class Item(Node):
    """One item of a map (by key) or list (by position from 0, negative from the end)."""

    base: Node
    key: Node


@dataclass(frozen=True, slots=True)
class Unary(Node):
    op: str
    value: Node


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """Arithmetic: + - * % and the four roundings of a division (down, up, near, toward_zero)."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Logic(Node):
    op: str
    values: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Compare(Node):
    ops: tuple[str, ...]
    values: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class If(Node):
    test: Node
    then: Node
    other: Node


@dataclass(frozen=True, slots=True)
class Listing(Node):
    values: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Call(Node):
    function: Function
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Comp(Node):
    """`element for var in source if test ...`, a list."""

    element: Node
    var: str
    source: Node
    tests: tuple[Node, ...]
