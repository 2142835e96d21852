"""Sheets: what each pack keeps of each subject, and the cards in force on it. Derived numbers are never stored."""

from __future__ import annotations

from typing import Any

import msgspec

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, HOLDER, PLAYER, Data, Event, Names, event_type
from rules.sheets import Ends, Held


class Sheet(msgspec.Struct):
    """Kept values by stat (those that differ from the pack's default) and the cards in force."""

    values: dict[str, Any] = {}
    held: list[Held] = []


class Sheets(msgspec.Struct):
    """Part of the state: sheet by subject, then pack."""

    of: dict[str, dict[str, Sheet]] = {}

    def sheet(self, subject: str, pack: str) -> Sheet:
        """The sheet of a subject in a pack; an empty one where nothing is kept yet. Not to be changed."""
        return self.of.get(subject, {}).get(pack) or Sheet()

    def own(self, subject: str, pack: str) -> Sheet:
        """The sheet to be changed by an evolver; made where it is missing."""
        return self.of.setdefault(subject, {}).setdefault(pack, Sheet())


class Change(msgspec.Struct, kw_only=True):
    """One kept value that changed: of ``stat``, at ``key`` where the stat has a value for each card."""

    stat: str
    key: str = ""
    before: Any
    after: Any


part = registry.part("sheets", Sheets)


def _changed_said(d: Data, names: Names) -> str:
    parts = [f"{c['key'] or c['stat']} {c['before']} to {c['after']}".replace("_", " ") for c in d["changes"]]
    return f"{names(d['subject'])}: {', '.join(parts)}"


@event_type("sheet.changed", shows={GM: EVERY_FIELD, HOLDER: EVERY_FIELD, PLAYER: EVERY_FIELD}, says=_changed_said)
class SheetChanged(Event):
    """Kept values changed. What only some may see is told in an event of its own for that audience."""

    subject: str
    pack: str
    changes: tuple[Change, ...]
    reason: str = ""


@event_type(
    "card.applied",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD},
    says=lambda d, names: f"{names(d['subject'])} has {d['title']} now.",
)
class CardApplied(Event):
    """A card came into force on a subject: a condition, a token, a mode. ``ends`` says when by itself."""

    subject: str
    pack: str
    held: str
    card: str
    title: str
    values: dict[str, Any] = {}
    ends: Ends | None = None
    source: str = ""


@event_type(
    "card.ended",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD},
    says=lambda d, names: f"{d['title']} ended for {names(d['subject'])}.",
)
class CardEnded(Event):
    """A card is no longer in force."""

    subject: str
    pack: str
    held: str
    title: str


@part.evolves(SheetChanged)
def _changed(sheets: Sheets, event: SheetChanged, _position: int) -> None:
    values = sheets.own(event.subject, event.pack).values
    for change in event.changes:
        if change.key:
            values[change.stat] = {**values.get(change.stat, {}), change.key: change.after}
        else:
            values[change.stat] = change.after


@part.evolves(CardApplied)
def _applied(sheets: Sheets, event: CardApplied, _position: int) -> None:
    held = Held(id=event.held, card=event.card, values=event.values, ends=event.ends, source=event.source)
    sheets.own(event.subject, event.pack).held.append(held)


@part.evolves(CardEnded)
def _ended(sheets: Sheets, event: CardEnded, _position: int) -> None:
    sheet = sheets.own(event.subject, event.pack)
    sheet.held = [h for h in sheet.held if h.id != event.held]
