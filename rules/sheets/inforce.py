"""Which cards are in force on a sheet: those stored, those of the place, those its stats name, and what comes with
them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rules.packs.values import NONE
from rules.sheets.subject import Held

if TYPE_CHECKING:
    from rules.sheets.sheet import Sheet


def cards_in_force(sheet: Sheet) -> None:
    """Put them in force. What conditions of grants read on the way is read again afterwards, when all are there."""
    cards = [*sheet.held, *sheet.ambient]
    names = {held.card for held in cards}
    known = set(sheet)
    sheet.put_in_force(cards)
    for held in (*sheet.kind.always, *named_by_stats(sheet)):
        add(sheet, cards, names, held)
    for held in cards:  # grows while it is walked: what is granted may grant
        for grant in sheet.kind.grants.get(held.card, ()):
            if grant.when is None or grant.when(sheet):
                add(sheet, cards, names, Held(id=f"{grant.card}-of-{held.id}", card=grant.card))
    for name in set(sheet) - known:
        del sheet[name]


def add(sheet: Sheet, cards: list[Held], names: set[str], held: Held) -> None:
    if held.card in names and held.card in sheet.kind.once:
        return
    names.add(held.card)
    cards.append(held)
    sheet.put_in_force(cards)


def named_by_stats(sheet: Sheet) -> Iterator[Held]:
    for plan in sheet.kind.holding:
        value = sheet.kept.get(plan.name, plan.default)
        for number, card in enumerate([value] if isinstance(value, str) else value, 1):
            if card != NONE:
                yield Held(id=f"{plan.name}-{number}", card=card)
