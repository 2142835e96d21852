"""The state of one run: the frame of names, the dice, the choices, and what has been written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from rules.board import NOWHERE, Board
from rules.dice.enumerating import EnumeratingDice
from rules.dice.sources import DiceByAudience, DiceSource
from rules.problems import BudgetExceeded
from rules.tests.result import Ask, Effect, Refusal
from rules.tests.rolls import Roll
from rules.tests.trace import TraceStep

Policy = Callable[[Ask], Any]
"""answers what a run asks, so that it need not stop"""

MAX_DICE = 500
MAX_STEPS = 5_000


class Pending(Exception):  # noqa: N818  (not an error: the run waits)
    """Unwinds a run that needs a choice which was not given."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask


class RequirementFailed(Exception):  # noqa: N818  (an answer, like Refused)
    """Unwinds a run of which a requirement does not hold."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal


class Runtime:
    """Handed from step to step. `prefix` names the procedure calls around the current step (`first.`); `nesting` counts
    the moments that are being answered."""

    __slots__ = (
        "board",
        "choices",
        "depth",
        "dice",
        "effects",
        "enumerating",
        "faces",
        "facts",
        "frame",
        "nesting",
        "outcome",
        "passed",
        "passing",
        "policy",
        "prefix",
        "rolls",
        "steps",
        "trace",
        "used",
    )

    def __init__(
        self,
        frame: dict[str, Any],
        dice: DiceSource,
        choices: Mapping[str, Any],
        tracing: bool,
        policy: Policy | None = None,
    ) -> None:
        self.frame = frame
        self.board: Board = frame.setdefault("@board", NOWHERE)
        self.policy = policy
        self.nesting = 0
        self.dice = dice
        self.enumerating = dice if isinstance(dice, EnumeratingDice) else None
        self.choices = choices
        self.trace: list[TraceStep] | None = [] if tracing else None
        self.effects: list[Effect] = []
        self.faces: list[int] = []
        self.rolls: dict[str, Roll] = {}
        self.used: dict[str, Any] = {}
        self.facts: dict[str, Any] = {}
        self.outcome: str | None = None
        self.prefix = ""
        self.depth = 0
        self.steps = 0
        self.passing: list[tuple[str, str]] = []
        """instants that are passing now, the outermost first: (instant, whose)"""
        self.passed: list[tuple[str, str]] = []
        """instants that steps of the program brought about"""

    def roll(self, count: int, sides: int, ordered: bool, seen: str = "all") -> list[int]:
        """Faces of `count` dice, within the budget of the run; from those for fewer eyes, where the source has any."""
        if count < 0 or len(self.faces) + count > MAX_DICE:
            raise BudgetExceeded(f"a test rolls at most {MAX_DICE} dice")
        if not count:
            return []
        if self.enumerating is not None:
            faces = list(self.enumerating.pool(count, sides, ordered))
        else:
            roll: Callable[[int], int] = self.dice.roll
            if seen != "all" and isinstance(self.dice, DiceByAudience):
                roll = self.dice.roll_for(seen)
            if count == 1:
                face = roll(sides)
                self.faces.append(face)
                return [face]
            faces = [roll(sides) for _ in range(count)]
        self.faces += faces
        return faces

    def answer(self, key: str, wanted: Ask) -> Any:
        """What has been chosen; without an answer the run waits for it."""
        if key in self.choices:
            return self.choices[key]
        if self.policy is None:
            raise Pending(wanted)
        return self.policy(wanted)

    def unused(self, key: str) -> str:
        """A name for a choice that no earlier one of this run has."""
        if key not in self.used:
            return key
        number = 2
        while f"{key}#{number}" in self.used:
            number += 1
        return f"{key}#{number}"

    def tick(self) -> None:
        """Count a step of a loop against the budget."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            too_long()


def too_long() -> NoReturn:
    raise BudgetExceeded(f"a test takes at most {MAX_STEPS} steps")
