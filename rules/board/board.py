"""A board as programs see it: sheets of all who take part, and the questions that formulas ask of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import is_
from typing import TYPE_CHECKING, Any

from rules.board.geometry import Cell, gap, is_between, line, path, squares, wall
from rules.board.scene import Area, Scene, apart, apply_to_scene, copy_scene, covers, covers_cell, standing
from rules.problems import RulesError
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Held, Subject

if TYPE_CHECKING:
    from rules.packs.pack import Pack
    from rules.tests.result import Effect

NOTHING: Sequence[Held] = ()
Spot = Any
"""a sheet (where it stands), a place {"x": 0, "y": 0}, or an area {"id": ..., "at": a place}"""


class Warm:
    """Sheets kept between runs with all that was worked out on them, for subjects that are still the same. A run takes
    them all and may write on them; they are good again once they are given back, when its effects have been applied."""

    def __init__(self) -> None:
        self.sheets: dict[str, Sheet] = {}
        self.stood: dict[str, Subject] = {}
        """the subjects that the sheets read as"""
        self.lent = False
        """whether sheets were handed out and nobody has said what came of it"""
        self.order: list[str] = []
        self.areas = False
        self.together: dict[Any, Any] = {}
        """who took part when sheets were taken last, and whether anything lay on the ground"""

    def give_back(self, subjects: Mapping[str, Subject]) -> None:
        """The runs since the last time are over, and the subjects as they are now have their effects."""
        self.lent = False
        for sheet in self.sheets.values():
            if sheet.touched:
                sheet.touched = False
                self.stood[sheet.id] = subjects[sheet.id]

    def take_all(self, board: Board) -> dict[str, Sheet]:
        """Every sheet that is still good, with what its subject holds by being where it is."""
        sheets, subjects, scene = self.sheets, board.subjects, board.scene
        stood = self.stood
        if self.lent or not all(map(is_, map(subjects.get, stood), stood.values())):
            for name in [n for n, one in stood.items() if subjects.get(n) is not one or sheets[n].touched]:
                del sheets[name], stood[name]
                self.together.clear()
        self.lent = True
        if self.areas or scene.areas or scene.order != self.order:
            self.order, self.areas = list(scene.order), bool(scene.areas)
            self.together.clear()
            for name, sheet in sheets.items():
                sheet.stand(board.ambient(name))
        return sheets

    def keep(self, sheet: Sheet, subject: Subject) -> None:
        """A sheet that was made since is there for the next run as well."""
        self.sheets[subject.id], self.stood[subject.id] = sheet, subject

    def drop(self) -> None:
        """What was done since came to nothing: sheets that were written are good no more."""
        self.lent = False
        for name in [name for name, sheet in self.sheets.items() if sheet.touched]:
            del self.sheets[name], self.stood[name]
            self.together.clear()


class Board:
    """A private view of a fight. What is done here changes neither the scene nor the subjects it was made from."""

    __slots__ = ("own", "pack", "plays", "scene", "sheets", "subjects", "together", "warm")

    def __init__(
        self,
        pack: Pack,
        scene: Scene,
        subjects: Mapping[str, Subject],
        plays: frozenset[str] = frozenset(),
        warm: Warm | None = None,
    ) -> None:
        self.warm = warm
        self.pack, self.scene, self.subjects, self.plays = pack, scene, subjects, plays
        self.own = False
        self.together: dict[Any, Any] = {} if warm is None else warm.together
        """what was worked out of the cards of all who take part, until any of them change"""
        self.sheets: dict[str, Sheet] = {} if warm is None else warm.take_all(self)

    # ------------------------------------------------------------------ sheets

    def sheet(self, subject: str) -> Sheet:
        found = self.sheets.get(subject)
        if found is None:
            stored = self.subjects.get(subject)
            if stored is None:
                raise RulesError(f"nobody here is called {subject!r}", code="nobody", field=subject)
            found = Sheet(stored, self.pack.kinds[stored.kind], self.pack.settings, subject in self.plays)
            found.ambient = self.ambient(subject)
            self.seat({subject: found})
            if self.warm is not None:
                self.warm.keep(found, stored)
        return found

    def seat(self, sheets: Mapping[str, Sheet]) -> None:
        """Sheets that stand here from now on."""
        self.together.clear()
        for name, sheet in sheets.items():
            self.sheets[name], sheet.together = sheet, self.together

    def ambient(self, subject: str) -> Sequence[Held]:
        """What someone holds by being here: what everybody in a fight holds, and the areas they stand in."""
        scene = self.scene
        if subject not in scene.order:
            return NOTHING
        if not scene.areas:
            return self.pack.everybody_holds
        out = list(self.pack.everybody_holds)
        seen: set[str] = set()
        for area in scene.areas.values():
            if area.card not in seen and covers(scene, area, subject):
                seen.add(area.card)
                out.append(Held(id=area.id, card=area.card, values=area.values, source=area.source))
        return out

    def refresh(self) -> None:
        """Places or areas have changed: who holds what by standing there is found anew."""
        for name, sheet in self.sheets.items():
            sheet.ambient = self.ambient(name)
            sheet.clear()

    def apply(self, effect: Effect) -> None:
        """Change the scene by an effect (those on sheets are applied to the sheet)."""
        if not self.own:
            self.scene, self.own = copy_scene(self.scene), True
        apply_to_scene(self.scene, effect)
        if effect.verb == "leave":
            self.together.clear()
        moved = effect.verb in ("move", "grow") and bool(self.scene.areas)
        if moved or effect.verb in ("place", "lift") or effect.key == "encounter_end":
            self.refresh()

    # ------------------------------------------------------------------ questions of formulas

    def everyone(self) -> list[Sheet]:
        sheets = self.sheets
        return [sheets[name] if name in sheets else self.sheet(name) for name in self.scene.order]

    def allies(self, one: Sheet) -> list[Sheet]:
        sides = self.scene.sides
        own = sides.get(one.id, "")
        return [self.sheet(n) for n in self.scene.order if n != one.id and sides.get(n, "") == own]

    def foes(self, one: Sheet) -> list[Sheet]:
        sides = self.scene.sides
        own = sides.get(one.id, "")
        return [self.sheet(n) for n in self.scene.order if sides.get(n, "") != own]

    def side(self, one: Sheet) -> str:
        return self.scene.sides.get(one.id, "")

    def same_side(self, one: Sheet, other: Sheet) -> bool:
        return self.side(one) == self.side(other)

    def turn(self, one: Sheet) -> bool:
        return self.scene.turn == one.id

    def round_now(self) -> int:
        return self.scene.round

    def takes_part(self, subject: str) -> bool:
        return subject in self.scene.order

    def distance(self, one: Spot, other: Spot) -> int:
        if isinstance(one, Sheet) and isinstance(other, Sheet):
            return apart(self.scene, one.id, other.id)
        if "at" in (other if isinstance(other, dict) else ()):
            return self.to_area(one, self.scene.areas[other["id"]])
        if "at" in (one if isinstance(one, dict) else ()):
            return self.to_area(other, self.scene.areas[one["id"]])
        a, b = self.cell(one), self.cell(other)
        if a is not None and b is not None:
            return gap(a, self.size(one), b, self.size(other), self.scene.diagonal)
        return self.by_word(one, other)

    def on_grid(self, one: Sheet) -> bool:
        """Whether somebody stands on a square; without a grid nobody does."""
        return one.id in self.scene.places

    def to_area(self, spot: Spot, area: Area) -> int:
        """Units to the nearest square of an area; by word of the game master 0 to those who stand in it."""
        start, own = self.scene.places.get(area.on) if area.on else area.at, self.cell(spot)
        if start is None or own is None:
            name = spot.id if isinstance(spot, Sheet) else spot.get("where", "")
            return 0 if name in area.inside else apart(self.scene, area.on, name) if area.on else self.scene.usual
        if area.shape == "burst":
            return max(gap(start, 1, own, self.size(spot), self.scene.diagonal) - area.size, 0)
        cells = (line if area.shape == "line" else wall)(start, area.to or start, area.size)
        return min((gap(cell, 1, own, self.size(spot), self.scene.diagonal) for cell in cells), default=0)

    def by_word(self, one: Spot, other: Spot) -> int:
        """Distance where there is no grid: to a place that is where somebody stands, or the usual one."""
        names = [spot.id if isinstance(spot, Sheet) else spot.get("where", "") for spot in (one, other)]
        return apart(self.scene, *names) if all(names) else self.scene.usual

    def cell(self, spot: Spot) -> Cell | None:
        if isinstance(spot, Sheet):
            return self.scene.places.get(spot.id)
        if "at" in spot:
            return self.cell(spot["at"])
        if spot.get("where"):
            return self.scene.places.get(spot["where"])
        return spot["x"], spot["y"]

    def size(self, spot: Spot) -> int:
        """Squares a side."""
        name = spot.id if isinstance(spot, Sheet) else spot.get("where", "")
        return self.scene.sizes.get(name, 1)

    def areas(self, card: str) -> list[dict[str, Any]]:
        """What lies on the ground of a card, oldest first."""
        return [self.read(area) for area in self.scene.areas.values() if area.card == card]

    def read(self, area: Area) -> dict[str, Any]:
        place = self.scene.places.get(area.on) if area.on else area.at
        at: dict[str, Any] = {"x": 0, "y": 0} if place is None else {"x": place[0], "y": place[1]}
        at |= {"where": area.on} if area.on else {}
        return {**area.values, "id": area.id, "source": area.source, "at": at, "size": area.size}

    def within(self, spot: Spot, units: int) -> list[Sheet]:
        own = spot.id if isinstance(spot, Sheet) else ""
        return [s for s in self.everyone() if s.id != own and self.distance(spot, s) <= units]

    def in_line(self, start: Spot, goal: Spot, length: int, through: bool = False) -> list[Sheet]:
        """Those who stand in a line from beside a start toward a goal; what blocks ends it, or it goes `through`."""
        a, b = self.cell(start), self.cell(goal)
        own = start.id if isinstance(start, Sheet) else ""
        if a is None or b is None:
            return [s for s in self.everyone() if s is goal and s.id != own]
        way = line(a, b, length)
        cells = set(way if through else self.open_way(way))
        return [s for s in self.everyone() if s.id != own and not cells.isdisjoint(standing(self.scene, s.id))]

    def in_line_through(self, start: Spot, goal: Spot, length: int) -> list[Sheet]:
        return self.in_line(start, goal, length, through=True)

    def open_way(self, cells: Sequence[Cell]) -> list[Cell]:
        """Squares of a way up to the first that is walled off."""
        out: list[Cell] = []
        for cell in cells:
            if self.shut([cell]):
                break
            out.append(cell)
        return out

    def shut(self, cells: Sequence[Cell]) -> bool:
        """Whether nobody can go into one of these squares."""
        return bool(self.shut_by(cells))

    def shut_by(self, cells: Sequence[Cell]) -> str:
        """The title of what nobody can go into on one of these squares; "" for nothing."""
        blocking = [area for area in self.scene.areas.values() if area.blocks]
        found = (a.card for a in blocking for cell in cells if covers_cell(self.scene, a, cell))
        card = next(found, "")
        return self.pack.card(card)[1].title if card else ""

    def screened(self, one: Spot, other: Spot) -> bool:
        """Whether what nobody can pass lies on the straight way between two, by the grid."""
        a, b = self.cell(one), self.cell(other)
        if a is None or b is None or a == b:
            return False
        return self.shut([cell for cell in path(a, b) if cell != b])

    def nearest(self, spot: Spot, of: Sequence[Sheet]) -> list[Sheet]:
        """Those of a list that are closest (several where they are equally close)."""
        far = {s.id: self.distance(spot, s) for s in of}
        least = min(far.values(), default=0)
        return [s for s in of if far[s.id] == least]

    def opposite(self, one: Sheet, other: Sheet, middle: Sheet) -> bool:
        """Whether two stand on opposite sides of a third: the straight line between them goes through its middle."""
        a, b, m = (self.scene.places.get(sheet.id) for sheet in (one, other, middle))
        return a is not None and b is not None and m is not None and is_between(a, b, m)

    def slowed(self, cell: Cell, size: int = 1) -> int:
        """What a unit of way into a square (or several, for a large figure) costs."""
        if not self.scene.areas:
            return 1
        cells = squares(cell, size)
        slows = (a.slows for a in self.scene.areas.values() if any(covers_cell(self.scene, a, c) for c in cells))
        return max(slows, default=1)

    def after(self, subject: str) -> list[str]:
        """Those present in the order of turns, from the one after `subject` round to `subject`."""
        order = self.scene.order
        at = order.index(subject) + 1 if subject in order else 0
        return [*order[at:], *order[:at]]


NOWHERE = Board(None, Scene(), {})  # type: ignore[arg-type]  # where nobody is, nobody's cards are asked for
"""the board of what happens outside any fight: nobody is there"""
