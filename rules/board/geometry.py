"""Squares of a grid: how far apart, which lie in between, which a shape covers. A square is (x, y)."""

from __future__ import annotations

from collections.abc import Iterator

Cell = tuple[int, int]

FARTHEST = 1_000
"""units that a line or a way may be long: no board is as large, and every square of them is looked at"""


def steps(one: Cell, two: Cell, diagonal: str = "one") -> int:
    """Units between two squares. A diagonal step is one unit, or (`alternating`) every second one is two."""
    dx, dy = abs(one[0] - two[0]), abs(one[1] - two[1])
    far, near = (dx, dy) if dx > dy else (dy, dx)
    return far if diagonal == "one" else far + near // 2


def gap(one: Cell, own: int, two: Cell, other: int, diagonal: str = "one") -> int:
    """Units between the nearest squares of two figures: of each its lowest square and how many it takes up a side."""
    dx = max(two[0] - one[0] - own + 1, one[0] - two[0] - other + 1, 0)
    dy = max(two[1] - one[1] - own + 1, one[1] - two[1] - other + 1, 0)
    return steps((0, 0), (dx, dy), diagonal)


def squares(at: Cell, size: int) -> list[Cell]:
    """All squares of a figure that stands with its lowest one at a square."""
    return [at] if size == 1 else [(at[0] + dx, at[1] + dy) for dy in range(size) for dx in range(size)]


def is_between(one: Cell, two: Cell, middle: Cell) -> bool:
    """Whether the middle of a square lies on the line between the middles of two others, and apart from both."""
    ax, ay, bx, by = one[0] - middle[0], one[1] - middle[1], two[0] - middle[0], two[1] - middle[1]
    return ax * by == ay * bx and ax * bx + ay * by < 0


def path(start: Cell, end: Cell) -> Iterator[Cell]:
    """The squares of a straight way, without the first, with the last; each touches the one before."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    count = max(abs(dx), abs(dy))
    for at in range(1, count + 1):
        yield start[0] + rounded(dx * at, count), start[1] + rounded(dy * at, count)


def rounded(part: int, whole: int) -> int:
    """part / whole to the nearest whole number, halves away from zero."""
    sign = 1 if part >= 0 else -1
    return sign * ((2 * abs(part) + whole) // (2 * whole))


def toward(start: Cell, goal: Cell, length: int) -> Cell:
    """The square `length` units from the start in the direction of the goal, beyond it if need be."""
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    far = max(abs(dx), abs(dy))
    if far == 0:
        return start
    return start[0] + rounded(dx * length, far), start[1] + rounded(dy * length, far)


def away(start: Cell, other: Cell, length: int) -> Cell:
    """The square `length` units straight away from another (to the right when both are the same)."""
    if start == other:
        return start[0] + length, start[1]
    return toward(start, (2 * start[0] - other[0], 2 * start[1] - other[1]), length)


def line(start: Cell, goal: Cell, length: int) -> tuple[Cell, ...]:
    """The squares of a line of `length` units from beside the start toward the goal; FARTHEST at most."""
    return tuple(path(start, toward(start, goal, min(length, FARTHEST))))


def wall(start: Cell, goal: Cell, length: int) -> tuple[Cell, ...]:
    """So many squares from the start on in the direction of the goal, the start among them; FARTHEST at most."""
    return (start, *path(start, toward(start, goal, min(length, FARTHEST) - 1))) if length > 0 else ()
