"""Geometry of what the server draws as inline SVG: dice, water, charts. Plain numbers in, plain numbers out."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Point = tuple[float, float]


@dataclass(frozen=True)
class DieShape:
    """One die seen from above in a box of 100 by 100: its outline, the face that shows, the edges between the others,
    and where the middle of the number stands and how large it is."""

    outline: tuple[Point, ...]
    face: tuple[Point, ...]
    edges: tuple[tuple[Point, Point], ...]
    number_y: float
    number_size: float

    @property
    def outline_points(self) -> str:
        """The outline as an SVG points attribute."""
        return points(self.outline)

    @property
    def face_points(self) -> str:
        """The upper face as an SVG points attribute."""
        return points(self.face)

    @property
    def edges_path(self) -> str:
        """The other edges as one SVG path."""
        return " ".join(f"M{a[0]:g} {a[1]:g}L{b[0]:g} {b[1]:g}" for a, b in self.edges)


def points(corners: Sequence[Point]) -> str:
    """Corners as an SVG points attribute."""
    return " ".join(f"{x:g},{y:g}" for x, y in corners)


def _d12() -> DieShape:
    outline = ((50, 5), (76, 13), (93, 36), (93, 64), (76, 87), (50, 95), (24, 87), (7, 64), (7, 36), (24, 13))
    face = ((50, 23), (76, 42), (66, 72), (34, 72), (24, 42))
    tips = ((50, 5), (93, 36), (76, 87), (24, 87), (7, 36))
    return DieShape(outline, face, tuple(zip(face, tips, strict=True)), 51, 30)


def _hexagon() -> tuple[Point, ...]:
    return ((50, 5), (90, 27), (90, 73), (50, 95), (10, 73), (10, 27))


DICE: dict[int, DieShape] = {
    4: DieShape(((50, 10), (93, 84), (7, 84)), ((50, 26), (80, 76), (20, 76)), (), 58, 34),
    6: DieShape(((14, 14), (86, 14), (86, 86), (14, 86)), ((22, 22), (78, 22), (78, 78), (22, 78)), (), 51, 42),
    8: DieShape(_hexagon(), ((50, 12), (84, 71), (16, 71)), (((84, 71), (90, 73)), ((16, 71), (10, 73))), 52, 32),
    10: DieShape(
        ((50, 5), (94, 43), (94, 57), (50, 95), (6, 57), (6, 43)),
        ((50, 8), (77, 58), (50, 74), (23, 58)),
        (((77, 58), (94, 50)), ((23, 58), (6, 50)), ((50, 74), (50, 95))),
        47,
        30,
    ),
    12: _d12(),
    20: DieShape(
        _hexagon(),
        ((50, 23), (76, 68), (24, 68)),
        (
            ((50, 23), (50, 5)),
            ((50, 23), (10, 27)),
            ((50, 23), (90, 27)),
            ((24, 68), (10, 27)),
            ((24, 68), (10, 73)),
            ((24, 68), (50, 95)),
            ((76, 68), (90, 27)),
            ((76, 68), (90, 73)),
            ((76, 68), (50, 95)),
        ),
        53,
        25,
    ),
}


def die_shape(sides: int) -> DieShape:
    """The drawing of a die; a number of sides that has none of its own borrows the d10's."""
    return DICE.get(sides, DICE[10])


def wave(level: float, swell: float, shift: float, width: float = 800, height: float = 200) -> str:
    """A closed SVG path of water filled to `level` (0 to 1) of the height, its crest swinging by `swell`."""
    top = height * (1 - max(0.0, min(1.0, level)))
    length = 200.0
    x = -length + shift
    parts = [f"M{x:g} {top:g}"]
    while x < width + length:
        parts.append(f"q{length / 4:g} {-swell:g} {length / 2:g} 0t{length / 2:g} 0")
        x += length
    parts.append(f"V{height:g}H{-length:g}z")
    return "".join(parts)


def crest(level: float, swell: float, shift: float, width: float = 800, height: float = 200) -> str:
    """The crest of the same wave alone, as an open path."""
    return wave(level, swell, shift, width, height).split("V")[0]


@dataclass(frozen=True)
class ChartPoint:
    """One point of a history: what the axis says, the value, whether it changed there."""

    label: str
    value: int
    moved: bool = False


@dataclass(frozen=True)
class Plotted:
    """A history laid out in a box of 420 by 200."""

    dots: tuple[tuple[float, float, ChartPoint], ...]
    line: str
    area: str
    rules: tuple[tuple[float, int], ...]


def plot(history: Sequence[ChartPoint], top: int = 20) -> Plotted:
    """Lays a history of values between 0 and `top` out from left to right; one point alone stands in the middle."""
    left, right, upper, lower = 34.0, 408.0, 12.0, 164.0

    def y(value: float) -> float:
        return round(lower - (lower - upper) * value / top, 1)

    step = (right - left - 24) / max(1, len(history) - 1)
    start = left + 12 if len(history) > 1 else (left + right) / 2
    dots = tuple((round(start + step * i, 1), y(point.value), point) for i, point in enumerate(history))
    line = "".join(f"{'L' if i else 'M'}{x:g} {at:g}" for i, (x, at, _) in enumerate(dots))
    area = f"{line}V{y(0):g}H{dots[0][0]:g}z" if len(dots) > 1 else ""
    rules = tuple((y(value), value) for value in range(0, top + 1, top // 4))
    return Plotted(dots, line, area, rules)


def shifts(values: Sequence[int]) -> list[bool]:
    """For each value whether it differs from the one before."""
    return [False, *(before != after for before, after in pairwise(values))] if values else []
