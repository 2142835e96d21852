"""How a test came about, as people tell it: the dice and what became of them, and the sentences of its rules. The trace
behind it is the program's own; this is what its `say` and `text` say of it."""

from __future__ import annotations

from collections.abc import Sequence

from rules.packs.wording import titled
from rules.tests.trace import DieSeen, TraceStep

SPOKEN = frozenset({"say", "aside", "text", "narrate"})
"""kinds of steps whose text is a sentence for people"""
LEVELS = ("all", "holders", "gm")


def account(trace: Sequence[TraceStep], audience: str) -> tuple[str, ...]:
    """The sentences in the order of the test, each roll once and as it lies at the end, as far as may be known."""
    lines: list[str] = []
    running: dict[str, tuple[int, str]] = {}
    for step in trace:
        if not may_know(step.seen, audience):
            continue
        if step.dice:
            if step.kind == "roll" or step.name not in running:
                running[step.name] = len(lines), thrown_for(step, audience)
                lines.append("")
            at, label = running[step.name]
            lines[at] = f"{label}: {dice_said(step.dice)}"
        elif step.kind in SPOKEN and step.text and lines[-1:] != [step.text]:
            lines.append(step.text)
    return tuple(line[:1].upper() + line[1:] for line in lines)


def may_know(seen: str, audience: str) -> bool:
    """Whether what is seen by some is among what an audience may know."""
    return LEVELS.index(seen) <= LEVELS.index(audience)


def thrown_for(step: TraceStep, audience: str) -> str:
    """What a roll was thrown for, and against, as far as an audience may know; its own name where nothing is said."""
    title = step.title if step.title and may_know(step.title_seen, audience) else titled(step.name.rpartition(".")[2])
    if step.against is None or not may_know(step.against_seen, audience):
        return title
    return f"{title} against {step.against}"


def dice_said(dice: Sequence[DieSeen]) -> str:
    """Dice as they lie: "14 on a d20", "3 (dropped) and 14 on 2d20"."""
    faces = [die_said(one) for one in dice]
    said = faces[0] if len(faces) == 1 else f"{', '.join(faces[:-1])} and {faces[-1]}"
    sides = {one.sides for one in dice}
    if len(sides) > 1:
        return ", ".join(f"{die_said(one)} on a d{one.sides}" for one in dice)
    return f"{said} on {'a ' if len(dice) == 1 else len(dice)}d{sides.pop()}"


def die_said(die: DieSeen) -> str:
    """One face, with what it was and what became of it."""
    fates = []
    if die.before:
        fates.append(f"rolled anew, before {', '.join(map(str, die.before))}")
    elif die.natural != die.face:
        fates.append(f"turned from {die.natural}")
    if not die.kept:
        fates.append(die.why or "dropped")
    return f"{die.face} ({', '.join(fates)})" if fates else str(die.face)
