"""What a card says of itself in a few words, for those who choose: the sayings of its type that hold for it, or its
fields one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rules.formulas.types import Text
from rules.packs.schema import Card, CardType, Saying
from rules.packs.wording import spaced, titled

if TYPE_CHECKING:
    from rules.packs.builder import Builder

Piece = Callable[[dict[str, Any]], str]
Cards = Mapping[str, Mapping[str, Card]]


def build_says(b: Builder) -> dict[str, list[Piece]]:
    """Card type -> its sayings, each a function frame -> words, "" where it does not hold."""
    types = b.source.sections["card_types"]
    return {
        kind: [piece for at, one in enumerate(declared.says) if (piece := saying(b, kind, at, one)) is not None]
        for kind, declared in types.items()
        if declared.says
    }


def saying(b: Builder, kind: str, at: int, spec: Saying) -> Piece | None:
    """One saying. None where it is reported as wrong."""
    from rules.tests.flow import Flow, Shared
    from rules.tests.texts import template

    path = ("card_types", kind, "says", at)
    flow = Flow(Shared(b, path), b.scope.child())
    flow.scope.names["card"] = Text(frozenset(b.source.sections["cards"].get(kind, {})), kind)
    holds = b.condition(spec.when, flow.scope, (*path, "when"))
    text = template(flow, spec.text, (*path, "text"))[0]
    if holds is None:
        return text if spec.when is True else None
    return lambda frame: text(frame) if holds(frame) else ""


def said_by_cards(
    types: Mapping[str, CardType], cards: Cards, sayings: Mapping[str, list[Piece]], settings: Mapping[str, Any]
) -> dict[str, tuple[str, ...]]:
    """Card -> what it says of itself, under these settings."""
    found: dict[str, tuple[str, ...]] = {}
    for kind, here in cards.items():
        for name, card in here.items():
            if kind in sayings:
                said = [piece({"card": name, "setting": settings}) for piece in sayings[kind]]
            else:
                said = fields_said(types[kind], card, cards)
            found[name] = beside([one for one in [*said, brought(card, cards)] if one])
    return found


def beside(said: list[str]) -> tuple[str, ...]:
    """Sayings as they stand beside each other: a sentence ends with a full stop only where nothing follows."""
    return (*(one.removesuffix(".") for one in said[:-1]), *said[-1:])


def fields_said(declared: CardType, card: Card, cards: Cards) -> list[str]:
    """The fields whose values are short and differ from their defaults."""
    found = []
    for name, spec in declared.fields.items():
        value = card.values.get(name, spec.default)
        if value != spec.default and spec.type in ("int", "name", "card") and value != "none":
            title, words = spec.title or titled(name), card_named(cards, value)
            if spec.type == "int":
                found.append(f"{title} {words}")
            else:
                found.append(words if title.lower() in words.lower() else f"{title}: {words}")
    return found


def brought(card: Card, cards: Cards) -> str:
    """What comes with the card, whatever else there is."""
    always = [
        one if isinstance(one, str) else one.card for one in card.grants if isinstance(one, str) or one.when is True
    ]
    return f"brings {', '.join(card_named(cards, one) for one in always)}" if always else ""


def card_named(cards: Cards, value: Any) -> str:
    """A short value in words: a card by its title."""
    held = next((found[value] for found in cards.values() if value in found), None)
    return held.title if held is not None else spaced(str(value))
