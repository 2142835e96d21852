"""What a kind of subject's sheet is made of, worked out once when a pack is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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

    @property
    def direct(self) -> bool:
        """Kept as it is, with nothing that could change it on the way out."""
        return self.formula is None and not self.modifiers and self.keys is None and self.at_most is None

    def add_modifier(self, modifier: ModifierPlan) -> None:
        self.modifiers.append(modifier)
        self.by_card.setdefault(modifier.card, []).append(modifier)


@dataclass
class KindPlan:
    id: str
    title: str
    stats: dict[str, StatPlan]
    members: tuple[str, ...] = ()
    always: list[Held] = field(default_factory=list)
    """cards that everyone of this kind holds"""
    holding: list[StatPlan] = field(default_factory=list)
    """stats whose cards are in force"""
    topped: list[StatPlan] = field(default_factory=list)
    """kept numbers with an upper bound that is worked out"""
    grants: dict[str, list[GrantPlan]] = field(default_factory=dict)
    once: frozenset[str] = frozenset()
    """cards of which one is in force, however often they are granted"""
