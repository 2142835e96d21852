"""What somebody does whom nobody plays: the pack's preferences, else what harms foes most for its cost."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from rules.board import Board
from rules.board.geometry import Cell, path, squares, toward
from rules.dice.seeded import SeededDice
from rules.dice.sources import DiceSource
from rules.packs.pack import Pack
from rules.packs.schema import Input
from rules.problems import GivenError, RulesError
from rules.refusal import Refused
from rules.sheets.sheet import Sheet
from rules.tests.acts import ActionPlan
from rules.tests.fighting import PreferencePlan, TacticsPlan
from rules.tests.perform import Act, may_choose, perform
from rules.tests.result import Ask
from rules.tests.runtime import Policy

TRIES = 6
"""so often an action is tried out to see what it does"""
MOST_ACTS = 12
"""in a turn"""
MARGIN = 6
"""so many squares beyond everything on the grid ways around walls are looked for"""
AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))


class Tactician:
    """Chooses acts by a pack's tactics. Remembers what actions were worth when they were tried out."""

    def __init__(self, pack: Pack, dice: DiceSource, policy: Policy) -> None:
        self.pack, self.dice, self.policy = pack, dice, policy
        self.plan: TacticsPlan | None = pack.tactics
        self.never = frozenset(self.plan.spec.never) if self.plan is not None else frozenset()
        self.track = track_of(pack)
        self.worth: dict[str, list[str]] = {}

    # ------------------------------------------------------------------ who is out, whom to turn to

    def out(self, sheet: Sheet, board: Board) -> bool:
        """Whether somebody counts no more."""
        if self.plan is None:
            left: int = sheet[self.track]
            return left <= 0
        return bool(
            self.plan.out.run({"user": sheet, "@board": board, "setting": self.pack.settings, "asker": "server"})
        )

    def ranked(self, user: Sheet, among: Sequence[Sheet], board: Board) -> list[Sheet]:
        """Foes, the one to turn to first."""
        aim = "weakest" if self.plan is None else self.plan.spec.aim.get(user.kind.id, "weakest")
        found = list(among)
        match aim:
            case "weakest":
                found.sort(key=lambda one: one[self.track])
            case "strongest":
                found.sort(key=lambda one: -one[self.track])
            case "nearest":
                found.sort(key=lambda one: board.distance(user, one))
            case "random":
                for at in range(len(found) - 1, 0, -1):
                    other = self.dice.roll(at + 1) - 1
                    found[at], found[other] = found[other], found[at]
        return found

    # ------------------------------------------------------------------ what to do

    def acts(self, user: Sheet, board: Board, used: dict[str, int]) -> Iterator[Act]:
        """What somebody would do now, the best first; `used`: how often each has been tried in this turn."""
        frame = {"user": user, "@board": board, "setting": self.pack.settings, "asker": "server"}
        foes = [one for one in board.foes(user) if not self.out(one, board)]
        for one in self.plan.acts if self.plan is not None else ():
            if (not one.spec.kinds or user.kind.id in one.spec.kinds) and (one.when is None or one.when.run(frame)):
                for action in one.actions:
                    if not one.spec.times or used.get(action, 0) < one.spec.times:
                        yield from self.act(action, one, frame, user, board, foes)
        for action in self.worthwhile(user, board, foes):
            yield from self.act(action, None, frame, user, board, foes)

    def act(  # noqa: PLR0913
        self,
        action: str,
        one: PreferencePlan | None,
        frame: dict[str, Any],
        user: Sheet,
        board: Board,
        foes: Sequence[Sheet],
    ) -> Iterator[Act]:
        plan = self.pack.actions[action]
        if action in self.never or plan.card not in user.by_card or user.kind.id not in plan.use.kinds:
            return
        given = {name: formula.run(frame) for name, formula in one.given.items()} if one is not None else {}
        inputs = filled(plan, given, self.pack)
        if inputs is None or hindered(plan, {**frame, **inputs, "card": plan.card}):
            return
        among = self.among(one, user, board, foes)
        roles: dict[str, str | list[str]] = {}
        for role, spec in plan.spec.roles.items():
            able = [
                s for s in among if s.kind.id in spec.kinds and may_choose(plan, {**frame, "card": plan.card}, role, s)
            ]
            if one is not None and one.where is not None:
                able = [s for s in able if one.where.run({**frame, "option": s})]
            if len(able) < max(1, spec.min if spec.many else 1):
                return
            if one is not None and one.best is not None:
                best = one.best
                able.sort(key=lambda s: -best.run({**frame, "option": s}))
            elif one is None or one.spec.whom == "foe":
                able = self.ranked(user, able, board)
            roles[role] = [s.id for s in able[: spec.max]] if spec.many else able[0].id
        yield Act(
            action=action, user=user.id, roles=roles, given=given | {k: v for k, v in inputs.items() if k in given}
        )

    def among(self, one: PreferencePlan | None, user: Sheet, board: Board, foes: Sequence[Sheet]) -> Sequence[Sheet]:
        """Those of whom it may choose."""
        match "foe" if one is None else one.spec.whom:
            case "ally":
                return board.allies(user)
            case "friend":
                return [user, *board.allies(user)]
            case "self":
                return [user]
        return foes

    def worthwhile(self, user: Sheet, board: Board, foes: Sequence[Sheet]) -> list[str]:
        """Actions that did foes harm when they were tried out, by what they did for their cost."""
        if user.id not in self.worth:
            values = {}
            for action, plan in self.pack.actions.items():
                if plan.card in user.by_card and user.kind.id in plan.use.kinds and action not in self.never:
                    value = self.tried(action, user, board, foes)
                    if value > 0:
                        values[action] = value
            self.worth[user.id] = sorted(values, key=lambda name: -values[name])
        return self.worth[user.id]

    def tried(self, action: str, user: Sheet, board: Board, foes: Sequence[Sheet]) -> float:
        """What an action takes off foes, less what it takes off one's own, for each unit of what it costs. The dice are
        its own, so that a fight is the same whoever had to be tried out in it."""
        fights, self.dice = self.dice, SeededDice(f"{user.id} tries {action}".encode())
        try:
            return self.worth_of(action, user, board, foes)
        finally:
            self.dice = fights

    def worth_of(self, action: str, user: Sheet, board: Board, foes: Sequence[Sheet]) -> float:
        frame = {"user": user, "@board": board, "setting": self.pack.settings, "asker": "server"}
        act = next(self.act(action, None, frame, user, board, foes), None)
        if act is None:
            return 0
        sides, own, total, cost = board.scene.sides, board.scene.sides.get(user.id, ""), 0, 0
        budgets = self.pack.encounter.budgets
        for _ in range(TRIES):
            try:
                run = perform(self.pack, board.scene, board.subjects, act, self.dice, policy=self.policy, trace=False)
            except (RulesError, GivenError, Refused):
                return 0
            if run.status != "done":
                return 0
            for effect in run.effects:
                if effect.verb != "set" or not isinstance(effect.before, int) or not isinstance(effect.after, int):
                    continue
                lost = effect.before - effect.after
                if effect.stat == self.track:
                    total += lost if sides.get(effect.subject, "") != own else -lost
                elif budgets and effect.stat == budgets[0] and effect.subject == user.id:
                    cost += max(0, lost)
        return total / max(1, cost)

    # ------------------------------------------------------------------ coming nearer

    def nearer(self, user: Sheet, board: Board) -> Iterator[Act]:
        """Ways toward the nearest foe, the longest first; nothing without a grid, or where one stands beside them."""
        plan = self.plan
        start = board.scene.places.get(user.id)
        foes = [one for one in board.foes(user) if not self.out(one, board) and one.id in board.scene.places]
        if plan is None or plan.spec.approach is None or plan.reach is None or start is None or not foes:
            return
        goal = board.nearest(user, foes)[0]
        frame = {"user": user, "@board": board, "setting": self.pack.settings, "asker": "server"}
        far = plan.reach.run(frame)
        for cell in around(board, user, goal, far) if board.screened(user, goal) else straight(board, user, goal, far):
            if cell not in set(board.scene.places.values()):
                place = {"x": cell[0], "y": cell[1]}
                yield Act(action=plan.spec.approach.action, user=user.id, given={plan.spec.approach.place: place})


