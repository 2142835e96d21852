"""The exact solver for adjustments: which dice to move, face by face, so that an aim comes out best for a side.

Dice that lie the same are one case, so the search walks multisets; what it finds for one is remembered for all
later searches with the same aim (the exact odds of a pool ask for every multiset there is).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

Faces = tuple[int, ...]
Found = tuple[int, int, Faces]
"""value of the aim, steps used, the movable faces after it"""


class Solver:
    """Best use of up to k one-face steps in one direction.

    `value` is the aim over all faces (sorted); `sign` is 1 to make it high and -1 to make it low. Among equal results
    the one with the fewest steps wins.
    """

    def __init__(self, value: Callable[[Faces], int], sign: int, direction: int, sides: int) -> None:
        self.value, self.sign, self.direction, self.sides = value, sign, direction, sides
        self.values: dict[Faces, int] = {}
        self.memo: dict[tuple[Faces, int], dict[Faces, Found]] = {}

    def best(self, fixed: Faces, movable: Faces, steps: int) -> Found:
        """The best result for sorted fixed and movable faces."""
        known = self.memo.setdefault((fixed, steps), {})
        found = known.get(movable)
        if found is not None:
            return found
        value = self.worth(fixed, movable)
        result: Found = (value, 0, movable)
        if steps > 0:
            best = value * self.sign
            for moved in self.moves(movable):
                child = self.best(fixed, moved, steps - 1)
                score = child[0] * self.sign
                if score > best or (score == best and child[1] + 1 < result[1]):
                    best, result = score, (child[0], child[1] + 1, child[2])
        known[movable] = result
        return result

    def worth(self, fixed: Faces, movable: Faces) -> int:
        faces = tuple(sorted(fixed + movable)) if fixed else movable
        found = self.values.get(faces)
        if found is None:
            found = self.values[faces] = self.value(faces)
        return found

    def moves(self, movable: Faces) -> list[Faces]:
        """Every multiset one step away: one die of each face that can still move."""
        out = []
        up = self.direction > 0
        at = 0
        while at < len(movable):
            face = movable[at]
            end = bisect_right(movable, face, at)
            target = face + self.direction
            if 1 <= target <= self.sides:
                place = end - 1 if up else at
                out.append((*movable[:place], target, *movable[place + 1 :]))
            at = end
        return out
