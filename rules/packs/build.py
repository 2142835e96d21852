"""From a pack's source to a checked pack: names to types, formulas to checked trees, steps to programs.

Order: settings, cards, tables and functions, kinds and their stats, modifiers, tests. Everything that can be found
wrong is found in one go, except that later stages wait for the names of earlier ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.formulas import Formula, FormulaError
from rules.formulas.functions import STACKING
from rules.formulas.reads import calls, reads
from rules.formulas.types import Bool, Function, Int, Map, Record, Scope, Text, Type, accepts
from rules.packs.pack import Pack
from rules.packs.schema import Func, Kind, Modifier, Setting, Stat, Table
from rules.packs.source import ID, Source
from rules.packs.values import Misfit, Vocabulary, default_of, fit, fit_plain, type_of
from rules.problems import RulesError, nearest
from rules.sheets.plan import KindPlan, ModifierPlan, StatPlan


def build(source: Source) -> Pack:
    """Check and compile. Raises PackError with every error; warnings stay on the pack."""
    from rules.packs.sections import add_pairs, check_sections
    from rules.packs.unused import report_unused
    from rules.tests.build import build_tests
    from rules.tests.triggers import build_triggers

    builder = Builder(source)
    add_pairs(builder)
    builder.settings()
    check_sections(builder)
    builder.cards()
    source.raise_errors()
    builder.functions()
    builder.kinds()
    source.raise_errors()
    builder.modifiers()
    build_tests(builder)
    build_triggers(builder)
    report_unused(builder)
    check_renames(builder)
    source.raise_errors()
    return builder.pack(list(source.problems))


class Builder:
    """Gathers the names of a pack while it is checked. `read` collects the settings and stats that anything reads."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.words = Vocabulary()
        self.scope = Scope()
        self.setting_values: dict[str, Any] = {}
        self.kind_plans: dict[str, KindPlan] = {}
        self.tests: dict[str, Any] = {}
        self.triggers: dict[str, list[Any]] = {}
        self.read: set[str] = set()
        self.called: set[str] = set()
        self.functions_called: set[str] = set()
        self.applied: set[str] = set()
        self.procedures: dict[Any, Any] = {}
        self.hidden_stats: dict[str, str] = {}
        self._functions: dict[str, Function] = {}
        self._open: list[str] = []

    # ------------------------------------------------------------------ tools

    def formula(self, text: str | int | bool, scope: Scope, path: tuple[Any, ...]) -> Formula | None:
        """A checked formula, or None after reporting what is wrong with it."""
        try:
            found = Formula.of(text, scope)
        except FormulaError as exc:
            self.source.report(path, exc.message, exc.suggestion, offset=exc.offset)
            return None
        self.read |= names_read(found)
        self.functions_called |= calls(found.node)
        return found

    def condition(self, text: str | int | bool | None, scope: Scope, path: tuple[Any, ...]) -> Formula | None:
        """A checked condition; None for `always`. One that can never hold is an error."""
        if text is None or text is True:
            return None
        found = self.formula(text, scope, path)
        if found is None:
            return None
        if not isinstance(found.type, Bool):
            self.source.report(path, f"a condition is wanted here, not {found.type.show()}")
        elif found.type.known is not None:
            word = "always" if found.type.known else "never"
            self.source.report(path, f"this condition {word} holds")
        return found

    def of_type(self, text: str | int | bool, wanted: Type, scope: Scope, path: tuple[Any, ...]) -> Formula | None:
        found = self.formula(text, scope, path)
        if found is not None and not accepts(wanted, found.type):
            self.source.report(path, mismatch(wanted, found.type))
        return found

    def spec_type(self, spec: Any, path: tuple[Any, ...]) -> Type:
        try:
            return type_of(spec, self.words)
        except Misfit as exc:
            self.source.report(path, exc.message, exc.suggestion)
            return Int()

    def check_default(self, spec: Any, path: tuple[Any, ...]) -> None:
        if spec.default is None:
            return
        try:
            (fit if isinstance(spec.default, dict) else fit_plain)(spec, spec.default, self.words)
        except Misfit as exc:
            self.source.report((*path, "default"), exc.message, exc.suggestion)

    # ------------------------------------------------------------------ settings

    def settings(self) -> None:
        """Every setting has a value; formulas read them as `setting.section.name`."""
        fields: dict[str, Any] = {}
        self.words.cards = {kind: list(cards) for kind, cards in self.source.sections["cards"].items()}
        for kind in self.source.sections["card_types"]:
            self.words.cards.setdefault(kind, [])
        for name, setting in self.source.manifest.settings.items():
            path = ("manifest", "settings", name)
            if not all(ID.match(part) for part in name.split(".")) or name.count(".") > 1:
                self.source.report(path, f"{name!r} is no setting: write section.name in lower-case words")
                continue
            kind = self.spec_type(setting, path)
            self.setting_value(name, setting, path)
            *section, last = name.split(".")
            (fields.setdefault(section[0], {}) if section else fields)[last] = kind
        self.scope.names["setting"] = Record(
            "setting", {k: Record(f"setting.{k}", v) if isinstance(v, dict) else v for k, v in fields.items()}
        )

    def setting_value(self, name: str, setting: Setting, path: tuple[Any, ...]) -> None:
        value = default_of(setting)
        if value is None:
            self.source.report(path, "a setting needs a default")
            return
        try:
            self.setting_values[name] = fit(setting, value, self.words)
        except Misfit as exc:
            self.source.report((*path, "default"), exc.message, exc.suggestion)

    # ------------------------------------------------------------------ cards

    def cards(self) -> None:
        types, cards = self.source.sections["card_types"], self.source.sections["cards"]
        seen: dict[str, str] = {}
        for kind, found in cards.items():
            if kind not in types:
                self.source.report(("cards", kind), f"no card type is called {kind!r}", nearest(kind, types))
                continue
            for card in found:
                if card in seen:
                    self.source.report(("cards", kind, card), f"{card!r} is already a {seen[card]} card")
                seen[card] = kind
        for kind, declared in types.items():
            self.scope.cards = {
                **self.scope.cards,
                kind: {
                    "title": Text(),
                    "id": Text(),
                    **{
                        name: self.field_type(kind, name, spec, cards.get(kind, {}))
                        for name, spec in declared.fields.items()
                    },
                },
            }
        self.scope.held = {
            card: {
                name: self.spec_type(spec, ("card_types", kind, "held", name))
                for name, spec in types[kind].held.items()
            }
            for kind, found in cards.items()
            if kind in types
            for card in found
        }
        self.scope.card_values = {kind: self.card_fields(kind, cards.get(kind, {})) for kind in types}

    def field_type(self, kind: str, name: str, spec: Any, cards: Mapping[str, Any]) -> Type:
        """The type of a card's field; free text in a field is the closed set of what the cards say."""
        found = self.spec_type(spec, ("card_types", kind, "fields", name))
        if found == Text():
            return Text(frozenset(str(card.values.get(name, spec.default or "")) for card in cards.values()))
        return found

    def card_fields(self, kind: str, cards: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        declared = self.source.sections["card_types"][kind].fields
        out: dict[str, dict[str, Any]] = {}
        for card_id, card in cards.items():
            path = ("cards", kind, card_id)
            values: dict[str, Any] = {"title": card.title, "id": card_id}
            for name in card.values:
                if name not in declared:
                    self.source.report(
                        (*path, "values", name), f"{kind} cards have no field {name!r}", nearest(name, declared)
                    )
            for name, spec in declared.items():
                values[name] = self.card_value(path, name, spec, card.values)
            out[card_id] = values
        return out

    def card_value(self, path: tuple[Any, ...], name: str, spec: Any, values: Mapping[str, Any]) -> Any:
        value = values.get(name, default_of(spec))
        if value is None:
            self.source.report(path, f"the value {name!r} is missing")
            return None
        try:
            return fit(spec, value, self.words)
        except Misfit as exc:
            self.source.report((*path, "values", name), exc.message, exc.suggestion)
            return None

    # ------------------------------------------------------------------ tables and functions

    def functions(self) -> None:
        self.scope.functions = self._functions
        for name, table in self.source.sections["tables"].items():
            self.table(name, table)
        pending = dict(self.source.sections["functions"])
        for name in pending:
            if name in self._functions:
                self.source.report(("functions", name), f"{name!r} is also a table")
        while pending:
            name = next(iter(pending))
            self.function(name, pending, ())

    def table(self, name: str, table: Table) -> None:
        path = ("tables", name)
        at = [row.at for row in table.rows]
        if not at or at != sorted(set(at)):
            self.source.report((*path, "rows"), "rows stand in order, each `at` higher than the one before")
        cells = [self.formula(row.value, self.scope, (*path, "rows", i, "value")) for i, row in enumerate(table.rows)]
        below = None if table.below is None else self.formula(table.below, self.scope, (*path, "below"))
        values = [cell({}) for cell in (*cells, below) if cell is not None and is_constant(cell)]
        if len(values) != len(cells) + (below is not None):
            self.source.report(path, "a table holds plain numbers or names")
            return
        numbers = [value for value in values if isinstance(value, int)]
        result: Type = Int(min(numbers), max(numbers)) if len(numbers) == len(values) else Text(frozenset(values))
        lookup = make_lookup(name, at, values[: len(at)], values[-1] if below is not None else None)
        self._functions[name] = Function(name, (("value", Int()),), result, lookup)

    def function(self, name: str, pending: dict[str, Func], open_: tuple[str, ...]) -> None:
        """Check one function, first those it calls; a circle is an error."""
        func = pending.pop(name)
        path = ("functions", name)
        for other in called_names(str(func.value)):
            if other == name or other in open_:
                self.source.report((*path, "value"), f"{name} calls itself")
                return
            if other in pending:
                self.function(other, pending, (*open_, name))
        scope = self.scope.child()
        params = []
        for param, spec in func.takes.items():
            kind = self.spec_type(spec, (*path, "takes", param))
            scope.names[param] = kind
            params.append((param, kind))
        found = self.formula(func.value, scope, (*path, "value"))
        if found is not None:
            wants = "setting" in names_read(found)
            names = ["setting"] * wants + [param for param, _ in params]
            self._functions[name] = Function(name, tuple(params), found.type, make_function(found, names), wants)

    # ------------------------------------------------------------------ kinds and stats

    def kinds(self) -> None:
        """First the kept stats of every kind, then the derived ones, which may read them all."""
        kinds: Mapping[str, Kind] = self.source.sections["kinds"]
        for name, kind in kinds.items():
            types: dict[str, Type] = {"kind": Text(frozenset(kinds)), "title": Text()}
            for stat, spec in kind.stats.items():
                if stat in ("kind", "title", "mine", "id", "base", "setting"):
                    self.source.report(("kinds", name, "stats", stat), f"{stat!r} is a name of the language")
                types[stat] = self.spec_type(spec, ("kinds", name, "stats", stat))
                if spec.seen != "all":
                    self.hidden_stats[stat] = spec.seen
                self.check_default(spec, ("kinds", name, "stats", stat))
            self.words.kinds[name] = types
        for name, kind in kinds.items():
            plans = {stat: self.stat(name, stat, spec) for stat, spec in kind.stats.items()}
            self.kind_plans[name] = KindPlan(name, kind.title, plans)
            self.check_circles(name, plans)

    def own_scope(self, kind: str, key: str | None = None) -> Scope:
        """What a formula on a sheet may read: the subject's own stats by name, settings, perhaps a card."""
        scope = self.scope.child()
        scope.names |= self.words.kinds[kind]
        if key is not None:
            scope.names[key] = self.words.card_type(key)
        return scope

    def stat(self, kind: str, name: str, spec: Stat) -> StatPlan:
        path = ("kinds", kind, "stats", name)
        default = default_of(spec) if spec.each is None else default_of_each(spec)
        plan = StatPlan(name, spec, default)
        if spec.each is not None and spec.each in self.words.cards:
            plan.keys, plan.key_name = self.words.cards[spec.each], spec.each
            if spec.formula is None and isinstance(default, dict):
                self.source.report((*path, "default"), "one default for every card")
        if spec.formula is not None:
            if spec.default is not None:
                self.source.report((*path, "default"), "a derived stat has no default")
            wanted = self.words.kinds[kind][name]
            inner = wanted.of if isinstance(wanted, Map) else wanted
            plan.formula = self.of_type(spec.formula, inner, self.own_scope(kind, spec.each), (*path, "formula"))
            if plan.formula is not None and spec.each is None:
                self.words.kinds[kind][name] = derived_type(wanted, plan.formula.type)
        elif default is None:
            self.source.report(path, "a stat needs a default or a formula")
        plan.stack = STACKING[spec.stacking]
        return plan

    def check_circles(self, kind: str, plans: Mapping[str, StatPlan]) -> None:
        """A derived stat must not need itself."""
        needs = {
            name: stats_read(plan.formula) & set(plans) for name, plan in plans.items() if plan.formula is not None
        }
        for name in needs:
            seen, todo = set(), list(needs[name])
            while todo:
                at = todo.pop()
                if at == name:
                    self.source.report(("kinds", kind, "stats", name, "formula"), f"{name} needs itself")
                    break
                if at not in seen:
                    seen.add(at)
                    todo.extend(needs.get(at, ()))

    # ------------------------------------------------------------------ modifiers

    def modifiers(self) -> None:
        for kind, cards in self.source.sections["cards"].items():
            for card_id, card in cards.items():
                for at, modifier in enumerate(card.modifiers):
                    self.modifier(("cards", kind, card_id, "modifiers", at), card_id, card.title, modifier)

    def modifier(self, path: tuple[Any, ...], card: str, title: str, modifier: Modifier) -> None:
        having = [plan for plan in self.kind_plans.values() if modifier.stat in plan.stats]
        if not having:
            known = {stat for plan in self.kind_plans.values() for stat in plan.stats}
            self.source.report((*path, "stat"), f"no stat is called {modifier.stat!r}", nearest(modifier.stat, known))
        for plan in having:
            scope = self.own_scope(plan.id)
            add = self.of_type(modifier.add, Int(), scope, (*path, "add"))
            when = self.condition(modifier.when, scope, (*path, "when"))
            stat = plan.stats[modifier.stat]
            if stat.spec.type != "int" or stat.keys is not None:
                self.source.report((*path, "stat"), f"{modifier.stat} is not a plain number: nothing can be added")
            if add is not None:
                stat.modifiers.append(ModifierPlan(card, modifier.stat, title, modifier.kind, add, when))
                self.words.kinds[plan.id][modifier.stat] = modified_type(stat.spec)

    # ------------------------------------------------------------------ the result

    def pack(self, warnings: list[Any]) -> Pack:
        return Pack(
            source=self.source,
            manifest=self.source.manifest,
            words=self.words,
            scope=self.scope,
            kinds=self.kind_plans,
            tests=self.tests,
            triggers=self.triggers,
            setting_values=self.setting_values,
            settings=nested(self.setting_values),
            warnings=warnings,
        )


def check_renames(builder: Builder) -> None:
    """A renamed id leads, in the end, to one that exists, and no longer exists itself."""
    sections = builder.source.sections
    ids = {name for section in ("kinds", "tests", "card_types") for name in sections[section]}
    ids |= {card for cards in sections["cards"].values() for card in cards}
    ids |= {stat for kind in sections["kinds"].values() for stat in kind.stats}
    renamed = builder.source.manifest.renamed
    for old, new in renamed.items():
        if old in ids:
            builder.source.report(("manifest", "renamed", old), f"{old!r} still exists: it cannot be an old name")
        if new not in ids and new not in renamed:
            builder.source.report(("manifest", "renamed", old), f"nothing is called {new!r}", nearest(new, ids))


def mismatch(wanted: Type, given: Type) -> str:
    if isinstance(wanted, Text) and isinstance(given, Text) and wanted.options and given.options:
        return f"not allowed here: {', '.join(sorted(given.options - wanted.options))}"
    return f"{wanted.show()} is wanted here, not {given.show()}"


def derived_type(declared: Type, found: Type) -> Type:
    """A derived number has the bounds of its formula, unless it declares its own."""
    if isinstance(declared, Int) and declared == Int():
        return found
    return declared


def modified_type(spec: Stat) -> Type:
    """A number that modifiers reach keeps its bounds only when it is clamped to them."""
    return Int(spec.min, spec.max) if spec.bounds == "clamp" else Int()


def default_of_each(spec: Stat) -> Any:
    """The default of one value of a stat that has one for each card."""
    import msgspec

    return default_of(msgspec.structs.replace(spec, each=None))


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """{"a.b": 1} as {"a": {"b": 1}}."""
    out: dict[str, Any] = {}
    for name, value in values.items():
        *section, last = name.split(".")
        (out.setdefault(section[0], {}) if section else out)[last] = value
    return out


def fitted_settings(pack: Pack, values: Mapping[str, Any]) -> dict[str, Any]:
    out = {}
    for name, value in values.items():
        spec = pack.setting(name)
        try:
            out[name] = fit(spec, value, pack.words)
        except Misfit as exc:
            raise RulesError(
                f"setting {name}: {exc.message}", code="setting_value", field=name, right=exc.suggestion or None
            ) from None
    return out


def is_constant(formula: Formula) -> bool:
    kind = formula.type
    if isinstance(kind, Int):
        return kind.low is not None and kind.low == kind.high
    return isinstance(kind, Text) and kind.options is not None and len(kind.options) == 1


def make_lookup(name: str, at: list[int], values: list[Any], below: Any) -> Any:
    from bisect import bisect_right

    def lookup(value: int) -> Any:
        found = bisect_right(at, value)
        if found:
            return values[found - 1]
        if below is None:
            raise RulesError(f"the table {name} starts at {at[0]}: nothing stands for {value}")
        return below

    return lookup


def make_function(formula: Formula, params: list[str]) -> Any:
    def call(*args: Any) -> Any:
        return formula.run(dict(zip(params, args, strict=True)))

    return call


def called_names(text: str) -> set[str]:
    import re

    return set(re.findall(r"([a-z][a-z0-9_]*)\s*\(", text))


def names_read(formula: Formula) -> set[str]:
    """Every name, stat and setting that a formula reads, dotted for fields."""
    return reads(formula.node)


def stats_read(formula: Formula | None) -> set[str]:
    return set() if formula is None else {name.split(".")[0] for name in names_read(formula)}
