"""Verbs of the board: move somebody, place an area, lift one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.board.board import Board, Spot
from rules.board.geometry import Cell, away, path, toward
from rules.board.scene import Area, apart, covers, pair_key
from rules.formulas import Formula
from rules.formulas.types import CELL, Int, Record, Role, Text
from rules.packs.schema import Step
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Held
from rules.tests.flow import Closure, Flow, Path
from rules.tests.result import Effect
from rules.tests.runtime import Runtime
from rules.tests.uses import put
from rules.tests.verbs_held import build_until, card_of, held_condition, held_values, subject_of
from rules.tests.verbs_lists import matches

WAY = Record("way", {"units": Int(0), "cost": Int(0)})
HOWS = ("own", "forced", "teleport", "swap")


def spot_of(flow: Flow, text: Any, path_: Path) -> Formula | None:
    """A subject, or a place."""
    found = flow.formula(text, path_)
    if found is None or isinstance(found.type, Role) or found.type == CELL:
        return found
    if isinstance(found.type, Record) and found.type.name == "place":
        return found
    flow.report(path_, f"a subject or a place is wanted here, not {found.type.show()}")
    return None


# ---------------------------------------------------------------------------------------------- move


def build_move(flow: Flow, step: Step, path_: Path) -> Closure | None:
    """move: whom, how: own | forced | teleport | swap, and one of to, toward, away; distance: at most so many units."""
    if flow.scope.board is None:
        flow.report(path_, "nothing can be moved: the pack has no section `encounter`")
        return None
    ways = [word for word in ("to", "toward", "away") if getattr(step, word) is not None]
    if len(ways) != 1:
        flow.report(path_, "say where: one of `to`, `toward`, `away`")
        return None
    how = step.how or "own"
    if how == "swap" and ways != ["to"]:
        flow.report(path_, "two swap places: say with whom in `to`")
        return None
    if ways != ["to"] and step.distance is None:
        flow.report(path_, f"`{ways[0]}` needs a `distance`")
        return None
    whom = subject_of(flow, step.move, path_)
    where = spot_of(flow, getattr(step, ways[0]), (*path_, ways[0]))
    far = None if step.distance is None else flow.of_type(step.distance, Int(), (*path_, "distance"))
    if whom is None or where is None or (step.distance is not None and far is None):
        return None
    if how == "swap" and not isinstance(where.type, Role):
        flow.report((*path_, "to"), "two swap places: a subject is wanted here")
        return None
    flow.shared.effects = True
    if step.into is not None:
        flow.define(step.into, WAY, (*path_, "into"))
    return move_closure(whom, how, ways[0], where, far, step.into)


def move_closure(whom: Formula, how: str, way: str, where: Formula, far: Formula | None, into: str | None) -> Closure:
    def move(rt: Runtime) -> None:
        mover: Sheet = whom.run(rt.frame)
        spot: Spot = where.run(rt.frame)
        most = None if far is None else max(far.run(rt.frame), 0)
        done = swapped(rt, mover, spot) if how == "swap" else moved(rt, mover, how, way, spot, most)
        if into is not None:
            rt.frame[into] = done

    return move


def swapped(rt: Runtime, one: Sheet, other: Sheet) -> dict[str, int]:
    """Two change places; without a grid each is where the other was, as far as the game master has said."""
    scene = rt.board.scene
    a, b = scene.places.get(one.id), scene.places.get(other.id)
    if a is not None and b is not None:
        crossings(rt, [(one, a, b), (other, b, a)], "swap")
    else:
        others = [name for name in scene.order if name not in (one.id, other.id)]
        after = {pair_key(one.id, n): apart(scene, other.id, n) for n in others}
        after |= {pair_key(other.id, n): apart(scene, one.id, n) for n in others}
        before = {key: scene.apart.get(key, scene.usual) for key in after}
        put(rt, Effect(verb="move", subject=one.id, before={"apart": before}, after={"apart": after}, text="swap"))
    return {"units": 0, "cost": 0}


def moved(rt: Runtime, mover: Sheet, how: str, way: str, spot: Spot, most: int | None) -> dict[str, int]:
    board = rt.board
    start = board.scene.places.get(mover.id)
    goal = board.cell(spot)
    if start is None or goal is None:
        return moved_by_word(rt, mover, how, way, spot, most)
    end = destination(board, start, goal, way, spot, most)
    if how == "teleport":
        crossings(rt, [(mover, start, end)], how)
        return {"units": board.distance(place(start), place(end)), "cost": 0}
    units = cost = 0
    first = start
    for cell in path(start, end):
        gone = board.distance(place(first), place(cell))
        units, cost = gone, cost + (gone - units) * board.slowed(cell)
        crossings(rt, [(mover, start, cell)], how)
        start = cell
    return {"units": units, "cost": cost}


def place(cell: Cell) -> dict[str, int]:
    return {"x": cell[0], "y": cell[1]}


def destination(board: Board, start: Cell, goal: Cell, way: str, spot: Spot, most: int | None) -> Cell:
    """Where somebody comes to stand: beside another one, never on the same square."""
    far = board.distance(place(start), place(goal))
    if way == "away":
        return away(start, goal, most or 0)
    beside = far - 1 if isinstance(spot, Sheet) or spot.get("where") else far
    length = min(beside, most) if most is not None else beside
    if way == "to" and length >= far:
        return goal
    return toward(start, goal, max(length, 0))


def moved_by_word(rt: Runtime, mover: Sheet, how: str, way: str, spot: Spot, most: int | None) -> dict[str, int]:
    """Without a grid only the distance to the one who is named changes; the rest is the game master's word."""
    other = spot.id if isinstance(spot, Sheet) else spot.get("where", "")
    if not other or other == mover.id:
        units = most or 0
        put(rt, Effect(verb="move", subject=mover.id, before={}, after={}, text=how), f"{mover['title']} moves")
        return {"units": units, "cost": units}
    before = apart(rt.board.scene, mover.id, other)
    after = before + (most or 0) if way == "away" else max(before - (before if most is None else most), min(before, 1))
    key = pair_key(mover.id, other)
    if after != before:
        gone = Effect(
            verb="move", subject=mover.id, before={"apart": {key: before}}, after={"apart": {key: after}}, text=how
        )
        put(rt, gone, f"{mover['title']} moves")
    return {"units": abs(after - before), "cost": abs(after - before)}


