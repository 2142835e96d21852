"""Verbs of control: do, repeat, each, call. Every loop is bounded, so that no test can run for ever."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rules.formulas import Formula
from rules.formulas.compile import AT
from rules.formulas.effort import DEEPEST
from rules.formulas.nodes import Listing
from rules.formulas.types import Int, List, Record, Type
from rules.packs.schema import Procedure, Step
from rules.packs.values import Misfit, type_of
from rules.problems import BudgetExceeded, nearest
from rules.sheets.sheet import Sheet
from rules.tests.flow import Closure, Flow, Path, Shared, names_made, narrower
from rules.tests.fuse import Code, Piece, run_steps, runs
from rules.tests.runtime import Runtime
from rules.tests.trace import TraceStep

if TYPE_CHECKING:
    from rules.packs.builder import Builder

MAX_REPEATS = 100


def build_do(flow: Flow, step: Step, path: Path) -> Closure | None:
    """do: steps under one `when`; `else`: what is done otherwise (handled where the condition is, see `build_step`)."""
    from rules.tests.build import build_steps

    assert step.do is not None
    steps = build_steps(flow, step.do, (*path, "do"))
    return Piece(lambda rt: run_steps(rt, steps), lambda code: code.steps(steps))


def build_else(flow: Flow, step: Step, path: Path) -> Closure | None:
    from rules.tests.build import build_steps

    if step.other is None:
        return None
    steps = build_steps(flow, step.other, (*path, "else"))
    return Piece(lambda rt: run_steps(rt, steps), lambda code: code.steps(steps))


def loop_body(flow: Flow, step: Step, path: Path, walked: Formula, over: Type) -> list[Closure] | None:
    """The steps of a loop, checked with nothing assumed about what the loop itself changes."""
    from rules.tests.build import build_steps

    if not step.steps:
        flow.report(path, "a loop needs `steps`")
        return None
    if step.name is None:
        flow.report(path, "a loop needs `as`, a name for what it walks over")
        return None
    flow.loosen(set(names_made(step.steps)))
    inside, skipped = flow.fork(), flow.fork()
    inside.looping = True
    inside.under = narrower(flow.under, flow.audience(walked))
    inside.define(step.name, over, (*path, "as"))
    body = build_steps(inside, step.steps, (*path, "steps"))
    flow.join(inside, skipped, path)
    flow.ended = False
    return body


def build_repeat(flow: Flow, step: Step, path: Path) -> Closure | None:
    """repeat: how often, as: name (counts from 1), steps."""
    assert step.repeat is not None
    times = flow.of_type(step.repeat, Int(), (*path, "repeat"))
    if times is None:
        return None
    top = times.type.high if isinstance(times.type, Int) else None
    if top is not None and top > MAX_REPEATS:
        flow.report((*path, "repeat"), f"a loop runs at most {MAX_REPEATS} times")
    body = loop_body(flow, step, path, times, Int(1))
    if body is None:
        return None
    name = step.name or ""

    def repeat(rt: Runtime) -> bool | None:
        for turn in counted(times.run(rt.frame)):
            rt.tick()
            rt.frame[name] = turn
            if within(rt, str(turn), body):
                return True
        return None

    def emit(code: Code) -> list[ast.stmt]:
        return code.over(name, code.call(counted, code.expr(times.node)), body)

    return Piece(repeat, emit)


def counted(times: int) -> range:
    return range(1, checked_times(times) + 1)


def checked_times(times: int) -> int:
    if times > MAX_REPEATS:
        raise BudgetExceeded(f"a loop runs at most {MAX_REPEATS} times")
    return times


def within(rt: Runtime, part: str, body: Sequence[Closure]) -> bool | None:
    """Run a loop's body with its turn in the names of choices and rolls."""
    before = rt.prefix
    rt.prefix = f"{before}{part}."
    try:
        ended = run_steps(rt, body)
    finally:
        rt.prefix = before
    return ended


