"""The verb `moment`: something happens that others may answer.

All who may react are asked at once, in one question with several who answer; what they declare takes effect in the
order of turns after the actor, together with what reacts by itself. Where nobody can, nobody is asked.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rules.board.board import Board
from rules.formulas import Formula
from rules.formulas.functions import HELD
from rules.formulas.types import Record, Role, Type
from rules.packs.schema import Moment, Step
from rules.packs.values import Misfit, default_of, role_type, type_of
from rules.problems import GivenError, nearest
from rules.sheets.sheet import Sheet
from rules.tests.flow import Closure, Flow, Path, narrower
from rules.tests.fuse import Code, Piece, run_steps
from rules.tests.result import Ask, Option
from rules.tests.runtime import Runtime
from rules.tests.trace import TraceStep

if TYPE_CHECKING:
    from rules.packs.builder import Builder
    from rules.tests.acts import ReactionPlan

DEEPEST = 6
"""moments inside answers to moments: beyond this nobody is asked any more"""
MEETS = "@meets."
"""what begins the name under which it is remembered who may answer a moment"""
NOBODY: dict[str, Any] = {}
PASS = "pass"  # noqa: S105  (a word of the game, no secret)

Values = dict[str, Any]
Offers = dict[str, "list[ReactionPlan]"]


def moment_type(b: Builder, spec: Moment, path: Path) -> Record:
    """What can be read of a moment: who is in its roles, and its values."""
    fields: dict[str, Type] = {}
    for role, found in spec.roles.items():
        try:
            fields[role] = role_type(found.kinds, b.words)
        except Misfit as exc:
            b.source.report((*path, "roles", role), exc.message, exc.suggestion)
            fields[role] = Role(frozenset(), {})
    for name, value in spec.values.items():
        if name in fields:
            b.source.report((*path, "values", name), f"{name!r} is also a role")
        try:
            fields[name] = type_of(value, b.words)
        except Misfit as exc:
            b.source.report((*path, "values", name), exc.message, exc.suggestion)
    return Record("moment", fields)


def build_moment(flow: Flow, step: Step, path: Path) -> Closure | None:
    """moment: name, with: {role or value: formula}, into: what is left of it."""
    builder = flow.shared.builder
    moments: Mapping[str, Moment] = builder.source.sections["moments"]
    name = step.moment or ""
    if name not in moments:
        flow.report((*path, "moment"), f"no moment is called {name!r}", nearest(name, moments))
        return None
    spec = moments[name]
    kind = moment_type(builder, spec, ("moments", name))
    args = moment_args(flow, step, spec, kind, path)
    if args is None:
        return None
    flow.shared.effects = flow.shared.answered = True
    level: str = step.seen or "all"
    for found in args.values() if step.seen is None else ():
        level = narrower(level, flow.audience(found))
    if step.into is not None:
        flow.define(step.into, kind, (*path, "into"), level)
    builder.happening.add(name)
    return moment_closure(name, spec, args, (step.into, level), builder.reactions)


def moment_args(flow: Flow, step: Step, spec: Moment, kind: Record, path: Path) -> dict[str, Formula] | None:
    given = step.args or {}
    for name in given:
        if name not in kind.fields:
            flow.report((*path, "with", name), f"the moment has no {name!r}", nearest(name, kind.fields))
    out: dict[str, Formula] = {}
    for name, wanted in kind.fields.items():
        if name in given:
            found = flow.of_type(given[name], wanted, (*path, "with", name))
            if found is not None:
                out[name] = found
        elif name in spec.roles or spec.values[name].default is None:
            flow.report(path, f"the moment {step.moment!r} needs {name!r}")
            return None
    return out if given.keys() <= out.keys() else None


def moment_closure(
    name: str, spec: Moment, args: dict[str, Formula], makes: tuple[str | None, str], reactions: dict[str, Any]
) -> Closure:
    into, level = makes
    defaults = {value: default_of(found) for value, found in spec.values.items() if value not in args}
    first = next(iter(spec.roles), None)

    meets = MEETS + name

    def happens(rt: Runtime, values: Values) -> None:
        if rt.board.together.get(meets) == NOBODY:
            return
        plans = reactions.get(name)
        if plans is not None and rt.nesting < DEEPEST:
            actor = values[first].id if first is not None else rt.board.scene.turn
            answer(rt, name, spec, (into or name, level), plans, values, actor)

    def run(rt: Runtime) -> None:
        frame = rt.frame
        values = {key: formula.run(frame) for key, formula in args.items()} | defaults
        happens(rt, values)
        if into is not None:
            frame[into] = values

    def emit(code: Code) -> list[ast.stmt]:
        """The same, where the values are one record; a moment that nobody in the pack answers is no more than that."""
        values = code.record({key: formula.node for key, formula in args.items()}, defaults)
        if name not in reactions:
            return [] if into is None else [code.store(into, values)]
        kept = code.name("m")
        meet = code.do(code.call(happens, code.load("rt"), code.load(kept)))
        lines = [code.let(kept, values), meet]
        return lines if into is None else [*lines, code.store(into, code.load(kept))]

    return Piece(run, emit)


def answer(  # noqa: PLR0913  (the moment, and who may answer it)
    rt: Runtime, name: str, spec: Moment, makes: tuple[str, str], plans: Mapping[str, Any], values: Values, actor: str
) -> None:
    """Ask those who may react, then do what they and their cards do, one after the other."""
    offers = offered(rt, name, plans, values, actor)
    if not offers:
        return
    key = rt.unused(rt.prefix + makes[0])
    asked = {who: [plan for plan in found if plan.spec.asks] for who, found in offers.items()}
    asked = {who: found for who, found in asked.items() if found}
    declared: dict[str, list[str]] = {}
    if asked:
        wanted = window(key, name, spec, asked, values, makes[1])
        declared = checked(wanted, rt.answer(key, wanted))
        rt.used[key] = declared
        if rt.trace is not None:
            rt.trace.append(TraceStep(kind="moment", name=name, value=said(declared), depth=rt.depth))
    for who, found in offers.items():
        for plan in found:
            if not plan.spec.asks or plan.id in declared.get(who, ()):
                react(rt, plan, rt.board.sheet(who), values, f"{key}.{who}.{plan.id}.")


def offered(rt: Runtime, name: str, plans: Mapping[str, Any], values: Values, actor: str) -> Offers:
    """Who can react with what, in the order of turns after the actor."""
    board = rt.board
    key = MEETS + name
    able: dict[str, list[ReactionPlan]] | None = board.together.get(key)
    if able is None:
        able = answering(board, key, plans)
        board.together[key] = able
    out: Offers = {}
    frame: dict[str, Any] | None = None
    for who in board.after(actor) if len(able) > 1 else able:
        if who not in able:
            continue
        sheet = board.sheet(who)
        for plan in able[who]:
            if not stands(board, sheet, plan.spec.of, values):
                continue
            if frame is None:
                frame = {"setting": rt.frame["setting"], "asker": rt.frame["asker"], "@board": board, "moment": values}
            frame["user"] = sheet
            if can(plan, frame):
                out.setdefault(who, []).append(plan)
    return out


def answering(board: Board, key: str, plans: Mapping[str, Any]) -> dict[str, list[ReactionPlan]]:
    """Those who take part and hold what answers, with what they hold of it; sheets remember it under the key."""
    out = {}
    for sheet in board.everyone():
        found: list[ReactionPlan] | None = sheet.get(key)
        if found is None:
            held = sheet[HELD]
            found = sheet[key] = [plan for card, several in plans.items() if card in held for plan in several]
        if found:
            out[sheet.id] = found
    return out


def can(plan: ReactionPlan, frame: dict[str, Any]) -> bool:
    """Whether the user in the frame can react so now."""
    frame["card"] = plan.card
    return plan.use.hindered(frame) is None


def stands(board: Board, user: Sheet, of: Mapping[str, str], values: Values) -> bool:
    """Whether the user stands to those in the moment's roles as the reaction wants."""
    sides = board.scene.sides
    for role, how in of.items():
        other = values[role]
        if how == "self":
            if other is not user:
                return False
            continue
        if other is user:
            if how != "friend":
                return False
            continue
        same = sides.get(user.id, "") == sides.get(other.id, "")
        if (how == "foe" and same) or (how in ("ally", "friend") and not same):
            return False
    return True


