"""What is stored of a fight's board, and how effects change it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from rules.board.geometry import Cell, gap, line, squares, steps, wall
from rules.sheets.subject import Ends

if TYPE_CHECKING:
    from rules.tests.result import Effect


class Area(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A card that lies on the ground, or goes with somebody (`on`): whoever stands inside holds it.

    burst: all within `size` of `at` (or of `on`); line: `size` squares from beside `at` toward `to`; wall: as many with
    `at` as the first. Nobody goes into one that `blocks`. Without a grid the game master's word says who is `inside`.
    """

    id: str
    card: str
    shape: Literal["burst", "line", "wall"] = "burst"
    at: Cell | None = None
    on: str = ""
    to: Cell | None = None
    size: int = 0
    slows: int = 1
    """what a unit of way inside costs"""
    blocks: bool = False
    inside: tuple[str, ...] = ()
    values: dict[str, Any] = {}
    ends: Ends | None = None
    source: str = ""


class Scene(Struct, kw_only=True, omit_defaults=True):
    """Who fights on which side (`sides`), in which order of turns (`order`: those present), where (`places`: of those
    who take up several squares a side, `sizes`, the lowest one).

    Without places, `apart` says how far two are from one another ("ana|wolf", names in order); those of whom nobody
    said anything are `usual` apart. `used` counts the uses that limits count. Round 0: no fight runs.
    """

    sides: dict[str, str] = {}
    order: list[str] = []
    turn: str = ""
    round: int = 0
    places: dict[str, Cell] = {}
    sizes: dict[str, int] = {}
    apart: dict[str, int] = {}
    usual: int = 1
    diagonal: Literal["one", "alternating"] = "one"
    areas: dict[str, Area] = {}
    used: dict[str, int] = {}
    numbered: int = 0
    """areas placed so far, for their ids"""


def copy_scene(scene: Scene) -> Scene:
    """A scene that can be changed without the other one knowing."""
    return replace(
        scene,
        sides=dict(scene.sides),
        order=list(scene.order),
        places=dict(scene.places),
        sizes=dict(scene.sizes),
        apart=dict(scene.apart),
        areas=dict(scene.areas),
        used=dict(scene.used),
    )


def pair_key(one: str, two: str) -> str:
    return f"{one}|{two}" if one < two else f"{two}|{one}"


def apart(scene: Scene, one: str, two: str) -> int:
    """Units between two who take part."""
    if one == two:
        return 0
    a, b = scene.places.get(one), scene.places.get(two)
    if a is not None and b is not None:
        if scene.sizes:
            return gap(a, scene.sizes.get(one, 1), b, scene.sizes.get(two, 1), scene.diagonal)
        return steps(a, b, scene.diagonal)
    return scene.apart.get(pair_key(one, two), scene.usual)


def covers(scene: Scene, area: Area, subject: str) -> bool:
    """Whether someone stands in an area."""
    if subject in area.inside:
        return True
    if area.on and area.shape == "burst":
        return apart(scene, area.on, subject) <= area.size
    place = scene.places.get(subject)
    if place is None or subject not in scene.sizes:
        return place is not None and covers_cell(scene, area, place)
    return any(covers_cell(scene, area, cell) for cell in standing(scene, subject))


def standing(scene: Scene, subject: str) -> list[Cell]:
    """The squares that somebody takes up; none without a grid."""
    place = scene.places.get(subject)
    return [] if place is None else squares(place, scene.sizes.get(subject, 1))


def covers_cell(scene: Scene, area: Area, cell: Cell) -> bool:
    start = scene.places.get(area.on) if area.on else area.at
    if start is None:
        return False
    if area.shape != "burst":
        cells = line if area.shape == "line" else wall
        return area.to is not None and cell in cells(start, area.to, area.size)
    return steps(start, cell, scene.diagonal) <= area.size


def apply_to_scene(scene: Scene, effect: Effect) -> None:
    """One effect's change of a scene, in place; effects on subjects change nothing here."""
    match effect.verb:
        case "pass":
            passed(scene, effect.key, effect.subject)
        case "use":
            scene.used[effect.key] = scene.used.get(effect.key, 0) + 1
        case "move":
            moved(scene, effect.after)
        case "place":
            scene.areas[effect.held] = area_of(effect)
            scene.numbered += 1
        case "lift":
            scene.areas.pop(effect.held, None)
        case "grow":
            grown(scene, effect.subject, effect.after)
        case "leave":
            scene.order = [name for name in scene.order if name != effect.subject]


def moved(scene: Scene, after: Mapping[str, Any]) -> None:
    """`after`: new places by subject, and new distances by pair."""
    for subject, cell in after.get("places", {}).items():
        scene.places[subject] = (cell[0], cell[1])
    scene.apart.update(after.get("apart", {}))


def grown(scene: Scene, subject: str, size: int) -> None:
    """Somebody takes up so many squares a side from now on."""
    scene.sizes.pop(subject, None)
    if size > 1:
        scene.sizes[subject] = size


def passed(scene: Scene, at: str, of: str) -> None:
    """An instant has come: whose turn it is, which round, and which uses count no longer."""
    match at:
        case "turn_start":
            scene.turn = of
            forget(scene, f"{of}:turn:")
        case "turn_end":
            scene.turn = ""
        case "round_start":
            scene.round += 1
            forget(scene, ":round:")
        case "encounter_end":
            scene.round, scene.turn, scene.order = 0, "", []
            scene.areas.clear()
            scene.used.clear()


def forget(scene: Scene, part: str) -> None:
    if scene.used:
        for key in [key for key in scene.used if part in key]:
            del scene.used[key]


def area_of(effect: Effect) -> Area:
    where = dict(effect.after)
    for name in ("at", "to"):
        if where.get(name) is not None:
            where[name] = (where[name][0], where[name][1])
    where["inside"] = tuple(where.get("inside", ()))
    return Area(id=effect.held, card=effect.card, values=effect.values, ends=effect.ends, source=effect.source, **where)