def build_each(flow: Flow, step: Step, path: Path) -> Closure | None:
    """each: a list, as: name, steps."""
    assert step.each is not None
    source = flow.formula(step.each, (*path, "each"))
    if source is None:
        return None
    if not isinstance(source.type, List):
        flow.report((*path, "each"), f"a list is wanted here, not {source.type.show()}")
        return None
    body = loop_body(flow, step, path, source, source.type.of)
    if body is None:
        return None
    name = step.name or ""

    def each(rt: Runtime) -> bool | None:
        for turn, value in enumerate(few(source.run(rt.frame)), 1):
            rt.tick()
            rt.frame[name] = value
            if within(rt, str(turn), body):
                return True
        return None

    def emit(code: Code) -> list[ast.stmt]:
        return code.over(name, code.call(few, code.expr(source.node)), body)

    return Piece(each, emit)


def few(values: Sequence[Any]) -> Sequence[Any]:
    """What a loop may walk over."""
    checked_times(len(values))
    return values


# ---------------------------------------------------------------------------------------------- procedures


class Called:
    """A procedure as compiled for callers of one audience."""

    def __init__(self, steps: list[Closure], gives: dict[str, Type], seen: dict[str, str], shared: Shared) -> None:
        self.steps, self.gives, self.seen, self.shared = steps, gives, seen, shared


def build_call(flow: Flow, step: Step, path: Path) -> Closure | None:
    """call: procedure, with: {name: formula}, into: name of the record of what it gives."""
    assert step.call is not None
    builder = flow.shared.builder
    procedures: dict[str, Procedure] = builder.source.sections["procedures"]
    if step.call not in procedures:
        flow.report((*path, "call"), f"no procedure is called {step.call!r}", nearest(step.call, procedures))
        return None
    spec = procedures[step.call]
    args = call_args(flow, step, spec, path)
    if args is None:
        return None
    builder.called.add(step.call)
    levels = tuple(flow.audience(args[name]) for name in spec.takes)
    called = compiled(flow, step.call, spec, levels, path)
    if called is None:
        return None
    take_over(flow, called, step.into)
    if called.shared.broken and step.into is not None:
        flow.shared.broken.add(step.into)  # one mistake is one problem
    if step.into is not None:
        seen: str = step.seen or "all"
        for given in spec.gives if step.seen is None else ():
            seen = narrower(seen, called.seen.get(given, "all"))
        flow.define(step.into, Record(step.call, called.gives), (*path, "into"), seen)
    elif spec.gives:
        flow.report(path, f"{step.call} gives {', '.join(spec.gives)}: say where with `into`")
    return caller(step, spec, called, args)


def take_over(flow: Flow, called: Called, into: str | None) -> None:
    """What the procedure may ask and do, its caller may."""
    for ask in called.shared.asks.values():
        name = f"{into}.{ask.id}" if into else ask.id
        flow.shared.asks[name] = type(ask)(name, ask.who, ask.kind, ask.title, ask.options)
    flow.shared.effects = flow.shared.effects or called.shared.effects
    flow.shared.answered = flow.shared.answered or called.shared.answered


def call_args(flow: Flow, step: Step, spec: Procedure, path: Path) -> dict[str, Formula] | None:
    given = step.args or {}
    out: dict[str, Formula] = {}
    for name in given:
        if name not in spec.takes:
            flow.report((*path, "with", name), f"{step.call} takes no {name!r}", nearest(name, spec.takes))
    for name, wanted in spec.takes.items():
        if name in given:
            found = flow.of_type(given[name], param_type(flow, wanted, path), (*path, "with", name))
        elif wanted.default == []:
            found = Formula("[]", Listing(param_type(flow, wanted, path), 0, 0, ()))
        elif wanted.default is not None:
            found = flow.formula(repr(wanted.default), (*path, "with"))
        else:
            flow.report(path, f"{step.call} needs {name!r}")
            found = None
        if found is not None:
            out[name] = found
    return out if out.keys() == spec.takes.keys() else None


def param_type(flow: Flow, spec: Any, path: Path) -> Type:
    try:
        return type_of(spec, flow.shared.builder.words)
    except Misfit as exc:
        flow.report(path, exc.message, exc.suggestion)
        return Int()


