"""What an effect writes to: a kept stat of a subject, named by a formula path (`role.stat`, `role.stat[card]`)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from math import inf
from operator import itemgetter
from typing import Any

from rules.formulas import FormulaError
from rules.formulas import nodes as n
from rules.formulas.check import check
from rules.formulas.compile import compile_node
from rules.formulas.reads import Survey
from rules.formulas.types import Map, Role, Type
from rules.packs.schema import Stat
from rules.sheets.plan import KindPlan, StatPlan
from rules.sheets.sheet import Sheet, read
from rules.tests.effects import apply_to_sheet
from rules.tests.flow import Flow, Path
from rules.tests.fuse import Code
from rules.tests.result import Effect, Refusal
from rules.tests.runtime import RequirementFailed, Runtime
from rules.tests.trace import TraceStep

Reader = Callable[[dict[str, Any]], Any]


class Target:
    """A kept stat of a subject, perhaps at a card: what an effect writes to."""

    def __init__(self, role: n.Node, stat: str, key: n.Node | None, kind: Type, spec: Stat, text: str) -> None:
        self.whose, self.at = role, key
        self.sheet: Reader = late(role)
        self.key: Reader | None = None if key is None else late(key)
        self.stat, self.type, self.spec, self.text = stat, kind, spec, text
        self.role = role.name if isinstance(role, n.Name) else ""

    def write(self, rt: Runtime, value: Callable[[Any], Any], seen: str) -> None:
        """Set the stat to value(before), within its bounds, and record it. An unchanged value leaves no effect."""
        sheet: Sheet = self.sheet(rt.frame)
        key = "" if self.key is None else self.key(rt.frame)
        plan, before = self.before(rt, sheet, key)
        self.settle(rt, sheet, key, plan, before, value(before), seen)

    def put(self, rt: Runtime, sheet: Sheet, key: str, value: Any, adding: bool, seen: str) -> None:  # noqa: PLR0913
        """Set the stat of a sheet to a value, or add it."""
        plan = sheet.kind.stats[self.stat]
        if key or plan.at_most is not None:
            before = self.before(rt, sheet, key)[1]
        else:
            before = sheet.kept.get(self.stat, plan.default)
        self.settle(rt, sheet, key, plan, before, before + value if adding else value, seen)

    def emit(self, code: Code, value: n.Node, adding: bool, seen: str) -> ast.stmt:
        """The code that puts a value."""
        if self.at is None:
            return code.do(
                code.call(self.putting(adding, seen), code.load("rt"), code.expr(self.whose), code.expr(value))
            )
        key = code.constant("") if self.at is None else code.expr(self.at)
        given = (code.expr(self.whose), key, code.expr(value), code.constant(adding), code.constant(seen))
        return code.do(code.call(self.put, code.load("rt"), *given))

    def putting(self, adding: bool, seen: str) -> Callable[[Runtime, Sheet, Any], None]:
        """What :meth:`put` does without a key and for runs that nobody traces, with all worked out beforehand that a
        kind of subject says of the stat."""
        stat, role, text = self.stat, self.role, self.text
        known: dict[str, Plain] = {}

        def put(rt: Runtime, sheet: Sheet, value: Any) -> None:
            kind = sheet.kind
            plain = known.get(kind.id)
            if plain is None or plain.kind is not kind:
                plain = known[kind.id] = Plain(kind, stat, seen)
            if not plain.fits:
                self.put(rt, sheet, "", value, adding, seen)
                return
            kept = sheet.kept
            before = kept.get(stat, plain.default)
            after = before + value if adding else value
            if type(after) is int and not (plain.low <= after <= plain.high):
                after = bounded(plain.spec, text, after)
            if after == before:
                return
            rt.effects.append(
                Effect(verb="set", subject=sheet.id, role=role, stat=stat, before=before, after=after, seen=plain.seen)
            )
            if plain.alone and sheet.own:
                sheet.touched = True
                kept[stat] = sheet[stat] = after
            else:
                sheet.write(stat, after)

        return put

    def before(self, rt: Runtime, sheet: Sheet, key: str) -> tuple[StatPlan, Any]:
        """The stat of this sheet, and the value it has."""
        plan = sheet.kind.stats[self.stat]
        if plan.at_most is not None:
            cut(rt, sheet, (plan,))
        return plan, sheet.base(self.stat)[key] if key else sheet.kept.get(self.stat, plan.default)

    def settle(  # noqa: PLR0913
        self, rt: Runtime, sheet: Sheet, key: str, plan: StatPlan, before: Any, after: Any, seen: str
    ) -> None:
        spec, stat = plan.spec, self.stat
        if type(after) is int:
            low, high = spec.min, spec.max
            if (low is not None and after < low) or (high is not None and after > high):
                after = bounded(spec, self.text, after)
        if after == before:
            return
        effect = Effect(
            verb="set",
            subject=sheet.id,
            role=self.role,
            stat=stat,
            key=key,
            before=before,
            after=after,
            seen=seen if spec.seen == "all" else spec.seen,
        )
        if rt.trace is None and not key and not sheet.kind.tops(stat):
            sheet.write(stat, after)
            rt.effects.append(effect)
            return
        plain = isinstance(after, int | str) and rt.trace is not None
        record(rt, sheet, effect, f"{self.text}: {before} -> {after}" if plain else self.text)


class Plain:
    """What a kind of subject says of a kept stat that is written without a key. `fits`: nothing else has to be looked
    at when it changes; `alone`: nothing is worked out from it."""

    __slots__ = ("alone", "default", "fits", "high", "kind", "low", "seen", "spec")

    def __init__(self, kind: KindPlan, stat: str, seen: str) -> None:
        plan = kind.stats[stat]
        self.kind, self.spec, self.default = kind, plan.spec, plan.default
        self.low = -inf if plan.spec.min is None else plan.spec.min
        self.high = inf if plan.spec.max is None else plan.spec.max
        self.seen = seen if plan.spec.seen == "all" else plan.spec.seen
        self.fits = plan.at_most is None and not kind.tops(stat)
        self.alone = plan.direct and kind.after(stat) == frozenset({stat})


def late(node: n.Node) -> Reader:
    """A reader that is compiled when it is first used."""
    if isinstance(node, n.Name):
        return itemgetter(node.name)
    made: list[Reader] = []

    def read_late(frame: dict[str, Any]) -> Any:
        if not made:
            made.append(compile_node(node))
        return made[0](frame)

    return read_late


def record(rt: Runtime, sheet: Sheet, effect: Effect, text: str, *more: Effect) -> None:
    """Do it and write it down; `more` are effects that belong to it. Numbers with an upper bound that is worked out are
    cut to it before (so that a bound that rises lifts nothing) and after."""
    plans = sheet.kind.tops(effect.stat) if effect.verb == "set" and not more else sheet.kind.topped
    if plans:
        cut(rt, sheet, plans)
    for one in (effect, *more):
        apply_to_sheet(sheet, one)
        rt.effects.append(one)
    if rt.trace is not None:
        rt.trace.append(TraceStep(kind=effect.verb, text=text, seen=effect.seen, depth=rt.depth, about=sheet.id))
    if plans:
        cut(rt, sheet, plans)


def cut(rt: Runtime, sheet: Sheet, plans: Sequence[StatPlan]) -> None:
    for plan in plans:
        assert plan.at_most is not None
        before, most = sheet.kept.get(plan.name, plan.default), read(plan.at_most, sheet)
        if before > most:
            effect = Effect(
                verb="set", subject=sheet.id, stat=plan.name, before=before, after=most, seen=plan.spec.seen
            )
            apply_to_sheet(sheet, effect)
            rt.effects.append(effect)


def bounded(spec: Stat, text: str, value: int) -> int | None:
    """A number out of the stat's bounds: clamped, or the run is refused, as the stat says."""
    low, high = spec.min, spec.max
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
    flow.shared.builder.read |= Survey(inner.base).names | (set() if key is None else Survey(key).names)
    return Target(inner.base, inner.name, key, node.type, spec, text)


def stat_spec(flow: Flow, kind: str, stat: str) -> Stat | None:
    found: Stat | None = flow.shared.builder.source.sections["kinds"][kind].stats.get(stat)
    return found
