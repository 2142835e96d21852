"""What every stage of building a pack shares: the names known so far, and formulas checked at their place."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from rules.formulas import Formula, FormulaError
from rules.formulas.types import Bool, Function, Int, Scope, Text, Type, accepts
from rules.packs.source import Source
from rules.packs.values import Misfit, Vocabulary, fit, fit_plain, type_of
from rules.sheets.instants import instants_of
from rules.sheets.plan import KindPlan


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
        self.actions: dict[str, Any] = {}
        self.extra_turn: Formula | None = None
        self.sizing: Any = None
        self.tactics: Any = None
        self.modes: Any = None
        self.reactions: dict[str, dict[str, list[Any]]] = {}
        """by moment, then card"""
        self.sayings: dict[str, Any] = {}
        self.creations: dict[str, Any] = {}
        self.advancements: dict[str, Any] = {}
        self.read: set[str] = set()
        self.called: set[str] = set()
        self.functions_called: set[str] = set()
        self.applied: set[str] = set()
        self.happening: set[str] = set()
        """moments that some step brings about"""
        self.procedures: dict[Any, Any] = {}
        self.modified: frozenset[str] = frozenset()
        """stats that some card changes"""
        self.hidden_stats: dict[str, str] = {}
        self.functions: dict[str, Function] = {}

    @cached_property
    def instants(self) -> dict[str, bool]:
        """The instants that the pack knows, and whether each is somebody's."""
        return instants_of(self.source.sections)

    def formula(self, text: str | int | bool, scope: Scope, path: tuple[Any, ...]) -> Formula | None:
        """A checked formula, or None after reporting what is wrong with it."""
        try:
            found = Formula.of(text, scope)
        except FormulaError as exc:
            self.source.report(path, exc.message, exc.suggestion, offset=exc.offset)
            return None
        self.read |= found.reads
        self.functions_called |= found.survey.calls
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


def mismatch(wanted: Type, given: Type) -> str:
    if isinstance(wanted, Text) and isinstance(given, Text) and wanted.options and given.options:
        return f"not allowed here: {', '.join(sorted(given.options - wanted.options))}"
    return f"{wanted.show()} is wanted here, not {given.show()}"
