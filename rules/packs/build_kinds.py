"""Kinds of subject: kept and derived stats, and the modifiers that cards in force give to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from rules.formulas import Formula, FormulaError
from rules.formulas.calls import token_type
from rules.formulas.check import Checker
from rules.formulas.functions import STACKING
from rules.formulas.types import Bool, Int, List, Map, Role, Scope, Text, Type, accepts
from rules.packs.builder import Builder, mismatch
from rules.packs.schema import Card, Kind, Modifier, Stat
from rules.packs.values import default_of
from rules.problems import nearest
from rules.sheets.plan import KindPlan, ModifierPlan, StatPlan
from rules.sheets.subject import Held

OWN_WORDS = frozenset({"kind", "title", "mine", "id", "base", "setting", "self", "card", "token"})


def build_kinds(b: Builder) -> None:
    """First the kept stats of every kind, then the derived ones, which may read them all."""
    kinds: Mapping[str, Kind] = b.source.sections["kinds"]
    b.modified = stats_modified(b)
    for name, kind in kinds.items():
        types: dict[str, Type] = {"kind": Text(frozenset(kinds)), "title": Text()}
        for stat, spec in kind.stats.items():
            if stat in OWN_WORDS:
                b.source.report(("kinds", name, "stats", stat), f"{stat!r} is a name of the language")
            types[stat] = b.spec_type(spec, ("kinds", name, "stats", stat))
            if stat in b.modified:
                types[stat] = modified_type(spec, types[stat])
            if spec.seen != "all":
                b.hidden_stats[stat] = spec.seen
            b.check_default(spec, ("kinds", name, "stats", stat))
        b.words.kinds[name] = types
    for name, kind in kinds.items():
        plans = {stat: build_stat(b, name, stat, spec) for stat, spec in kind.stats.items()}
        b.kind_plans[name] = KindPlan(
            name,
            kind.title,
            plans,
            always=[Held(id=card, card=card) for card in kind.holds],
            members=tuple(kind.members),
            made_by=kind.made_by,
            open=frozenset(kind.sheet.open),
            holding=[plan for plan in plans.values() if plan.spec.holds],
            topped=[plan for plan in plans.values() if plan.at_most is not None],
            once=frozenset(card for _, card, spec in each_card(b) if spec.stacks == "once"),
        )
        check_members(b, name, kind, list(kinds))
        check_holds(b, name, kind)
        b.kind_plans[name].whens = [
            b.condition(group.when, own_scope(b, name), ("kinds", name, "sheet", "groups", at, "when"))
            for at, group in enumerate(kind.sheet.groups)
        ]
        check_layout(b, name, kind)


def check_holds(b: Builder, name: str, kind: Kind) -> None:
    known = {card for _, card, _ in each_card(b)}
    for at, card in enumerate(kind.holds):
        if card not in known:
            b.source.report(("kinds", name, "holds", at), f"no card is called {card!r}", nearest(card, known))
        b.applied.add(card)


def check_members(b: Builder, name: str, kind: Kind, kinds: list[str]) -> None:
    """What can belong to a kind are kinds that are there."""
    for at, member in enumerate(kind.members):
        if member not in kinds:
            where = ("kinds", name, "members", at)
            b.source.report(where, f"no kind of subject is called {member!r}", nearest(member, kinds))


def check_layout(b: Builder, name: str, kind: Kind) -> None:
    """A sheet's layout names stats and card types that are there, each stat once, and tracks of numbers."""
    path = ("kinds", name, "sheet")
    shown: set[str] = set()
    for at, group in enumerate(kind.sheet.groups):
        for n, stat in enumerate(group.stats):
            known_stat(b, kind, stat, (*path, "groups", at, "stats", n))
            if stat in shown:
                b.source.report((*path, "groups", at, "stats", n), f"{stat!r} is shown twice")
            shown.add(stat)
        for n, card_type in enumerate(group.cards):
            if card_type not in b.words.cards:
                where = (*path, "groups", at, "cards", n)
                b.source.report(where, f"no card type is called {card_type!r}", nearest(card_type, b.words.cards))
    for n, stat in enumerate(kind.sheet.left_out):
        known_stat(b, kind, stat, (*path, "left_out", n))
    check_open(b, kind, (*path, "open"))
    for stat, most in kind.sheet.tracks.items():
        for one in (stat, most):
            if known_stat(b, kind, one, (*path, "tracks", stat)) and not plain_number(kind.stats[one]):
                b.source.report((*path, "tracks", stat), f"{one} is no plain number: it has no bar")


