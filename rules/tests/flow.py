"""What is known at each point of a program while it is checked: names and their types, who may see them, what is set
only under a condition, and whether the program can still be running.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rules.formulas import Formula
from rules.formulas.types import Role, Scope, Type, union, widened
from rules.packs.schema import Moment, Step
from rules.tests.runtime import Runtime

if TYPE_CHECKING:
    from rules.packs.builder import Builder

Closure = Callable[[Runtime], "bool | None"]
"""runs a step; True ends the program"""

Path = tuple[Any, ...]
LEVELS = ("all", "holders", "gm")
ROLL_LISTS = frozenset({"faces", "natural", "all", "dice"})


ADJUSTED = "adjustments"
"""the name of what an `adjust` came to that says no other"""


def narrower(one: str, two: str) -> str:
    """The smaller of two audiences."""
    return LEVELS[max(LEVELS.index(one), LEVELS.index(two))]


def names_made(steps: Sequence[Step]) -> Iterator[str]:
    """Every name that some step in a list, at any depth, gives a value."""
    for step in steps:
        yield from step.let or ()
        for name in (step.roll, step.ask, step.pick, step.into):
            if name is not None:
                yield name
        for inner in (step.do, step.other, step.steps):
            yield from names_made(inner or ())


@dataclass
class RollInfo:
    """What is known of a roll's dice: whether the program looks at single places; whether anything reads their faces
    after an `adjust` (if nothing does, odds need not turn them), and whether anything looks at single dice then (if
    nothing does, odds need only their faces)."""

    ordered: bool = False
    read_later: bool = True
    seen_later: bool = True


@dataclass
class AskInfo:
    """A choice that a program can ask for, for those who list it."""

    id: str
    who: str
    kind: str
    title: str
    options: tuple[str, ...] = ()


@dataclass
class Shared:
    """What all flows of one program share."""

    builder: Builder
    owner: Path
    roles: tuple[str, ...] = ()
    outcomes: tuple[str, ...] | None = None
    reached: set[str] = field(default_factory=set)
    outcome_facts: dict[str, dict[str, Type]] = field(default_factory=dict)
    facts_seen: dict[str, str] = field(default_factory=dict)
    fact_names: list[tuple[Path, frozenset[str]]] = field(default_factory=list)
    ends: list[Flow] = field(default_factory=list)
    asks: dict[str, AskInfo] = field(default_factory=dict)
    effects: bool = False
    answered: bool = False
    """others may answer on the way, by choices that the steps do not name"""
    broken: set[str] = field(default_factory=set)
    moment: Moment | None = None
    """the one that is answered"""
    size: int = 0


class Flow:
    """One path of control through a program."""

    def __init__(self, shared: Shared, scope: Scope) -> None:
        self.shared = shared
        self.scope = scope
        self.seen: dict[str, str] = {}
        self.rolls: dict[str, RollInfo] = {}
        self.maybe: dict[str, Type] = {}
        self.fixed: set[str] = set()
        self.ended = False
        self.looping = False
        self.under = "all"
        """who may see what decides whether these steps are taken at all"""

    # ------------------------------------------------------------------ names

    def fork(self) -> Flow:
        other = Flow(self.shared, self.scope.child())
        other.seen, other.rolls, other.maybe = dict(self.seen), dict(self.rolls), dict(self.maybe)
        other.fixed, other.looping, other.under = self.fixed, self.looping, self.under
        return other

    def join(self, one: Flow, two: Flow, path: Path) -> None:
        """Go on with what holds after either of two paths; a path that ended does not count."""
        if one.ended or two.ended:
            left = two if one.ended else one
            self.adopt(left)
            self.ended = one.ended and two.ended
            return
        names: dict[str, Type] = {}
        for name in {**one.scope.names, **two.scope.names}:
            a, b = one.scope.names.get(name), two.scope.names.get(name)
            if a is not None and b is not None:
                kind = union(a, b)
                if kind is None:
                    self.report(path, f"{name!r} is {a.show()} on one way and {b.show()} on the other")
                    kind = a
                names[name] = kind
            else:
                self.maybe[name] = a or b  # type: ignore[assignment]
        self.scope.names = names
        self.maybe = {**one.maybe, **two.maybe, **self.maybe}
        self.seen = {k: narrower(one.seen.get(k, "all"), two.seen.get(k, "all")) for k in {**one.seen, **two.seen}}
        self.rolls = {**one.rolls, **two.rolls}

    def at_end(self) -> Flow:
        """What holds wherever the program ends."""
        ends = self.shared.ends if self.ended else [*self.shared.ends, self]
        out = ends[0].fork()
        for other in ends[1:]:
            one = out.fork()
            out.join(one, other.fork(), self.shared.owner)
        return out

    def adopt(self, other: Flow) -> None:
        self.scope.names, self.seen, self.rolls, self.maybe = other.scope.names, other.seen, other.rolls, other.maybe

    def define(self, name: str, kind: Type, path: Path, seen: str = "all") -> None:
        """A name gets a value; a name that had one keeps its type."""
        from rules.packs.source import ID, RESERVED

        if not ID.match(name) or name in RESERVED:
            self.report(path, f"{name!r} is no name: lower-case words joined by _, none of the language's own")
            return
        if name in self.fixed:
            self.report(path, f"{name!r} is given from outside and cannot be set")
            return
        before = self.scope.names.get(name) or self.maybe.get(name)
        if before is not None and union(before, kind) is None:
            self.report(path, f"{name!r} was {before.show()} before and cannot become {kind.show()}")
        self.scope.names[name] = kind
        self.maybe.pop(name, None)
        self.seen[name] = seen

    def loosen(self, names: set[str]) -> None:
        """Names that a loop changes are only known by their kind inside it."""
        for name in names & set(self.scope.names):
            self.scope.names[name] = widened(self.scope.names[name])

    # ------------------------------------------------------------------ formulas

    def report(self, path: Path, message: str, suggestion: str = "") -> None:
        self.shared.builder.source.report(path, message, suggestion)

    def note(self, formula: Formula | None) -> None:
        """Mark the rolls that a formula reads, and those of which it reads single places."""
        if formula is not None and self.rolls:
            for name in formula.reads & self.rolls.keys():
                self.rolls[name].read_later = True
                if {f"{name}.natural", f"{name}.dice"} & formula.reads:
                    self.rolls[name].seen_later = True
            for name, field_ in formula.survey.positions:
                if field_ in ROLL_LISTS and name in self.rolls:
                    self.rolls[name].ordered = True

    def follows_on(self, text: str | int | bool) -> bool:
        """Whether a formula reads what an earlier mistake left without a value: one mistake is one problem."""
        return any(re.search(rf"(?<![\w.']){name}(?![\w'])", str(text)) for name in self.shared.broken)

    def formula(self, text: str | int | bool, path: Path) -> Formula | None:
        if self.follows_on(text):
            return None
        self.explain_maybe(str(text), path)
        found = self.shared.builder.formula(text, self.scope, path)
        self.note(found)
        return found

    def condition(self, text: str | int | bool | None, path: Path) -> Formula | None:
        if text is not None:
            if self.follows_on(text):
                return None
            self.explain_maybe(str(text), path)
        found = self.shared.builder.condition(text, self.scope, path)
        self.note(found)
        return found

    def of_type(self, text: str | int | bool, wanted: Type, path: Path) -> Formula | None:
        if self.follows_on(text):
            return None
        self.explain_maybe(str(text), path)
        found = self.shared.builder.of_type(text, wanted, self.scope, path)
        self.note(found)
        return found

    def explain_maybe(self, text: str, path: Path) -> None:
        """A name that is set on some ways only cannot be read: say so, where `unknown name` would puzzle."""
        for name in self.maybe:
            if name in text and name not in self.scope.names and re.search(rf"(?<![\w.']){name}(?![\w'])", text):
                self.report(path, f"{name!r} is set only under a condition: it may have no value here")

    def audience_of(self, step: Step, *formulas: Formula | None) -> str:
        """Who may see what a step makes: what the step says, else all who may see everything it was made from."""
        if step.seen is not None:
            return step.seen
        level = "all"
        for formula in formulas:
            level = narrower(level, self.audience(formula))
        return level

    def hidden_stat(self, base: str, stat: str) -> str | None:
        """Who may see a stat of a subject: the narrowest of what its kinds say. None where the base is no subject."""
        kind = self.scope.names.get(base)
        if not isinstance(kind, Role):
            return None
        level = "all"
        for name in kind.kinds:
            spec = self.shared.builder.source.sections["kinds"][name].stats.get(stat)
            level = narrower(level, "all" if spec is None else spec.seen)
        return level

    def audience(self, formula: Formula | None) -> str:
        """The narrowest audience of anything a formula reads."""
        level = "all"
        if formula is None:
            return level
        hidden = self.shared.builder.hidden_stats
        for name in formula.reads:
            if name in self.seen:
                level = narrower(level, self.seen[name])
            base, dot, stat = name.rpartition(".")
            if dot and stat in hidden:
                level = narrower(level, self.hidden_stat(base, stat) or hidden[stat])
        return level
