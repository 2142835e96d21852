"""Verbs of dice: roll, keep, drop, reroll, cancel, adjust."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from typing import Any

from rules.formulas import Formula
from rules.formulas.types import Int, Record
from rules.packs.schema import Step
from rules.problems import RulesError, nearest
from rules.tests.flow import Closure, Flow, Path, RollInfo, narrower
from rules.tests.fuse import Code, Piece, plain
from rules.tests.rolls import Roll, roll_type
from rules.tests.runtime import Runtime
from rules.tests.texts import template
from rules.tests.trace import TraceStep
from rules.tests.verb_adjust import build_adjust

DICE = re.compile(r"(\d{0,3})d(\d{1,4})\Z")
MAX_SIDES = 1000

Die = dict[str, Any]
DieTest = Callable[[Runtime, Die], bool]


def build_roll(flow: Flow, step: Step, path: Path) -> Closure | None:
    """roll: name, with `dice: 2d20`, or `count` and `sides` as formulas (count 1 when left out); `title` and `against`
    say what it is thrown for."""
    assert step.roll is not None
    parts, purpose = dice_parts(flow, step, path), build_purpose(flow, step, path)
    if parts is None:
        return None
    count, sides = parts
    name, info = step.roll, RollInfo()
    flow.rolls[name] = info
    seen = flow.audience_of(step, count, sides)
    assert isinstance(count.type, Int) and isinstance(sides.type, Int)
    flow.define(name, roll_type(count.type, sides.type), (*path, "roll"), seen)
    fixed_count, fixed_sides = fixed(count.type), fixed(sides.type)

    def rolled(rt: Runtime, number: int, size: int) -> Roll:
        if not 1 <= size <= MAX_SIDES:
            raise RulesError(f"a die has 1 to {MAX_SIDES} sides, not {size}")
        faces = rt.roll(number, size, info.ordered, seen) if number else []
        made = rt.rolls[rt.prefix + name] = Roll(faces, size)
        return made

    def roll(rt: Runtime) -> None:
        size = sides.run(rt.frame) if fixed_sides is None else fixed_sides
        made = rt.frame[name] = rolled(rt, count.run(rt.frame) if fixed_count is None else fixed_count, size)
        if rt.trace is not None and made.rolled:
            rt.trace.append(
                TraceStep(kind="roll", name=name, dice=made.seen(), seen=seen, depth=rt.depth, **purpose(rt.frame))
            )

    def emit(code: Code) -> list[ast.stmt]:
        return [code.store(name, code.call(rolled, code.load("rt"), code.expr(count.node), code.expr(sides.node)))]

    return Piece(roll, emit)


def build_purpose(flow: Flow, step: Step, path: Path) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A function frame -> the fields of a trace step that say what a roll is thrown for, and against what."""
    say, said_to = (None, "all") if step.title is None else template(flow, step.title, (*path, "title"))
    against = None if step.against is None else flow.of_type(step.against, Int(), (*path, "against"))
    told_to = flow.audience(against)

    def purpose(frame: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if say is not None:
            found |= {"title": say(frame), "title_seen": said_to}
        if against is not None:
            found |= {"against": against.run(frame), "against_seen": told_to}
        return found

    return purpose


def fixed(kind: Int) -> int | None:
    """The one value that a number can have, if it has only one."""
    return kind.low if kind.low == kind.high else None


def dice_parts(flow: Flow, step: Step, path: Path) -> tuple[Formula, Formula] | None:
    """How many dice and of how many sides, as formulas."""
    if step.dice is not None:
        found = DICE.match(step.dice)
        if found is None or not 1 <= int(found.group(2)) <= MAX_SIDES:
            flow.report((*path, "dice"), f"{step.dice!r} is no roll: write 2d20, or `count` and `sides`")
            return None
        count_text, sides_text = found.group(1) or "1", found.group(2)
        if step.sides is not None or (step.count is not None and found.group(1)):
            flow.report(path, "`dice` says count and sides already")
            return None
        count_source = step.count if step.count is not None else int(count_text)
        count = flow.of_type(count_source, Int(), (*path, "count" if step.count is not None else "dice"))
        sides = flow.of_type(int(sides_text), Int(), (*path, "dice"))
    elif step.sides is None:
        flow.report(path, "a roll needs `dice`, or `sides`")
        return None
    else:
        count = flow.of_type(1 if step.count is None else step.count, Int(), (*path, "count"))
        sides = flow.of_type(step.sides, Int(), (*path, "sides"))
    return None if count is None or sides is None else (count, sides)


def build_unrolled(flow: Flow, step: Step, path: Path) -> Closure | None:
    """A roll whose condition does not hold is a roll of no dice."""
    assert step.roll is not None
    name = step.roll
    flow.define(name, roll_type(Int(0, 0), Int(1, MAX_SIDES)), (*path, "roll"), step.seen or "all")

    def unrolled(rt: Runtime) -> None:
        rt.frame[name] = Roll((), 1)

    return Piece(unrolled, lambda code: [code.store(name, code.call(Roll, code.constant(()), code.constant(1)))])


def note(rt: Runtime, kind: str, name: str, roll: Roll, seen: str) -> None:
    if rt.trace is not None:
        rt.trace.append(TraceStep(kind=kind, name=name, dice=roll.seen(), seen=seen, depth=rt.depth))


def named_roll(flow: Flow, name: str, path: Path) -> bool:
    """Whether a roll of this name exists; its bounds loosen, since dice may leave it."""
    kind = flow.scope.names.get(name)
    if name not in flow.rolls or not isinstance(kind, Record):
        flow.report(path, f"no roll is called {name!r} here", nearest(name, flow.rolls))
        return False
    flow.rolls[name].read_later = flow.rolls[name].seen_later = True
    return True


def loosen(flow: Flow, name: str) -> None:
    kind = flow.scope.names[name]
    assert isinstance(kind, Record)
    count, total = kind.fields["count"], kind.fields["total"]
    assert isinstance(count, Int) and isinstance(total, Int)
    flow.scope.names[name] = Record("roll", {**kind.fields, "count": Int(0, count.high), "total": Int(0, total.high)})


def die_condition(flow: Flow, text: Any, path: Path) -> DieTest | None:
    """A condition on one die: `face`, `natural` and `sides` are its own."""
    inner = flow.fork()
    inner.scope.names |= {"face": Int(1), "natural": Int(1), "sides": Int(1)}
    found = inner.condition(text, path)
    if found is None:
        return None
    run = found.run

    def test(rt: Runtime, die: Die) -> bool:
        frame = rt.frame
        frame["face"], frame["natural"], frame["sides"] = die["face"], die["natural"], die["sides"]
        return bool(run(frame))

    return test


def build_keep(flow: Flow, step: Step, path: Path) -> Closure | None:
    """keep: roll, highest: n (or lowest: n); the rest are dropped."""
    assert step.keep is not None
    return removal(flow, step, path, step.keep, keeping=True)


def build_drop(flow: Flow, step: Step, path: Path) -> Closure | None:
    """drop: roll, highest: n or lowest: n, or every die `where`; `where` limits which may go."""
    assert step.drop is not None
    return removal(flow, step, path, step.drop, keeping=False)


def removal(flow: Flow, step: Step, path: Path, name: str, keeping: bool) -> Closure | None:
    verb = "keep" if keeping else "drop"
    if not named_roll(flow, name, (*path, verb)):
        return None
    end = "highest" if step.highest is not None else "lowest"
    number = step.highest if step.highest is not None else step.lowest
    if (step.highest is not None and step.lowest is not None) or (number is None and (keeping or step.where is None)):
        flow.report(path, f"a {verb} says `highest` or `lowest`")
        return None
    count = None if number is None else flow.of_type(number, Int(), (*path, end))
    test = None if step.where is None else die_condition(flow, step.where, (*path, "where"))
    if (number is not None and count is None) or (step.where is not None and test is None):
        return None
    loosen(flow, name)
    seen = flow.audience_of(step, count)

    def remove(rt: Runtime) -> None:
        roll: Roll = rt.frame[name]
        for die in chosen(rt, roll, end, None if count is None else count.run(rt.frame), test, keeping):
            roll.remove(die, "dropped")
        note(rt, verb, name, roll, seen)

    return plain(remove) if count is None or test is not None else pruning(remove, name, count, end, keeping)


def pruning(remove: Closure, name: str, count: Formula, end: str, keeping: bool) -> Piece:
    """The same for a number of dice: where no more lie there than are kept, nothing is looked at."""

    def prune(rt: Runtime, roll: Roll, number: int) -> None:
        if not (keeping and roll.untouched and number >= len(roll.rolled)):
            for die in chosen(rt, roll, end, number, None, keeping):
                roll.remove(die, "dropped")

    def emit(code: Code) -> list[ast.stmt]:
        roll = code.named(name)
        return [code.do(code.call(prune, code.load("rt"), roll, code.expr(count.node)))]

    return Piece(remove, emit)


def chosen(rt: Runtime, roll: Roll, end: str, count: int | None, test: DieTest | None, keeping: bool) -> Iterable[Die]:
    """The dice to drop. Among equal faces the later die goes first (or stays last)."""
    dice = [die for die in roll.kept() if test is None or test(rt, die)]
    if count is None:
        return dice
    ranked = sorted(dice, key=lambda die: die["face"], reverse=end == "highest")
    return ranked[max(count, 0) :] if keeping else ranked[: max(count, 0)]


def build_reroll(flow: Flow, step: Step, path: Path) -> Closure | None:
    """reroll: roll, die: place (from 1), or every die `where`; the new faces stand."""
    assert step.reroll is not None
    name = step.reroll
    if not named_roll(flow, name, (*path, "reroll")):
        return None
    if (step.die is None) == (step.where is None):
        flow.report(path, "a reroll says which dice: `die` or `where`")
        return None
    flow.rolls[name].ordered = flow.rolls[name].ordered or step.die is not None
    place = None if step.die is None else flow.of_type(step.die, Int(), (*path, "die"))
    test = None if step.where is None else die_condition(flow, step.where, (*path, "where"))
    if place is None and test is None:
        return None
    # Dice thrown again are seen by no more than those they replace.
    seen = narrower(flow.audience_of(step, place), flow.seen.get(name, "all"))

    def reroll(rt: Runtime) -> None:
        roll: Roll = rt.frame[name]
        if place is not None:
            dice = [at_place(roll, place.run(rt.frame))]
        else:
            assert test is not None
            dice = [die for die in roll.kept() if test(rt, die)]
        for die, face in zip(dice, rt.roll(len(dice), roll.sides, False, seen), strict=True):
            roll.turn(die, face, "rerolled")
        note(rt, "reroll", name, roll, seen)

    return plain(reroll)


def at_place(roll: Roll, place: int) -> Die:
    if not 1 <= place <= len(roll.every):
        raise RulesError(f"the roll has {len(roll.every)} dice, none at place {place}")
    return roll.every[place - 1]


def build_cancel(flow: Flow, step: Step, path: Path) -> Closure | None:
    """cancel: roll, where: condition, against: condition; set aside in pairs, as many as the scarcer side has."""
    assert step.cancel is not None
    name = step.cancel
    if not named_roll(flow, name, (*path, "cancel")):
        return None
    if step.where is None or step.against is None:
        flow.report(path, "a cancel needs `where` and `against`")
        return None
    one = die_condition(flow, step.where, (*path, "where"))
    two = die_condition(flow, step.against, (*path, "against"))
    if one is None or two is None:
        return None
    loosen(flow, name)
    seen = flow.audience_of(step)

    def cancel(rt: Runtime) -> None:
        roll: Roll = rt.frame[name]
        kept = roll.kept()
        pairs = list(zip([d for d in kept if one(rt, d)], [d for d in kept if two(rt, d)], strict=False))
        for left, right in pairs:
            roll.remove(left, "cancelled")
            roll.remove(right, "cancelled")
        if pairs:
            note(rt, "cancel", name, roll, seen)

    return plain(cancel)


BUILDERS: dict[str, Any] = {
    "roll": build_roll,
    "keep": build_keep,
    "drop": build_drop,
    "reroll": build_reroll,
    "cancel": build_cancel,
    "adjust": build_adjust,
}
FALLBACKS: dict[str, Any] = {"roll": build_unrolled}
