"""Verbs of the way: move somebody, let them leave the fight."""

from __future__ import annotations

from typing import Any

from rules.board.board import Board, Spot
from rules.board.geometry import FARTHEST, Cell, away, path, toward
from rules.board.scene import Area, apart, covers, pair_key
from rules.formulas import Formula
from rules.formulas.types import CELL, Int, Record, Role
from rules.packs.schema import Step
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Held
from rules.tests.flow import Closure, Flow, Path
from rules.tests.result import Effect
from rules.tests.runtime import Runtime
from rules.tests.uses import put
from rules.tests.verbs_held import subject_of

WAY = Record("way", {"units": Int(0), "cost": Int(0)})


def spot_of(flow: Flow, text: Any, path_: Path) -> Formula | None:
    """A subject, or a place."""
    found = flow.formula(text, path_)
    if found is None or isinstance(found.type, Role) or found.type == CELL:
        return found
    if isinstance(found.type, Record) and found.type.name == "place":
        return found
    flow.report(path_, f"a subject or a place is wanted here, not {found.type.show()}")
    return None


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
        most = None if far is None else min(max(far.run(rt.frame), 0), FARTHEST)
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


BUILDERS: dict[str, Any] = {"move": build_move, "leave": build_leave}