def window(key: str, name: str, spec: Moment, asked: Offers, values: Values, seen: str) -> Ask:  # noqa: PLR0913
    about = {k: v.id if isinstance(v, Sheet) else v for k, v in values.items()}
    options = {who: [Option(plan.id, plan.spec.title) for plan in found] for who, found in asked.items()}
    return Ask(
        id=key,
        who="asked",
        kind="window",
        title=spec.title,
        text=spec.text,
        moment=name,
        asked=options,
        about=about,
        seen=seen,
    )


def checked(wanted: Ask, given: Any) -> dict[str, list[str]]:
    """Every answer fits what was offered; those who have not answered are waited for."""
    from rules.tests.runtime import Pending

    if not isinstance(given, Mapping):
        raise GivenError(wanted.id, "an answer for each who is asked is wanted")
    out: dict[str, list[str]] = {}
    for who, chosen in given.items():
        if who not in wanted.asked:
            said = f"{wanted.title}: this is asked of others."
            raise GivenError(wanted.id, f"{who!r} is not asked", nearest(str(who), wanted.asked), said=said)
        names = [] if chosen in (None, PASS) else [chosen] if isinstance(chosen, str) else chosen
        if not isinstance(names, Sequence):
            right = "a list of reactions, empty to pass"
            raise GivenError(wanted.id, f"{who} cannot answer {chosen!r}", right, said=only(wanted, who))
        known = [option.id for option in wanted.asked[who]]
        for name in names:
            if name not in known:
                raise GivenError(
                    wanted.id, f"{who} cannot answer {name!r}", nearest(str(name), known), said=only(wanted, who)
                )
        out[who] = list(names)
    if out.keys() != wanted.asked.keys():
        raise Pending(wanted)
    return out


