"""The section `encounter`, and the cards that come with others."""

from __future__ import annotations

from typing import Any

from rules.bindings import check_bindings
from rules.formulas import Formula, FormulaError
from rules.formulas.types import Bool, Int, Role
from rules.packs.build_kinds import own_scope
from rules.packs.builder import Builder
from rules.packs.schema import Encounter, Grant
from rules.packs.sections import report
from rules.packs.values import Misfit, role_type
from rules.problems import nearest
from rules.sheets.plan import GrantPlan
from rules.sheets.subject import Held


def build_encounter(b: Builder) -> None:
    """Who can stand on a board is known from here on to every formula that may read one."""
    rules: Encounter | None = b.source.sections["encounter"]
    if rules is None:
        for name in b.source.sections["moments"]:
            b.source.report(("moments", name), "moments need the section `encounter`")
        return
    path = ("encounter",)
    try:
        b.scope.board = role_type(rules.kinds, b.words)
    except Misfit as exc:
        b.source.report((*path, "kinds"), exc.message, exc.suggestion)
        return
    check_named(b, rules, b.scope.board)
    check_initiative(b, rules)
    report(b, "encounter", check_bindings(rules, b.setting_values))
    b.read |= {f"setting.{key}" for key in rules.settings.values()}


def check_named(b: Builder, rules: Encounter, board: Role) -> None:
    """Cards, card types, stats and kinds that the section names."""
    known = all_cards(b)
    for at, card in enumerate(rules.holds):
        if card not in known:
            b.source.report(("encounter", "holds", at), f"no card is called {card!r}", nearest(card, known))
        b.applied.add(card)
    types = b.source.sections["card_types"]
    for at, name in enumerate(rules.shows):
        if name not in types:
            b.source.report(("encounter", "shows", at), f"no card type is called {name!r}", nearest(name, types))
    for at, kind in enumerate(rules.rolls_off):
        if kind not in rules.kinds:
            b.source.report(("encounter", "rolls_off", at), f"no {kind!r} takes part", nearest(kind, rules.kinds))
    check_stats(b, rules, board)


def check_stats(b: Builder, rules: Encounter, board: Role) -> None:
    """The stats that everybody who can take part must have."""
    for at, stat in enumerate(rules.budgets):
        if stat not in board.stats:
            hint = nearest(stat, board.stats)
            b.source.report(("encounter", "budgets", at), f"those who take part have no stat {stat!r}", hint)
    for at, flag in enumerate(rules.flags):
        if not isinstance(board.stats.get(flag), Bool):
            hint = nearest(flag, board.stats)
            b.source.report(("encounter", "flags", at), f"those who take part have no flag {flag!r}", hint)
    if rules.size is not None and not isinstance(board.stats.get(rules.size), Int):
        hint = nearest(rules.size, board.stats)
        b.source.report(("encounter", "size"), f"those who take part have no number {rules.size!r}", hint)


def check_initiative(b: Builder, rules: Encounter) -> None:
    """The test that gives the order of turns has one role for everybody who can take part, and says `initiative`."""
    tests, path = b.source.sections["tests"], ("encounter", "initiative")
    if rules.initiative is None:
        return
    test = tests.get(rules.initiative)
    if test is None:
        b.source.report(path, f"no test is called {rules.initiative!r}", nearest(rules.initiative, tests))
        return
    kinds = [set(role.kinds) for role in test.roles.values()]
    if len(kinds) != 1 or not set(rules.kinds) <= kinds[0]:
        b.source.report(path, f"{rules.initiative} has not one role, for every kind that can take part")
    if "initiative" not in test.facts:
        b.source.report(path, f"{rules.initiative} does not say `initiative` in its facts")


def all_cards(b: Builder) -> set[str]:
    return {card for cards in b.source.sections["cards"].values() for card in cards}


def everybody_holds(b: Builder) -> tuple[Held, ...]:
    rules: Encounter | None = b.source.sections["encounter"]
    return () if rules is None else tuple(Held(id=card, card=card) for card in rules.holds)


def build_grants(b: Builder) -> None:
    known = all_cards(b)
    for kind, cards in b.source.sections["cards"].items():
        for card_id, card in cards.items():
            for at, said in enumerate(card.grants):
                path = ("cards", kind, card_id, "grants", at)
                grant = Grant(card=said) if isinstance(said, str) else said
                if grant.card not in known:
                    b.source.report(path, f"no card is called {grant.card!r}", nearest(grant.card, known))
                    continue
                b.applied.add(grant.card)
                build_grant(b, path, card_id, grant)


def build_grant(b: Builder, path: tuple[Any, ...], card: str, grant: Grant) -> None:
    """The grant on the sheets of every kind that has what its condition reads."""
    fits = []
    for plan in b.kind_plans.values():
        when: Formula | None = None
        if grant.when is not True:
            scope = own_scope(b, plan.id)
            try:
                Formula.of(grant.when, scope)
            except FormulaError:
                continue
            when = b.condition(grant.when, scope, (*path, "when"))
        plan.grants.setdefault(card, []).append(GrantPlan(grant.card, when))
        fits.append(plan.id)
    if not fits:
        b.condition(grant.when, own_scope(b, next(iter(b.kind_plans))), (*path, "when"))
