"""A dice source that walks through every possible roll, once each, with its exact weight.

A pool of like dice is walked as multisets (seven d12 are 31,824 cases, not 35 million) unless the program looks at
the order of its dice. Use:

    dice = EnumeratingDice()
    while True:
        run the program with dice
        weigh its result with dice.weight out of dice.total
        if not dice.advance(): break
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod

from rules.problems import BudgetExceeded

MAX_CASES = 400_000

Options = tuple[tuple[tuple[int, ...], int], ...]


class EnumeratingDice:
    """Depth-first walk over what each roll may show. `weight` of `total` equally likely rolls stand for this run."""

    def __init__(self, most: int = MAX_CASES) -> None:
        self.most = most
        self.path: list[tuple[Options, int]] = []
        self.totals: list[int] = []
        self.at = 0
        self.weight = 1
        self.total = 1
        self.runs = 1

    def roll(self, sides: int) -> int:
        return self.pool(1, sides, ordered=True)[0]

    def pool(self, count: int, sides: int, ordered: bool) -> tuple[int, ...]:
        """The faces of `count` dice rolled at once."""
        if self.at == len(self.path):
            self.path.append((tuples(count, sides) if ordered else multisets(count, sides), 0))
            self.totals.append(sides**count)
        options, index = self.path[self.at]
        faces, weight = options[index]
        self.weight *= weight
        self.total *= self.totals[self.at]
        self.at += 1
        return faces

    def advance(self) -> bool:
        """On to the next roll; False when all were walked. Raises BudgetExceeded past the limit of runs."""
        while self.path and self.path[-1][1] + 1 >= len(self.path[-1][0]):
            self.path.pop()
            self.totals.pop()
        if not self.path:
            return False
        options, index = self.path[-1]
        self.path[-1] = (options, index + 1)
        self.at, self.weight, self.total = 0, 1, 1
        self.runs += 1
        if self.runs > self.most:
            raise BudgetExceeded(f"more than {self.most} cases: too many dice for exact odds")
        return True


@lru_cache(maxsize=8)
def multisets(count: int, sides: int) -> Options:
    """Every multiset of faces with the number of orders it stands for."""
    if comb(count + sides - 1, count) > MAX_CASES:
        raise BudgetExceeded(f"{count}d{sides} has too many cases for exact odds")
    orders = factorial(count)
    return tuple(
        (faces, orders // repeats(faces)) for faces in combinations_with_replacement(range(1, sides + 1), count)
    )


def repeats(faces: tuple[int, ...]) -> int:
    """The orders of a multiset that look the same: the product of the factorials of how often each face shows."""
    return prod(factorial(faces.count(face)) for face in set(faces))


@lru_cache(maxsize=8)
def tuples(count: int, sides: int) -> Options:
    if sides**count > MAX_CASES:
        raise BudgetExceeded(f"{count}d{sides} in order has too many cases for exact odds")
    return tuple((faces, 1) for faces in product(range(1, sides + 1), repeat=count))
