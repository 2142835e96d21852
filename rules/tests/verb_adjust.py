"""The verb `adjust`: one side turns dice face by face, by choice or as well as can be done."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from msgspec.structs import replace

from rules.formulas import Formula
from rules.formulas.compile import compile_node
from rules.formulas.reads import dotted, walk
from rules.formulas.types import Bool, Int, List, Record, Text
from rules.packs.schema import Step
from rules.problems import GivenError
from rules.tests.adjust import Faces, Solver
from rules.tests.adjust_limits import Limits, Search, build_limits
from rules.tests.asks import asked_words, checked_who, who_asked
from rules.tests.flow import ADJUSTED, AskInfo, Closure, Flow, Path, RollInfo
from rules.tests.fuse import plain
from rules.tests.result import Ask
from rules.tests.rolls import Roll
from rules.tests.runtime import Pending, Runtime
from rules.tests.texts import Template
from rules.tests.trace import TraceStep

BEST = "best"
LOOK = "?"
"""after the id of a choice: moves to look at, which decide nothing"""
MAX_SOLVERS = 16
FACE = itemgetter("face")


def build_adjust(flow: Flow, step: Step, path: Path) -> Closure | None:
    """adjust: roll, by: steps (above 0 up, below 0 down), aim: formula over `faces`, best: high or low, protect:
    condition of dice that must not move (protect_most: so many of them at most), who: whose choice, into: name (also
    the choice's id). per_die, least, min, max: see `rules.tests.adjust_limits`.

    `into` becomes a record: `used` (steps), `by`, and `value` (the aim after them).
    """
    from rules.tests.verbs_dice import die_condition, named_roll

    assert step.adjust is not None
    name, into = step.adjust, step.into or ADJUSTED
    if not named_roll(flow, name, (*path, "adjust")):
        return None
    if step.by is None or step.aim is None:
        flow.report(path, "an adjust needs `by` and `aim`")
        return None
    by = flow.of_type(step.by, Int(), (*path, "by"))
    protect = None if step.protect is None else die_condition(flow, step.protect, (*path, "protect"))
    aim = build_aim(flow, name, step, path)
    limits = build_limits(flow, step, path)
    if by is None or aim is None or limits is None or (step.protect is not None and protect is None):
        return None
    who = checked_who(flow, step, path)
    flow.shared.asks[into] = AskInfo(into, who, "adjust", step.title or "adjust", (BEST,))
    flow.define(into, Record("adjustment", {"used": Int(0), "by": Int(), "value": Int()}), (*path, "into"))
    info = flow.rolls[name]
    info.read_later = info.seen_later = flow.looping
    verb = Adjust(step, who_asked(flow, who), by, protect, aim, info)
    verb.words = asked_words(flow, step.title or "Adjust", (*path, "title"))
    verb.limits = limits
    verb.seen = flow.audience_of(step, by)
    verb.aim_seen = aim.seen
    return plain(verb.run)


def build_aim(flow: Flow, roll: str, step: Step, path: Path) -> Aim | None:
    inner = flow.fork()
    kind = flow.scope.names[roll]
    assert isinstance(kind, Record) and step.aim is not None
    inner.scope.names["faces"] = kind.fields["all"]
    found = inner.of_type(step.aim, Int(), (*path, "aim"))
    return None if found is None else Aim(found, inner.audience(found))


class Aim:
    """The number an adjuster wants high or low. `context` tells searches apart that read other values."""

    def __init__(self, formula: Formula, seen: str) -> None:
        self.run, self.seen = formula.run, seen
        self.outside = [
            compile_node(node)
            for node in walk(formula.node)
            if (name := dotted(node)) is not None
            and name.split(".")[0] != "faces"
            and isinstance(node.type, Int | Bool | Text | List)
        ]

    def context(self, frame: dict[str, Any]) -> tuple[Any, ...]:
        found = (read(frame) for read in self.outside)
        return tuple(tuple(value) if isinstance(value, list) else value for value in found)

    def over(self, frame: dict[str, Any]) -> Callable[[Faces], int]:
        run, own = self.run, dict(frame)

        def value(faces: Faces) -> int:
            own["faces"] = faces
            found: int = run(own)
            return found

        return value


class Adjust:
    """One adjust step; keeps its solvers, so that what one roll taught serves the next."""

    limits: Callable[[Runtime, int], Limits]
    words: Template
    aim_seen = "all"

    def __init__(
        self, step: Step, who: Callable[[Runtime], str], by: Formula, protect: Any, aim: Aim, info: RollInfo
    ) -> None:
        self.name, self.into = step.adjust or "", step.into or ADJUSTED
        self.who, self.by, self.protect, self.aim, self.best = who, by.run, protect, aim, step.best
        self.info, self.seen = info, "all"
        self.solvers: dict[Any, tuple[Any, Any]] = {}

    def run(self, rt: Runtime) -> None:
        roll: Roll = rt.frame[self.name]
        by = self.by(rt.frame)
        used, value = 0, None
        if by:
            limits = self.limits(rt, roll.sides)
            if self.only_counted(rt, roll, by, limits):
                used, value = self.count_best(rt, roll, by, limits)
            else:
                movable = self.movable(rt, roll.kept(), limits.protect_most)
                used, value = self.turn(rt, roll, movable, by, limits) if movable else (0, None)
        if value is None:
            value = self.worth(rt, roll)
        rt.frame[self.into] = {"used": used, "by": by, "value": value}
        if rt.trace is not None and by:
            rt.trace.append(
                TraceStep(kind="adjust", name=self.name, value=by, dice=roll.seen(), seen=self.seen, depth=rt.depth)
            )

    def only_counted(self, rt: Runtime, roll: Roll, by: int, limits: Limits) -> bool:
        """Whether exact odds are being counted, nothing looks at single dice later, and none has been touched: then
        their faces are enough."""
        return (
            rt.enumerating is not None
            and not self.info.seen_later
            and roll.untouched
            and not limits.narrow(by)
            and limits.protect_most >= len(roll.rolled)
            and bool(roll.rolled)
            and rt.choices.get(rt.prefix + self.into, rt.choices.get("*")) == BEST
        )

    def count_best(self, rt: Runtime, roll: Roll, by: int, limits: Limits) -> tuple[int, int | None]:
        """The best use of the adjustments by faces alone."""
        faces, free = roll.rolled, roll.rolled
        fixed: list[int] = []
        if self.protect is not None:
            held = {f for f in set(faces) if self.protect(rt, {"face": f, "natural": f, "sides": roll.sides})}
            if held:
                fixed, free = [f for f in faces if f in held], [f for f in faces if f not in held]
        if not free:
            return 0, None
        direction, sign = self.direction(by)
        solver = self.remembered(rt, Solver, sign, direction, roll.sides, len(faces), limits.low, limits.high)
        value, used = solver.best(fixed, free, abs(by))
        if used and self.info.read_later:
            roll.settle(solver.lie(fixed, free, abs(by)))
        return used, value

    def direction(self, by: int) -> tuple[int, int]:
        """Which way the dice turn, and whether the aim is to be high (1) or low (-1)."""
        way = 1 if by > 0 else -1
        return way, way if self.best is None else 1 if self.best == "high" else -1

    def movable(self, rt: Runtime, kept: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
        """The dice that are not protected, `most` of those being held; dice that lie alike are asked about once."""
        if self.protect is None:
            return kept
        known: dict[tuple[int, int], bool] = {}
        out, held = [], 0
        for die in kept:
            key = (die["face"], die["natural"])
            if key not in known:
                known[key] = self.protect(rt, die)
            if known[key] and held < most:
                held += 1
            else:
                out.append(die)
        return out

    def turn(
        self, rt: Runtime, roll: Roll, movable: list[dict[str, Any]], by: int, limits: Limits
    ) -> tuple[int, int | None]:
        """Turn the dice; the steps used, and the aim after them where it is known already."""
        key = rt.prefix + self.into
        answer = rt.choices.get(key, rt.choices.get("*"))
        if answer is None and key + LOOK in rt.choices:
            raise Pending(self.looked_at(rt, key, roll, movable, by, limits, rt.choices[key + LOOK]))
        if answer is None:
            answer = rt.answer(key, self.question(rt, key, roll, movable, by, limits))
        rt.used[key] = answer
        if answer == BEST:
            return self.play_best(rt, roll, movable, by, limits)
        return play_chosen(key, roll, movable, by, limits, answer), None

    def question(  # noqa: PLR0913  (the dice and their limits)
        self, rt: Runtime, key: str, roll: Roll, movable: list[dict[str, Any]], by: int, limits: Limits
    ) -> Ask:
        places = [at + 1 for at, die in enumerate(roll.every) if any(die is other for other in movable)]
        direction = 1 if by > 0 else -1
        return Ask(
            id=key,
            who=self.who(rt),
            kind="adjust",
            title=self.words(rt.frame),
            roll=self.name,
            dice=roll.seen(),
            movable=places,
            room=[min(abs(by), limits.room(roll.every[place - 1]["face"], direction)) for place in places],
            steps=abs(by),
            least=limits.wanted([die["face"] for die in movable], direction, abs(by)),
            value=self.worth(rt, roll) if self.aim_seen == "all" else None,
            direction="up" if by > 0 else "down",
        )

    def looked_at(  # noqa: PLR0913  (the dice, their limits, and the moves)
        self, rt: Runtime, key: str, roll: Roll, movable: list[dict[str, Any]], by: int, limits: Limits, moves: Any
    ) -> Ask:
        """The question once these moves were made: how the dice would lie, and what could still be turned."""
        asked = self.question(rt, key, roll, movable, by, limits)
        before = [roll.every[place - 1]["face"] for place in asked.movable]
        left = abs(by) - play_chosen(key, roll, movable, by, replace(limits, least=0), moves)
        turned = [abs(roll.every[p - 1]["face"] - face) for p, face in zip(asked.movable, before, strict=True)]
        return replace(
            asked,
            dice=roll.seen(),
            room=[min(left, room - done) for room, done in zip(asked.room, turned, strict=True)],
            steps=left,
            least=max(0, asked.least - (abs(by) - left)),
            value=None if asked.value is None else self.worth(rt, roll),
        )

    def worth(self, rt: Runtime, roll: Roll) -> int:
        """The aim as the dice lie."""
        return self.aim.over(rt.frame)(tuple(sorted(roll["faces"])))

    def play_best(
        self, rt: Runtime, roll: Roll, movable: list[dict[str, Any]], by: int, limits: Limits
    ) -> tuple[int, int]:
        direction, sign = self.direction(by)
        kept = roll.kept()
        before = [die["face"] for die in movable]
        fixed = () if len(kept) == len(movable) else fixed_faces(kept, movable)
        shown = self.info.read_later or rt.trace is not None or rt.enumerating is None
        after: Faces
        if limits.narrow(by):
            value, used, after = self.remembered(rt, Search, sign, direction).best(fixed, before, abs(by), limits)
        else:
            room = (roll.sides, len(kept), limits.low, limits.high)
            solver = self.remembered(rt, Solver, sign, direction, *room)
            value, used = solver.best(fixed, before, abs(by))
            after = solver.after(fixed, before, abs(by)) if used and shown else ()
        if used and shown:
            for die, face in zip(sorted(movable, key=FACE), after, strict=True):
                if die["face"] != face:
                    roll.turn(die, face, "adjusted")
        return used, value

    def remembered(self, rt: Runtime, kind: Any, *args: int) -> Any:
        """The solver for this aim as it reads now; settings count as one value, kept alive so its id stays its own."""
        settings = rt.frame["setting"]
        context = (kind, id(settings), *args, *self.aim.context(rt.frame))
        if context not in self.solvers:
            if len(self.solvers) >= MAX_SOLVERS:
                self.solvers.clear()
            self.solvers[context] = (kind(self.aim.over(rt.frame), *args), settings)
        return self.solvers[context][0]


def fixed_faces(kept: list[dict[str, Any]], movable: list[dict[str, Any]]) -> Faces:
    ids = {id(die) for die in movable}
    return tuple(die["face"] for die in kept if id(die) not in ids)


def play_chosen(key: str, roll: Roll, movable: list[dict[str, Any]], by: int, limits: Limits, answer: Any) -> int:
    """Turn the dice as chosen, after checking every move. Raises GivenError."""
    if not isinstance(answer, list):
        raise GivenError(key, "a list of moves is wanted, or best")
    used, seen = 0, set()
    plan = []
    for move in answer:
        die, face = checked_move(key, roll, movable, by, limits, move)
        if id(die) in seen:
            raise GivenError(key, "each die is named once")
        seen.add(id(die))
        used += abs(face - die["face"])
        plan.append((die, face))
    if used > abs(by):
        raise GivenError(key, f"{used} steps are more than {abs(by)}")
    wanted = limits.wanted([die["face"] for die in movable], 1 if by > 0 else -1, abs(by))
    if used < wanted:
        raise GivenError(key, f"{used} steps are too few: {wanted} must be used")
    for die, face in plan:
        roll.turn(die, face, "adjusted")
    return used


def checked_move(
    key: str, roll: Roll, movable: list[dict[str, Any]], by: int, limits: Limits, move: Any
) -> tuple[dict[str, Any], int]:
    if not isinstance(move, dict) or set(move) != {"die", "to"} or not all(isinstance(v, int) for v in move.values()):
        raise GivenError(key, "a move is a die (its place) and the face it turns to")
    place, face = move["die"], move["to"]
    if not 1 <= place <= len(roll.every) or not any(roll.every[place - 1] is die for die in movable):
        raise GivenError(key, f"die {place} cannot be adjusted")
    die = roll.every[place - 1]
    if not 1 <= face <= roll.sides:
        raise GivenError(key, f"a d{roll.sides} has no face {face}")
    if (face - die["face"]) * by < 0:
        raise GivenError(key, f"dice may only be turned {'up' if by > 0 else 'down'}")
    if abs(face - die["face"]) > limits.room(die["face"], 1 if by > 0 else -1):
        raise GivenError(key, f"die {place} cannot be turned so far")
    return die, face