def compiled(flow: Flow, name: str, spec: Procedure, levels: tuple[str, ...], path: Path) -> Called | None:
    """The procedure for this caller; compiled once for each audience of its arguments, and of
    what decides whether it is called."""
    from rules.tests.build import SEATS, build_steps

    builder = flow.shared.builder
    key = (name, (*levels, flow.under))
    if key in builder.procedures:
        found: Called | None = builder.procedures[key]
        if found is None:
            flow.report((*path, "call"), f"{name} calls itself: it might never end")
        return found
    if sum(found is None for found in builder.procedures.values()) >= DEEPEST:
        flow.report((*path, "call"), f"too deep: procedures may call one another {DEEPEST} deep")
        return None
    builder.procedures[key] = None
    own = ("procedures", name)
    subjects = tuple(param for param, wanted in spec.takes.items() if wanted.type == "subject")
    inner = Flow(Shared(builder, own, subjects), builder.scope.child())
    inner.scope.names["asker"] = SEATS
    for (param, wanted), level in zip(spec.takes.items(), levels, strict=True):
        inner.define(param, param_type(inner, wanted, (*own, "takes", param)), (*own, "takes", param), level)
    inner.under = flow.under
    inner.fixed = set(inner.scope.names)
    steps = build_steps(inner, spec.steps, (*own, "steps"))
    gives: dict[str, Type] = {}
    for at, given in enumerate(spec.gives):
        if given not in inner.scope.names:
            inner.report((*own, "gives", at), f"{given!r} has no value at the end", nearest(given, inner.scope.names))
        else:
            gives[given] = inner.scope.names[given]
    builder.procedures[key] = called = Called(steps, gives, inner.seen, inner.shared)
    return called


def check_alone(builder: Builder, name: str, spec: Procedure) -> None:
    """Check a procedure that nothing calls, as for a caller who hides nothing."""
    path = ("procedures", name)
    compiled(Flow(Shared(builder, path), builder.scope.child()), name, spec, ("all",) * len(spec.takes), path)


def caller(step: Step, spec: Procedure, called: Called, args: dict[str, Formula]) -> Closure:
    compiled_args = [(name, found.run) for name, found in args.items()]
    into, gives, steps = step.into, spec.gives, called.steps
    part = f"{into}." if into else ""

    def call(rt: Runtime) -> None:
        rt.tick()
        outer, prefix = rt.frame, rt.prefix
        inner = {name: run(outer) for name, run in compiled_args}
        inner["setting"], inner["asker"], inner["@board"] = outer["setting"], outer["asker"], rt.board
        if rt.trace is not None:
            of = tuple(one.id for one in inner.values() if isinstance(one, Sheet))
            rt.trace.append(TraceStep(kind="call", name=into or step.call or "", depth=rt.depth, of=of))
        rt.frame, rt.prefix, rt.depth = inner, prefix + part, rt.depth + 1
        try:
            run_steps(rt, steps)
        finally:
            rt.frame, rt.prefix, rt.depth = outer, prefix, rt.depth - 1
        if into is not None:
            outer[into] = {name: inner[name] for name in gives}

    return Piece(call, lambda code: inlined(code, step, spec, called, args))


def inlined(code: Code, step: Step, spec: Procedure, called: Called, args: dict[str, Formula]) -> list[ast.stmt]:
    """The procedure as code within its caller's: variables of its own while its steps run, then what it gives."""
    outer, kept, inner = code.frame, code.kept, code.inner_frame()
    prefix = "p" + inner
    before = [*code.entered(), *(code.let(f"{inner}_{name}", code.expr(found.node)) for name, found in args.items())]
    code.frame, code.kept = inner, [*args]
    lines = code.steps(called.steps)
    if step.into and runs(lines):
        within_ = ast.BinOp(code.load(prefix), ast.Add(), ast.Constant(f"{step.into}.", **AT), **AT)
        before += [code.let(prefix, code.get("rt", "prefix")), code.set("rt", "prefix", within_)]
        lines.append(code.set("rt", "prefix", code.load(prefix)))
    given = ast.Dict([ast.Constant(name, **AT) for name in spec.gives], [code.named(name) for name in spec.gives], **AT)
    code.frame, code.kept = outer, kept
    if step.into:
        lines.append(code.store(step.into, given))
    return [*before, *lines]


BUILDERS: dict[str, Any] = {"do": build_do, "repeat": build_repeat, "each": build_each, "call": build_call}
FALLBACKS: dict[str, Any] = {"do": build_else}
