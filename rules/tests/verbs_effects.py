"""Verbs that change subjects: set, change, insert, update, remove, apply, end.

What is changed is named by a formula path: `role.stat`, or `role.stat[card]` for a stat with a value for each card.
Changes take effect at once for the steps that follow, and are listed in the run for the event that records them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rules.formulas import Formula, FormulaError
from rules.formulas import nodes as n
from rules.formulas.calls import token_type
from rules.formulas.check import Checker, check
from rules.formulas.compile import compile_node
from rules.formulas.types import Int, List, Map, Record, Role, Text, Type
from rules.packs.schema import Stat, Step
from rules.problems import nearest
from rules.sheets.instants import INSTANTS
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Ends
from rules.tests.effects import apply_to_sheet, new_held_id
from rules.tests.flow import Closure, Flow, Path
from rules.tests.result import Effect, Refusal
from rules.tests.runtime import RequirementFailed, Runtime
from rules.tests.trace import TraceStep

Reader = Callable[[dict[str, Any]], Any]


class Target:
    """A kept stat of a subject, perhaps at a card: what an effect writes to."""

    def __init__(self, role: n.Node, stat: str, key: n.Node | None, kind: Type, spec: Stat, text: str) -> None:
        self.sheet: Reader = compile_node(role)
        self.key: Reader | None = None if key is None else compile_node(key)
        self.stat, self.type, self.spec, self.text = stat, kind, spec, text
        self.role = role.name if isinstance(role, n.Name) else ""

    def write(self, rt: Runtime, value: Callable[[Any], Any], seen: str) -> None:
        """Set the stat to value(before), within its bounds, and record it. An unchanged value leaves no effect."""
        sheet: Sheet = self.sheet(rt.frame)
        key = "" if self.key is None else self.key(rt.frame)
        before = sheet.base(self.stat) if not key else sheet.base(self.stat)[key]
        after = bounded(self.spec, self.text, value(before))
        if after == before:
            return
        effect = Effect(
            verb="set", subject=sheet.id, role=self.role, stat=self.stat, key=key, before=before, after=after, seen=seen
        )
        record(rt, sheet, effect, f"{self.text}: {before} -> {after}" if isinstance(after, int | str) else self.text)


def record(rt: Runtime, sheet: Sheet, effect: Effect, text: str) -> None:
    apply_to_sheet(sheet, effect)
    rt.effects.append(effect)
    if rt.trace is not None:
        rt.trace.append(TraceStep(kind=effect.verb, text=text, seen=effect.seen, depth=rt.depth))


def bounded(spec: Stat, text: str, value: Any) -> Any:
    """A number inside the stat's bounds: clamped, or the run is refused, as the stat says."""
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    low, high = spec.min, spec.max
    if (low is None or value >= low) and (high is None or value <= high):
        return value
    if spec.bounds == "refuse":
        raise RequirementFailed(Refusal("out_of_bounds", f"{text} cannot be {value}"))
    return low if low is not None and value < low else high


def target(flow: Flow, text: str, path: Path) -> Target | None:
    """The stat that a path names; derived stats cannot be written."""
    try:
        node = check(text, flow.scope)
    except FormulaError as exc:
        flow.report(path, exc.message, exc.suggestion)
        return None
    inner, key = (node.base, node.key) if isinstance(node, n.Item) else (node, None)
    if not (isinstance(inner, n.Field) and isinstance(inner.base.type, Role)):
        flow.report(path, f"{text!r} is no stat of a subject: write role.stat")
        return None
    specs = [stat_spec(flow, kind, inner.name) for kind in sorted(inner.base.type.kinds)]
    if any(spec is None or spec.formula is not None for spec in specs):
        flow.report(path, f"{inner.name} is worked out, not kept: it cannot be set")
        return None
    spec = specs[0]
    assert spec is not None
    if isinstance(inner.type, Map) and key is None:
        flow.report(path, f"{inner.name} has a value for each {spec.each}: write {text}[card]")
        return None
    flow.shared.effects = True
    return Target(inner.base, inner.name, key, node.type, spec, text)


