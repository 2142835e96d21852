"""Tables and functions: what formulas can call."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

from rules.formulas import Formula
from rules.formulas.compile import PackFunction
from rules.formulas.effort import too_much
from rules.formulas.types import Function, Int, Text, Type
from rules.packs.builder import Builder
from rules.packs.schema import Func, Table
from rules.problems import RulesError


def build_functions(b: Builder) -> None:
    b.scope.functions = b.functions
    for name, table in b.source.sections["tables"].items():
        build_table(b, name, table)
    pending = dict(b.source.sections["functions"])
    for name in pending:
        if name in b.functions:
            b.source.report(("functions", name), f"{name!r} is also a table")
    while pending:
        name = next(iter(pending))
        build_function(b, name, pending, ())


def build_table(b: Builder, name: str, table: Table) -> None:
    path = ("tables", name)
    at = [row.at for row in table.rows]
    if not at:
        b.source.report((*path, "rows"), "a table has a row at least")
        return
    if at != sorted(set(at)):
        b.source.report((*path, "rows"), "rows stand in order, each `at` higher than the one before")
    cells = [b.formula(row.value, b.scope, (*path, "rows", i, "value")) for i, row in enumerate(table.rows)]
    below = None if table.below is None else b.formula(table.below, b.scope, (*path, "below"))
    values = [constant(cell) for cell in (*cells, below) if cell is not None]
    if None in values or len(values) != len(cells) + (below is not None):
        b.source.report(path, "a table holds plain numbers or names")
        return
    numbers = [value for value in values if isinstance(value, int)]
    names = frozenset(value for value in values if isinstance(value, str))
    if numbers and names:
        b.source.report(path, "a table holds numbers or names, not both")
        return
    result: Type = Text(names) if names else Int(min(numbers), max(numbers))
    lookup = make_lookup(name, at, values[: len(at)], values[-1] if below is not None else None)
    b.functions[name] = Function(name, (("value", Int()),), result, lookup)


def build_function(b: Builder, name: str, pending: dict[str, Func], open_: tuple[str, ...]) -> None:
    """Check one function, first those it calls; a circle is an error."""
    func = pending.pop(name)
    path = ("functions", name)
    for other in called_names(str(func.value)):
        if other == name or other in open_:
            b.source.report((*path, "value"), f"{name} calls itself")
            return
        if other in pending:
            build_function(b, other, pending, (*open_, name))
    scope = b.scope.child()
    params = []
    for param, spec in func.takes.items():
        kind = b.spec_type(spec, (*path, "takes", param))
        scope.names[param] = kind
        params.append((param, kind))
    found = b.formula(func.value, scope, (*path, "value"))
    if found is not None:
        wants = "setting" in found.reads
        names = ["setting"] * wants + [param for param, _ in params]
        function = PackFunction(found, names)
        wrong = too_much(name, function.effort)
        if wrong:
            b.source.report((*path, "value"), wrong)
            return
        b.functions[name] = Function(name, tuple(params), found.type, function, wants)


def constant(formula: Formula) -> int | str | None:
    """The one value that a formula can have, as its type knows it; None where it can have several."""
    kind = formula.type
    if isinstance(kind, Int):
        return kind.low if kind.low == kind.high else None
    if isinstance(kind, Text) and kind.options is not None and len(kind.options) == 1:
        return next(iter(kind.options))
    return None


def make_lookup(name: str, at: list[int], values: list[Any], below: Any) -> Any:
    def lookup(value: int) -> Any:
        found = bisect_right(at, value)
        if found:
            return values[found - 1]
        if below is None:
            raise RulesError(f"the table {name} starts at {at[0]}: nothing stands for {value}")
        return below

    return lookup


def called_names(text: str) -> set[str]:
    return set(re.findall(r"([a-z][a-z0-9_]*)\s*\(", text))
