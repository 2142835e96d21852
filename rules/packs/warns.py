"""What somebody should know of a card before they use it, as its type says over their own stats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rules.formulas import Formula
from rules.formulas.errors import FormulaError
from rules.formulas.types import Text
from rules.packs.build_kinds import own_scope
from rules.packs.schema import Saying

if TYPE_CHECKING:
    from rules.packs.builder import Builder


def build_warns(b: Builder) -> None:
    """The warnings of each card type, on every kind that has what their conditions read."""
    for kind, declared in b.source.sections["card_types"].items():
        for at, spec in enumerate(declared.warns):
            path = ("card_types", kind, "warns", at)
            fits = [plan for plan in b.kind_plans if _readable(b, plan, kind, spec)] or list(b.kind_plans)[:1]
            for plan in fits:
                _build(b, plan, kind, spec, path)


def _scope(b: Builder, plan: str, kind: str) -> Any:
    scope = own_scope(b, plan)
    scope.names["card"] = Text(frozenset(b.source.sections["cards"].get(kind, {})), kind)
    return scope


def _readable(b: Builder, plan: str, kind: str, spec: Saying) -> bool:
    try:
        Formula.of(spec.when, _scope(b, plan, kind))
    except FormulaError:
        return False
    return True


def _build(b: Builder, plan: str, kind: str, spec: Saying, path: tuple[Any, ...]) -> None:
    from rules.tests.flow import Flow, Shared
    from rules.tests.texts import template

    flow = Flow(Shared(b, path), _scope(b, plan, kind))
    when = flow.condition(spec.when, (*path, "when"))
    text = template(flow, spec.text, (*path, "text"))[0]
    found = b.kind_plans[plan].warns.setdefault(kind, [])
    found.append(text if when is None else lambda frame: text(frame) if when(frame) else "")
