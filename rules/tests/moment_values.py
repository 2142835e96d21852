"""What answers change in a moment: `set: {moment.damage: ...}`, `change: {moment.damage: -3}`."""

from __future__ import annotations

import ast
from typing import Any

from rules.formulas import nodes as n
from rules.formulas.types import Record, Role, Type
from rules.packs.schema import Spec
from rules.problems import nearest
from rules.tests.flow import Flow, Path
from rules.tests.fuse import Code
from rules.tests.runtime import Runtime
from rules.tests.trace import TraceStep

PREFIX = "moment."


class MomentTarget:
    """A value of the moment that is being answered."""

    def __init__(self, name: str, kind: Type, spec: Spec) -> None:
        self.name, self.type, self.spec = name, kind, spec

    def put(self, rt: Runtime, value: Any, adding: bool, seen: str) -> None:
        """Set it to a value, or add that, within the bounds that the moment declares."""
        values = rt.frame["moment"]
        before = values[self.name]
        after = within_bounds(self.spec, before + value if adding else value)
        values[self.name] = after
        if rt.trace is not None and after != before:
            text = f"{self.name}: {before} -> {after}" if isinstance(after, int | str) else self.name
            rt.trace.append(TraceStep(kind="set", text=text, seen=seen, depth=rt.depth))

    def emit(self, code: Code, value: n.Node, adding: bool, seen: str) -> ast.stmt:
        """The code that puts a value."""
        given = (code.expr(value), code.constant(adding), code.constant(seen))
        return code.do(code.call(self.put, code.load("rt"), *given))


def within_bounds(spec: Spec, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    if spec.min is not None and value < spec.min:
        return spec.min
    return spec.max if spec.max is not None and value > spec.max else value


def moment_target(flow: Flow, text: str, path: Path) -> MomentTarget | None:
    """The value of the moment that `moment.name` names; who is in its roles stays."""
    kind = flow.scope.names["moment"]
    assert isinstance(kind, Record)
    name = text.removeprefix(PREFIX)
    found = kind.fields.get(name)
    values = {key: of for key, of in kind.fields.items() if not isinstance(of, Role)}
    if found is None or name not in values:
        flow.report(path, f"the moment has no value {name!r}", nearest(name, values))
        return None
    assert flow.shared.moment is not None
    return MomentTarget(name, found, flow.shared.moment.values[name])
