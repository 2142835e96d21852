"""A sheet: the readable values of one subject. Derived values are computed when first read and kept until something
changes. A sheet is the frame of its own formulas, so that they can name other stats of the same subject.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.packs.values import NONE
from rules.problems import RulesError
from rules.sheets.plan import KindPlan, ModifierPlan, StatPlan
from rules.sheets.subject import Held, Subject


class Sheet(dict[str, Any]):
    """Maps stat names to effective values; `kept` are the stored ones, `held` the cards in force."""

    __slots__ = ("_counts", "ambient", "held", "id", "kept", "kind", "mine", "settings", "title")

    def __init__(self, subject: Subject, kind: KindPlan, settings: Mapping[str, Any], mine: bool = False) -> None:
        super().__init__()
        self.id, self.title, self.kind, self.settings, self.mine = subject.id, subject.title, kind, settings, mine
        self.kept: dict[str, Any] = subject.values
        self.held: list[Held] = list(subject.held)
        self.ambient: Sequence[Held] = ()
        self._counts: dict[str, int] | None = None

    def __eq__(self, other: object) -> bool:
        """A sheet equals itself only: two subjects may have the same numbers."""
        return self is other

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)

    def clear(self) -> None:
        """Something changed: everything derived is worked out anew."""
        super().clear()
        self._counts = None

    def __missing__(self, name: str) -> Any:
        plan = self.kind.stats.get(name)
        value = self.special(name) if plan is None else self.effective(plan)
        self[name] = value
        return value

    def special(self, name: str) -> Any:
        match name:
            case "setting":
                return self.settings
            case "self":
                return self
            case "mine":
                return self.mine
            case "title":
                return self.title or self.id
            case "id":
                return self.id
            case "kind":
                return self.kind.id
        raise RulesError(f"a {self.kind.id} has no {name!r}")

    def base(self, name: str) -> Any:
        """The value before modifiers."""
        plan = self.kind.stats[name]
        if plan.keys is not None:
            return ByCard(self, plan)
        if plan.formula is not None:
            return plan.formula(self)
        return self.kept.get(name, plan.default)

    def base_at(self, plan: StatPlan, key: str) -> Any:
        """One value of a stat that has one for each card."""
        if plan.formula is None or key == NONE:
            return plan.default
        name = plan.key_name
        outer = self.get(name)  # a stat for each card may read another for each card of the same type
        self[name] = key
        try:
            return plan.formula(self)
        finally:
            if outer is None:
                del self[name]
            else:
                self[name] = outer

    def effective(self, plan: StatPlan) -> Any:
        value = self.base(plan.name)
        if not plan.modifiers:
            return bounded(plan, value)
        return bounded(plan, value + plan.stack([part for _, part in self.in_force(plan)]))

    def in_force(self, plan: StatPlan) -> list[tuple[ModifierPlan, dict[str, Any]]]:
        """The modifiers that count now, each with its value, type and source."""
        found = []
        for modifier in plan.modifiers:
            times = self.count_held(modifier.card)
            if times and (modifier.when is None or modifier.when(self)):
                part = {"type": modifier.kind, "value": modifier.add(self), "source": modifier.card}
                found.extend([(modifier, part)] * times)
        return found

    def count_held(self, card: str) -> int:
        counts = self._counts
        return (self.counts() if counts is None else counts).get(card, 0)

    def counts(self) -> dict[str, int]:
        """Cards in force and how often: those held, those of the place one stands in, and what they bring with them."""
        if self._counts is None:
            counts: dict[str, int] = {}
            for held in (*self.held, *self.ambient):
                counts[held.card] = counts.get(held.card, 0) + 1
            self._counts = counts
            if self.kind.grants:
                self.add_granted(counts)
        return self._counts

    def add_granted(self, counts: dict[str, int]) -> None:
        """Cards that others bring with them count once, unless they are held as well."""
        todo = [card for card in counts if card in self.kind.grants]
        for card in todo:
            for grant in self.kind.grants[card]:
                if grant.card not in counts and (grant.when is None or grant.when(self)):
                    counts[grant.card] = 1
                    if grant.card in self.kind.grants:
                        todo.append(grant.card)

    def in_play(self) -> list[Held]:
        """Everything in force as held things; what others bring has the card's own name for an id."""
        shown = [*self.held, *self.ambient]
        known = {held.card for held in shown}
        return shown + [Held(id=card, card=card) for card in self.counts() if card not in known]

    def tokens(self, card: str) -> list[dict[str, Any]]:
        """The held cards of one name, as formulas read them."""
        found = (*self.held, *self.ambient) if self.ambient else self.held
        return [{"id": t.id, "source": t.source, **t.values} for t in found if t.card == card]

    def write(self, name: str, value: Any) -> None:
        """Store a kept value; everything derived is worked out anew."""
        self.kept = {**self.kept, name: value}
        self.clear()

    def subject(self) -> Subject:
        return Subject(id=self.id, kind=self.kind.id, values=self.kept, held=list(self.held), title=self.title)


class ByCard(dict[str, Any]):
    """The values of a stat that has one for each card: the kept ones, the others worked out when they are read."""

    __slots__ = ("plan", "sheet")

    def __init__(self, sheet: Sheet, plan: StatPlan) -> None:
        super().__init__(sheet.kept.get(plan.name, ()) if plan.formula is None else ())
        self.sheet, self.plan = sheet, plan

    def __missing__(self, key: str) -> Any:
        assert self.plan.keys is not None
        if key not in self.plan.keys and key != NONE:
            raise RulesError(f"{self.plan.name} has no value for {key!r}", field=self.plan.name)
        value = self[key] = self.sheet.base_at(self.plan, key)
        return value

    def complete(self) -> dict[str, Any]:
        """The value of every card."""
        return {key: self[key] for key in self.plan.keys or ()}


def bounded(plan: StatPlan, value: Any) -> Any:
    """Clamp an effective number to the declared bounds of its stat."""
    spec = plan.spec
    if spec.bounds != "clamp" or spec.type != "int" or plan.keys is not None:
        return value
    if spec.min is not None and value < spec.min:
        return spec.min
    return spec.max if spec.max is not None and value > spec.max else value
