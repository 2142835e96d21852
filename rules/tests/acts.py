"""Cards that act: their actions and reactions, checked and compiled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from rules.formulas import Formula
from rules.formulas.types import Int, List, Role
from rules.packs.schema import Action, Encounter, Moment, Reaction, Test
from rules.packs.source import ID
from rules.problems import nearest
from rules.tests.build import SEATS, add_inputs, build_facts, build_steps, check_outcomes, check_published
from rules.tests.flow import Closure, Flow, Path, Shared
from rules.tests.offers import build_act_offers
from rules.tests.program import Program
from rules.tests.uses import UsePlan, add_user, build_use
from rules.tests.verb_moment import moment_type

if TYPE_CHECKING:
    from rules.packs.builder import Builder


@dataclass(frozen=True)
class ActionPlan:
    """An action ready to run: its program, when it may be used, and who can be chosen for its roles."""

    id: str
    card: str
    spec: Action
    use: UsePlan
    program: Program
    wheres: dict[str, Formula]
    stands: Formula | None = None
    besides: tuple[tuple[str, Formula], ...] = ()
    """what its steps take besides, by stat of the user"""


@dataclass(frozen=True)
class ReactionPlan:
    """A reaction ready to run; `of` says how its user must stand to those in the moment's roles."""

    id: str
    card: str
    spec: Reaction
    use: UsePlan
    steps: list[Closure]


def build_acts(b: Builder) -> None:
    """Actions and reactions of every card of the pack."""
    acts, reacts = build_abilities(b)
    for kind, card, spec in cards_of(b):
        for name, action in spec.actions.items():
            path = ("cards", kind, card, "actions", name)
            if named_well(b, name, path):
                plan = build_action(b, kind, card, full_id(card, name), action, acts, path)
                b.actions[plan.id] = plan
        for name, reaction in spec.reactions.items():
            path = ("cards", kind, card, "reactions", name)
            if named_well(b, name, path):
                build_reaction(b, kind, card, full_id(card, name), reaction, reacts, path)


def cards_of(b: Builder) -> Iterator[tuple[str, str, Any]]:
    for kind, cards in b.source.sections["cards"].items():
        for card, spec in cards.items():
            yield kind, card, spec


def full_id(card: str, name: str) -> str:
    """`card.action`, or only the card's id where both have one name."""
    return card if card == name else f"{card}.{name}"


def named_well(b: Builder, name: str, path: Path) -> bool:
    if ID.match(name):
        return True
    b.source.report(path, f"{name!r} is no id: lower-case words joined by _")
    return False


def build_abilities(b: Builder) -> tuple[Formula | None, Formula | None]:
    """What the pack says of when actions and reactions can be used at all."""
    rules: Encounter | None = b.source.sections["encounter"]
    if rules is None or b.scope.board is None:
        return None, None
    flow = Flow(Shared(b, ("encounter",)), b.scope.child())
    flow.scope.names["user"] = b.scope.board
    if rules.extra_turn is not None:
        b.extra_turn = flow.condition(rules.extra_turn.when, ("encounter", "extra_turn", "when"))
    return flow.condition(rules.acts, ("encounter", "acts")), flow.condition(rules.reacts, ("encounter", "reacts"))


def build_action(
    b: Builder, kind: str, card: str, action_id: str, spec: Action, acts: Formula | None, path: Path
) -> ActionPlan:
    shared = Shared(b, path, ("user", *spec.roles), tuple(spec.outcomes))
    flow = Flow(shared, b.scope.child())
    flow.scope.names["asker"] = SEATS
    add_user(flow, spec, kind, card, path)
    stands = flow.condition(spec.stands, (*path, "stands"))
    besides = build_besides(flow, spec, kind, path)
    inputs = add_inputs(flow, spec, path)
    flow.fixed = set(flow.scope.names)
    singles = {role: found for role, found in spec.roles.items() if not found.many}
    use = build_use(flow, spec, action_id, card, acts, singles, path)
    wheres = build_wheres(flow, spec, path)
    steps = build_steps(flow, spec.steps, (*path, "steps"))
    facts, facts_seen = build_facts(flow, spec.facts, (*path, "facts"))
    check_outcomes(flow, spec, path)
    check_published(flow, spec, facts, path)
    offers = build_act_offers(flow, spec, inputs, path)
    program = Program(
        id=action_id,
        offers=offers,
        spec=cast(Test, spec),
        inputs=inputs,
        steps=steps,
        facts=facts,
        facts_seen={**facts_seen, **shared.facts_seen},
        asks=tuple(shared.asks.values()),
        effects=True,
        fact_types={
            **{k: f.type for k, f in facts.items()},
            **{k: t for found in shared.outcome_facts.values() for k, t in found.items()},
        },
    )
    return ActionPlan(action_id, card, spec, use, program, wheres, stands, besides)


