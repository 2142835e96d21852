"""A compiled creation or advancement: what each choice needs, offers and does. Made when a pack is loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rules.formulas import Formula
from rules.packs.schema import Advancement, Choice, Creation, Levels, Limit, MakingStep
from rules.tests.flow import Closure
from rules.tests.texts import Template


@dataclass(frozen=True)
class LimitPlan:
    """What must hold, and the sentence that says what would be legal."""

    spec: Limit
    holds: Formula
    text: Template


@dataclass(frozen=True)
class Deed:
    """Steps and the limits looked at after them. `needs` are the choices that they read."""

    steps: Sequence[Closure] = ()
    limits: Sequence[LimitPlan] = ()
    needs: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ChoicePlan:
    """One choice. `keys` are what `numbers` has one of each; `needs` the choices that must be made before it."""

    spec: Choice
    deed: Deed
    when: Formula | None = None
    where: Formula | None = None
    least: Formula | None = None
    most: Formula | None = None
    right: Template | None = None
    needs: frozenset[str] = frozenset()
    keys: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    """option or key -> title"""
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.spec.id

    @property
    def several(self) -> bool:
        """Whether it is chosen several times."""
        return self.spec.type in ("cards", "names", "texts")

    @property
    def nothing(self) -> Any:
        """What formulas read of it while it is left open or is not there."""
        if self.spec.type == "numbers":
            return dict.fromkeys(self.keys, 0)
        return [] if self.several else NOTHING[self.spec.type]


NOTHING: dict[str, Any] = {"card": "none", "name": "none", "number": 0, "text": "", "flag": False}


@dataclass(frozen=True)
class StepPlan:
    spec: MakingStep
    choices: Sequence[ChoicePlan]
    deed: Deed


@dataclass(frozen=True)
class CreationPlan:
    """How one kind of subject is made."""

    kind: str
    spec: Creation
    steps: Sequence[StepPlan]

    @property
    def choices(self) -> dict[str, ChoicePlan]:
        """Every choice by its id, in order."""
        return {choice.id: choice for step in self.steps for choice in step.choices}


@dataclass(frozen=True)
class OfferPlan:
    """Something that growing brings: a purchase, or what comes with a level (`at`)."""

    id: str
    title: str
    text: str
    choices: Sequence[ChoicePlan]
    deed: Deed
    when: Formula | None = None
    most: Formula | None = None
    cost: Mapping[str, Formula] = field(default_factory=dict)
    by: str = "player"
    award: bool = False
    at: tuple[int, ...] = ()


@dataclass(frozen=True)
class LevelsPlan:
    spec: Levels
    most: Formula
    steps: Sequence[Closure]
    grants: Mapping[str, OfferPlan]


@dataclass(frozen=True)
class AdvancementPlan:
    """How one kind of subject grows."""

    kind: str
    spec: Advancement
    purchases: Mapping[str, OfferPlan]
    awards: Mapping[str, OfferPlan]
    levels: LevelsPlan | None

    @property
    def offers(self) -> dict[str, OfferPlan]:
        """Everything by its id: purchases, awards, what levels bring."""
        return {**self.purchases, **self.awards, **(self.levels.grants if self.levels is not None else {})}

    @property
    def counted(self) -> tuple[str, ...]:
        """What is counted each time it is had."""
        return (*self.purchases, *self.awards)