def stat_spec(flow: Flow, kind: str, stat: str) -> Stat | None:
    found: Stat | None = flow.shared.builder.source.sections["kinds"][kind].stats.get(stat)
    return found


def build_set(flow: Flow, step: Step, path: Path) -> Closure | None:
    """set: {role.stat: formula}"""
    return writes(flow, step, step.set or {}, (*path, "set"), adding=False)


def build_change(flow: Flow, step: Step, path: Path) -> Closure | None:
    """change: {role.stat: formula to add}"""
    return writes(flow, step, step.change or {}, (*path, "change"), adding=True)


def writes(flow: Flow, step: Step, items: dict[str, Any], path: Path, adding: bool) -> Closure | None:
    made: list[tuple[Target, Formula, str]] = []
    for text, value in items.items():
        found = target(flow, text, (*path, text))
        if found is None:
            continue
        wanted: Type = Int() if adding else found.type
        if adding and not isinstance(found.type, Int):
            flow.report((*path, text), f"{text} is no number: nothing can be added to it")
            continue
        formula = flow.of_type(value, wanted, (*path, text))
        if formula is not None:
            seen = flow.audience_of(step, formula)
            made.append((found, formula, seen if found.spec.seen == "all" else found.spec.seen))

    def write(rt: Runtime) -> None:
        for found, formula, seen in made:
            found.write(rt, partial(combined, formula.run(rt.frame), adding), seen)

    return write


def combined(value: Any, adding: bool, before: Any) -> Any:
    return before + value if adding else value


# ---------------------------------------------------------------------------------------------- lists


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
    """A condition on `item`, one record of the list."""
    assert isinstance(found.type, List)
    if step.where is None:
        flow.report(path, "say which items: `where`, a condition on `item`")
        return None
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


# ---------------------------------------------------------------------------------------------- held cards


def subject_of(flow: Flow, text: str | None, path: Path) -> Formula | None:
    if text is None:
        flow.report(path, "say whose: `of`, a role")
        return None
    found = flow.formula(text, (*path, "of"))
    if found is not None and not isinstance(found.type, Role):
        flow.report((*path, "of"), f"a subject is wanted here, not {found.type.show()}")
        return None
    return found


def card_of(flow: Flow, text: str, path: Path) -> Formula | str | None:
    """A card by its id, or by a name that holds one."""
    cards = {card for found in flow.shared.builder.source.sections["cards"].values() for card in found}
    if text in cards:
        return text
    if text.split(".")[0] in flow.scope.names:
        found = flow.formula(text, path)
        if found is not None and not (isinstance(found.type, Text) and found.type.card):
            flow.report(path, f"a card is wanted here, not {found.type.show()}")
        flow.shared.builder.applied |= (
            (found.type.options or frozenset()) if found and isinstance(found.type, Text) else set()
        )
        return found
    flow.report(path, f"no card is called {text!r}", nearest(text, cards))
    return None


def build_apply(flow: Flow, step: Step, path: Path) -> Closure | None:
    """apply: card, of: role, until: instant, values: {name: formula}. A card held once is not doubled."""
    assert step.apply is not None
    whose, card = subject_of(flow, step.of, path), card_of(flow, step.apply, (*path, "apply"))
    until, values = build_until(flow, step, path), held_values(flow, step, card, path)
    if whose is None or card is None or until is None or values is None:
        return None
    flow.shared.effects = True
    if isinstance(card, str):
        flow.shared.builder.applied.add(card)
    once = held_once(flow)
    source = flow.shared.roles[0] if flow.shared.roles else ""

    def apply(rt: Runtime) -> None:
        sheet: Sheet = whose.run(rt.frame)
        name = card if isinstance(card, str) else card.run(rt.frame)
        if name in once and sheet.count_held(name):
            return
        effect = Effect(
            verb="apply",
            subject=sheet.id,
            role=step.of or "",
            card=name,
            held=new_held_id(sheet, name),
            ends=until(rt),
            values={k: v.run(rt.frame) for k, v in values.items()},
            source=rt.frame[source].id if source in rt.frame else "",
            seen=step.seen or "all",
        )
        record(rt, sheet, effect, f"{step.of} has {name}")

    return apply


