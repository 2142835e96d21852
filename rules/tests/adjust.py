"""The exact solver for adjustments: which dice to move, face by face, so that an aim comes out best for a side.

Dice that lie the same are one case, so the search walks multisets, each kept as one number: so many bits for how
often each face shows. What is found for one multiset is remembered for all later searches with the same aim (the
exact odds of a pool ask for every multiset there is).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

Faces = tuple[int, ...]
SCALE = 1 << 20
"""A score is the aim times this, less the steps used: the best score has the best aim, then the fewest steps."""


class Solver:
    """Best use of up to k one-face steps in one direction, for pools of up to `dice` dice.

    `value` is the aim over all faces (sorted); `sign` is 1 to make it high and -1 to make it low. No die is turned past
    `low` or `high`.
    """

    def __init__(
        self,
        value: Callable[[Faces], int],
        sign: int,
        direction: int,
        sides: int,
        dice: int,
        low: int = 1,
        high: int | None = None,
    ) -> None:
        self.value, self.sign, self.direction, self.sides = value, sign, direction, sides
        self.turnable = range((high or sides) - 1) if direction > 0 else range(low, sides)
        self.bits = dice.bit_length()
        self.mask = (1 << self.bits) - 1
        self.units = [1 << (self.bits * face) for face in range(sides)]
        self.unit_of = [0, *self.units].__getitem__
        self.values: dict[int, int] = {}
        self.laid: dict[int, Faces] = {}
        self.tables: dict[int, list[dict[int, int]]] = {}
        self.near: dict[int, list[int]] = {}

    def best(self, fixed: Iterable[int], movable: Iterable[int], steps: int) -> tuple[int, int]:
        """Value of the aim and steps used, for the best use of up to `steps`."""
        held = self.packed(fixed)
        score = self.score(held, self.tables_for(held, steps), self.packed(movable), steps)
        value = -(-score // SCALE)
        return value * self.sign, value * SCALE - score

    def after(self, fixed: Iterable[int], movable: Iterable[int], steps: int) -> Faces:
        """The movable faces (sorted) after the best use."""
        held = self.packed(fixed)
        return self.faces(self.moved(held, self.packed(movable), steps))

    def lie(self, fixed: Iterable[int], movable: Iterable[int], steps: int) -> Faces:
        """All faces (sorted) after the best use."""
        held = self.packed(fixed)
        return self.faces(held + self.moved(held, self.packed(movable), steps))

    def moved(self, held: int, state: int, steps: int) -> int:
        """The state after the best use: follow the scores down."""
        tables = self.tables_for(held, steps)
        score = self.score(held, tables, state, steps)
        used = -score % SCALE
        for left in range(steps - 1, steps - 1 - used, -1):
            score += 1
            below = tables[left]
            for other in self.near[state]:
                if below.get(other) == score:
                    state = other
                    break
        return state

    def tables_for(self, held: int, steps: int) -> list[dict[int, int]]:
        """For fixed dice, what was found by steps left and state."""
        tables = self.tables.setdefault(held, [])
        while len(tables) <= steps:
            tables.append({})
        return tables

    def score(self, held: int, tables: list[dict[int, int]], state: int, steps: int) -> int:
        """The best score from a state with so many steps left."""
        known = tables[steps]
        if state in known:
            return known[state]
        best = self.worth(held + state) * self.sign * SCALE
        if steps:
            below = tables[steps - 1]
            for moved in self.near.get(state) or self.moves(state):
                found = below.get(moved)
                if found is None:
                    found = self.score(held, tables, moved, steps - 1)
                if found > best + 1:
                    best = found - 1
        known[state] = best
        return best

    def worth(self, state: int) -> int:
        """The aim over all faces of a state."""
        found = self.values.get(state)
        if found is None:
            found = self.values[state] = self.value(self.faces(state))
        return found

    def moves(self, state: int) -> list[int]:
        """Every multiset one step away: one die of each face that can still move."""
        out: list[int] = []
        bits, mask, units = self.bits, self.mask, self.units
        for face in self.turnable:
            if (state >> (face * bits)) & mask:
                out.append(state - units[face] + units[face + self.direction])
        self.near[state] = out
        return out

    def packed(self, faces: Iterable[int]) -> int:
        return sum(map(self.unit_of, faces))

    def faces(self, state: int) -> Faces:
        """The sorted faces of a packed multiset."""
        found = self.laid.get(state)
        if found is None:
            out: list[int] = []
            left, face = state, 1
            while left:
                often = left & self.mask
                if often:
                    out += [face] * often
                left >>= self.bits
                face += 1
            found = self.laid[state] = tuple(out)
        return found
