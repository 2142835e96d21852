"""What foes are made of: cards given by hand whose fields are named like kept stats of a kind that can take part. The
values of such a card are the numbers of whoever is made of it, and they hold the card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rules.packs.pack import Pack
from rules.packs.schema import CardType, Kind, Sizing
from rules.packs.values import default_of
from rules.problems import RulesError, nearest
from rules.sheets.subject import Held, Subject

LEAST_STATS = 2
"""fewer fields named like stats are chance"""


def types_for(kind: Kind, card_types: Mapping[str, CardType]) -> list[str]:
    """Card types that hold the numbers of a kind."""
    kept = {name for name, stat in kind.stats.items() if stat.formula is None}
    return [name for name, spec in card_types.items() if spec.by_hand and len(kept & set(spec.fields)) >= LEAST_STATS]


def ready_types(pack: Pack, kind: str) -> list[str]:
    """Card types that hold the numbers of a kind of the pack."""
    return types_for(pack.source.sections["kinds"][kind], pack.card_types)


def foe_kinds(pack: Pack, types: Iterable[str]) -> dict[str, str]:
    """Card type -> the kind of those who are made of its cards, the first that fits of those that can take part."""
    wanted = set(types)
    out: dict[str, str] = {}
    for kind in pack.encounter.kinds:
        for name in ready_types(pack, kind):
            if name in wanted:
                out.setdefault(name, kind)
    return out


def foe_cards(pack: Pack) -> dict[str, str]:
    """Card -> kind of whoever is made of it: all that the pack makes foes of."""
    spec: Sizing | None = pack.source.sections["sizing"]
    types = spec.foes if spec is not None else list(pack.card_types)
    kinds = foe_kinds(pack, types)
    return {card: kinds[name] for name in types if name in kinds for card in pack.cards.get(name, {})}


def numbers_of(pack: Pack, kind: str, card: str) -> dict[str, Any]:
    """The values of a card that are stats of the kind."""
    kept = {name for name, plan in pack.kinds[kind].stats.items() if plan.formula is None}
    return {name: value for name, value in pack.card(card)[1].values.items() if name in kept}


def foe_of(pack: Pack, card: str, name: str, numbers: Mapping[str, Any] | None = None, title: str = "") -> Subject:
    """Somebody made of a card, with other ``numbers`` than the card's where these are given."""
    known = foe_cards(pack)
    if card not in known:
        raise RulesError(f"no foe is made of {card!r}", code="no_such_foe", field="foes", right=nearest(card, known))
    kind, spec = pack.card(card)
    held = {name: default_of(value) for name, value in pack.card_types[kind].held.items()}
    values = {**numbers_of(pack, known[card], card), **(numbers or {})}
    return Subject(
        id=name,
        kind=known[card],
        values=values,
        held=[Held(id=card, card=card, values=held)],
        title=title or spec.title,
    )
