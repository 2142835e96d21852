"""Verbs of the way: move somebody, let them leave the fight."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from rules.board.board import Board, Spot
from rules.board.geometry import FARTHEST, Cell, away, gap, path, squares, toward
from rules.board.scene import Area, apart, covers, pair_key, standing
from rules.formulas import Formula
from rules.formulas.types import CELL, Bool, Int, List, Record, Role, Text, Type
from rules.packs.schema import Step
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Held
from rules.tests.flow import Closure, Flow, Path
from rules.tests.result import Effect
from rules.tests.runtime import Runtime
from rules.tests.uses import put
from rules.tests.verbs_held import subject_of


def way_type(own: Type) -> Record:
    """What is known of a way: how far it went, what that costs, whether something blocked it and what (its title, ""
    for nothing), whose squares it went through."""
    kept = {"units": Int(0), "cost": Int(0), "stopped": Bool(), "by": Text(), "through": List(own)}
    return Record("way", kept)


def spot_of(flow: Flow, text: Any, path_: Path) -> Formula | None:
    """A subject, a place, or where an area lies."""
    found = flow.formula(text, path_)
    if found is None or isinstance(found.type, Role) or found.type == CELL:
        return found
    if isinstance(found.type, Record) and found.type.name in ("place", "area"):
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
        flow.define(step.into, way_type(flow.scope.board), (*path_, "into"))
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


def gone(units: int, cost: int, by: str = "", through: list[Sheet] | None = None) -> dict[str, Any]:
    return {"units": units, "cost": cost, "stopped": bool(by), "by": by, "through": through or []}


def swapped(rt: Runtime, one: Sheet, other: Sheet) -> dict[str, Any]:
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
    return gone(0, 0)


def moved(rt: Runtime, mover: Sheet, how: str, way: str, spot: Spot, most: int | None) -> dict[str, Any]:
    board = rt.board
    start = board.scene.places.get(mover.id)
    goal = board.cell(spot)
    if start is None or goal is None:
        return moved_by_word(rt, mover, how, way, spot, most)
    end = destination(board, mover, start, goal, way, spot, most)
    if how == "teleport":
        crossings(rt, [(mover, start, end)], how)
        return gone(board.distance(place(start), place(end)), 0)
    units = cost = 0
    first, size = start, board.size(mover)
    met: list[str] = []
    for cell in path(start, end):
        own = squares(cell, size)
        if board.scene.areas and (by := board.shut_by(own)):
            return gone(units, cost, by, [board.sheet(name) for name in met])
        far = board.distance(place(first), place(cell))
        units, cost = far, cost + (far - units) * board.slowed(cell, size)
        met += [name for name in met_in(board, own) if name not in met and name != mover.id]
        crossings(rt, [(mover, start, cell)], how)
        start = cell
    return gone(units, cost, "", [board.sheet(name) for name in met])


def met_in(board: Board, cells: list[Cell]) -> list[str]:
    """Those who take up one of these squares."""
    return [name for name in board.scene.order if not set(standing(board.scene, name)).isdisjoint(cells)]


def place(cell: Cell) -> dict[str, int]:
    return {"x": cell[0], "y": cell[1]}


def destination(  # noqa: PLR0913  (a way from here to there)
    board: Board, mover: Sheet, start: Cell, goal: Cell, way: str, spot: Spot, most: int | None
) -> Cell:
    """Where somebody comes to stand: beside another one, never on the same square."""
    far = board.distance(place(start), place(goal))
    if way == "away":
        return away(start, goal, most or 0)
    to_somebody = isinstance(spot, Sheet) or bool(spot.get("where"))
    beside = far - 1 if to_somebody else far
    length = min(beside, most) if most is not None else beside
    if way == "to" and length >= far:
        return goal
    end = toward(start, goal, max(length, 0))
    own, other = board.size(mover), board.size(spot)
    while to_somebody and (own > 1 or other > 1) and length > 0 and not gap(end, own, goal, other):
        length -= 1
        end = toward(start, goal, length)
    return end


def moved_by_word(rt: Runtime, mover: Sheet, how: str, way: str, spot: Spot, most: int | None) -> dict[str, Any]:
    """Without a grid only the distance to the one who is named changes; the rest is the game master's word."""
    other = spot.id if isinstance(spot, Sheet) else spot.get("where", "")
    if not other or other == mover.id:
        units = most or 0
        put(rt, Effect(verb="move", subject=mover.id, before={}, after={}, text=how), f"{mover['title']} moves")
        return gone(units, units)
    before = apart(rt.board.scene, mover.id, other)
    after = before + (most or 0) if way == "away" else max(before - (before if most is None else most), min(before, 1))
    key = pair_key(mover.id, other)
    if after != before:
        effect = Effect(
            verb="move", subject=mover.id, before={"apart": {key: before}}, after={"apart": {key: after}}, text=how
        )
        put(rt, effect, f"{mover['title']} moves")
    return gone(abs(after - before), abs(after - before))


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
    there = f"{going[0][0]['title']} moves to column {going[0][2][0] + 1}, row {going[0][2][1] + 1}"
    if not merge_step(rt, effect):
        put(rt, effect, there)
    elif rt.trace is not None:
        at = max(n for n, step in enumerate(rt.trace) if step.kind == "move" and step.about == effect.subject)
        rt.trace[at] = replace(rt.trace[at], text=there)
    for sheet, _, _ in going if before else ():
        after = inside(board, sheet.id)
        crossed(rt, sheet, [area for key, area in before[sheet.id].items() if key not in after], "leave")
        crossed(rt, sheet, [area for key, area in after.items() if key not in before[sheet.id]], "enter")


def merge_step(rt: Runtime, effect: Effect) -> bool:
    """Steps of one way that nothing came between are one effect."""
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


def build_grow(flow: Flow, step: Step, path_: Path) -> Closure | None:
    """grow: whom, to: how many squares a side they take up from now on."""
    if flow.scope.board is None or step.to is None:
        flow.report(path_, "say how many squares a side, in `to`, in a pack with a section `encounter`")
        return None
    whom, to = subject_of(flow, step.grow, path_), flow.of_type(step.to, Int(), (*path_, "to"))
    if whom is None or to is None:
        return None
    flow.shared.effects = True

    def grow(rt: Runtime) -> None:
        sheet: Sheet = whom.run(rt.frame)
        before, after = rt.board.size(sheet), max(to.run(rt.frame), 1)
        if before != after and rt.board.takes_part(sheet.id):
            effect = Effect(verb="grow", subject=sheet.id, before=before, after=after)
            put(rt, effect, f"{sheet['title']} takes up {after} squares a side")

    return grow


BUILDERS: dict[str, Any] = {"move": build_move, "leave": build_leave, "grow": build_grow}
