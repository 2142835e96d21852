"""The sections `creation` and `advancement` of a pack: every name, formula and step checked, and compiled.

A choice may read the choices before it, never those after: the order of the page is the order of the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rules.creation.options import choice_type, keys_of, titles_of
from rules.creation.plan import (
    AdvancementPlan,
    ChoicePlan,
    CreationPlan,
    Deed,
    LevelsPlan,
    LimitPlan,
    OfferPlan,
    StepPlan,
)
from rules.formulas import Formula
from rules.formulas.types import Int, Map, Text, Type
from rules.packs.schema import Advancement, Choice, Creation, LevelGrant, Levels, Limit, Purchase, Step
from rules.packs.source import ID, RESERVED
from rules.packs.values import Misfit, role_type
from rules.problems import nearest
from rules.tests.build import SEATS, build_steps
from rules.tests.flow import Flow, Path, Shared
from rules.tests.texts import Template, template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.packs.builder import Builder

HOLDER = "holder"
KEY = "each_key"
LEVEL = "level"
GIVEN = frozenset({HOLDER, KEY, "option", "bought", "asker", "setting"})


def build_creations(builder: Builder) -> dict[str, CreationPlan]:
    """Every kind's creation, compiled; what is wrong is reported at its place."""
    found: dict[str, CreationPlan] = {}
    sections: Mapping[str, Creation] = builder.source.sections["creation"]
    for kind, spec in sections.items():
        path = ("creation", kind)
        if known_kind(builder, kind, path):
            found[kind] = build_creation(builder, kind, spec, path)
    return found


def build_advancements(builder: Builder) -> dict[str, AdvancementPlan]:
    """Every kind's advancement, compiled."""
    found: dict[str, AdvancementPlan] = {}
    sections: Mapping[str, Advancement] = builder.source.sections["advancement"]
    for kind, spec in sections.items():
        path = ("advancement", kind)
        if known_kind(builder, kind, path):
            found[kind] = build_advancement(builder, kind, spec, path)
    return found


def known_kind(builder: Builder, kind: str, path: Path) -> bool:
    if kind in builder.kind_plans:
        return True
    builder.source.report(path, f"no kind of subject is called {kind!r}", nearest(kind, builder.kind_plans))
    return False


def build_creation(builder: Builder, kind: str, spec: Creation, path: Path) -> CreationPlan:
    maker = Maker(builder, kind)
    steps: list[StepPlan] = []
    seen: set[str] = set()
    check_stats(builder, kind, spec.shows, (*path, "shows"))
    for at, step in enumerate(spec.steps):
        where = (*path, "steps", at)
        if step.id in seen:
            builder.source.report((*where, "id"), f"two steps are called {step.id!r}")
        seen.add(step.id)
        check_stats(builder, kind, step.shows, (*where, "shows"))
        choices = [maker.choice(choice, (*where, "choices", n)) for n, choice in enumerate(step.choices)]
        steps.append(StepPlan(step, choices, maker.deed(step.steps, step.limits, where)))
    return CreationPlan(kind, spec, steps)


def build_advancement(builder: Builder, kind: str, spec: Advancement, path: Path) -> AdvancementPlan:
    counted = Text(frozenset([*spec.purchases, *spec.awards]))
    bought: dict[str, Type] = {"bought": Map(counted, Int(0))} if counted.options else {}
    made = {
        section: {
            name: build_offer(builder, kind, name, one, (*path, section, name), bought) for name, one in found.items()
        }
        for section, found in (("purchases", spec.purchases), ("awards", spec.awards))
    }
    levels = None if spec.levels is None else build_levels(builder, kind, spec.levels, (*path, "levels"), bought)
    check_offers(builder, spec, path)
    return AdvancementPlan(kind, spec, made["purchases"], made["awards"], levels)


def check_offers(builder: Builder, spec: Advancement, path: Path) -> None:
    """Each id means one thing; `level` means a level."""
    grants = spec.levels.grants if spec.levels is not None else {}
    seen: set[str] = {LEVEL}
    for where, found in (("purchases", spec.purchases), ("awards", spec.awards), ("levels", grants)):
        for name in found:
            if name in seen:
                builder.source.report((*path, where, name), f"{name!r} means something else already")
            seen.add(name)


