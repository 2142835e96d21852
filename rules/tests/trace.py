"""What a test leaves to be read: every step, every die with what became of it, and why."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from rules.formulas.explain import Part

SAY = "say"
"""the kind of a step that tells what was done as a story does"""
ASIDE = "aside"
"""the kind of one that tells how it came about"""


class DieSeen(Struct, frozen=True, omit_defaults=True, gc=False):
    """One die as it lies: the face that counts, the face it was rolled with, and what became of it."""

    sides: int
    face: int
    natural: int
    kept: bool = True
    why: str = ""
    """adjusted, rerolled, dropped, cancelled; empty for a die as rolled"""
    before: tuple[int, ...] = ()
    """faces that a reroll replaced, oldest first"""


class TraceStep(Struct, kw_only=True, omit_defaults=True):
    """One step that was taken.

    `kind` is the verb; `name` what it made; `value` its value; `formula` and `parts` why; `dice` the roll as it lies
    after the step; `seen` the narrowest audience of anything the step shows; `depth` counts procedures around it;
    `about` the subject that it changes, or that does it; `of` those whom a sentence is said of,
    named in it or not, and with whom a procedure is called.
    Of a roll, `title` says what it is thrown for and `against` the number to compare it with, each with its audience.
    """

    kind: str
    name: str = ""
    text: str = ""
    value: Any = None
    formula: str = ""
    parts: tuple[Part, ...] = ()
    dice: tuple[DieSeen, ...] = ()
    seen: str = "all"
    depth: int = 0
    title: str = ""
    title_seen: str = "all"
    against: int | None = None
    against_seen: str = "all"
    about: str = ""
    of: tuple[str, ...] = ()


def render(steps: list[TraceStep]) -> str:
    """The trace as plain lines, one a step."""
    return "\n".join(line(step) for step in steps)


def line(step: TraceStep) -> str:
    indent = "  " * step.depth
    words = [step.text] if step.text else []
    if step.dice:
        words.append(f"{step.kind} {step.name}: " + " ".join(die(d) for d in step.dice))
    elif step.name and not step.text:
        words.append(f"{step.kind} {step.name}")
    if step.value is not None and not step.dice and step.kind not in ("text", "narrate", SAY, ASIDE):
        words.append(f"= {shown(step.value)}")
    if step.parts and step.formula:
        parts = ", ".join(f"{part.source} {shown(part.value)}" for part in step.parts)
        words.append(f"[{step.formula}; {parts}]")
    hidden = "" if step.seen == "all" else f" ({step.seen} only)"
    return indent + " ".join(words) + hidden


def die(seen: DieSeen) -> str:
    past = "".join(f"{face}>" for face in seen.before)
    was = f"{seen.natural}>" if seen.natural != seen.face and not seen.before else ""
    shown_face = f"{past}{was}{seen.face}"
    return f"d{seen.sides}:{shown_face}" if seen.kept else f"(d{seen.sides}:{shown_face} {seen.why})"


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(shown(item) for item in value)
    return str(value)
