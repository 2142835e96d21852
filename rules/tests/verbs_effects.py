"""Verbs that change stats: set and change.

Changes take effect at once for the steps that follow, and are listed in the run for the event that records them.
"""

from __future__ import annotations

from typing import Any

from rules.formulas import Formula
from rules.formulas.types import Int, Type
from rules.packs.schema import Step
from rules.tests.flow import Closure, Flow, Path
from rules.tests.fuse import Piece
from rules.tests.moment_values import PREFIX, MomentTarget, moment_target
from rules.tests.runtime import Runtime
from rules.tests.targets import Target, target


def build_set(flow: Flow, step: Step, path: Path) -> Closure | None:
    """set: {role.stat: formula}"""
    return writes(flow, step, step.set or {}, (*path, "set"), adding=False)


def build_change(flow: Flow, step: Step, path: Path) -> Closure | None:
    """change: {role.stat: formula to add}"""
    return writes(flow, step, step.change or {}, (*path, "change"), adding=True)


def writes(flow: Flow, step: Step, items: dict[str, Any], path: Path, adding: bool) -> Closure | None:
    made: list[tuple[Target | MomentTarget, Formula, str]] = []
    for text, value in items.items():
        answers = flow.shared.moment is not None and text.startswith(PREFIX) and text.count(".") == 1
        found = (moment_target if answers else target)(flow, text, (*path, text))
        if found is None:
            continue
        wanted: Type = Int() if adding else found.type
        if adding and not isinstance(found.type, Int):
            flow.report((*path, text), f"{text} is no number: nothing can be added to it")
            continue
        formula = flow.of_type(value, wanted, (*path, text))
        if formula is not None:
            made.append((found, formula, flow.audience_of(step, formula)))

    def write(rt: Runtime) -> None:
        for found, formula, seen in made:
            value = formula.run(rt.frame)
            if isinstance(found, MomentTarget):
                found.put(rt, value, adding, seen)
            else:
                key = "" if found.key is None else found.key(rt.frame)
                found.put(rt, found.sheet(rt.frame), key, value, adding, seen)

    return Piece(write, lambda code: [found.emit(code, value.node, adding, seen) for found, value, seen in made])


BUILDERS: dict[str, Any] = {"set": build_set, "change": build_change}