def check_open(b: Builder, kind: Kind, path: tuple[Any, ...]) -> None:
    """What everybody may know of a kind that game masters let in is not hidden by the stat itself."""
    for n, stat in enumerate(kind.sheet.open):
        if not known_stat(b, kind, stat, (*path, n)):
            continue
        if kind.made_by == "player":
            b.source.report((*path, n), "what players let in is open by itself: hide stats by `seen`")
        elif kind.stats[stat].seen != "all":
            b.source.report((*path, n), f"{stat} is hidden by its own `seen: {kind.stats[stat].seen}`")


def known_stat(b: Builder, kind: Kind, stat: str, path: tuple[Any, ...]) -> bool:
    if stat not in kind.stats:
        b.source.report(path, f"no stat is called {stat!r}", nearest(stat, kind.stats))
    return stat in kind.stats


def plain_number(spec: Stat) -> bool:
    return spec.type == "int" and spec.each is None


def stats_modified(b: Builder) -> frozenset[str]:
    """Numbers that some card changes: nothing can be told of them from their own formula alone."""
    types = b.source.sections["card_types"].values()
    listed = [*(t.modifiers for t in types), *(card.modifiers for _, _, card in each_card(b))]
    return frozenset(modifier.stat for modifiers in listed for modifier in modifiers)


def each_card(b: Builder) -> Iterator[tuple[str, str, Card]]:
    """Every card with its type and id."""
    for kind, cards in b.source.sections["cards"].items():
        for name, card in cards.items():
            yield kind, name, card


def own_scope(b: Builder, kind: str, key: str | None = None) -> Scope:
    """What a formula on a sheet may read: the subject's own stats by name, settings, perhaps a card."""
    scope = b.scope.child()
    scope.board = None  # a sheet is the same wherever its subject stands
    scope.names |= b.words.kinds[kind]
    scope.names["self"] = Role(frozenset({kind}), {})
    if key in b.words.cards:
        scope.names[key] = b.words.card_type(key)
    return scope


def build_stat(b: Builder, kind: str, name: str, spec: Stat) -> StatPlan:
    path = ("kinds", kind, "stats", name)
    default = default_of(spec) if spec.each is None else default_of_each(spec)
    plan = StatPlan(name, spec, default)
    if spec.each is not None and spec.each in b.words.cards:
        plan.keys, plan.key_name = b.words.cards[spec.each], spec.each
        if spec.formula is None and isinstance(default, dict):
            b.source.report((*path, "default"), "one default for every card")
    if spec.formula is not None:
        if spec.default is not None:
            b.source.report((*path, "default"), "a derived stat has no default")
        wanted = b.words.kinds[kind][name]
        inner = wanted.of if isinstance(wanted, Map) else wanted
        plan.formula = derived(b, spec.formula, inner, own_scope(b, kind, spec.each), (*path, "formula"))
        if plan.formula is not None and spec.each is None and name not in b.modified:
            b.words.kinds[kind][name] = derived_type(wanted, plan.formula.type)
    elif default is None:
        b.source.report(path, "a stat needs a default or a formula")
    if spec.at_most is not None:
        plan.at_most = b.of_type(spec.at_most, Int(), own_scope(b, kind), (*path, "at_most"))
        if spec.formula is not None or spec.type != "int" or spec.each is not None:
            b.source.report((*path, "at_most"), "only a kept plain number has a bound that is worked out")
    if spec.holds and not holds_cards(spec):
        b.source.report((*path, "holds"), "only a kept card, or a kept list of cards, can be in force")
    plan.stack = STACKING[spec.stacking]
    return plan


TYPE_WORDS: dict[type[Type], str] = {Bool: "flag", Text: "name", List: "list"}


