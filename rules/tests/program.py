"""A compiled test: what it needs, what it may ask, what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rules.formulas import Formula
from rules.formulas.compile import compile_record
from rules.formulas.types import Type
from rules.packs.schema import Test
from rules.tests.flow import AskInfo, Closure
from rules.tests.texts import Template


@dataclass
class Offers:
    """What a form offers: conditions on an input's `option`, lists for texts and numbers, whether it is offered at all,
    what the button beside a card says, which options come first, what stands behind each and how a number reads. All
    are over the first role; the steps say what is legal."""

    where: dict[str, Formula] = field(default_factory=dict)
    among: dict[str, Formula] = field(default_factory=dict)
    when: Formula | None = None
    says: Template | None = None
    first: dict[str, Formula] = field(default_factory=dict)
    beside: dict[str, Template] = field(default_factory=dict)
    reads: dict[str, Template] = field(default_factory=dict)


@dataclass
class Program:
    """`spec` is the test as written (inputs, roles, outcomes); `asks` are the choices it can stop for. A card's action
    has the same parts and stands in its place."""

    id: str
    spec: Test
    inputs: Mapping[str, Type]
    steps: list[Closure]
    facts: dict[str, Formula]
    facts_seen: dict[str, str]
    fact_types: Mapping[str, Type]
    asks: tuple[AskInfo, ...]
    effects: bool
    answered: bool = False
    """others may answer what it brings about, by choices that `asks` does not have"""
    named: Template | None = None
    """the title of one call, from its roles and inputs"""
    offers: Offers = field(default_factory=Offers)
    defaults: dict[str, Any] | None = None
    """the inputs where nothing is given, once somebody has asked; None where they cannot be shared"""

    @property
    def offered(self) -> str:
        """test, act or keeping: how the table is offered it."""
        if self.spec.offered is not None:
            return self.spec.offered
        if self.spec.outcomes or self.spec.main:
            return "test"
        return "act" if "player" in self.spec.called_by else "keeping"

    @cached_property
    def all_facts(self) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
        """The facts of the test as a whole, from the frame at its end: one function for all of them."""
        return compile_record({name: formula.node for name, formula in self.facts.items()})
