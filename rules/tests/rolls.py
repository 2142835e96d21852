"""Rolled dice. A roll is the record that formulas read (`check.total`, `pool.faces`); its dice can be dropped,
cancelled, rerolled and adjusted, each with the reason kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rules.formulas.types import Bool, Int, List, Record
from rules.tests.trace import DieSeen


class Roll(dict[str, Any]):
    """Maps `faces`, `total`, `count`, `natural`, `all`, `dice` to values worked out when first read."""

    __slots__ = ("_every", "rolled", "sides")

    def __init__(self, faces: Sequence[int], sides: int) -> None:
        self.sides = sides
        self.rolled = faces
        self._every: list[dict[str, Any]] | None = None

    @property
    def untouched(self) -> bool:
        """Whether no die has been looked at yet, so that all lie as they were rolled."""
        return self._every is None

    @property
    def every(self) -> list[dict[str, Any]]:
        """All dice as records; made when somebody first looks at one (most rolls are only added up)."""
        if self._every is None:
            sides = self.sides
            self._every = [
                {"face": face, "sides": sides, "natural": face, "kept": True, "why": "", "before": ()}
                for face in self.rolled
            ]
        return self._every

    def __missing__(self, name: str) -> Any:
        untouched = UNTOUCHED.get(name) if self._every is None else None
        value = self[name] = READERS[name](self.every) if untouched is None else untouched(self.rolled)
        return value

    def kept(self) -> list[dict[str, Any]]:
        return [die for die in self.every if die["kept"]]

    def remove(self, die: dict[str, Any], why: str) -> None:
        die["kept"], die["why"] = False, why
        self.clear()

    def turn(self, die: dict[str, Any], face: int, why: str) -> None:
        """A die shows another face from now on."""
        if why == "rerolled":
            die["before"] = (*die["before"], die["face"])
            die["natural"] = face
        die["face"], die["why"] = face, why
        self.clear()

    def settle(self, faces: Sequence[int]) -> None:
        """The dice lie so in the end, whichever of them was turned: for runs in which nobody looks at single dice."""
        self.rolled = faces
        self.clear()

    def seen(self) -> tuple[DieSeen, ...]:
        if self._every is None:
            return tuple([DieSeen(self.sides, face, face) for face in self.rolled])
        return tuple(DieSeen(d["sides"], d["face"], d["natural"], d["kept"], d["why"], d["before"]) for d in self.every)


READERS: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "faces": lambda dice: [die["face"] for die in dice if die["kept"]],
    "total": lambda dice: sum(die["face"] for die in dice if die["kept"]),
    "count": lambda dice: sum(1 for die in dice if die["kept"]),
    "natural": lambda dice: [die["natural"] for die in dice if die["kept"]],
    "all": lambda dice: [die["face"] for die in dice],
    "dice": lambda dice: [die for die in dice if die["kept"]],
}


UNTOUCHED: dict[str, Callable[[Sequence[int]], Any]] = {
    "faces": list,
    "all": list,
    "natural": list,
    "total": sum,
    "count": len,
}
"""the same for a roll of which no die has been looked at"""


def roll_type(count: Int, sides: Int, removing: bool = False) -> Record:
    """The type of a roll of so many dice with so many sides; `removing` once some may have left."""
    top = sides.high
    face = Int(1, top)
    low = 0 if removing or count.low is None else max(count.low, 0)
    high = None if count.high is None or top is None else count.high * top
    die = Record("die", {"face": face, "sides": sides, "natural": face, "kept": Bool()})
    return Record(
        "roll",
        {
            "faces": List(face),
            "natural": List(face),
            "all": List(face),
            "total": Int(low, high),
            "count": Int(low, count.high),
            "dice": List(die),
        },
    )
