"""Cards: their types, the values of their fields, and what a held one carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.formulas.types import Text, Type
from rules.packs.builder import Builder
from rules.packs.values import Misfit, default_of, fit
from rules.problems import nearest


def build_cards(b: Builder) -> None:
    types, cards = b.source.sections["card_types"], b.source.sections["cards"]
    seen: dict[str, str] = {}
    for kind, found in cards.items():
        if kind not in types:
            b.source.report(("cards", kind), f"no card type is called {kind!r}", nearest(kind, types))
            continue
        for card in found:
            if card in seen:
                b.source.report(("cards", kind, card), f"{card!r} is already a {seen[card]} card")
            seen[card] = kind
    for kind, declared in types.items():
        b.scope.cards = {
            **b.scope.cards,
            kind: {
                "title": Text(),
                "id": Text(),
                **{
                    name: field_type(b, kind, name, spec, cards.get(kind, {})) for name, spec in declared.fields.items()
                },
            },
        }
    b.scope.held = {
        card: {name: b.spec_type(spec, ("card_types", kind, "held", name)) for name, spec in types[kind].held.items()}
        for kind, found in cards.items()
        if kind in types
        for card in found
    }
    b.scope.card_values = {kind: card_fields(b, kind, cards.get(kind, {})) for kind in types}


def field_type(b: Builder, kind: str, name: str, spec: Any, cards: Mapping[str, Any]) -> Type:
    """The type of a card's field; free text in a field is the closed set of what the cards say."""
    found = b.spec_type(spec, ("card_types", kind, "fields", name))
    if found == Text():
        return Text(frozenset(str(card.values.get(name, spec.default or "")) for card in cards.values()))
    return found


def card_fields(b: Builder, kind: str, cards: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    declared = b.source.sections["card_types"][kind].fields
    out: dict[str, dict[str, Any]] = {}
    for card_id, card in cards.items():
        path = ("cards", kind, card_id)
        values: dict[str, Any] = {"title": card.title, "id": card_id}
        for name in card.values:
            if name not in declared:
                b.source.report(
                    (*path, "values", name), f"{kind} cards have no field {name!r}", nearest(name, declared)
                )
        for name, spec in declared.items():
            values[name] = card_value(b, path, name, spec, card.values)
        out[card_id] = values
    return out


def card_value(b: Builder, path: tuple[Any, ...], name: str, spec: Any, values: Mapping[str, Any]) -> Any:
    value = values.get(name, default_of(spec))
    if value is None:
        b.source.report(path, f"the value {name!r} is missing")
        return None
    try:
        return fit(spec, value, b.words)
    except Misfit as exc:
        b.source.report((*path, "values", name), exc.message, exc.suggestion)
        return None
