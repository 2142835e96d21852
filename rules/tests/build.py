"""From the steps of a test to a program: every step checked, then turned into a closure."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from rules.formulas import Formula
from rules.formulas.types import Int, List, Text, Type
from rules.packs.schema import Action, Input, Step, Test
from rules.packs.values import Misfit, default_of, role_type, type_of
from rules.problems import nearest
from rules.tests.flow import ADJUSTED, Closure, Flow, Path, Shared, names_made, narrower
from rules.tests.fuse import Code, Piece, Steps, telling
from rules.tests.narrowing import narrow
from rules.tests.offers import build_offers
from rules.tests.program import Program
from rules.tests.runtime import Runtime
from rules.tests.texts import HOLE, Template, template
from rules.tests.trace import TraceStep
from rules.tests.verbs import COMMON, VERBS, verb_of, words_of

if TYPE_CHECKING:
    from rules.packs.builder import Builder

MAX_PROGRAM = 400
SEATS = Text(frozenset({"gm", "player", "watcher", "server"}))

VerbBuilder = Callable[[Flow, Step, Path], "Closure | None"]


def build_tests(builder: Builder) -> None:
    """Check every test of a pack and compile it."""
    for name, test in builder.source.sections["tests"].items():
        builder.tests[name] = build_test(builder, name, test)
    check_facts(builder)


def build_test(builder: Builder, name: str, test: Test) -> Program:
    path = ("tests", name)
    shared = Shared(builder, path, tuple(test.roles), tuple(test.outcomes))
    flow = Flow(shared, builder.scope.child())
    flow.scope.names["asker"] = SEATS
    for role, found in test.roles.items():
        if found.many or found.where is not True:
            flow.report(
                (*path, "roles", role), "a test has one subject in a role, whoever it is: an action may have many"
            )
    inputs = add_inputs(flow, test, path)
    offers = build_offers(flow, test, inputs, path)
    flow.fixed = set(flow.scope.names)
    named = build_named(flow, test, (*path, "named"))
    steps = build_steps(flow, test.steps, (*path, "steps"))
    facts, facts_seen = build_facts(flow, test.facts, (*path, "facts"))
    check_outcomes(flow, test, path)
    check_published(flow, test, facts, path)
    check_told(flow, test, {**facts_seen, **shared.facts_seen}, path)
    check_titles(flow, test, path)
    check_takes(flow, test, facts, (*path, "takes_die"))
    return Program(
        id=name,
        spec=test,
        inputs=inputs,
        steps=steps,
        facts=facts,
        facts_seen={**facts_seen, **shared.facts_seen},
        asks=tuple(shared.asks.values()),
        effects=shared.effects,
        answered=shared.answered,
        named=named,
        offers=offers,
        fact_types={
            **{k: f.type for k, f in facts.items()},
            **{k: t for found in shared.outcome_facts.values() for k, t in found.items()},
        },
    )


def build_named(flow: Flow, test: Test, path: Path) -> Template | None:
    """The title of one call; everybody reads it, so nothing hidden may stand in it."""
    if not test.named:
        return None
    found, level = template(flow, test.named, path)
    if level != "all":
        flow.report(path, "a title is read by everybody: it may not show what is hidden")
    return found


def add_inputs(flow: Flow, test: Test | Action, path: Path) -> dict[str, Type]:
    builder = flow.shared.builder
    for role, spec in test.roles.items():
        try:
            kind: Type = role_type(spec.kinds, builder.words)
        except Misfit as exc:
            flow.report((*path, "roles", role), exc.message, exc.suggestion)
            continue
        flow.define(role, List(kind) if spec.many else kind, (*path, "roles", role))
    types: dict[str, Type] = {}
    for name, given in test.inputs.items():
        where = (*path, "inputs", name)
        if name in test.roles:
            flow.report(where, f"{name!r} is also a role")
        try:
            types[name] = type_of(given, builder.words)
        except Misfit as exc:
            flow.report(where, exc.message, exc.suggestion)
            continue
        builder.check_default(given, where)
        check_asked(flow, given, where)
        if not isinstance(test, Test) and given.among is not None:
            flow.report(where, "`among` is for the inputs of tests")
        flow.define(name, types[name], where, given.seen)
    return types


def check_asked(flow: Flow, given: Input, path: Path) -> None:
    """Whether the game master is asked is said of what is theirs to give; what is not asked for has a default."""
    if given.asked is not None and given.by != "gm":
        flow.report((*path, "asked"), "only what is `by: gm` is asked of the game master")
    elif given.asked == "never" and default_of(given) is None:
        flow.report((*path, "asked"), "without a default it must be asked", "add a default")


def check_outcomes(flow: Flow, test: Test | Action, path: Path) -> None:
    """Every declared outcome can be come to, and no way through ends without one."""
    if test.outcomes and not flow.ended:
        flow.report((*path, "steps"), "the test may end without an outcome: let the last step be one")
    for outcome in test.outcomes:
        if outcome not in flow.shared.reached:
            flow.report((*path, "outcomes", outcome), f"no step leads to the outcome {outcome!r}")


def check_published(flow: Flow, test: Test | Action, facts: dict[str, Formula], path: Path) -> None:
    """What watchers are told are facts of the test."""
    check_alike(flow)
    known = {*facts, *(name for found in flow.shared.outcome_facts.values() for name in found)}
    for at, name in enumerate(test.published):
        if name not in known and name not in test.facts:  # one that is declared, but wrong, is told of already
            flow.report((*path, "published", at), f"the test has no fact {name!r}", nearest(name, known))


def check_told(flow: Flow, test: Test, seen: dict[str, str], path: Path) -> None:
    """Facts that people read are facts of the test; those in an outcome's words are of every way to it, and no secret
    from anybody who reads them."""
    outcomes = flow.shared.outcome_facts
    known = {*test.facts, *(name for found in outcomes.values() for name in found)}
    for name in test.shown:
        if name not in known:
            flow.report((*path, "shown", name), f"the test has no fact {name!r}", nearest(name, known))
    for outcome, spec in test.outcomes.items():
        where, has = (*path, "outcomes", outcome, "told"), {*test.facts, *outcomes.get(outcome, {})}
        for name in set(HOLE.findall(spec.told)) - set(test.roles):
            if name not in has:
                flow.report(where, f"the outcome has no fact {name!r}", nearest(name, has))
            elif seen.get(name, "all") != "all":
                flow.report(where, f"everybody reads how an outcome is told: {name!r} may not stand in it")
            elif test.published and name not in test.published:
                flow.report(where, f"watchers read it too: {name!r} must be among the published facts")


def check_titles(flow: Flow, test: Test, path: Path) -> None:
    """What stands in braces in the name of a fact is a role."""
    for name, title in test.shown.items():
        for role in HOLE.findall(title):
            if role not in test.roles:
                flow.report((*path, "shown", name), f"the test has no role {role!r}", nearest(role, test.roles))


def check_takes(flow: Flow, test: Test, facts: dict[str, Formula], path: Path) -> None:
    """What a die is taken by are inputs that the server gives, and a fact that is a number."""
    takes = test.takes_die
    if takes is None:
        return
    for word, name, kind in (("sides", takes.sides, "int"), ("whose", takes.whose, "text")):
        given = test.inputs.get(name)
        if given is None:
            flow.report((*path, word), f"the test has no input {name!r}", nearest(name, test.inputs))
        elif given.by != "server" or given.type != kind or default_of(given) not in (0, ""):
            nothing = "0" if kind == "int" else '""'
            flow.report((*path, word), f"{name!r} must be {{type: {kind}, by: server, default: {nothing}}}")
    known = {*test.facts, *(name for found in flow.shared.outcome_facts.values() for name in found)}
    if takes.face not in known:
        flow.report((*path, "face"), f"the test has no fact {takes.face!r}", nearest(takes.face, known))
    elif takes.face in facts and not isinstance(facts[takes.face].type, Int):
        flow.report((*path, "face"), f"{takes.face!r} is not a number")


def check_facts(builder: Builder) -> None:
    """Facts are read by their names outside the pack, where a slip would be silent: a name that is used less often than
    one that differs by a slip of the hand only is taken for one."""
    named = {test: {*one.facts, *one.fact_types} for test, one in builder.tests.items()}
    counts = Counter(name for names in named.values() for name in names)
    alike = {
        name: {other for other in counts if counts[name] < counts[other] and similar(name, other)} for name in counts
    }
    for test, names in named.items():
        for name in sorted(names):
            twin = nearest(name, alike[name] - names)
            if twin:
                path = ("tests", test, "facts", name)
                builder.source.report(path, f"other tests of this pack call this fact {twin!r}", twin)


def check_alike(flow: Flow) -> None:
    """Two ends of a test that name nearly the same fact mean the same one: one of them is misspelt."""
    counts = Counter(name for _, names in flow.shared.fact_names for name in names)
    if len(set(counts.values())) < 2:
        return  # all are used equally often: none is a slip
    for path, names in flow.shared.fact_names:
        for _, others in flow.shared.fact_names:
            for name in names - others:
                twin = nearest(name, others - names)
                if twin and counts[name] < counts[twin] and similar(name, twin):
                    flow.report((*path, name), f"other ends of this test call this fact {twin!r}", twin)
                    return


def similar(one: str, two: str) -> bool:
    """Whether two names differ by a slip of the hand only."""
    if abs(len(one) - len(two)) > 1:
        return False
    apart = [at for at, letters in enumerate(zip(one, two, strict=False)) if letters[0] != letters[1]]
    if len(one) == len(two) and len(apart) == 2 and [one[at] for at in apart] == [two[at] for at in reversed(apart)]:
        return True  # two letters exchanged
    if not (one[:2] == two[:2] or one[-2:] == two[-2:]):
        return False
    return SequenceMatcher(None, one, two).ratio() > 0.8


def build_facts(flow: Flow, facts: dict[str, Any], path: Path) -> tuple[dict[str, Formula], dict[str, str]]:
    """Facts of the test as a whole read what is set on every way that leads to an end."""
    out, seen = {}, {}
    end = flow.at_end() if facts else flow
    for name, text in facts.items():
        found = end.formula(text, (*path, name))
        if found is not None:
            out[name] = found
            if end.audience(found) != "all":
                seen[name] = end.audience(found)
    return out, seen


# ---------------------------------------------------------------------------------------------- steps


def build_steps(flow: Flow, steps: Sequence[Step], path: Path) -> Steps:
    """Compile a list of steps in order; the flow is what holds after them."""
    out = Steps()
    for at, step in enumerate(steps):
        where = (*path, at)
        if flow.ended:
            flow.report(where, "this step is never come to: an outcome before it always ends the test")
            break
        flow.shared.size += 1
        if flow.shared.size == MAX_PROGRAM:
            flow.report(where, f"a test may have at most {MAX_PROGRAM} steps")
        closure = build_step(flow, step, where)
        if closure is not None:
            out.append(closure)
    return out


def build_step(flow: Flow, step: Step, path: Path) -> Closure | None:
    """One step: its verb, its sentence after it, all under its condition."""
    verb = check_words(flow, step, path)
    if verb is None:
        return None
    condition = flow.condition(step.when, (*path, "when"))
    if condition is None and step.when not in (None, True):
        flow.shared.reached |= {step.outcome or ""}  # one mistake is one problem
        flow.shared.broken |= set(names_made([step]))
        return None
    inside = flow if condition is None else flow.fork()
    under = narrower(flow.under, flow.audience(condition))
    inside.under = under
    narrow(inside, condition)
    before = inside.fork()
    closure = BUILDERS[verb](inside, step, path)
    if closure is None:
        flow.shared.broken |= set(names_made([step]))
        return None
    writes = [*names_made([step]), *([ADJUSTED] if step.adjust is not None else ())]
    closure = telling(closure, writes)
    if step.text is not None and step.require is None:
        closure = with_text(before if inside.ended else inside, closure, step, path)
    if condition is None:
        return closure
    outside = flow.fork()
    outside.under = under
    fallback = FALLBACKS[verb](outside, step, path) if verb in FALLBACKS else None
    flow.join(inside, outside, path)
    return guarded(closure, condition, fallback)


def check_words(flow: Flow, step: Step, path: Path) -> str | None:
    """The verb, after refusing words that do not belong to it."""
    found = words_of(step)
    verb = verb_of(found)
    if verb is None:
        verbs = [word for word in found if word in VERBS]
        what = f"several verbs: {', '.join(verbs)}" if verbs else f"no verb; one of: {', '.join(VERBS)}"
        flow.report(path, f"a step has exactly one verb; this one has {what}")
        return None
    for word in found:
        if word != verb and word not in COMMON and word not in VERBS[verb]:
            flow.report((*path, word), f"`{word}` does not go with `{verb}`", nearest(word, VERBS[verb] | COMMON))
            return None
    return verb


def with_text(flow: Flow, closure: Closure, step: Step, path: Path) -> Closure:
    """Say the step's sentence: after the step, or before one that ends the test."""
    assert step.text is not None
    say, level = template(flow, step.text, (*path, "text"))
    level = level if step.seen is None else narrower(level, step.seen)
    ends = step.outcome is not None

    def speaking(rt: Runtime) -> bool | None:
        result = None if ends else closure(rt)
        if rt.trace is not None:
            rt.trace.append(TraceStep(kind="text", text=say(rt.frame), seen=level, depth=rt.depth))
        return closure(rt) if ends else result

    return Piece(speaking, lambda code: code.step(closure))