Step_ = tuple[Sheet, Cell, Cell]


def crossings(rt: Runtime, going: list[Step_], how: str) -> None:
    """One step of a way (or two who swap): what lies on the ground acts on those who leave it and who come into it."""
    board = rt.board
    before = {sheet.id: inside(board, sheet.id) for sheet, _, _ in going} if board.scene.areas else {}
    effect = Effect(
        verb="move",
        subject=going[0][0].id,
        before={"places": {sheet.id: list(start) for sheet, start, _ in going}},
        after={"places": {sheet.id: list(end) for sheet, _, end in going}},
        text=how,
    )
    joined = merge_step(rt, effect)
    if not joined:
        put(rt, effect, f"{going[0][0]['title']} moves to {going[0][2][0]}, {going[0][2][1]}")
    for sheet, _, _ in going if before else ():
        after = inside(board, sheet.id)
        crossed(rt, sheet, [area for key, area in before[sheet.id].items() if key not in after], "leave")
        crossed(rt, sheet, [area for key, area in after.items() if key not in before[sheet.id]], "enter")


def merge_step(rt: Runtime, effect: Effect) -> bool:
    """Steps of one way that nothing came between are one effect."""
    from msgspec.structs import replace

    last = rt.effects[-1] if rt.effects else None
    if last is None or last.verb != "move" or last.subject != effect.subject or last.text != effect.text:
        return False
    if last.text == "swap" or last.after != effect.before:
        return False
    rt.board.apply(effect)
    rt.effects[-1] = replace(last, after=effect.after)
    return True


def inside(board: Board, subject: str) -> dict[str, Area]:
    return {key: area for key, area in board.scene.areas.items() if covers(board.scene, area, subject)}


def crossed(rt: Runtime, sheet: Sheet, areas: list[Area], at: str) -> None:
    """Triggers of areas that hear somebody come or go."""
    for area in areas:
        for plan in rt.board.pack.triggers.get(area.card, ()):
            if plan.at == at:
                held = Held(id=area.id, card=area.card, values=area.values, source=area.source)
                plan.act(rt, sheet, held, f"{area.id}.{at}.{sheet.id}.")


# ---------------------------------------------------------------------------------------------- areas


