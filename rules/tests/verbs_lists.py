"""Verbs that change lists on a sheet: insert, update, remove."""

from __future__ import annotations

from typing import Any

from rules.formulas import Formula
from rules.formulas.types import List, Record
from rules.packs.schema import Step
from rules.problems import nearest
from rules.tests.flow import Closure, Flow, Path
from rules.tests.runtime import Runtime
from rules.tests.targets import Target, target


def list_target(flow: Flow, text: str | None, path: Path) -> Target | None:
    found = target(flow, text or "", path)
    if found is not None and not isinstance(found.type, List):
        flow.report(path, f"{text} is no list")
        return None
    return found


def item_values(flow: Flow, step: Step, found: Target, path: Path, whole: bool) -> dict[str, Formula] | None:
    """The fields of a new or changed record of a list."""
    assert isinstance(found.type, List)
    if not isinstance(found.type.of, Record):
        flow.report(path, f"{found.text} is a list of plain values: write `value`")
        return None
    fields, given = found.type.of.fields, step.values or {}
    out: dict[str, Formula] = {}
    for name, text in given.items():
        if name not in fields:
            flow.report((*path, "values", name), f"no field is called {name!r}", nearest(name, fields))
            continue
        formula = flow.of_type(text, fields[name], (*path, "values", name))
        if formula is not None:
            out[name] = formula
    if whole and out.keys() != fields.keys():
        flow.report(path, f"the fields {', '.join(sorted(fields.keys() - out.keys()))} are missing")
        return None
    return out


def item_condition(flow: Flow, step: Step, found: Target, path: Path) -> Formula | None:
    """A condition on `item`, one record of the list; `true` is all of them."""
    assert isinstance(found.type, List)
    if step.where is None:
        flow.report(path, "say which items: `where`, a condition on `item`")
        return None
    if step.where is True:
        return flow.formula(True, (*path, "where"))
    return knowing_item(flow, found).condition(step.where, (*path, "where"))


def knowing_item(flow: Flow, found: Target) -> Flow:
    """The flow with `item`, one record of the list."""
    assert isinstance(found.type, List)
    inner = flow.fork()
    inner.scope.names["item"] = found.type.of
    return inner


def matches(rt: Runtime, where: Formula, item: Any) -> bool:
    rt.frame["item"] = item
    return bool(where.run(rt.frame))


def build_insert(flow: Flow, step: Step, path: Path) -> Closure | None:
    """insert: role.list, with values: {field: formula} for a record, or value: formula for anything else"""
    found = list_target(flow, step.insert, (*path, "insert"))
    if found is None:
        return None
    if step.value is not None:
        return insert_plain(flow, step, found, path)
    made = item_values(flow, step, found, path, whole=True)
    if made is None:
        return None

    def insert(rt: Runtime) -> None:
        item = {name: formula.run(rt.frame) for name, formula in made.items()}
        found.write(rt, lambda before: [*before, item], "all")

    return insert


def insert_plain(flow: Flow, step: Step, found: Target, path: Path) -> Closure | None:
    assert isinstance(found.type, List) and step.value is not None
    formula = flow.of_type(step.value, found.type.of, (*path, "value"))
    if formula is None:
        return None

    def insert(rt: Runtime) -> None:
        item = formula.run(rt.frame)
        found.write(rt, lambda before: [*before, item], "all")

    return insert


def build_update(flow: Flow, step: Step, path: Path) -> Closure | None:
    """update: role.list, where: condition on `item`, values: {field: formula}, which may read `item` as it was"""
    if step.of is not None:
        from rules.tests.verbs_held import build_rewrite  # which walks lists as this module does

        return build_rewrite(flow, step, path)
    found = list_target(flow, step.update, (*path, "update"))
    where = None if found is None else item_condition(flow, step, found, path)
    if found is None or where is None:
        return None
    made = item_values(knowing_item(flow, found), step, found, path, whole=False)
    if not made:
        return None

    def changed(rt: Runtime, item: Any) -> Any:
        if not matches(rt, where, item):
            return item
        return {**item, **{name: formula.run(rt.frame) for name, formula in made.items()}}

    def update(rt: Runtime) -> None:
        found.write(rt, lambda before: [changed(rt, item) for item in before], "all")

    return update


def build_remove(flow: Flow, step: Step, path: Path) -> Closure | None:
    """remove: role.list, where: condition on `item`"""
    found = list_target(flow, step.remove, (*path, "remove"))
    where = None if found is None else item_condition(flow, step, found, path)
    if found is None or where is None:
        return None

    def remove(rt: Runtime) -> None:
        found.write(rt, lambda before: [item for item in before if not matches(rt, where, item)], "all")

    return remove


BUILDERS: dict[str, Any] = {"insert": build_insert, "update": build_update, "remove": build_remove}