def build_levels(builder: Builder, kind: str, spec: Levels, path: Path, extra: dict[str, Type]) -> LevelsPlan:
    check_stats(builder, kind, [spec.stat], (*path, "stat"), kept=True)
    maker = Maker(builder, kind, extra)
    most = builder.of_type(spec.most, Int(), maker.flow(path).scope, (*path, "most"))
    steps = maker.deed(spec.steps, (), path).steps
    grants = {
        name: build_offer(builder, kind, name, grant, (*path, "grants", name), extra)
        for name, grant in spec.grants.items()
    }
    return LevelsPlan(spec, most or Formula.of(0, builder.scope), steps, grants)


def build_offer(
    builder: Builder, kind: str, name: str, spec: Purchase | LevelGrant, path: Path, extra: dict[str, Type]
) -> OfferPlan:
    maker = Maker(builder, kind, extra)
    scope = maker.flow(path).scope
    when = builder.condition(spec.when, scope, (*path, "when"))
    cost: dict[str, Formula] = {}
    most = None
    if isinstance(spec, Purchase):
        check_stats(builder, kind, spec.cost, (*path, "cost"), kept=True)
        for stat, text in spec.cost.items():
            found = builder.of_type(text, Int(), scope, (*path, "cost", stat))
            if found is not None:
                cost[stat] = found
        most = None if spec.most is None else builder.of_type(spec.most, Int(), scope, (*path, "most"))
    choices = [maker.choice(choice, (*path, "choices", n)) for n, choice in enumerate(spec.choices)]
    return OfferPlan(
        id=name,
        title=spec.title,
        text=spec.text,
        choices=choices,
        deed=maker.deed(spec.steps, spec.limits, path),
        when=when,
        most=most,
        cost=cost,
        by=spec.by if isinstance(spec, Purchase) else "player",
        award=path[-2] == "awards",
        at=tuple(spec.at) if isinstance(spec, LevelGrant) else (),
    )


def check_stats(builder: Builder, kind: str, stats: Iterable[str], path: Path, kept: bool = False) -> None:
    """Names of stats that the kind has; `kept`: of numbers that can be written."""
    known = builder.kind_plans[kind].stats
    for name in stats:
        plan = known.get(name)
        if plan is None:
            builder.source.report(path, f"a {kind} has no stat {name!r}", nearest(name, known))
        elif kept and (plan.formula is not None or plan.spec.type != "int" or plan.keys is not None):
            builder.source.report(path, f"{name} is no number that is kept")


def number(flow: Flow, text: str | int | bool | None, path: Path) -> Formula | None:
    return None if text is None else flow.of_type(text, Int(), path)


