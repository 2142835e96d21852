"""The formula language: exact whole numbers, conditions, names and lists, checked before anything runs.

    formula = Formula.of("down(might / 10) + bonus", Scope({"might": Int(), "bonus": Int()}))
    formula(frame)           the value; frame maps names to values
    formula.explain(frame)   the value with every operand it was made from

There is no bare division, no attribute of a Python object, no call but the listed functions, no text that reaches
`eval`. A formula that passes the check can fail at run time only in the ways `RulesError` names.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from rules.formulas import nodes as n
from rules.formulas.check import check
from rules.formulas.compile import Compiled, compile_node
from rules.formulas.errors import FormulaError
from rules.formulas.explain import Explained, explain
from rules.formulas.reads import Survey
from rules.formulas.types import Scope, Type
from rules.problems import RulesError

__all__ = ["Explained", "Formula", "FormulaError", "Scope", "run_safely"]


class Formula:
    """A checked formula; compiled when it is first needed (most cards of a pack are not, in a given process)."""

    __slots__ = ("_made", "_survey", "node", "run", "text")

    def __init__(self, text: str, node: n.Node) -> None:
        self.text, self.node = text, node
        self._made: Compiled | None = None
        self.run: Compiled = self.first_run
        """the function itself, for hot paths; arithmetic errors come out as Python's own. Who takes it before it is
        compiled gets one that sees to that when it is called"""
        self._survey: Survey | None = None

    @classmethod
    def of(cls, text: str | int | bool, scope: Scope) -> Formula:
        """Check a formula; a YAML number or true/false is its own formula. Raises FormulaError."""
        text = str(text).lower() if isinstance(text, bool) else str(text).strip()
        return cls(text, check(text, scope))

    @property
    def type(self) -> Type:
        return self.node.type

    @property
    def survey(self) -> Survey:
        if self._survey is None:
            self._survey = Survey(self.node)
        return self._survey

    @property
    def reads(self) -> Set[str]:
        """Every name, stat and setting that the formula reads, dotted for fields."""
        return self.survey.names

    def first_run(self, frame: Mapping[str, Any]) -> Any:
        if self._made is None:
            self._made = self.run = compile_node(self.node)
        return self._made(frame)

    def __call__(self, frame: Mapping[str, Any]) -> Any:
        return run_safely(self, frame)

    def explain(self, frame: Mapping[str, Any]) -> Explained:
        try:
            return explain(self.text, self.node, frame)
        except ZeroDivisionError:
            raise RulesError(f"division by zero in {self.text!r}") from None


def run_safely(formula: Formula, frame: Mapping[str, Any]) -> Any:
    """The value, with the one arithmetic error of the language in plain words."""
    try:
        return formula.run(frame)
    except ZeroDivisionError:
        raise RulesError(f"division by zero in {formula.text!r}") from None
    except KeyError as exc:
        raise RulesError(f"no value for {exc.args[0]!r} in {formula.text!r}") from None