def only(wanted: Ask, who: str) -> str:
    """What somebody can answer, by the titles of their reactions."""
    titles = " or ".join(option.title for option in wanted.asked[who])
    return f"{wanted.title}: they can answer with {titles}, or pass."


def said(declared: dict[str, list[str]]) -> str:
    """What is declared, as a sentence of the trace."""
    parts = [f"{who}: {', '.join(names)}" for who, names in declared.items() if names]
    return "; ".join(parts) or "nobody answers"


def react(rt: Runtime, plan: ReactionPlan, user: Sheet, values: Values, prefix: str) -> None:
    """One reaction takes effect, if it still can: an earlier one may have changed what it needs."""
    outer, before = rt.frame, rt.prefix
    frame = {
        "setting": outer["setting"],
        "asker": outer["asker"],
        "@board": rt.board,
        "moment": values,
        "user": user,
        "card": plan.card,
    }
    if plan.use.hindered(frame) is not None:
        return
    if rt.trace is not None:
        said = f"{user['title']}: {plan.spec.title}"
        rt.trace.append(TraceStep(kind="react", name=plan.id, text=said, depth=rt.depth, about=user.id))
    rt.tick()
    rt.frame, rt.prefix, rt.depth, rt.nesting = frame, prefix, rt.depth + 1, rt.nesting + 1
    plan.use.pay(rt)
    run_steps(rt, plan.steps)
    rt.frame, rt.prefix, rt.depth, rt.nesting = outer, before, rt.depth - 1, rt.nesting - 1


BUILDERS: dict[str, Any] = {"moment": build_moment}