def build_place(flow: Flow, step: Step, path_: Path) -> Closure | None:
    """place: card, at: place or subject, or on: subject (it goes with them); size, shape, toward, slows, until."""
    if flow.scope.board is None:
        flow.report(path_, "nothing can be placed: the pack has no section `encounter`")
        return None
    if (step.at is None) == (step.on is None):
        flow.report(path_, "say where it lies: `at`, or `on` for one that goes with somebody")
        return None
    if (step.shape == "line") != (step.toward is not None):
        flow.report(path_, "a line goes `toward` something, and nothing else does")
        return None
    card, until, values = area_card(flow, step, path_), build_until(flow, step, path_), None
    if card is not None:
        values = held_values(flow, step, card, path_)
    at = None if step.at is None else spot_of(flow, step.at, (*path_, "at"))
    on = None if step.on is None else subject_of(flow, step.on, path_)
    goal = None if step.toward is None else spot_of(flow, step.toward, (*path_, "toward"))
    size = flow.of_type(step.size if step.size is not None else 0, Int(), (*path_, "size"))
    slows = flow.of_type(step.slows if step.slows is not None else 1, Int(), (*path_, "slows"))
    missing = (step.at is not None and at is None) or (step.on is not None and on is None)
    if missing or (step.toward is not None and goal is None):
        return None
    if card is None or until is None or values is None or size is None or slows is None:
        return None
    flow.shared.effects = True
    if step.into is not None:
        flow.define(step.into, Text(), (*path_, "into"))
    source = flow.shared.roles[0] if flow.shared.roles else ""
    return place_closure(step, card, (at, on, goal), (size, slows), until, values, source)


def area_card(flow: Flow, step: Step, path_: Path) -> str | None:
    found = card_of(flow, step.place or "", (*path_, "place"))
    if found is not None and not isinstance(found, str):
        flow.report((*path_, "place"), "an area is named by its id")
        return None
    if found is not None:
        flow.shared.builder.applied.add(found)
    return found


def place_closure(  # noqa: PLR0913  (what an area is made of)
    step: Step,
    card: str,
    spots: tuple[Formula | None, Formula | None, Formula | None],
    numbers: tuple[Formula, Formula],
    until: Callable[[Runtime], Any],
    values: dict[str, Formula],
    source: str,
) -> Closure:
    at, on, goal = spots
    size, slows = numbers
    into, shape = step.into, step.shape or "burst"

    def place_area(rt: Runtime) -> None:
        board, frame = rt.board, rt.frame
        spot: Spot = None if at is None else at.run(frame)
        where: dict[str, Any] = {"shape": shape, "size": size.run(frame), "slows": slows.run(frame)}
        if on is not None:
            where["on"] = on.run(frame).id
        elif board.cell(spot) is None:
            where["on"] = spot.id if isinstance(spot, Sheet) else spot.get("where", "")
        else:
            where["at"] = board.cell(spot)
        if goal is not None:
            where["to"] = board.cell(goal.run(frame))
        effect = Effect(
            verb="place",
            card=card,
            held=f"{card}@{board.scene.numbered + 1}",
            values={k: v.run(frame) for k, v in values.items()},
            ends=until(rt),
            source=frame[source].id if source in frame else "",
            after=where,
        )
        put(rt, effect, f"{card} is placed")
        if into is not None:
            frame[into] = effect.held

    return place_area


def build_lift(flow: Flow, step: Step, path_: Path) -> Closure | None:
    """lift: card, where: condition on `item`, one of the areas of that card; without it all of them go."""
    if flow.scope.board is None:
        flow.report(path_, "nothing lies anywhere: the pack has no section `encounter`")
        return None
    card = card_of(flow, step.lift or "", (*path_, "lift"))
    if not isinstance(card, str):
        return None
    where = None if step.where is None else held_condition(flow, step, card, path_)
    if step.where is not None and where is None:
        return None
    flow.shared.effects = True

    def lift(rt: Runtime) -> None:
        for area in [area for area in rt.board.scene.areas.values() if area.card == card]:
            item = {"id": area.id, "source": area.source, **area.values}
            if where is None or matches(rt, where, item):
                put(rt, lifted(area), f"{card} is gone")

    return lift


def lifted(area: Area) -> Effect:
    """The effect that takes an area away, whole, so that it can be put back."""
    where: dict[str, Any] = {"shape": area.shape, "size": area.size, "slows": area.slows, "inside": list(area.inside)}
    where |= {"on": area.on} if area.on else {}
    where |= {"at": area.at} if area.at is not None else {}
    where |= {"to": area.to} if area.to is not None else {}
    return Effect(
        verb="lift", card=area.card, held=area.id, values=area.values, ends=area.ends, source=area.source, after=where
    )


def build_leave(flow: Flow, step: Step, path_: Path) -> Closure | None:
    """leave: whom; they take no more part in the fight."""
    if flow.scope.board is None:
        flow.report(path_, "nobody can leave a fight: the pack has no section `encounter`")
        return None
    whom = subject_of(flow, step.leave, path_)
    if whom is None:
        return None
    flow.shared.effects = True

    def leave(rt: Runtime) -> None:
        sheet: Sheet = whom.run(rt.frame)
        if rt.board.takes_part(sheet.id):
            put(rt, Effect(verb="leave", subject=sheet.id), f"{sheet['title']} leaves the fight")

    return leave


BUILDERS: dict[str, Any] = {"move": build_move, "place": build_place, "lift": build_lift, "leave": build_leave}
