"""Verbs that make values: let, pick, require, narrate, say, outcome."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from rules.formulas import Explained, Formula
from rules.formulas import nodes as n
from rules.formulas.compile import AT, compile_block, compile_node
from rules.formulas.types import Bool, Text, Type
from rules.packs.schema import Step
from rules.problems import nearest
from rules.sheets.sheet import Sheet
from rules.tests.asks import build_ask, build_otherwise
from rules.tests.flow import Closure, Flow, Path, narrower
from rules.tests.fuse import Code, Piece, plain, returned
from rules.tests.narrowing import narrow
from rules.tests.result import Effect, Refusal
from rules.tests.runtime import RequirementFailed, Runtime
from rules.tests.texts import template
from rules.tests.trace import ASIDE, SAY, TraceStep


def build_let(flow: Flow, step: Step, path: Path) -> Closure | None:
    """let: {name: formula, ...}, in order; later ones may read earlier ones."""
    assert step.let is not None
    made: list[tuple[str, Formula, tuple[str, str]]] = []
    for name, text in step.let.items():
        found = flow.formula(text, (*path, "let", name))
        if found is None:
            flow.define(name, Bool(), (*path, "let", name))
            flow.shared.broken.add(name)  # one mistake is one problem
            continue
        seen = flow.audience_of(step, found)
        flow.define(name, known_only_now(found.type), (*path, "let", name), seen)
        made.append((name, found, (seen, flow.audience(found))))
    return lets(made)


def known_only_now(kind: Type) -> Type:
    """A flag that is set to a constant can still be set otherwise later."""
    return Bool() if isinstance(kind, Bool) else kind


def lets(made: list[tuple[str, Formula, tuple[str, str]]]) -> Closure:
    """One block for all of them; with a trace, one after the other."""
    block: list[Any] = []

    def let(rt: Runtime) -> None:
        if rt.trace is None:
            if not block:
                block.append(compile_block([(name, found.node) for name, found, _ in made]))
            block[0](rt.frame)
            return
        for name, found, seen in made:
            why = found.explain(rt.frame)
            rt.trace += shown(rt, "let", name, writable(why.value), why, seen)
            rt.frame[name] = found.run(rt.frame)

    return Piece(let, lambda code: [code.assign(name, found.node) for name, found, _ in made])


def writable(value: Any) -> Any:
    """A value as the trace shows it: plain ones and lists of them; others are only named."""
    if isinstance(value, list | tuple):
        return value if all(isinstance(item, int | str) for item in value) else None
    return value if isinstance(value, int | str) else None


def shown(
    rt: Runtime, kind: str, name: str, value: Any, why: Explained | None, seen: tuple[str, str]
) -> list[TraceStep]:
    """The trace of a value and why it is so. `seen`: who may see the value, and who may see what it was made from;
    where a step reveals a value (or hides it), its operands keep to those who may see both."""
    parts = why.parts if why is not None and not (len(why.parts) == 1 and why.parts[0].source == why.formula) else ()
    formula = why.formula if why is not None else ""
    if narrower(*seen) == seen[0] or not parts:
        return [
            TraceStep(kind=kind, name=name, value=value, formula=formula, parts=parts, seen=seen[0], depth=rt.depth)
        ]
    return [
        TraceStep(kind=kind, name=name, value=value, seen=seen[0], depth=rt.depth),
        TraceStep(kind="why", name=name, formula=formula, parts=parts, seen=narrower(*seen), depth=rt.depth),
    ]


def build_pick(flow: Flow, step: Step, path: Path) -> Closure | None:
    """pick: name, from: lines; the first line that fits is taken, the last one fits always."""
    assert step.pick is not None
    lines = step.lines or []
    if not lines or any(line.when is None for line in lines[:-1]) or lines[-1].when is not None:
        flow.report(path, "a pick has lines with `when`, and a last one without")
        return None
    for at, one in enumerate(lines):
        if any(str(one.when) == str(before.when) for before in lines[:at]):
            flow.report((*path, "from", at), f"{one.name!r} is never come to: a line before it has the same condition")
    conditions = [flow.condition(line.when, (*path, "from", at, "when")) for at, line in enumerate(lines)]
    if any(found is None for found in conditions[:-1]):
        return None
    own = "all"
    for found_condition in conditions:
        own = narrower(own, flow.audience(found_condition))
    seen = step.seen or own
    levels = (seen, own)
    flow.define(step.pick, Text(frozenset(line.name for line in lines)), (*path, "pick"), seen)
    name, last = step.pick, lines[-1].name
    tests = [(found.node, line.name) for found, line in zip(conditions, lines, strict=True) if found is not None]
    why = {line.name: found for found, line in zip(conditions, lines, strict=True) if found is not None}

    chain: n.Node = n.Const(Text(), 0, 0, last)
    for holds, line in reversed(tests):
        chain = n.If(Text(), 0, 0, holds, n.Const(Text(), 0, 0, line), chain)
    choose: list[Any] = []

    def pick(rt: Runtime) -> None:
        if not choose:
            choose.append(compile_node(chain))
        found = rt.frame[name] = choose[0](rt.frame)
        if rt.trace is not None:
            rt.trace += picked(rt, name, found, why, levels)

    return Piece(pick, lambda code: [code.assign(name, chain)])


def picked(rt: Runtime, name: str, found: str, why: dict[str, Formula], seen: tuple[str, str]) -> list[TraceStep]:
    formula = why.get(found)
    return shown(rt, "pick", name, found, None if formula is None else formula.explain(rt.frame), seen)


def build_require(flow: Flow, step: Step, path: Path) -> Closure | None:
    """require: condition, reason: word; the run is refused when it does not hold."""
    found = flow.condition(step.require, (*path, "require"))
    if step.reason is None:
        flow.report(path, "a require needs its `reason`")
        return None
    if found is None:
        return None
    narrow(flow, found)
    holds, reason = found.run, step.reason
    say, level = (None, "all") if step.text is None else template(flow, step.text, (*path, "text"))
    if level == "gm" and "player" in seats_of(flow):
        message = "whoever is refused reads this text, and it shows what only the game master may see"
        flow.shared.builder.source.report((*path, "text"), message, warning=True)

    def require(rt: Runtime) -> None:
        if not holds(rt.frame):
            raise RequirementFailed(Refusal(reason, "" if say is None else say(rt.frame)))

    def emit(code: Code) -> list[ast.stmt]:
        fails = ast.UnaryOp(ast.Not(), code.expr(found.node), **AT)
        return [code.branch(fails, lambda code: code.opaque(require, (), ends=False))]

    return Piece(require, emit)


def seats_of(flow: Flow) -> Sequence[str]:
    """Who may call the test that a step stands in; nobody is told where a step stands in something else."""
    owner = flow.shared.owner
    test = flow.shared.builder.source.sections["tests"].get(owner[1]) if owner[0] == "tests" else None
    return () if test is None else test.called_by


def build_narrate(flow: Flow, step: Step, path: Path) -> Closure | None:
    """narrate: a sentence for people, shown and logged; nothing is computed."""
    assert step.narrate is not None
    say, level = template(flow, step.narrate, (*path, "narrate"))
    level = level if step.seen is None else narrower(level, step.seen)

    def narrate(rt: Runtime) -> None:
        text = say(rt.frame)
        rt.effects.append(Effect(verb="narrate", text=text, seen=level))
        if rt.trace is not None:
            rt.trace.append(TraceStep(kind="narrate", text=text, seen=level, depth=rt.depth))

    return plain(narrate)


def build_say(flow: Flow, step: Step, path: Path) -> Closure | None:
    """say: a sentence of the story of what was done; it changes nothing, and runs without a trace leave it out. Who may
    hear it is who may see what stands in it and under which conditions it is said, unless `seen` says otherwise."""
    assert step.say is not None
    words, level = template(flow, step.say, (*path, "say"))
    level = narrower(level, flow.under) if step.seen is None else step.seen
    kind = ASIDE if step.aside else SAY

    def say(rt: Runtime) -> None:
        if rt.trace is not None:
            of = tuple(one.id for one in rt.frame.values() if isinstance(one, Sheet))
            rt.trace.append(TraceStep(kind=kind, text=words(rt.frame), seen=level, depth=rt.depth, of=of))

    return Piece(say, lambda code: [])


def build_outcome(flow: Flow, step: Step, path: Path) -> Closure | None:
    """outcome: id, facts: {name: formula}; ends the test."""
    assert step.outcome is not None
    shared, outcome = flow.shared, step.outcome
    if shared.outcomes is None:
        flow.report(path, "a procedure has no outcome: give a value back and let the test decide")
        return None
    if outcome not in shared.outcomes:
        flow.report((*path, "outcome"), f"no outcome is called {outcome!r}", nearest(outcome, shared.outcomes))
        return None
    shared.reached.add(outcome)
    facts = build_outcome_facts(flow, step, path)
    flow.ended = True
    shared.ends.append(flow.fork())

    def end(rt: Runtime) -> bool:
        for name, formula in facts:
            rt.facts[name] = formula.run(rt.frame)
        rt.outcome = outcome
        if rt.trace is not None:
            rt.trace.append(TraceStep(kind="outcome", name=outcome, depth=rt.depth))
        return True

    def emit(code: Code) -> list[ast.stmt]:
        told = ast.Call(
            ast.Attribute(code.get("rt", "facts"), "update", ast.Load(), **AT),
            [code.record({name: formula.node for name, formula in facts})],
            [],
            **AT,
        )
        ends = [code.set("rt", "outcome", ast.Constant(outcome, **AT)), returned(True)]
        return [code.do(told), *ends] if facts else ends

    return Piece(end, emit)


def build_outcome_facts(flow: Flow, step: Step, path: Path) -> list[tuple[str, Formula]]:
    assert step.outcome is not None
    known: dict[str, Type] = flow.shared.outcome_facts.setdefault(step.outcome, {})
    facts = []
    if step.facts:
        flow.shared.fact_names.append(((*path, "facts"), frozenset(step.facts)))
    for name, text in (step.facts or {}).items():
        found = flow.formula(text, (*path, "facts", name))
        if found is not None:
            known[name] = found.type
            facts.append((name, found))
            if flow.audience_of(step, found) != "all":
                flow.shared.facts_seen[name] = flow.audience_of(step, found)
    return facts


BUILDERS: dict[str, Any] = {
    "let": build_let,
    "pick": build_pick,
    "ask": build_ask,
    "require": build_require,
    "narrate": build_narrate,
    "say": build_say,
    "outcome": build_outcome,
}
FALLBACKS: dict[str, Any] = {"ask": build_otherwise}