def build_besides(flow: Flow, spec: Action, kind: str, path: Path) -> tuple[tuple[str, Formula], ...]:
    """What an action says that it takes in its steps, or what its card's type says of all."""
    wanted = spec.besides
    where: Path = (*path, "besides")
    if wanted is None:
        wanted, where = flow.shared.builder.source.sections["card_types"][kind].besides, ("card_types", kind, "besides")
    out = []
    for stat, text in wanted.items():
        flow.formula(f"user.{stat}", (*where, stat))
        amount = flow.of_type(text, Int(), (*where, stat))
        if amount is not None:
            out.append((stat, amount))
    return tuple(out)


def build_wheres(flow: Flow, spec: Action, path: Path) -> dict[str, Formula]:
    """Conditions on who may be chosen for a role; they do not know the other roles, which are chosen as freely."""
    out = {}
    for role, found in spec.roles.items():
        where = (*path, "roles", role)
        if found.max is not None and found.max < max(found.min, 1):
            flow.report((*where, "max"), "`max` is less than `min`")
        if not found.many and (found.min, found.max) not in ((1, None), (1, 1)):
            flow.report(where, "`min` and `max` are for a role of `many`")
        kind = flow.scope.names.get(role)
        if kind is None or found.where is True:
            continue
        inner = flow.fork()
        for other in spec.roles:
            inner.scope.names.pop(other, None)
        inner.scope.names["option"] = kind.of if isinstance(kind, List) else kind
        condition = inner.condition(found.where, (*where, "where"))
        if condition is not None:
            out[role] = condition
    return out


def build_reaction(
    b: Builder, kind: str, card: str, reaction_id: str, spec: Reaction, reacts: Formula | None, path: Path
) -> None:
    moments: dict[str, Moment] = b.source.sections["moments"]
    moment = moments.get(spec.at)
    if moment is None:
        known = ", ".join(moments) or "none"
        hint = nearest(spec.at, moments)
        b.source.report((*path, "at"), f"no moment is called {spec.at!r}" + ("" if hint else f"; known: {known}"), hint)
        return
    flow = Flow(Shared(b, path, ("user",), moment=moment), b.scope.child())
    flow.scope.names["asker"] = SEATS
    add_user(flow, spec, kind, card, path)
    flow.scope.names["moment"] = moment_type(b, moment, ("moments", spec.at))
    flow.fixed = set(flow.scope.names)
    check_relations(flow, spec, moment, path)
    use = build_use(flow, spec, reaction_id, card, reacts, moment.roles, path)
    steps = build_steps(flow, spec.steps, (*path, "steps"))
    plan = ReactionPlan(reaction_id, card, spec, use, steps)
    b.reactions.setdefault(spec.at, {}).setdefault(card, []).append(plan)


def check_relations(flow: Flow, spec: Reaction, moment: Moment, path: Path) -> None:
    for role, how in spec.of.items():
        if role not in moment.roles:
            hint = nearest(role, moment.roles)
            flow.report((*path, "of", role), f"the moment {spec.at!r} has no role {role!r}", hint)
            continue
        user = flow.scope.names["user"]
        assert isinstance(user, Role)
        if how == "self" and not user.kinds & set(moment.roles[role].kinds):
            flow.report((*path, "of", role), "the user is of no kind that can be in this role")
