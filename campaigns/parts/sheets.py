"""Sheets: what each pack keeps of each subject, and the cards in force on it. Derived numbers are never stored."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from campaigns import registry
from campaigns.events import (
    ALL,
    EVERY_FIELD,
    GM,
    HOLDER,
    HOLDERS,
    PLAYER,
    TABLE,
    Data,
    Event,
    Names,
    Telling,
    event_type,
)
from campaigns.state import State
from rules.packs.wording import plainly
from rules.sheets import Ends, Held

BEHIND = {"all": (), "holders": ("all",), "gm": ("all", "holders")}
"""who may see something -> the audiences that may not"""


class Sheet(msgspec.Struct):
    """Kept values by stat (those that differ from the pack's default) and the cards in force.

    ``unseen`` says of cards that not everybody may know of who may ("holders", "gm"). ``veiled`` holds, by audience,
    stat and key, the values that the audience last knew of what was changed behind its back.
    """

    values: dict[str, Any] = {}
    held: list[Held] = []
    unseen: dict[str, str] = {}
    veiled: dict[str, dict[str, dict[str, Any]]] = {}

    def known_to(self, audience: str) -> tuple[dict[str, Any], list[Held]]:
        """Values and cards as the audience ("all", "holders", "gm") knows them."""
        values = dict(self.values)
        for stat, veiled in self.veiled.get(audience, {}).items():
            values[stat] = veiled[""] if "" in veiled else {**values.get(stat, {}), **veiled}
        held = [h for h in self.held if audience not in BEHIND[self.unseen.get(h.id, "all")]]
        return values, held


class Sheets(msgspec.Struct):
    """Part of the state: sheet by subject, then pack."""

    of: dict[str, dict[str, Sheet]] = {}

    def sheet(self, subject: str, pack: str) -> Sheet:
        """The sheet of a subject in a pack; an empty one where nothing is kept yet. Not to be changed."""
        return self.of.get(subject, {}).get(pack) or Sheet()

    def begun(self, subject: str, pack: str) -> bool:
        """Whether somebody plays by a pack: something is kept of them in it, or nothing in any pack yet."""
        own = self.of.get(subject)
        return not own or pack in own

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


@registry.makes
def _begun_on(state: State, subject: str) -> bool:
    """Whether anything stands on a sheet of theirs."""
    return any(sheet.values or sheet.held for sheet in state.part(Sheets).of.get(subject, {}).values())


VALUE = "value:"
"""what the names of values begin with"""


def value_name(pack: str, subject: str, stat: str, key: str = "") -> str:
    """By which name those who name things know a value of a subject's sheet, of a card where it has one each."""
    return f"{VALUE}{pack}/{subject}/{stat}/{key}"


def _changed_said(d: Data, names: Names) -> str:
    if d["words"]:
        return f"{names(d['subject'])}: {d['words']}"
    return f"{names(d['subject'])}: {', '.join(_change_said(d, names, change) for change in d['changes'])}"


def _change_said(d: Data, names: Names, change: Data) -> str:
    """By the declaration of the value, where the names know the rules."""
    found = names.changed(d["subject"], d["pack"], change) if isinstance(names, Telling) else ""
    what = names(value_name(d["pack"], d["subject"], change["stat"], change["key"]))
    return found or f"{what} {plainly(change['before'])} to {plainly(change['after'])}"


@event_type("sheet.changed", shows={GM: EVERY_FIELD, HOLDER: EVERY_FIELD, PLAYER: EVERY_FIELD}, says=_changed_said)
class SheetChanged(Event):
    """Kept values changed. What only some may see is told in an event of its own for that audience. ``words`` says it
    as the pack does; ``quiet``: it is bookkeeping, of which a ledger need not speak."""

    subject: str
    pack: str
    changes: tuple[Change, ...]
    reason: str = ""
    words: str = ""
    quiet: bool = False
    seen: str = "all"
    """who may know that a value changed that is open by itself: all, holders or gm"""


def _has(d: Data, names: Names) -> str:
    return f"{names(d['subject'])}: {d['title']}."


@event_type(
    "card.applied",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD},
    says=lambda d, names: f"{names(d['subject'])}: {d['words']}" if d["words"] else _has(d, names),
)
class CardApplied(Event):
    """A card came into force on a subject: a condition, a token, a mode. ``ends`` says when by itself, ``words`` of one
    that was held already what it says now."""

    subject: str
    pack: str
    held: str
    card: str
    title: str
    values: dict[str, Any] = {}
    ends: Ends | None = None
    source: str = ""
    seen: str = "all"
    words: str = ""


@event_type(
    "sheet.made",
    shows={GM: EVERY_FIELD, HOLDER: EVERY_FIELD, PLAYER: EVERY_FIELD},
    says=lambda d, names: f"{names(d['subject'])} is made: {d['title']}.",
)
class SheetMade(Event):
    """What creation put on a sheet: kept values whole, and cards. What only some may see is an event of its own."""

    subject: str
    pack: str
    title: str
    values: dict[str, Any] = {}
    held: tuple[Held, ...] = ()


@event_type(
    "card.ended",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD},
    says=lambda d, names: f"{d['title']} ended for {names(d['subject'])}.",
)
class CardEnded(Event):
    """A card is no longer in force. ``quiet``: it is again at once, saying something else."""

    subject: str
    pack: str
    held: str
    title: str
    quiet: bool = False


E = TypeVar("E", bound=Event)


def known_to(event: E, audience: str) -> E:
    """The event as one that only this audience may know of: what it changed stays as it was for all others."""
    seen = "all" if audience in (ALL, TABLE) else "holders" if audience == HOLDERS else "gm"
    if not isinstance(event, SheetChanged | CardApplied) or BEHIND[seen] <= BEHIND[event.seen]:
        return event
    return msgspec.structs.replace(event, seen=seen)


@part.evolves(SheetChanged)
def _changed(sheets: Sheets, event: SheetChanged, _position: int) -> None:
    sheet = sheets.own(event.subject, event.pack)
    for change in event.changes:
        if change.key:
            sheet.values[change.stat] = {**sheet.values.get(change.stat, {}), change.key: change.after}
        else:
            sheet.values[change.stat] = change.after
        _veil(sheet, change, event.seen)


def _veil(sheet: Sheet, change: Change, seen: str) -> None:
    """Those who may not know of a change go on seeing the value of before, until they are told of a later one."""
    for audience in BEHIND["gm"]:
        stats = sheet.veiled.get(audience, {})
        if audience in BEHIND[seen]:
            sheet.veiled.setdefault(audience, {}).setdefault(change.stat, {}).setdefault(change.key, change.before)
        elif change.stat in stats:
            stats[change.stat].pop(change.key, None)
            if not stats[change.stat]:
                del stats[change.stat]


@part.evolves(SheetMade)
def _made(sheets: Sheets, event: SheetMade, _position: int) -> None:
    sheet = sheets.own(event.subject, event.pack)
    sheet.values.update(event.values)
    sheet.held.extend(event.held)


@part.evolves(CardApplied)
def _applied(sheets: Sheets, event: CardApplied, _position: int) -> None:
    held = Held(id=event.held, card=event.card, values=event.values, ends=event.ends, source=event.source)
    sheet = sheets.own(event.subject, event.pack)
    sheet.held.append(held)
    if event.seen != "all":
        sheet.unseen[event.held] = event.seen


@part.evolves(CardEnded)
def _ended(sheets: Sheets, event: CardEnded, _position: int) -> None:
    sheet = sheets.own(event.subject, event.pack)
    sheet.held = [h for h in sheet.held if h.id != event.held]
    sheet.unseen.pop(event.held, None)
