"""Types of formula values.

Whole numbers carry bounds where they are known and truth values carry a known value, so that a condition that can
never hold is found when the pack is loaded. Names (short texts) carry the closed set they are taken from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


class Type:
    """Base of all types."""

    def show(self) -> str:
        raise NotImplementedError


@dataclass(frozen=True)
class Int(Type):
    """A whole number from `low` to `high`; None is no bound."""

    low: int | None = None
    high: int | None = None

    def show(self) -> str:
        return "a number"


@dataclass(frozen=True)
class Bool(Type):
    """True or false; `known` is its value where it can be told beforehand."""

    known: bool | None = None

    def show(self) -> str:
        return "true or false"


@dataclass(frozen=True)
class Text(Type):
    """A name. `options` is the closed set it belongs to (None: free text); `card` the card type it names, if any."""

    options: frozenset[str] | None = None
    card: str | None = None

    def show(self) -> str:
        return f"a {self.card} card" if self.card else "a name" if self.options is not None else "a text"


@dataclass(frozen=True)
class List(Type):
    """A list of values of one type."""

    of: Type

    def show(self) -> str:
        return f"a list ({self.of.show()})"


@dataclass(frozen=True)
class Record(Type):
    """Named fields, each with its type."""

    name: str
    fields: Mapping[str, Type] = field(hash=False, compare=False)

    def show(self) -> str:
        return f"a {self.name}"


CELL = Record("place", {"x": Int(), "y": Int()})


@dataclass(frozen=True)
class Map(Type):
    """One value for each key; reading a key that has none gives `default` at run time."""

    key: Text
    of: Type

    def show(self) -> str:
        return f"a value for each {self.key.card or 'name'}"


@dataclass(frozen=True)
class Role(Type):
    """A subject taking part. `stats` are what can be read of it; `bases` those with a value under modifiers."""

    kinds: frozenset[str]
    stats: Mapping[str, Type] = field(hash=False, compare=False)

    def show(self) -> str:
        return f"a subject ({' or '.join(sorted(self.kinds))})" if self.kinds else "a subject"


@dataclass(frozen=True)
class Function:
    """A function of formulas: parameter types, result type and the plain Python function that computes it.

    `wants_settings`: it reads the pack's settings, which are handed to it before its own parameters.
    """

    name: str
    params: tuple[tuple[str, Type], ...]
    result: Type
    call: Callable[..., Any] = field(hash=False, compare=False)
    wants_settings: bool = False


@dataclass
class Scope:
    """What a formula may name: variables, functions, and the fields of cards by card type."""

    names: dict[str, Type] = field(default_factory=dict)
    functions: Mapping[str, Function] = field(default_factory=dict)
    cards: Mapping[str, Mapping[str, Type]] = field(default_factory=dict)
    card_values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    held: Mapping[str, Mapping[str, Type]] = field(default_factory=dict)
    board: Role | None = None
    """who can stand on a board, where one can be read"""

    def child(self) -> Scope:
        return Scope(dict(self.names), self.functions, self.cards, self.card_values, self.held, self.board)


def accepts(wanted: Type, given: Type) -> bool:
    """Whether a value of type `given` may stand where `wanted` is declared (bounds are checked at run time)."""
    match wanted, given:
        case (Int(), Int()) | (Bool(), Bool()):
            return True
        case Text(), Text():
            return wanted.options is None or (given.options is not None and given.options <= wanted.options)
        case List(), List():
            return accepts(wanted.of, given.of)
        case Record(), Record():
            return wanted.fields.keys() <= given.fields.keys() and all(
                accepts(kind, given.fields[name]) for name, kind in wanted.fields.items()
            )
        case Map(), Map():
            return accepts(wanted.of, given.of)
        case Role(), Role():
            return given.kinds <= wanted.kinds
    return False


def below(kind: Type, bound: int) -> bool:
    """Whether a number is known beforehand to lie below a bound."""
    return isinstance(kind, Int) and kind.high is not None and kind.high < bound


def union(one: Type, two: Type) -> Type | None:
    """The narrowest type that holds values of both, or None when they do not mix."""
    match one, two:
        case Int(), Int():
            low = None if one.low is None or two.low is None else min(one.low, two.low)
            high = None if one.high is None or two.high is None else max(one.high, two.high)
            return Int(low, high)
        case Bool(), Bool():
            return Bool(one.known if one.known == two.known else None)
        case Text(), Text():
            options = None if one.options is None or two.options is None else one.options | two.options
            return Text(options, one.card if one.card == two.card else None)
        case List(), List():
            inner = union(one.of, two.of)
            return None if inner is None else List(inner)
        case Role(), Role():
            return Role(one.kinds | two.kinds, {k: v for k, v in one.stats.items() if k in two.stats})
    return one if one == two or accepts(one, two) else None


def widened(kind: Type) -> Type:
    """The same type without what is only known about one moment (for variables that change in a loop)."""
    if isinstance(kind, Int):
        return Int()
    if isinstance(kind, Bool):
        return Bool()
    if isinstance(kind, List):
        return List(widened(kind.of))
    return kind
