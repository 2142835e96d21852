"""Verbs of held cards: apply and end, and how long what is applied lasts."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from rules.formulas import Formula
from rules.formulas.calls import token_type
from rules.formulas.check import Checker
from rules.formulas.functions import has_card
from rules.formulas.types import Int, Role, Text, Type, below
from rules.packs.schema import Step
from rules.problems import BudgetExceeded, nearest
from rules.sheets.sheet import Sheet, token_of
from rules.sheets.subject import Ends
from rules.tests.effects import new_held_id, whole
from rules.tests.flow import Closure, Flow, Path
from rules.tests.fuse import Code, Piece
from rules.tests.result import Effect
from rules.tests.runtime import Runtime
from rules.tests.targets import record
from rules.tests.verbs_lists import matches

MOST_HELD = 200
"""cards that one subject may hold: more are no rules, but cards that multiply"""


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
    cause = None if step.by is None else cause_of(flow, step, path)
    if step.by is not None and cause is None:
        return None

    def apply(rt: Runtime) -> None:
        sheet: Sheet = whose.run(rt.frame)
        name = card if isinstance(card, str) else card.run(rt.frame)
        if name in once and sheet.count_held(name):
            return
        if len(sheet.held) >= MOST_HELD:
            raise BudgetExceeded(f"{sheet['title']} would hold more than {MOST_HELD} cards")
        effect = Effect(
            verb="apply",
            subject=sheet.id,
            role=step.of or "",
            card=name,
            held=new_held_id(sheet, name),
            ends=until(rt),
            values={k: v.run(rt.frame) for k, v in values.items()},
            source=cause(rt) if cause is not None else rt.frame[source].id if source in rt.frame else "",
            seen=step.seen or "all",
        )
        record(rt, sheet, effect, f"{step.of} has {name}")

    return apply


def cause_of(flow: Flow, step: Step, path: Path) -> Callable[[Runtime], str] | None:
    """`by`: the subject that causes it, or the id of one."""
    assert step.by is not None
    found = flow.formula(step.by, (*path, "by"))
    if found is None:
        return None
    if isinstance(found.type, Role):
        return lambda rt: str(found.run(rt.frame).id)
    if isinstance(found.type, Text):
        return lambda rt: str(found.run(rt.frame))
    flow.report((*path, "by"), f"a subject is wanted here, not {found.type.show()}")
    return None


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
            if where is not None and not matches(rt, where, token_of(held)):
                continue
            effect = Effect(verb="end", subject=sheet.id, role=step.of or "", card=name, held=held.id)
            record(rt, sheet, replace_details(effect, held), f"{step.of} no longer has {name}")
            if where is None:
                return

    def emit(code: Code) -> list[ast.stmt]:
        """Nothing is called where nobody holds it."""
        named = code.constant(card) if isinstance(card, str) else code.expr(card.node)
        found = code.call(has_card, code.expr(whose.node), named)
        return [code.branch(found, lambda code: code.opaque(end, (), ends=False))]

    return Piece(end, emit)


def build_rewrite(flow: Flow, step: Step, path: Path) -> Closure | None:
    """update: card, of: role, where: condition on `item`, values: {name: formula}: what held cards carry changes."""
    assert step.update is not None
    whose, card = subject_of(flow, step.of, path), card_of(flow, step.update, (*path, "update"))
    if whose is None or card is None:
        return None
    where = None if step.where is None else held_condition(flow, step, card, path)
    wanted, made = token_type(Checker(flow.scope), card_names(card)).fields, {}
    inner = flow.fork()
    inner.scope.names["item"] = token_type(Checker(flow.scope), card_names(card))
    for name, text in (step.values or {}).items():
        if name not in wanted or name in ("id", "source"):
            flow.report((*path, "values", name), f"such a card carries no {name!r}", nearest(name, wanted))
            return None
        made[name] = inner.of_type(text, wanted[name], (*path, "values", name))
    if (step.where is not None and where is None) or not made:
        return None
    flow.shared.effects = True

    def rewrite(rt: Runtime) -> None:
        sheet: Sheet = whose.run(rt.frame)
        name = card if isinstance(card, str) else card.run(rt.frame)
        for held in [thing for thing in sheet.held if thing.card == name]:
            item = token_of(held)
            if where is not None and not matches(rt, where, item):
                continue
            rt.frame["item"] = item
            after = replace(held, values=held.values | {n: f.run(rt.frame) for n, f in made.items() if f is not None})
            if after != held:
                taken, given = whole("end", sheet.id, held), whole("apply", sheet.id, after)
                record(rt, sheet, taken, f"{step.of}: {name} changes", given)

    return rewrite


def held_condition(flow: Flow, step: Step, card: Formula | str, path: Path) -> Formula | None:
    inner = flow.fork()
    inner.scope.names["item"] = token_type(Checker(flow.scope), card_names(card))
    return inner.condition(step.where, (*path, "where"))


def replace_details(effect: Effect, held: Any) -> Effect:
    """An ended card is recorded whole, so that it can be given back."""
    return replace(effect, values=held.values, ends=held.ends, source=held.source)


def build_until(flow: Flow, step: Step, path: Path) -> Callable[[Runtime], Ends | None] | None:
    if step.until is None:
        return lambda rt: None
    until = step.until
    known = flow.shared.builder.instants
    if until.at not in known:
        flow.report((*path, "until", "at"), f"no instant is called {until.at!r}", nearest(until.at, known))
        return None
    whose = None if until.of is None else owner_of(flow, until.of, (*path, "until"))
    if known[until.at] and whose is None:
        flow.report((*path, "until"), f"{until.at} is the instant of somebody: say whose with `of`")
        return None
    count = flow.of_type(until.count, Int(), (*path, "until", "count"))
    if count is None:
        return None
    if below(count.type, 1):
        flow.report((*path, "until", "count"), "the first such instant is 1: a count below that never comes")
        return None
    at = until.at

    def ends(rt: Runtime) -> Ends:
        of = "" if whose is None else whose.run(rt.frame)
        return Ends(at=at, of=of if isinstance(of, str) else of.id, count=count.run(rt.frame))

    return ends


def owner_of(flow: Flow, text: str, path: Path) -> Formula | None:
    """Whose instant: a subject, or the id of one (`token.source`)."""
    found = flow.formula(text, (*path, "of"))
    if found is not None and not isinstance(found.type, Role | Text):
        flow.report((*path, "of"), f"a subject is wanted here, not {found.type.show()}")
        return None
    return found


BUILDERS: dict[str, Any] = {"apply": build_apply, "end": build_end}
