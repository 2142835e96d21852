"""What a kind of subject's sheet is made of, worked out once when a pack is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rules.formulas import Formula
from rules.packs.schema import Stat
from rules.sheets.subject import Held


@dataclass(frozen=True)
class ModifierPlan:
    """A modifier that a card in force gives to a stat."""

    card: str
    stat: str
    title: str
    kind: str
    add: Formula
    when: Formula | None
    key: str | None = None

    def __post_init__(self) -> None:
        reads = self.add.reads | (self.when.reads if self.when is not None else frozenset())
        object.__setattr__(self, "laid", "token" in reads or "card" in reads)

    laid: bool = field(init=False, default=False)
    """whether it reads the card in question, or what the held one carries"""


@dataclass(frozen=True)
class GrantPlan:
    """A card that comes with holding another one."""

    card: str
    when: Formula | None


@dataclass
class StatPlan:
    """One stat: kept (default) or derived (formula), with the modifiers that can reach it."""

    name: str
    spec: Stat
    default: Any
    formula: Formula | None = None
    keys: Sequence[str] | None = None
    key_name: str = ""
    """for a derived stat with a value for each card: the name its formula reads the card by"""
    at_most: Formula | None = None
    modifiers: list[ModifierPlan] = field(default_factory=list)
    by_card: dict[str, list[ModifierPlan]] = field(default_factory=dict)
    stack: Callable[[Sequence[dict[str, Any]]], int] = sum  # type: ignore[assignment]
    clamps: bool = field(init=False)
    """whether a number that is worked out is brought within bounds"""

    def __post_init__(self) -> None:
        bounds = self.spec.min is not None or self.spec.max is not None
        self.clamps = bounds and self.spec.bounds == "clamp" and self.spec.type == "int"

    @cached_property
    def direct(self) -> bool:
        """Kept as it is, with nothing that could change it on the way out."""
        return self.formula is None and not self.modifiers and self.keys is None and self.at_most is None

    @property
    def reads(self) -> set[str]:
        """Stats that this one is made from."""
        out = bases(self.formula) | bases(self.at_most)
        for modifier in self.modifiers:
            out |= bases(modifier.add) | bases(modifier.when)
        return out

    def add_modifier(self, modifier: ModifierPlan) -> None:
        self.modifiers.append(modifier)
        self.by_card.setdefault(modifier.card, []).append(modifier)


@dataclass
class KindPlan:
    id: str
    title: str
    stats: dict[str, StatPlan]
    members: tuple[str, ...] = ()
    made_by: str = "player"
    """who lets one in: player (and game masters) or gm"""
    open: frozenset[str] = frozenset()
    """stats of a kind that game masters let in which everybody may know"""
    whens: list[Formula | None] = field(default_factory=list)
    """for each group of its sheet the condition on which it stands there"""
    warns: dict[str, list[Callable[[Any], str]]] = field(default_factory=dict)
    """card type -> what its holder should know, each a function of a frame (the sheet with `card`), "" for nothing"""
    always: list[Held] = field(default_factory=list)
    """cards that everyone of this kind holds"""
    holding: list[StatPlan] = field(default_factory=list)
    """stats whose cards are in force"""
    topped: list[StatPlan] = field(default_factory=list)
    """kept numbers with an upper bound that is worked out"""
    grants: dict[str, list[GrantPlan]] = field(default_factory=dict)
    once: frozenset[str] = frozenset()
    """cards of which one is in force, however often they are granted"""
    known_tops: dict[str, list[StatPlan]] = field(default_factory=dict, repr=False)
    known_after: dict[str, frozenset[str] | None] = field(default_factory=dict, repr=False)
    levels: dict[str, str] = field(default_factory=dict, repr=False)
    """who may see each stat, once somebody has asked (`rules.sheets.seen`)"""

    def after(self, stat: str) -> frozenset[str] | None:
        """What must be worked out anew when a kept stat changes: the stats that are made from it. None: everything, for
        the cards in force may be others."""
        try:
            return self.known_after[stat]
        except KeyError:
            found = self.known_after[stat] = made_from(self, stat)
            return found

    def tops(self, stat: str) -> list[StatPlan]:
        """Numbers with a worked-out top that a change of this stat can bring above it."""
        found = self.known_tops.get(stat)
        if found is None:
            after = self.after(stat)
            found = [p for p in self.topped if after is None or p.name == stat or bases(p.at_most) & after]
            self.known_tops[stat] = found
        return found


def made_from(kind: KindPlan, stat: str) -> frozenset[str] | None:
    reads = {name: plan.reads for name, plan in kind.stats.items()}
    out, todo = {stat}, [stat]
    while todo:
        at = todo.pop()
        more = [name for name, found in reads.items() if at in found and name not in out]
        out.update(more)
        todo += more
    shaping = {plan.name for plan in kind.holding}
    for grants in kind.grants.values():
        for grant in grants:
            shaping |= bases(grant.when)
    return None if shaping & out else frozenset(out)


def bases(formula: Formula | None) -> set[str]:
    """The names that a formula starts from."""
    return set() if formula is None else {name.split(".")[0] for name in formula.reads}
