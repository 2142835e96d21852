"""What the game master changes by hand, as effects like any others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.board.scene import pair_key
from rules.fight.commands import Adjust, Apart, Laid, Put
from rules.fight.events import Adjusted
from rules.fight.state import Fight
from rules.packs.pack import Pack
from rules.packs.values import Misfit, default_of, fit
from rules.problems import nearest
from rules.refusal import Refused
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Held, Subject
from rules.tests.effects import apply_to_sheet, new_held_id, whole
from rules.tests.result import Effect
from rules.tests.verb_areas import lifted


def placed(fight: Fight, command: Put) -> Adjusted:
    before = fight.scene.places.get(command.subject)
    gone = {} if before is None else {"places": {command.subject: list(before)}}
    after = {"places": {command.subject: list(command.place)}}
    return Adjusted(reason="", effects=[Effect(verb="move", subject=command.subject, before=gone, after=after)])


def apart_adjusted(fight: Fight, command: Apart) -> Adjusted:
    key = pair_key(command.one, command.other)
    before = {"apart": {key: fight.scene.apart.get(key, fight.scene.usual)}}
    if command.units < 0 or command.one == command.other:
        raise Refused("no_distance", "That is no distance.", field="units", value=command.units)
    after = {"apart": {key: command.units}}
    return Adjusted(reason="", effects=[Effect(verb="move", subject=command.one, before=before, after=after)])


def adjusted(pack: Pack, fight: Fight, subjects: Mapping[str, Subject], command: Adjust) -> Adjusted:
    """Every change checked against the pack; the whole is refused where one of them does not fit. What is changed about
    somebody in a fight that runs wants a reason."""
    touches = command.set or command.give or command.end
    if touches and fight.status != "prepared" and not command.reason.strip():
        raise Refused("no_reason", "Say why.", field="reason")
    sheets: dict[str, Sheet] = {}
    effects: list[Effect] = []
    for name, values in command.set.items():
        sheet = sheet_of(pack, subjects, sheets, name)
        effects += [put(sheet, set_by_hand(pack, sheet, stat, value)) for stat, value in values.items()]
    for name, cards in command.give.items():
        sheet = sheet_of(pack, subjects, sheets, name)
        effects += [put(sheet, given(pack, sheet, card)) for card in cards]
    for name, things in command.end.items():
        sheet = sheet_of(pack, subjects, sheets, name)
        effects += [put(sheet, ended(sheet, thing)) for thing in things]
    effects += [one for name, sheet in sheets.items() for one in outgrown(pack, fight, subjects[name], sheet)]
    effects += [lift(fight, area) for area in command.lift]
    effects += [laid(pack, fight, area, number) for number, area in enumerate(command.lay, 1)]
    if not effects:
        raise Refused("nothing_changes", "Nothing would change.")
    return Adjusted(reason=command.reason, effects=effects)


def outgrown(pack: Pack, fight: Fight, subject: Subject, sheet: Sheet) -> list[Effect]:
    """That somebody takes up more squares or fewer, where their sheet says so now and did not before."""
    stat = pack.encounter.size
    if stat is None:
        return []
    was, after = int(Sheet(subject, sheet.kind, pack.settings)[stat]), max(int(sheet[stat]), 1)
    before = fight.scene.sizes.get(subject.id, 1)
    return [Effect(verb="grow", subject=subject.id, before=before, after=after)] if after not in (was, before) else []


def put(sheet: Sheet, effect: Effect) -> Effect:
    apply_to_sheet(sheet, effect)
    return effect


def sheet_of(pack: Pack, subjects: Mapping[str, Subject], sheets: dict[str, Sheet], name: str) -> Sheet:
    if name not in subjects:
        raise Refused("nobody", "Nobody is called that.", field="subject", value=name, right=nearest(name, subjects))
    if name not in sheets:
        subject = subjects[name]
        sheets[name] = Sheet(subject, pack.kinds[subject.kind], pack.settings)
    return sheets[name]


def set_by_hand(pack: Pack, sheet: Sheet, stat: str, value: Any) -> Effect:
    plan = sheet.kind.stats.get(stat)
    if plan is None or plan.formula is not None or plan.keys is not None:
        kept = [name for name, found in sheet.kind.stats.items() if found.formula is None]
        raise Refused("no_such_stat", "There is no such kept stat.", field="set", value=stat, right=nearest(stat, kept))
    try:
        fitted = fit(plan.spec, value, pack.words)
    except Misfit as exc:
        raise Refused("does_not_fit", exc.message, field="set", value=value, right=exc.suggestion or None) from None
    return Effect(verb="set", subject=sheet.id, stat=stat, before=sheet.standing(stat), after=fitted)


def given(pack: Pack, sheet: Sheet, card: str) -> Effect:
    kind, _ = pack.card(card)
    values = {name: default_of(spec) for name, spec in pack.card_types[kind].held.items()}
    held = Held(id=new_held_id(sheet, card), card=card, values=values)
    return whole("apply", sheet.id, held)


def ended(sheet: Sheet, thing: str) -> Effect:
    for held in sheet.held:
        if thing in (held.id, held.card):
            return whole("end", sheet.id, held)
    known = [held.id for held in sheet.held]
    raise Refused("not_held", "They hold no such thing.", field="end", value=thing, right=nearest(thing, known) or None)


def laid(pack: Pack, fight: Fight, area: Laid, number: int) -> Effect:
    """An area, with a value for all that its card carries. What blocks begins where it is laid, a line beside it."""
    kind, card = pack.card(area.card)
    if area.at is None and not area.on and not area.inside:
        raise Refused("no_place", "Say where it lies, or who stands in it.", field="lay", value=area.card)
    where = {
        "shape": area.shape or ("burst" if area.to is None else "wall" if card.blocks else "line"),
        "at": None if area.at is None else list(area.at),
        "on": area.on,
        "to": None if area.to is None else list(area.to),
        "size": area.size,
        "slows": area.slows,
        "inside": list(area.inside),
        **({"blocks": True} if card.blocks else {}),
    }
    if (where["shape"] == "burst") != (area.to is None):
        raise Refused("no_way", "A line or a wall goes to a place, nothing else does.", field="lay", value=area.card)
    values: dict[str, Any] = {}
    for name, spec in pack.card_types[kind].held.items():
        try:
            values[name] = fit(spec, area.values.get(name, default_of(spec)), pack.words)
        except Misfit as exc:
            raise Refused("does_not_fit", exc.message, field="lay", value=name, right=exc.suggestion or None) from None
    held = f"{area.card}@{fight.scene.numbered + number}"
    return Effect(verb="place", card=area.card, held=held, values=values, source=area.source, after=where)


def lift(fight: Fight, area: str) -> Effect:
    found = fight.scene.areas.get(area)
    if found is None:
        right = nearest(area, fight.scene.areas) or None
        raise Refused("no_such_area", "No such area lies there.", field="lift", value=area, right=right)
    return lifted(found)
