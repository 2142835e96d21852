"""An instant comes: first what held cards do by themselves, then what ends with it, then what acts after that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from rules.board import Board, Scene
from rules.dice.sources import DiceSource
from rules.fight.order import Instant
from rules.packs.pack import Pack
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Held, Subject
from rules.tests.effects import apply_to_sheet, expiry
from rules.tests.result import Effect
from rules.tests.runtime import Runtime
from rules.tests.trace import TraceStep
from rules.tests.triggers import TriggerPlan
from rules.tests.uses import put
from rules.tests.verb_areas import lifted


class Happened(Struct, kw_only=True):
    """Subjects as they stand after it, the effects in order, the faces that were rolled, and what can be read of it."""

    subjects: dict[str, Subject]
    effects: list[Effect]
    faces: list[int]
    trace: list[TraceStep]


def happen(pack: Pack, subjects: Mapping[str, Subject], instant: Instant, dice: DiceSource) -> Happened:
    """Triggers act in the order of the subjects and of what each holds."""
    return happen_all(pack, subjects, [instant], dice)


def happen_all(pack: Pack, subjects: Mapping[str, Subject], instants: Iterable[Instant], dice: DiceSource) -> Happened:
    """Several instants, one after the other, where no fight runs."""
    board = Board(pack, Scene(), subjects)
    rt = Runtime(plain_frame(board), dice, {}, tracing=True)
    for instant in instants:
        pass_instant(rt, instant, list(subjects))
    after = {name: board.sheets[name].subject() if name in board.sheets else subjects[name] for name in subjects}
    return Happened(subjects=after, effects=rt.effects, faces=rt.faces, trace=rt.trace or [])


def plain_frame(board: Board) -> dict[str, Any]:
    return {"setting": board.pack.settings, "asker": "server", "@board": board}


def pass_instant(rt: Runtime, instant: Instant, names: Iterable[str]) -> None:
    """What cards do when an instant comes, what ends with it, and what late triggers do after that."""
    board = rt.board
    fights = bool(board.scene.order)
    passing = Effect(verb="pass", key=instant.at, subject=instant.of)
    if fights and instant.at != "encounter_end":
        put(rt, passing)
    sheets = [board.sheet(name) for name in names if board.subjects[name].kind in board.pack.kinds]
    triggered(rt, instant, sheets, fights, late=False)
    at = instant.at
    for sheet in sheets:
        if not ends_with(sheet, at):
            continue
        for effect in expiry(sheet.id, sheet.held, instant.at, instant.of):
            apply_to_sheet(sheet, effect)
            rt.effects.append(effect)
            if rt.trace is not None:
                rt.trace.append(TraceStep(kind=effect.verb, name=effect.card, depth=rt.depth, about=sheet.id))
    for area in list(board.scene.areas.values()):
        for effect in expiry("", [area], instant.at, instant.of):  # type: ignore[list-item]
            if effect.verb == "end":
                put(rt, lifted(area), f"{area.card} is gone")
            else:
                put(rt, again(lifted(area), effect))
    triggered(rt, instant, sheets, fights, late=True)
    if fights and instant.at == "encounter_end":
        put(rt, passing)


def ends_with(sheet: Sheet, at: str) -> bool:
    """Whether anything held waits for such an instant."""
    for held in sheet.held:  # noqa: SIM110  (a generator would take longer, and this is asked of everybody)
        if held.ends is not None and held.ends.at == at:
            return True
    return False


def again(gone: Effect, effect: Effect) -> Effect:
    """An area that must see the instant more often is put back with one time less to go."""
    from msgspec.structs import replace

    return replace(gone, verb="place", ends=effect.ends)


def triggered(rt: Runtime, instant: Instant, sheets: list[Sheet], fights: bool, late: bool) -> None:
    """What cards do by themselves, in a fight those of all who take part. A card that an earlier one took away does
    nothing any more."""
    board = rt.board
    plans = board.pack.hearing.get((instant.at, late))
    if plans is None:
        return
    every, others = plans
    order = board.scene.order
    there = [sheet for sheet in sheets if not fights or sheet.id in order]
    for sheet in there:
        able = every if not instant.of or sheet.id == instant.of else others
        if not able or able.keys().isdisjoint(sheet.by_card):
            continue
        for held, plan in heard(sheet, able, instant):
            if still(sheet, held):
                plan.act(rt, sheet, held, f"{instant.at}.{sheet.id}.{held.id}.")


def heard(sheet: Sheet, plans: Mapping[str, list[TriggerPlan]], instant: Instant) -> list[tuple[Held, TriggerPlan]]:
    """The triggers on a sheet that hear an instant, in the order of what is held."""
    found = []
    by_card = sheet.by_card
    for card in plans.keys() & by_card.keys():
        for held in by_card[card]:
            for plan in plans[card]:
                if plan.hears(held, sheet.id, instant.at, instant.of):
                    found.append((held, plan))
    if len(found) > 1:
        places = {held.id: place for place, held in enumerate(sheet.cards)}
        found.sort(key=lambda one: places[one[0].id])
    return found


def still(sheet: Sheet, held: Held) -> bool:
    """Whether a card is still in force."""
    return any(thing.id == held.id for thing in sheet.cards)
