"""Applying effects: a pure step from one subject to the next, and the bookkeeping of held cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from rules.sheets.instants import expire
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Held, Subject
from rules.tests.result import Effect


def apply_effect(subject: Subject, effect: Effect) -> Subject:
    """The subject after one effect; effects on other subjects and narration leave it as it is."""
    return apply_effects(subject, [effect])


def apply_effects(subject: Subject, effects: Sequence[Effect]) -> Subject:
    """The subject after several effects, each as above."""
    return applied(subject, [effect for effect in effects if effect.subject == subject.id])


def applied(subject: Subject, effects: Sequence[Effect]) -> Subject:
    """The subject after several effects on it; its values and what it holds are copied once."""
    values, held = dict(subject.values), subject.held
    for effect in effects:
        verb = effect.verb
        if verb == "set":
            stat, key = effect.stat, effect.key
            values[stat] = {**values.get(stat, {}), key: effect.after} if key else effect.after
        elif verb == "apply":
            held = [*held, held_of(effect)]
        elif verb == "end":
            held = [thing for thing in held if thing.id != effect.held]
    return replace(subject, values=values, held=held)


def apply_to_sheet(sheet: Sheet, effect: Effect) -> None:
    """The same on a sheet in the middle of a test, so that later steps read what earlier ones did."""
    match effect.verb:
        case "set" if effect.key:
            sheet.write(effect.stat, {**sheet.kept.get(effect.stat, {}), effect.key: effect.after})
        case "set":
            sheet.write(effect.stat, effect.after)
        case "apply":
            sheet.held.append(held_of(effect))
            sheet.touched = True
            sheet.clear()
        case "end":
            sheet.held = [held for held in sheet.held if held.id != effect.held]
            sheet.touched = True
            sheet.clear()


def held_of(effect: Effect) -> Held:
    return Held(id=effect.held, card=effect.card, values=effect.values, ends=effect.ends, source=effect.source)


def new_held_id(sheet: Sheet, card: str) -> str:
    """An id that nothing on the sheet has: the card and the next number."""
    taken = {held.id for held in sheet.held}
    number = 1
    while f"{card}-{number}" in taken:
        number += 1
    return f"{card}-{number}"


def expiry(subject: str, held: Sequence[Held], at: str, of: str = "") -> list[Effect]:
    """What an instant does to the cards that a subject holds, as effects: ends, and counts that go down."""
    after = {thing.id: thing for thing in expire(held, at, of)[0]}
    out: list[Effect] = []
    for thing in held:
        if after.get(thing.id) != thing:
            out.append(whole("end", subject, thing))
            if thing.id in after:
                out.append(whole("apply", subject, after[thing.id]))
    return out


def whole(verb: Literal["apply", "end"], subject: str, held: Held) -> Effect:
    """An effect with all that a held card is, so that it can be taken back."""
    return Effect(
        verb=verb,
        subject=subject,
        card=held.card,
        held=held.id,
        values=held.values,
        ends=held.ends,
        source=held.source,
    )


def undo_effect(effect: Effect) -> Effect | None:
    """The effect that takes one back, or None where nothing was done."""
    if effect.verb == "set":
        return replace(effect, before=effect.after, after=effect.before)
    if effect.verb == "apply":
        return replace(effect, verb="end")
    if effect.verb == "end":
        return replace(effect, verb="apply")
    if effect.verb == "move":
        return replace(effect, before=effect.after, after=effect.before)
    if effect.verb in ("place", "lift"):
        return replace(effect, verb="lift" if effect.verb == "place" else "place")
    return None
