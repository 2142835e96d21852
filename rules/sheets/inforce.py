"""Which cards are in force on a sheet: those stored, those of the place, those its stats name, and what comes with
them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rules.packs.values import NONE
from rules.sheets.subject import Held

if TYPE_CHECKING:
    from rules.sheets.plan import GrantPlan
    from rules.sheets.sheet import Sheet


def cards_in_force(sheet: Sheet) -> None:
    """Put them in force: first all that comes without a condition, then what conditions let in, until no more does.
    What conditions read on the way is read again afterwards, when all are there."""
    cards = [*sheet.held, *sheet.ambient]
    names = {held.card for held in cards}
    known = set(sheet)
    sheet.put_in_force(cards)
    for held in (*sheet.kind.always, *named_by_stats(sheet)):
        add(sheet, cards, names, held)
    waiting: list[tuple[GrantPlan, Held]] = []
    at = grow(sheet, cards, names, 0, waiting)
    while waiting:
        found = [pair for pair in waiting if pair[0].when is None or pair[0].when(sheet)]
        for name in set(sheet) - known:
            del sheet[name]
        if not found:
            break
        waiting = [pair for pair in waiting if pair not in found]
        for grant, held in found:
            add(sheet, cards, names, granted(grant, held))
        at = grow(sheet, cards, names, at, waiting)


def grow(sheet: Sheet, cards: list[Held], names: set[str], at: int, waiting: list[tuple[GrantPlan, Held]]) -> int:
    """Add what comes without a condition with the cards from `at` on, and with what that brings; note the rest."""
    grants = sheet.kind.grants
    while at < len(cards):
        held = cards[at]
        at += 1
        if held.card not in grants:
            continue
        for grant in grants[held.card]:
            if grant.when is None:
                add(sheet, cards, names, granted(grant, held))
            else:
                waiting.append((grant, held))
    return at


def granted(grant: GrantPlan, held: Held) -> Held:
    return Held(id=f"{grant.card}-of-{held.id}", card=grant.card)


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
