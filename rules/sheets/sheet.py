"""A sheet: the readable values of one subject. Derived values are computed when first read and kept until something
changes. A sheet is the frame of its own formulas, so that they can name other stats of the same subject.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rules.formulas import Formula
from rules.formulas.functions import HELD
from rules.packs.values import NONE
from rules.problems import RulesError
from rules.sheets.inforce import cards_in_force
from rules.sheets.plan import KindPlan, ModifierPlan, StatPlan
from rules.sheets.subject import Held, Subject

MISSING = object()
ALONE: dict[Any, Any] = {}
"""of a sheet that stands on no board; nothing is ever put there"""


class Sheet(dict[str, Any]):
    """Maps stat names to values; `kept` are the stored ones, `held` the stored cards, `cards` those in force.

    Under names that no pack could write it has what was worked out of its cards, until these change: `@held`, those in
    force by their name; `@ends`, the instants at which something stored ends; what hears an instant or a moment.
    """

    __slots__ = (
        "_cards",
        "ambient",
        "held",
        "id",
        "kept",
        "kind",
        "mine",
        "own",
        "settings",
        "title",
        "together",
        "touched",
    )

    def __init__(self, subject: Subject, kind: KindPlan, settings: Mapping[str, Any], mine: bool = False) -> None:
        super().__init__()
        self.id, self.title, self.kind, self.settings, self.mine = subject.id, subject.title, kind, settings, mine
        self.kept: dict[str, Any] = subject.values
        self.held: list[Held] = list(subject.held)
        self.ambient: Sequence[Held] = ()
        self.together = ALONE
        """what the board has worked out of all sheets' cards, gone when the cards of any change"""
        self.own = False
        """whether nobody else has its kept values"""
        self.touched = False
        """whether anything of it was written since it was made, or last found to be as it is kept"""
        self._cards: list[Held] | None = None

    def __eq__(self, other: object) -> bool:
        """A sheet equals itself only: two subjects may have the same numbers."""
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)

    def __missing__(self, name: str) -> Any:
        if name == "self":
            return self
        plan = self.kind.stats.get(name)
        value = self.special(name) if plan is None else self.effective(plan)
        self[name] = value
        return value

    def special(self, name: str) -> Any:
        match name:
            case "setting":
                return self.settings
            case "mine":
                return self.mine
            case "title":
                return self.title or self.id
            case "id":
                return self.id
            case "kind":
                return self.kind.id
            case "@held":  # HELD
                return grouped(self.cards)
            case "@ends":
                return frozenset(held.ends.at for held in self.held if held.ends is not None)
        raise RulesError(f"a {self.kind.id} has no {name!r}")

    def base(self, name: str) -> Any:
        """The value before modifiers."""
        plan = self.kind.stats[name]
        if plan.keys is not None:
            return ByCard(self, plan)
        if plan.formula is not None:
            return read(plan.formula, self)
        return self.kept.get(name, plan.default)

    def standing(self, name: str) -> Any:
        """A kept value as it stands: before modifiers, and no more than its most."""
        plan, value = self.kind.stats[name], self.base(name)
        return value if plan.at_most is None else min(value, read(plan.at_most, self))

    def base_at(self, plan: StatPlan, key: str) -> Any:
        """One value of a stat that has one for each card."""
        if plan.formula is None or key == NONE:
            return plan.default
        name = plan.key_name
        before = self.get(name, MISSING)
        self[name] = key
        try:
            return read(plan.formula, self)
        finally:
            if before is MISSING:
                del self[name]
            else:
                self[name] = before

    def effective(self, plan: StatPlan) -> Any:
        if plan.keys is not None:
            return ModifiedByCard(self, plan) if plan.modifiers else ByCard(self, plan)
        formula = plan.formula
        if formula is None:
            value = self.kept.get(plan.name, plan.default)
        else:
            try:  # as `read`
                value = formula.run(self)
            except (ZeroDivisionError, KeyError):
                value = formula(self)
        if plan.modifiers and not plan.by_card.keys().isdisjoint(self[HELD].keys()) and (parts := self.in_force(plan)):
            value += plan.stack([part for _, part in parts])
        if plan.at_most is not None:
            value = min(value, read(plan.at_most, self))
        return within(plan, value) if plan.clamps else value

    def in_force(self, plan: StatPlan, key: str | None = None) -> list[tuple[ModifierPlan, dict[str, Any]]]:
        """The modifiers that count now (for one card of a stat that has a value for each), each with its value, type
        and source."""
        found: list[tuple[ModifierPlan, dict[str, Any]]] = []
        by_card: dict[str, list[Held]] = self[HELD]
        reach = plan.by_card.keys() & by_card.keys()
        if not reach:
            return found
        for held in self.cards if len(reach) > 1 else by_card[next(iter(reach))]:
            for modifier in plan.by_card.get(held.card, ()):
                if modifier.key != key:
                    continue
                value = self.laid(modifier, held) if modifier.laid else self.modified(modifier)
                if value is not None:
                    found.append((modifier, {"type": modifier.kind, "value": value, "source": modifier.card}))
        return found

    def modified(self, modifier: ModifierPlan) -> int | None:
        """What a modifier adds, or None where its condition does not hold."""
        return read(modifier.add, self) if modifier.when is None or read(modifier.when, self) else None

    def laid(self, modifier: ModifierPlan, held: Held) -> int | None:
        """The same with `card` and `token` in sight."""
        with self.showing({"card": held.card, "token": token_of(held)}):
            return self.modified(modifier)

    def warned(self, kind: str, card: str) -> list[str]:
        """What the subject should know of a card of a type, held or not."""
        pieces = self.kind.warns.get(kind, ())
        if not pieces:
            return []
        with self.showing({"card": card}):
            return [said for piece in pieces if (said := piece(self))]

    @contextmanager
    def showing(self, names: Mapping[str, Any]) -> Iterator[None]:
        """Names that a formula reads for now; what stood there before comes back (one number may need another's)."""
        before = {name: self.get(name, MISSING) for name in names}
        self.update(names)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is MISSING:
                    del self[name]
                else:
                    self[name] = value

    @property
    def cards(self) -> list[Held]:
        """All cards in force: the stored ones, those of the place one stands in, those that stats name, and what comes
        with any of them."""
        if self._cards is None:
            cards_in_force(self)
        assert self._cards is not None
        return self._cards

    def put_in_force(self, cards: list[Held]) -> None:
        self._cards = cards
        self.pop(HELD, None)

    @property
    def by_card(self) -> dict[str, list[Held]]:
        """The cards in force by their name."""
        found: dict[str, list[Held]] = self[HELD]
        return found

    def count_held(self, card: str) -> int:
        found = self[HELD]
        return len(found[card]) if card in found else 0

    def tokens(self, card: str) -> list[dict[str, Any]]:
        """The held cards of one name, as formulas read them."""
        return [token_of(held) for held in self.by_card.get(card, ())]

    def clear(self) -> None:
        """Forget all that was worked out."""
        super().clear()
        self._cards = None
        self.together.clear()

    def stand(self, ambient: Sequence[Held]) -> None:
        """What is held by being where one is; where that is other than before, all is worked out anew."""
        if self.ambient is not ambient and list(self.ambient) != list(ambient):
            self.ambient = ambient
            self.clear()

    def write(self, name: str, value: Any) -> None:
        """Store a kept value; what is made from it is worked out anew."""
        self.touched = True
        if self.own:
            self.kept[name] = value
        else:
            self.kept, self.own = {**self.kept, name: value}, True
        kind = self.kind
        stale = kind.after(name)
        if stale is None:
            self.clear()
            return
        plan = kind.stats[name]
        if len(stale) > 1 or not plan.direct:
            for stat in stale:
                self.pop(stat, None)
        if plan.direct:
            self[name] = within(plan, value) if plan.clamps else value

    def subject(self) -> Subject:
        self.own = False
        return Subject(id=self.id, kind=self.kind.id, values=self.kept, held=list(self.held), title=self.title)