def guarded(closure: Closure, condition: Formula, fallback: Closure | None) -> Closure:
    """Run the step when its condition holds, else what stands in for it."""
    holds = condition.run

    def guard(rt: Runtime) -> bool | None:
        if holds(rt.frame):
            return closure(rt)
        return fallback(rt) if fallback is not None else None

    def emit(code: Code) -> list[ast.stmt]:
        other = None if fallback is None else (lambda code: code.step(fallback))
        return [code.branch(code.expr(condition.node), lambda code: code.step(closure), other)]

    return Piece(guard, emit)


BUILDERS: dict[str, VerbBuilder] = {}
FALLBACKS: dict[str, VerbBuilder] = {}
"""what a verb does when its condition does not hold: a roll is one of no dice, an ask has its `otherwise`"""


def register() -> None:
    """Fill the table of verbs (the verb modules need this one, so they are read last)."""
    from rules.tests import (
        verb_act,
        verb_areas,
        verb_happens,
        verb_moment,
        verb_moves,
        verbs_control,
        verbs_dice,
        verbs_effects,
        verbs_held,
        verbs_lists,
        verbs_values,
    )

    simple = (verb_act, verb_areas, verb_moves, verb_happens, verb_moment, verbs_effects, verbs_held, verbs_lists)
    for module in (*simple, verbs_control, verbs_dice, verbs_values):
        BUILDERS.update(module.BUILDERS)
    for with_fallbacks in (verbs_control, verbs_dice, verbs_values):
        FALLBACKS.update(with_fallbacks.FALLBACKS)


register()