def held_once(flow: Flow) -> set[str]:
    """Cards of which a second one changes nothing."""
    groups = flow.shared.builder.source.sections["cards"].values()
    return {name for cards in groups for name, spec in cards.items() if spec.stacks == "once"}


def held_values(flow: Flow, step: Step, card: Formula | str | None, path: Path) -> dict[str, Formula] | None:
    """The values that the held card carries: all that its type declares, and no others."""
    wanted: dict[str, Type] = {}
    for name in card_names(card):
        wanted |= flow.scope.held.get(name, {})
    given = step.values or {}
    for name in given:
        if name not in wanted:
            flow.report((*path, "values", name), f"such a card carries no {name!r}", nearest(name, wanted))
    missing = [name for name in wanted if name not in given]
    if missing:
        flow.report(path, f"the values {', '.join(missing)} are missing")
    out: dict[str, Formula] = {}
    for name in wanted.keys() & given.keys():
        formula = flow.of_type(given[name], wanted[name], (*path, "values", name))
        if formula is not None:
            out[name] = formula
    return out if out.keys() == wanted.keys() and given.keys() <= wanted.keys() else None


def card_names(card: Formula | str | None) -> frozenset[str]:
    """The cards that a step can mean."""
    if isinstance(card, str):
        return frozenset({card})
    options = getattr(card.type, "options", None) if card is not None else None
    return options or frozenset()


def build_end(flow: Flow, step: Step, path: Path) -> Closure | None:
    """end: card, of: role; the oldest one of a counted card, or every one `where` (`item` is the held card)."""
    assert step.end is not None
    whose, card = subject_of(flow, step.of, path), card_of(flow, step.end, (*path, "end"))
    if whose is None or card is None:
        return None
    where = None if step.where is None else held_condition(flow, step, card, path)
    if step.where is not None and where is None:
        return None
    flow.shared.effects = True

    def end(rt: Runtime) -> None:
        sheet: Sheet = whose.run(rt.frame)
        name = card if isinstance(card, str) else card.run(rt.frame)
        for held in [thing for thing in sheet.held if thing.card == name]:
            if where is not None and not matches(rt, where, {"id": held.id, "source": held.source, **held.values}):
                continue
            effect = Effect(verb="end", subject=sheet.id, role=step.of or "", card=name, held=held.id)
            record(rt, sheet, replace_details(effect, held), f"{step.of} no longer has {name}")
            if where is None:
                return

    return end


def held_condition(flow: Flow, step: Step, card: Formula | str, path: Path) -> Formula | None:
    inner = flow.fork()
    inner.scope.names["item"] = token_type(Checker(flow.scope), card_names(card))
    return inner.condition(step.where, (*path, "where"))


def replace_details(effect: Effect, held: Any) -> Effect:
    """An ended card is recorded whole, so that it can be given back."""
    from msgspec.structs import replace

    return replace(effect, values=held.values, ends=held.ends, source=held.source)


def build_until(flow: Flow, step: Step, path: Path) -> Callable[[Runtime], Ends | None] | None:
    if step.until is None:
        return lambda rt: None
    until = step.until
    if until.at not in INSTANTS:
        flow.report((*path, "until", "at"), f"no instant is called {until.at!r}", nearest(until.at, INSTANTS))
        return None
    whose = None if until.of is None else subject_of(flow, until.of, (*path, "until"))
    if INSTANTS[until.at] and whose is None:
        flow.report((*path, "until"), f"{until.at} is the instant of somebody: say whose with `of`")
        return None
    count = flow.of_type(until.count, Int(), (*path, "until", "count"))
    if count is None:
        return None
    at = until.at

    def ends(rt: Runtime) -> Ends:
        return Ends(at=at, of="" if whose is None else whose.run(rt.frame).id, count=count.run(rt.frame))

    return ends


BUILDERS: dict[str, Any] = {
    "set": build_set,
    "change": build_change,
    "insert": build_insert,
    "update": build_update,
    "remove": build_remove,
    "apply": build_apply,
    "end": build_end,
}