def grouped(cards: Sequence[Held]) -> dict[str, list[Held]]:
    found: dict[str, list[Held]] = {}
    for held in cards:
        if held.card in found:
            found[held.card].append(held)
        else:
            found[held.card] = [held]
    return found


def token_of(held: Held) -> dict[str, Any]:
    """A held card as formulas read it."""
    return {"id": held.id, "source": held.source, **held.values}


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


class ModifiedByCard(ByCard):
    """The same, with the modifiers that reach each card."""

    __slots__ = ()

    def __init__(self, sheet: Sheet, plan: StatPlan) -> None:
        dict.__init__(self)
        self.sheet, self.plan = sheet, plan

    def __missing__(self, key: str) -> Any:
        base = self.sheet.base(self.plan.name)[key]
        parts = [part for _, part in self.sheet.in_force(self.plan, key)]
        value = self[key] = within(self.plan, base + self.plan.stack(parts))
        return value


def read(formula: Formula, sheet: Sheet) -> Any:
    """The value of a formula over a sheet; what goes wrong is said as the formula says it."""
    try:
        return formula.run(sheet)
    except (ZeroDivisionError, KeyError):
        return formula(sheet)


def within(plan: StatPlan, value: Any) -> Any:
    spec = plan.spec
    if not plan.clamps:
        return value
    if spec.min is not None and value < spec.min:
        return spec.min
    return spec.max if spec.max is not None and value > spec.max else value
