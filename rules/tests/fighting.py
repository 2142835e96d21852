"""What the section `encounter` says of fights that are sized, and of those that nobody plays: checked and compiled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rules.formulas import Formula
from rules.formulas.types import Bool, Int, List
from rules.packs.schema import Design, Encounter, Preference, Sizing, Tactics
from rules.packs.values import role_type
from rules.problems import nearest
from rules.sizing.foes import types_for
from rules.tests.build import SEATS
from rules.tests.flow import Flow, Path, Shared
from rules.tests.texts import Template, template

if TYPE_CHECKING:
    from rules.packs.builder import Builder


@dataclass
class SizingPlan:
    """The figures in order, and what is said when."""

    figures: dict[str, Formula] = field(default_factory=dict)
    cautions: list[tuple[Formula | None, Template]] = field(default_factory=list)


@dataclass
class PreferencePlan:
    """One line of the tactics, ready to run."""

    spec: Preference
    actions: tuple[str, ...]
    when: Formula | None
    where: Formula | None
    best: Formula | None
    given: dict[str, Formula]


@dataclass
class TacticsPlan:
    """How those act whom nobody plays."""

    spec: Tactics
    out: Formula
    acts: list[PreferencePlan]
    choices: dict[str, Formula]
    reach: Formula | None


def build_fighting(b: Builder) -> None:
    """After the actions: preferences name them."""
    rules: Encounter | None = b.source.sections["encounter"]
    sections = b.source.sections
    if rules is None or b.scope.board is None:
        for name in ("sizing", "tactics", "designs"):
            if sections[name]:
                b.source.report((name,), f"{name} needs the section `encounter`")
        return
    if sections["sizing"] is not None:
        b.sizing = build_sizing(b, rules, sections["sizing"])
    if sections["tactics"] is not None:
        b.tactics = build_tactics(b, sections["tactics"])
    check_designs(b, rules)


def named(b: Builder, path: Path, names: Iterable[str], known: Iterable[str], what: str) -> bool:
    known, fits = list(known), True
    for at, name in enumerate(names):
        if name not in known:
            b.source.report((*path, at), f"no {what} is called {name!r}", nearest(name, known))
            fits = False
    return fits


def build_sizing(b: Builder, rules: Encounter, spec: Sizing) -> SizingPlan:
    path, plan = ("sizing",), SizingPlan()
    kinds, types = b.source.sections["kinds"], b.source.sections["card_types"]
    fits = named(b, (*path, "party"), spec.party, rules.kinds, "kind that can take part")
    fits &= named(b, (*path, "foes"), spec.foes, types, "card type")
    made = [kind for kind in rules.kinds if kind in kinds and set(types_for(kinds[kind], types)) & set(spec.foes)]
    if fits and not made:
        b.source.report((*path, "foes"), "no kind that can take part is made of these: by hand, fields like its stats")
    if not fits or not made:
        return plan
    flow = Flow(Shared(b, path), b.scope.child())
    flow.scope.names |= {"asker": SEATS}
    flow.scope.names["party"] = List(role_type(spec.party, b.words))
    flow.scope.names["foes"] = List(role_type(made, b.words))
    for name, dial in spec.dials.items():
        flow.define(name, b.spec_type(dial, (*path, "dials", name)), (*path, "dials", name))
        if dial.default is None:
            b.source.report((*path, "dials", name), "a dial needs a default")
        b.check_default(dial, (*path, "dials", name))
    for name, number in spec.figures.items():
        where = (*path, "figures", name)
        found = flow.of_type(number.value, Int(), (*where, "value"))
        flow.define(name, Int(), where)
        if found is not None:
            plan.figures[name] = found
    for key, name in (("budget", spec.budget), ("used", spec.used)):
        if name not in spec.figures:
            b.source.report((*path, key), f"no figure is called {name!r}", nearest(name, spec.figures))
    for at, caution in enumerate(spec.cautions):
        place = (*path, "cautions", at)
        when = flow.condition(caution.when, (*place, "when"))
        plan.cautions.append((when, template(flow, caution.text, (*place, "text"))[0]))
    return plan


def build_tactics(b: Builder, spec: Tactics) -> TacticsPlan | None:
    path = ("tactics",)
    flow = Flow(Shared(b, path), b.scope.child())
    assert b.scope.board is not None
    flow.scope.names |= {"asker": SEATS, "user": b.scope.board}
    out = flow.of_type(spec.out, Bool(), (*path, "out"))
    if not isinstance(b.scope.board.stats.get(spec.track), Int):
        hint = nearest(spec.track, b.scope.board.stats)
        b.source.report((*path, "track"), f"those who take part have no number {spec.track!r}", hint)
    for kind in spec.aim:
        if kind not in b.scope.board.kinds:
            hint = nearest(kind, b.scope.board.kinds)
            b.source.report((*path, "aim", kind), f"no kind that can take part is called {kind!r}", hint)
    reactions = [plan.id for by_card in b.reactions.values() for plans in by_card.values() for plan in plans]
    named(b, (*path, "never"), spec.never, [*b.actions, *reactions], "action or reaction")
    acts = [build_preference(b, flow, one, (*path, "acts", at)) for at, one in enumerate(spec.acts)]
    choices = {name: flow.formula(text, (*path, "choices", name)) for name, text in spec.choices.items()}
    reach = None
    if spec.approach is not None:
        where = (*path, "approach")
        if spec.approach.action not in b.actions:
            hint = nearest(spec.approach.action, b.actions)
            b.source.report((*where, "action"), f"no action is called {spec.approach.action!r}", hint)
        elif spec.approach.place not in (inputs := b.actions[spec.approach.action].spec.inputs):
            hint = nearest(spec.approach.place, inputs)
            b.source.report((*where, "place"), f"the action has no input {spec.approach.place!r}", hint)
        reach = flow.of_type(spec.approach.reach, Int(), (*where, "reach"))
    if out is None:
        return None
    kept = {name: found for name, found in choices.items() if found is not None}
    return TacticsPlan(spec, out, acts, kept, reach)


def build_preference(b: Builder, outer: Flow, spec: Preference, path: Path) -> PreferencePlan:
    flow, board = outer.fork(), b.scope.board
    assert board is not None
    if spec.kinds and named(b, (*path, "kinds"), spec.kinds, board.kinds, "kind that can take part"):
        flow.scope.names["user"] = role_type(spec.kinds, b.words)
    actions = tuple(name for name, plan in b.actions.items() if spec.tag in plan.spec.tags)
    if (spec.action is None) == (spec.tag is None):
        b.source.report(path, "say one of `action` and `tag`")
    elif spec.action is not None:
        actions = (spec.action,) if spec.action in b.actions else ()
        if not actions:
            b.source.report((*path, "action"), f"no action is called {spec.action!r}", nearest(spec.action, b.actions))
    elif not actions:
        known = {tag for plan in b.actions.values() for tag in plan.spec.tags}
        b.source.report((*path, "tag"), f"no action has the tag {spec.tag!r}", nearest(spec.tag or "", known))
    given = {}
    for name, text in spec.given.items():
        if actions and name not in b.actions[actions[0]].spec.inputs:
            hint = nearest(name, b.actions[actions[0]].spec.inputs)
            b.source.report((*path, "given", name), f"the action has no input {name!r}", hint)
        found = flow.formula(text, (*path, "given", name))
        if found is not None:
            given[name] = found
    inner = flow.fork()
    inner.scope.names["option"] = board
    where = inner.condition(spec.where, (*path, "where"))
    best = None if spec.best is None else inner.of_type(spec.best, Int(), (*path, "best"))
    return PreferencePlan(spec, actions, flow.condition(spec.when, (*path, "when")), where, best, given)


def check_designs(b: Builder, rules: Encounter) -> None:
    """Whoever they were meant for is ready-made, and their foes can be made."""
    types, cards = b.source.sections["card_types"], b.source.sections["cards"]
    kinds: Mapping[str, Any] = b.source.sections["kinds"]
    foes = {
        card
        for kind in rules.kinds
        if kind in kinds
        for name in types_for(kinds[kind], types)
        for card in cards.get(name, {})
    }
    creations: Mapping[str, Any] = b.source.sections["creation"] or {}
    designs: Mapping[str, Design] = b.source.sections["designs"]
    for name, design in designs.items():
        path = ("designs", name)
        if b.source.sections["tactics"] is None:
            b.source.report(path, "numbers can be worked out again only with `tactics`")
        for kind, ready in design.party.items():
            known = creations[kind].ready if kind in creations else {}
            named(b, (*path, "party", kind), ready, known, "ready-made one")
        for at, row in enumerate(design.rows):
            for card in row.foes:
                if card not in foes:
                    b.source.report((*path, "rows", at, "foes"), f"no foe is made of {card!r}", nearest(card, foes))
