"""Dice sources: chosen by hand, recorded before, or from the system's randomness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import urandom
from typing import Protocol, runtime_checkable

from rules.problems import DiceError


class DiceSource(Protocol):
    """Gives one face of a die with `sides` sides, 1 to sides."""

    def roll(self, sides: int) -> int: ...


@runtime_checkable
class DiceByAudience(DiceSource, Protocol):
    """A source that takes dice which not everybody may see (`seen`: holders, gm) from elsewhere."""

    def roll_for(self, seen: str) -> Callable[[int], int]: ...


class ChosenDice:
    """Faces laid out beforehand, in the order they are rolled; running out or an impossible face is a DiceError."""

    def __init__(self, faces: Sequence[int]) -> None:
        self.faces = list(faces)
        self.used = 0

    def roll(self, sides: int) -> int:
        if self.used >= len(self.faces):
            message = f"die {self.used + 1} (d{sides}) is rolled, but only {len(self.faces)} faces were chosen"
            raise DiceError(message, field="faces")
        face = self.faces[self.used]
        if not 1 <= face <= sides:
            raise DiceError(f"a d{sides} has no face {face}", field="faces")
        self.used += 1
        return face

    @property
    def left(self) -> int:
        return len(self.faces) - self.used


class RecordedDice:
    """Faces rolled earlier, then the faces of another source. `faces` grows with what was drawn, to be stored."""

    def __init__(self, faces: Sequence[int], then: DiceSource) -> None:
        self.faces = list(faces)
        self.then = then
        self.used = 0

    def roll(self, sides: int) -> int:
        if self.used < len(self.faces):
            face = self.faces[self.used]
            if not 1 <= face <= sides:
                raise DiceError(f"a d{sides} has no recorded face {face}")
        else:
            face = self.then.roll(sides)
            self.faces.append(face)
        self.used += 1
        return face


class SystemDice:
    """The system's randomness. A 64-bit word that does not divide evenly is thrown away, so every face is as likely."""

    def __init__(self, random_bytes: Callable[[int], bytes] = urandom) -> None:
        self.random_bytes = random_bytes

    def roll(self, sides: int) -> int:
        limit = fair_limit(sides)
        while True:
            word = int.from_bytes(self.random_bytes(8), "big")
            if word < limit:
                return word % sides + 1


def fair_limit(sides: int) -> int:
    """The largest multiple of `sides` in 64 bits: words from there on would favour the low faces."""
    if sides < 1:
        raise DiceError(f"a die has at least one side, not {sides}")
    return (1 << 64) - (1 << 64) % sides