def derived(b: Builder, text: Any, wanted: Type, scope: Scope, path: tuple[Any, ...]) -> Formula | None:
    """The formula of a derived stat, of the type that is declared: a number, where none is."""
    found = b.formula(text, scope, path)
    if found is not None and not accepts(wanted, found.type):
        word = TYPE_WORDS.get(type(found.type)) if isinstance(wanted, Int) else None
        b.source.report(path, mismatch(wanted, found.type) + (f": declare `type: {word}`" if word else ""))
    return found


def holds_cards(spec: Stat) -> bool:
    inner = spec.of if spec.type == "list" else spec
    return inner is not None and inner.type == "card" and spec.formula is None and spec.each is None


def build_modifiers(b: Builder) -> None:
    """What the cards of a type do, what each card does, and what comes with it."""
    for kind, declared in b.source.sections["card_types"].items():
        cards = b.source.sections["cards"].get(kind, {})
        for at, modifier in enumerate(declared.modifiers):
            build_modifier(b, ("card_types", kind, "modifiers", at), kind, cards, modifier)
    for kind, name, card in each_card(b):
        for at, modifier in enumerate(card.modifiers):
            build_modifier(b, ("cards", kind, name, "modifiers", at), kind, {name: card}, modifier)


def build_modifier(b: Builder, path: tuple[Any, ...], kind: str, cards: Mapping[str, Card], modifier: Modifier) -> None:
    """One modifier of one card, or of all cards of a type."""
    having = [plan for plan in b.kind_plans.values() if modifier.stat in plan.stats]
    if not having:
        known = {stat for plan in b.kind_plans.values() for stat in plan.stats}
        b.source.report((*path, "stat"), f"no stat is called {modifier.stat!r}", nearest(modifier.stat, known))
    scopes = {plan.id: card_scope(b, plan.id, kind, cards) for plan in having}
    for plan in [plan for plan in having if readable(modifier, scopes[plan.id])] or having[:1]:
        scope = scopes[plan.id]
        add = b.of_type(modifier.add, Int(), scope, (*path, "add"))
        when = b.condition(modifier.when, scope, (*path, "when"))
        stat = plan.stats[modifier.stat]
        check_reach(b, path, modifier, stat)
        if add is not None:
            for name, card in cards.items():
                made = ModifierPlan(name, modifier.stat, card.title, modifier.kind, add, when, modifier.key)
                stat.add_modifier(made)


def card_scope(b: Builder, plan: str, kind: str, cards: Mapping[str, Card]) -> Scope:
    """What the modifiers of cards may read on a sheet: its own stats, the card, and what the held one carries."""
    scope = own_scope(b, plan)
    scope.names["card"] = Text(frozenset(cards), kind)
    scope.names["token"] = token_type(Checker(scope), frozenset(cards))
    return scope


def readable(modifier: Modifier, scope: Scope) -> bool:
    """Whether a kind has what a modifier reads; kinds that have not pass it by, as long as another one has."""
    try:
        Formula.of(modifier.add, scope)
        Formula.of(modifier.when, scope)
    except FormulaError:
        return False
    return True


def check_reach(b: Builder, path: tuple[Any, ...], modifier: Modifier, stat: StatPlan) -> None:
    """A modifier adds to a number; where the stat has one for each card, it says for which."""
    if stat.spec.type != "int" or (stat.keys is None) != (modifier.key is None):
        wanted = "say which with `key`" if stat.keys is not None else "nothing can be added"
        b.source.report((*path, "stat"), f"{modifier.stat} is not a plain number: {wanted}")
    elif modifier.key is not None and modifier.key not in (stat.keys or ()):
        hint = nearest(modifier.key, stat.keys or ())
        b.source.report((*path, "key"), f"{modifier.stat} has no value for {modifier.key!r}", hint)


def derived_type(declared: Type, found: Type) -> Type:
    """A derived number has the bounds of its formula, unless it declares its own."""
    if isinstance(declared, Int) and declared == Int():
        return found
    return declared


def modified_type(spec: Stat, before: Type) -> Type:
    """A number that modifiers reach keeps its bounds only when it is clamped to them."""
    after = Int(spec.min, spec.max) if spec.bounds == "clamp" else Int()
    return Map(before.key, after) if isinstance(before, Map) else after


def default_of_each(spec: Stat) -> Any:
    """The default of one value of a stat that has one for each card."""
    return default_of(replace(spec, each=None))