class Maker:
    """Compiles choices one after the other; each may read those before it."""

    def __init__(self, builder: Builder, kind: str, extra: Mapping[str, Type] | None = None) -> None:
        self.builder, self.kind = builder, kind
        self.extra = dict(extra or {})
        self.types: dict[str, Type] = {}

    def flow(self, path: Path, **more: Type) -> Flow:
        """A program's beginning: the holder, the choices so far, settings."""
        flow = Flow(Shared(self.builder, path, (HOLDER,)), self.builder.scope.child())
        flow.scope.names |= {HOLDER: self.holder(path), "asker": SEATS, **self.extra, **self.types, **more}
        flow.fixed = set(flow.scope.names)
        return flow

    def holder(self, path: Path) -> Type:
        try:
            return role_type([self.kind], self.builder.words)
        except Misfit as exc:
            self.builder.source.report(path, exc.message, exc.suggestion)
            return Int()

    @contextmanager
    def reading(self) -> Iterator[set[str]]:
        """Collects the choices that the formulas checked inside read."""
        before, self.builder.read = self.builder.read, set()
        found: set[str] = set()
        try:
            yield found
        finally:
            found |= {name.split(".")[0] for name in self.builder.read} & self.types.keys()
            self.builder.read |= before

    def deed(self, steps: Sequence[Step], limits: Sequence[Limit], path: Path) -> Deed:
        """What follows, and what must hold then."""
        with self.reading() as needs:
            flow = self.flow(path)
            closures = build_steps(flow, steps, (*path, "steps"))
            for ask in flow.shared.asks:
                self.builder.source.report(
                    path, f"what must be chosen here is a choice of its own, not an ask: {ask!r}"
                )
            if flow.rolls:
                self.builder.source.report(path, "no dice are rolled here")
            plans = [self.limit(limit, (*path, "limits", at)) for at, limit in enumerate(limits)]
        return Deed(closures, [plan for plan in plans if plan is not None], frozenset(needs))

    def limit(self, spec: Limit, path: Path) -> LimitPlan | None:
        flow = self.flow(path)
        holds = self.builder.condition(spec.require, flow.scope, (*path, "require"))
        text = template(flow, spec.text, (*path, "text"))[0]
        return None if holds is None else LimitPlan(spec, holds, text)

    def choice(self, spec: Choice, path: Path) -> ChoicePlan:
        """One choice, known to all after it."""
        self.check_id(spec, path)
        with self.reading() as needs:
            parts = self.parts(spec, path)
        titles, texts = titles_of(self.builder.source.sections, spec)
        try:
            keys = keys_of(spec, self.builder.words)
            self.types[spec.id] = choice_type(spec, self.builder.words, keys, may_lack=False)
            later = choice_type(spec, self.builder.words, keys, may_lack=spec.optional or spec.when is not None)
        except Misfit as exc:
            self.builder.source.report(path, exc.message, exc.suggestion)
            return ChoicePlan(spec, Deed())
        if isinstance(spec.over, list):
            check_stats(self.builder, self.kind, spec.over, (*path, "over"), kept=True)
            titles = {stat: self.stat_title(stat) for stat in spec.over}
        deed = self.deed([*self.sugar(spec), *spec.steps], spec.limits, path)
        self.types[spec.id] = later
        return ChoicePlan(
            spec, deed, **parts, needs=frozenset([*spec.after, *needs]), keys=keys, titles=titles, texts=texts
        )

    def stat_title(self, stat: str) -> str:
        plan = self.builder.kind_plans[self.kind].stats.get(stat)
        return (plan.spec.title if plan else "") or stat.replace("_", " ").capitalize()

    def check_id(self, spec: Choice, path: Path) -> None:
        if not ID.match(spec.id) or spec.id in RESERVED or spec.id in GIVEN:
            self.builder.source.report((*path, "id"), f"{spec.id!r} is no id for a choice")
        if spec.id in self.types:
            self.builder.source.report((*path, "id"), f"two choices are called {spec.id!r}")
        for at, name in enumerate(spec.after):
            if name not in self.types:
                self.builder.source.report(
                    (*path, "after", at), f"no choice before is called {name!r}", nearest(name, self.types)
                )
        if spec.count is not None and (spec.min is not None or spec.max is not None):
            self.builder.source.report((*path, "count"), "`count` stands in place of `min` and `max`")

    def parts(self, spec: Choice, path: Path) -> dict[str, Any]:
        """The formulas of a choice that are read before it is made."""
        flow = self.flow(path)
        least, most = (spec.count, spec.count) if spec.count is not None else (spec.min, spec.max)
        option = {} if spec.where is None else {"option": self.option_type(spec, path)}
        right: Template | None = template(flow, spec.right, (*path, "right"))[0] if spec.right else None
        if spec.where is not None and right is None:
            self.builder.source.report((*path, "where"), "say in `right` what is allowed")
        return {
            "when": flow.condition(spec.when, (*path, "when")),
            "where": self.flow(path, **option).condition(spec.where, (*path, "where")),
            "least": number(flow, least, (*path, "min" if spec.count is None else "count")),
            "most": number(flow, most, (*path, "max" if spec.count is None else "count")),
            "right": right,
        }

    def option_type(self, spec: Choice, path: Path) -> Type:
        if spec.type in ("card", "cards") and spec.card in self.builder.words.cards:
            return self.builder.words.card_type(str(spec.card))
        if spec.type in ("name", "names"):
            return Text(frozenset(spec.options))
        self.builder.source.report((*path, "where"), "`where` goes with cards and names")
        return Text()

    def sugar(self, spec: Choice) -> list[Step]:
        """`sets` and `holds` as the steps that they stand for."""
        steps: list[Step] = []
        if isinstance(spec.over, list):
            steps.append(Step(set={f"{HOLDER}.{stat}": f"{spec.id}['{stat}']" for stat in spec.over}))
        elif spec.over is not None and spec.sets is not None:
            one = Step(set={f"{HOLDER}.{spec.sets}[{KEY}]": f"{spec.id}[{KEY}]"})
            steps.append(Step(each=f"every('{spec.over}')", name=KEY, steps=[one]))
        elif spec.sets is not None:
            steps.append(Step(set={f"{HOLDER}.{spec.sets}": spec.id}))
        if spec.holds and spec.type == "card":
            steps.append(Step(apply=spec.id, of=HOLDER))
        elif spec.holds:
            steps.append(Step(each=spec.id, name=KEY, steps=[Step(apply=KEY, of=HOLDER)]))
        return steps
