"""Sentences with formulas in braces: `{check.total} against {rating}`, `{hero} strikes` (a subject by its name)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from rules.formulas import Formula
from rules.formulas.types import Bool, Int, List, Role, Text, Type
from rules.sheets.sheet import Sheet
from rules.tests.flow import Flow, Path, narrower

Template = Callable[[dict[str, Any]], str]
HOLE = re.compile(r"\{([^{}]*)\}")


def template(flow: Flow, text: str, path: Path) -> tuple[Template, str]:
    """A function frame -> sentence, and the audience of what it shows."""
    level = "all"
    pieces: list[str | Callable[[dict[str, Any]], Any]] = []
    at = 0
    for hole in HOLE.finditer(text):
        pieces.append(text[at : hole.start()])
        at = hole.end()
        found = flow.formula(hole.group(1), path)
        if found is None:
            continue
        inner = found.type.of if isinstance(found.type, List) else found.type
        if not isinstance(inner, Int | Text | Bool | Role):
            flow.report(path, f"{hole.group(1)!r} cannot be written into a sentence")
        level = narrower(level, flow.audience(found))
        pieces.append(_by_title(flow, found, inner))
    pieces.append(text[at:])
    if "{" in "".join(p for p in pieces if isinstance(p, str)):
        flow.report(path, "a brace that is not closed")
    return lambda frame: "".join(p if isinstance(p, str) else said(p(frame)) for p in pieces), level


def _by_title(flow: Flow, formula: Formula, kind: Type) -> Callable[[dict[str, Any]], Any]:
    """The formula, with cards by their titles."""
    of = kind.card if isinstance(kind, Text) else None
    cards = flow.shared.builder.source.sections["cards"].get(of, {}) if of else {}
    titles = {name: card.title for name, card in cards.items()}
    if not titles:
        return formula

    def named(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [titles.get(one, one) for one in value]
        return titles.get(value, value)

    return lambda frame: named(formula(frame))


def said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(said(one) for one in value)
    if isinstance(value, Sheet):
        return str(value["title"])
    return str(value).replace("_", " ")


def outcome_told(title: str, told: str, facts: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """An outcome as the ledger tells it: its own words with facts and names of roles filled in, or its title."""
    words = HOLE.sub(lambda hole: names.get(hole.group(1)) or said(facts.get(hole.group(1), "")), told) or title
    return words[:1].upper() + words[1:]
