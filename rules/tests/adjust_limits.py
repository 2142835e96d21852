"""Limits on adjusting: how far one die may be turned, between which faces, how many steps must be used; and the exact
search that keeps to them (the quick solver in `adjust` knows only the faces).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, groupby
from typing import Any

from msgspec import Struct

from rules.formulas import Formula
from rules.formulas.compile import compile_record
from rules.formulas.types import Int
from rules.packs.schema import Step
from rules.tests.adjust import Faces
from rules.tests.flow import Flow, Path
from rules.tests.runtime import Runtime

ANY = 10**6
MAX_KNOWN = 64
LIMITS = ("protect_most", "per_die", "least", "min", "max")


class Limits(Struct, frozen=True):
    """`protect_most`: of the protected dice so many at most are held; `per_die`: steps one die may take; `least`: steps
    that must be used, as far as they can be; `low` and `high`: faces that no die may be turned past."""

    protect_most: int = ANY
    per_die: int = ANY
    least: int = 0
    low: int = 1
    high: int = ANY

    def narrow(self, by: int) -> bool:
        """Whether they bind more than the faces do, so that the quick solver does not serve."""
        return self.least > 0 or self.per_die < abs(by)

    def room(self, face: int, direction: int) -> int:
        """How many steps a die at this face can take."""
        span = self.high - face if direction > 0 else face - self.low
        return max(0, min(span, self.per_die))

    def wanted(self, faces: Sequence[int], direction: int, steps: int) -> int:
        """How many of the steps must be used on dice that lie so."""
        return min(self.least, steps, sum(self.room(face, direction) for face in faces)) if self.least else 0


def build_limits(flow: Flow, step: Step, path: Path) -> Callable[[Runtime, int], Limits] | None:
    """The limits of a step as it stands in a run; None after reporting what is wrong with one."""
    found: dict[str, Formula] = {}
    for word in LIMITS:
        text = getattr(step, word)
        formula = None if text is None else flow.of_type(text, Int(), (*path, word))
        if text is not None and formula is None:
            return None
        if formula is not None:
            found[{"min": "low", "max": "high"}.get(word, word)] = formula
    if step.protect_most is not None and step.protect is None:
        flow.report((*path, "protect_most"), "`protect_most` needs `protect`")
        return None

    if not found:
        return lambda rt, sides: unlimited(sides)
    read = compile_record({name: formula.node for name, formula in found.items()})
    known: dict[tuple[int, ...], Limits] = {}

    def limits(rt: Runtime, sides: int) -> Limits:
        values = read(rt.frame)
        key = (sides, *values.values())
        made = known.get(key)
        if made is None:
            if len(known) >= MAX_KNOWN:
                known.clear()
            values["high"], values["low"] = min(values.get("high", sides), sides), max(values.get("low", 1), 1)
            made = known[key] = Limits(**values)
        return made

    return limits


@lru_cache(maxsize=MAX_KNOWN)
def unlimited(sides: int) -> Limits:
    return Limits(high=sides)


class Search:
    """Best use of up to k steps within limits, by trying every way; remembers what it found."""

    def __init__(self, value: Callable[[Faces], int], sign: int, direction: int) -> None:
        self.value, self.sign, self.direction = value, sign, direction
        self.known: dict[Any, tuple[int, int, Faces]] = {}

    def best(self, fixed: Sequence[int], movable: Sequence[int], steps: int, limits: Limits) -> tuple[int, int, Faces]:
        """Value of the aim, steps used, and the movable faces after them in the order of the sorted faces before."""
        start = tuple(sorted(movable))
        key = (tuple(sorted(fixed)), start, steps, limits)
        if key not in self.known:
            self.known[key] = self.search(tuple(fixed), start, steps, limits)
        return self.known[key]

    def search(self, fixed: Faces, start: Faces, steps: int, limits: Limits) -> tuple[int, int, Faces]:
        wanted = limits.wanted(start, self.direction, steps)
        groups = [(face, len(list(same))) for face, same in groupby(start)]
        found: list[tuple[int, int, Faces]] = []
        for after in self.ways(groups, steps, limits):
            used = sum(abs(one - other) for one, other in zip(after, start, strict=True))
            if used >= wanted:
                found.append((self.sign * self.value(tuple(sorted(fixed + after))), -used, after))
        value, used, after = max(found)
        return value * self.sign, -used, after

    def ways(self, groups: list[tuple[int, int]], steps: int, limits: Limits) -> Iterator[Faces]:
        """Every way the dice can lie after up to so many steps; dice that lie alike are one case."""
        if not groups:
            yield ()
            return
        (face, count), rest = groups[0], groups[1:]
        most = min(limits.room(face, self.direction), steps)
        for moves in combinations_with_replacement(range(most + 1), count):
            if sum(moves) <= steps:
                turned = tuple(face + self.direction * move for move in moves)
                for others in self.ways(rest, steps - sum(moves), limits):
                    yield turned + others
