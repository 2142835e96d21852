"""What a kind of subject's sheet is made of, worked out once when a pack is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rules.formulas import Formula
from rules.packs.schema import Stat


@dataclass(frozen=True)
class ModifierPlan:
    """A modifier that a card in force gives to a stat."""

    card: str
    stat: str
    title: str
    kind: str
    add: Formula
    when: Formula | None


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
    modifiers: list[ModifierPlan] = field(default_factory=list)
    stack: Callable[[Sequence[dict[str, Any]]], int] = sum  # type: ignore[assignment]

    @property
    def direct(self) -> bool:
        """Kept as it is, with nothing that could change it on the way out."""
        return self.formula is None and not self.modifiers and self.keys is None


@dataclass
class KindPlan:
    id: str
    title: str
    stats: dict[str, StatPlan]
    grants: dict[str, list[GrantPlan]] = field(default_factory=dict)
    """by the card that brings them"""
