"""What an act would come to before any die falls, tried on the board as its viewer sees it: what it would do, to which
squares it reaches, what bars it from whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from campaigns.state import State
from encounters.board_reading import BoardRead
from encounters.commands.common import fighters
from encounters.parts.encounters import Encounter
from frontend.fights.grid import Ground, ground, outlined
from rules.board import Cell, Scene, apply_to_scene, copy_scene
from rules.board.scene import covers
from rules.packs import Pack
from rules.packs.wording import titled
from rules.problems import RulesError
from rules.tests.perform import Act, perform
from rules.tests.result import Ask, TestRun
from rules.tests.runtime import Pending

MOST_SQUARES = 1200
"""so many squares are tried at most"""


@dataclass(frozen=True)
class Foreseen:
    """What would happen before any die falls: why it cannot be done ("" it can), squares gone to, areas laid, and who
    would stand in these."""

    refused: str
    moves: tuple[str, ...]
    areas: tuple[Ground, ...]
    within: tuple[str, ...] = ()


class _NoDie:
    """A source of dice that stops the run at the first of them."""

    def roll(self, _sides: int) -> int:
        raise Pending(Ask(id="die", who="roller", kind="die"))


class Trial:
    """Acts tried without those whom the viewer does not see, or trying would find them. It keeps nothing of the state
    that it was made from: what takes long is tried when the state is given back."""

    def __init__(self, state: State, board: BoardRead, found: Encounter, pack: Pack) -> None:
        self.board, self.pack = board, pack
        self.names = {one.subject: one.name for one in board.fighters}
        self.scene = _as_seen(found.fight.scene, self.names)
        self.able = {name: deepcopy(one) for name, one in fighters(state, found).items() if name in self.names}

    def run(self, act: Act) -> TestRun | None:
        """How far it comes; None where something is not given yet."""
        try:
            return perform(self.pack, self.scene, self.able, act, _NoDie(), trace=False)
        except (RulesError, Pending):
            return None

    def bars(self, act: Act) -> str:
        """Why it cannot be done; "" where it can, or where more must be known."""
        run = self.run(act)
        return _said(run) if run is not None else ""

    def foresee(self, act: Act) -> Foreseen | None:
        """What is known of it before the first die and the first question."""
        run = self.run(act)
        if run is None:
            return None
        if run.refused is not None:
            return Foreseen(_said(run), (), ())
        scene, before, names = copy_scene(self.scene), self.scene, self.names
        for effect in run.effects:
            if effect.verb in ("move", "place", "lift"):
                apply_to_scene(scene, effect)
        moved = [one for one in scene.places if scene.places[one] != before.places.get(one)]
        moves = tuple(f"{names[s]}: to column {scene.places[s][0] + 1}, row {scene.places[s][1] + 1}" for s in moved)
        laid = [area for name, area in scene.areas.items() if name not in before.areas]
        size = (self.board.width, self.board.height)
        areas = [ground(scene, area, self.pack.card(area.card)[1].title, *size) for area in laid]
        areas += [outlined(s, names[s], [scene.places[s]]) for s in moved]
        within = [name for subject, name in names.items() if any(covers(scene, area, subject) for area in laid)]
        return Foreseen("", moves, tuple(areas), tuple(within))

    def reach(self, act: Act, place: str) -> tuple[Cell, ...]:
        """The squares for which it could be done, looked for outward from its user until none of a ring is any."""
        start = self.scene.places.get(act.user)
        if start is None:
            return ()
        found: list[Cell] = []
        tried = 0
        for ring in self._rings(start):
            tried += len(ring)
            fits = [cell for cell in ring if self._may(act, place, cell)]
            found += fits
            if (not fits and found) or tried > MOST_SQUARES:
                break
        return tuple(found)

    def _may(self, act: Act, place: str, cell: Cell) -> bool:
        there = Act(
            action=act.action,
            user=act.user,
            roles=act.roles,
            given={**act.given, place: {"x": cell[0], "y": cell[1]}},
        )
        run = self.run(there)
        return run is not None and run.refused is None

    def _rings(self, start: Cell) -> Iterator[list[Cell]]:
        width, height = self.board.width, self.board.height
        for far in range(1, max(width, height)):
            ring = [
                (x, y)
                for y in range(max(0, start[1] - far), min(height, start[1] + far + 1))
                for x in range(max(0, start[0] - far), min(width, start[0] + far + 1))
                if max(abs(x - start[0]), abs(y - start[1])) == far
            ]
            if not ring:
                return
            yield ring


def _said(run: TestRun) -> str:
    return "" if run.refused is None else run.refused.text or titled(run.refused.reason)


def _as_seen(scene: Scene, names: Mapping[str, Any]) -> Scene:
    """A board as those see it who see these."""
    seen = copy_scene(scene)
    seen.order = [one for one in scene.order if one in names]
    seen.places = {one: cell for one, cell in scene.places.items() if one in names}
    seen.areas = {name: area for name, area in scene.areas.items() if not area.on or area.on in names}
    return seen