def straight(board: Board, user: Sheet, goal: Sheet, reach: int) -> Iterator[Cell]:
    """Squares on the straight way to somebody, the farthest that can be reached first."""
    start, there = board.scene.places[user.id], board.scene.places[goal.id]
    for length in range(min(reach, board.distance(user, goal) - 1), 0, -1):
        yield toward(start, there, length)


def around(board: Board, user: Sheet, goal: Sheet, reach: int) -> Iterator[Cell]:
    """Squares on the shortest way around what bars the straight one, the farthest that can be gone to straight away
    first; none where there is no way."""
    start, size = board.scene.places[user.id], board.size(user)
    way = detour(board, start, board.scene.places[goal.id], size)
    for cell in reversed(way[:reach]):
        if not any(board.shut(squares(one, size)) for one in path(start, cell)):
            yield cell


def detour(board: Board, start: Cell, goal: Cell, size: int) -> list[Cell]:
    """The shortest way past all that blocks, without the first square and the goal; empty where there is none. It goes
    no farther out than a few squares beyond everything that stands or lies there."""
    ends = (cell for area in board.scene.areas.values() for cell in (area.at, area.to))
    spots = [*board.scene.places.values(), *(cell for cell in ends if cell is not None)]
    low = max(0, min(x for x, _ in spots) - MARGIN), max(0, min(y for _, y in spots) - MARGIN)
    high = max(x for x, _ in spots) + MARGIN, max(y for _, y in spots) + MARGIN
    came: dict[Cell, Cell] = {start: start}
    edge = deque([start])
    while edge and goal not in came:
        at = edge.popleft()
        for dx, dy in AROUND:
            to = at[0] + dx, at[1] + dy
            within = low[0] <= to[0] <= high[0] and low[1] <= to[1] <= high[1]
            if within and to not in came and (to == goal or not board.shut(squares(to, size))):
                came[to] = at
                edge.append(to)
    if goal not in came:
        return []
    way = [came[goal]]
    while way[-1] != start:
        way.append(came[way[-1]])
    return way[-2::-1]


