"""A loaded pack: checked, compiled, ready to run. Made by `rules.packs.build`, never by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rules.bindings import with_settings
from rules.formulas.types import Scope
from rules.packs.says import Piece, said_by_cards
from rules.packs.schema import Card, CardType, Encounter, Manifest, Rule, Setting
from rules.packs.source import Source
from rules.packs.values import Vocabulary
from rules.problems import Problem, RulesError, nearest
from rules.sheets.instants import instants_of
from rules.sheets.plan import KindPlan

if TYPE_CHECKING:
    from rules.creation.plan import AdvancementPlan, CreationPlan
    from rules.formulas import Formula
    from rules.sheets.subject import Held
    from rules.tests.acts import ActionPlan, ReactionPlan
    from rules.tests.fighting import SizingPlan, TacticsPlan
    from rules.tests.modes import ModesPlan
    from rules.tests.program import Program
    from rules.tests.triggers import TriggerPlan

Triggers = dict[str, "list[TriggerPlan]"]
"""by card"""


@dataclass(eq=False)
class Pack:
    """Everything one pack brings. `settings` are the values in force, nested by section for formulas."""

    source: Source
    manifest: Manifest
    words: Vocabulary
    scope: Scope
    kinds: dict[str, KindPlan]
    tests: dict[str, Program]
    setting_values: dict[str, Any]
    settings: dict[str, Any]
    triggers: dict[str, list[TriggerPlan]]
    triggers_at: dict[str, dict[str, list[TriggerPlan]]] = field(default_factory=dict)
    """by instant, then card"""
    actions: dict[str, ActionPlan] = field(default_factory=dict)
    reactions: dict[str, dict[str, list[ReactionPlan]]] = field(default_factory=dict)
    extra_turn: Formula | None = None
    """over `user`: who has a second turn in a round"""
    sizing: SizingPlan | None = None
    tactics: TacticsPlan | None = None
    modes: ModesPlan | None = None
    """in which modes of play what may be done"""
    everybody_holds: tuple[Held, ...] = ()
    """what those in a fight hold because of it"""
    sayings: Mapping[str, list[Piece]] = field(default_factory=dict)
    creations: dict[str, CreationPlan] = field(default_factory=dict)
    advancements: dict[str, AdvancementPlan] = field(default_factory=dict)
    warnings: list[Problem] = field(default_factory=list)

    @property
    def id(self) -> str:
        return self.manifest.id

    @property
    def version(self) -> str:
        return self.manifest.version

    @property
    def digest(self) -> str:
        return self.source.digest

    @property
    def cards(self) -> Mapping[str, Mapping[str, Card]]:
        """Cards by type, then id."""
        found: Mapping[str, Mapping[str, Card]] = self.source.sections["cards"]
        return found

    @property
    def card_types(self) -> Mapping[str, CardType]:
        found: Mapping[str, CardType] = self.source.sections["card_types"]
        return found

    @cached_property
    def says(self) -> Mapping[str, tuple[str, ...]]:
        """Card -> what it says of itself in a few words."""
        return said_by_cards(self.card_types, self.cards, self.sayings, self.settings)

    @cached_property
    def instants(self) -> dict[str, bool]:
        """The instants that the pack knows, and whether each is somebody's."""
        return instants_of(self.source.sections)

    @property
    def index(self) -> Sequence[Rule]:
        """The rule index: what of the source runs, and what is told."""
        found: Sequence[Rule] = self.source.sections["index"]
        return found

    def test(self, test_id: str) -> Program:
        test_id = self.current_id(test_id)
        if test_id not in self.tests:
            raise RulesError(
                f"{self.id} has no test {test_id!r}", code="unknown_test", right=nearest(test_id, self.tests)
            )
        return self.tests[test_id]

    @cached_property
    def hearing(self) -> dict[tuple[str, bool], tuple[Triggers, Triggers]]:
        """By instant, and whether late: the triggers that hear it, and those that also hear another one's."""
        found: dict[tuple[str, bool], tuple[Triggers, Triggers]] = {}
        for at, by_card in self.triggers_at.items():
            for card, plans in by_card.items():
                for plan in plans:
                    every, others = found.setdefault((at, plan.late), ({}, {}))
                    every.setdefault(card, []).append(plan)
                    if plan.of != "holder":
                        others.setdefault(card, []).append(plan)
        return found

    @property
    def knows_fights(self) -> bool:
        """Whether the pack says what a fight is."""
        return self.source.sections["encounter"] is not None

    @cached_property
    def encounter(self) -> Encounter:
        """What the pack says of fights. Refused where it has none."""
        found: Encounter | None = self.source.sections["encounter"]
        if found is None:
            raise RulesError(f"{self.id} has no section `encounter`", code="no_fights")
        return with_settings(found, self.setting_values)

    def action(self, action_id: str) -> ActionPlan:
        """What a card lets its holder do: by `card.action`, or the card's id where both have one name."""
        found = self.actions.get(action_id) or self.actions.get(self.current_id(action_id))
        if found is None:
            right = nearest(action_id, self.actions)
            raise RulesError(f"{self.id} has no action {action_id!r}", code="unknown_action", right=right)
        return found

    def card(self, card_id: str) -> tuple[str, Card]:
        """A card and its type, by its id (or an id it had before)."""
        card_id = self.current_id(card_id)
        for kind, cards in self.cards.items():
            if card_id in cards:
                return kind, cards[card_id]
        known = [known for cards in self.cards.values() for known in cards]
        raise RulesError(f"{self.id} has no card {card_id!r}", code="unknown_card", right=nearest(card_id, known))

    def current_id(self, name: str) -> str:
        """The id that a stored one goes by now."""
        renamed = self.manifest.renamed
        for _ in range(len(renamed)):
            if name not in renamed:
                break
            name = renamed[name]
        return name

    def setting(self, name: str) -> Setting:
        if name not in self.manifest.settings:
            raise RulesError(
                f"{self.id} has no setting {name!r}",
                code="unknown_setting",
                right=nearest(name, self.manifest.settings),
            )
        return self.manifest.settings[name]

    def with_settings(self, values: Mapping[str, Any]) -> Pack:
        """The same pack with other values of its settings. Refused when one does not fit its declaration."""
        from rules.packs.build_settings import fitted_settings, nested

        changed = {**self.setting_values, **fitted_settings(self, values)}
        return replace(self, setting_values=changed, settings=nested(changed))