def hindered(plan: ActionPlan, frame: dict[str, Any]) -> bool:
    try:
        return plan.use.hindrance(frame) is not None
    except KeyError:
        return False


def filled(plan: ActionPlan, given: dict[str, Any], pack: Pack) -> dict[str, Any] | None:
    """Every input, as conditions and costs read it; None where one cannot be made up."""
    from rules.tests.run import fit_inputs

    for name, spec in plan.spec.inputs.items():
        if name not in given and not may_be_left_out(spec):
            return None
    try:
        return fit_inputs(pack, plan.program, given)
    except GivenError:
        return None


def may_be_left_out(spec: Input) -> bool:
    return spec.default is not None or spec.optional or spec.type in ("flag", "list", "modifiers")


def track_of(pack: Pack) -> str:
    """The number of which losses are counted: what the tactics say, else the first that sheets show as a bar."""
    if pack.tactics is not None:
        return pack.tactics.spec.track
    for kind in pack.encounter.kinds:
        tracks = pack.source.sections["kinds"][kind].sheet.tracks
        if tracks:
            return str(next(iter(tracks)))
    raise RulesError(f"{pack.id} does not say what is lost in a fight", code="no_track")


def choose(plan: TacticsPlan | None, never: frozenset[str], sheets: dict[str, Sheet], ask: Ask) -> Any:
    """The answer to a question: in a moment every reaction that may be used, elsewhere what the tactics say, else the
    first that is offered."""
    if ask.kind == "window":
        return {who: [one.id for one in options if one.id not in never] for who, options in ask.asked.items()}
    name = ask.id.rsplit(".", 1)[-1].split("#")[0]
    formula = plan.choices.get(name) if plan is not None else None
    if formula is not None:
        value = formula.run({"user": sheets.get(ask.subject), "asker": "server"})
        if not ask.options or any(value == one.id for one in ask.options):
            return value
    if ask.kind == "subjects":
        return [one.id for one in ask.options[: max(1, ask.min or 0)]]
    if ask.kind == "adjust":
        return "best"
    if ask.options:
        return int(ask.options[0].id) if ask.kind == "die" else ask.options[0].id
    return ask.min if ask.min is not None else False
