"""Charts of simulated fights as geometry for inline SVG: columns by round, bars by fighter. Numbers in, numbers out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 420, 200, 40, 12, 30
MOST_LABELS = 15
"""so many names have room below the columns; of more, every second, fifth ... is written"""


@dataclass(frozen=True)
class Column:
    """One column: where it stands, its name below, its value in words, and which of the series it is of."""

    x: float
    y: float
    width: float
    height: float
    middle: float
    label: str
    says: str
    series: int


@dataclass(frozen=True)
class Columns:
    """A chart of columns. ``rules`` are lines across: (y, what it stands for)."""

    width: int
    height: int
    base: int
    columns: tuple[Column, ...]
    labels: tuple[tuple[float, str], ...]
    rules: tuple[tuple[float, str], ...]


def columns(labels: Sequence[str], series: Sequence[Sequence[float]], unit: str = "") -> Columns:
    """Columns side by side under each label, one for each series."""
    most = max((value for one in series for value in one), default=0) or 1
    top = nice(most)
    high, base = HEIGHT - TOP - BOTTOM, HEIGHT - BOTTOM
    room = (WIDTH - LEFT - 8) / max(1, len(labels))
    wide = min(46.0, room * 0.76) / max(1, len(series))
    found, names = [], []
    every = next((step for step in (1, 2, 5, 10, 20, 50) if len(labels) <= step * MOST_LABELS), 100)
    for place, label in enumerate(labels):
        middle = LEFT + room * (place + 0.5)
        if place % every == 0:
            names.append((round(middle, 1), label))
        for number, one in enumerate(series):
            value = one[place] if place < len(one) else 0
            tall = high * value / top
            x = middle + wide * (number - len(series) / 2)
            says = f"{value:.1f}{unit}".replace(".0", "")
            found.append(
                Column(
                    round(x, 1),
                    round(base - tall, 1),
                    round(wide - 1.5, 1),
                    round(tall, 1),
                    round(x + wide / 2, 1),
                    label,
                    says,
                    number,
                )
            )
    rules = tuple((round(base - high * part, 1), f"{top * part:g}{unit}") for part in (0, 0.5, 1))
    return Columns(WIDTH, HEIGHT, base, tuple(found), tuple(names), rules)


def nice(most: float) -> float:
    """A round number not below the most."""
    step = 1.0
    while step * 10 < most:
        step *= 10
    while step > most:
        step /= 10
    for times in (1, 2, 3, 4, 5, 6, 8, 10):
        if step * times >= most:
            return step * times
    return step * 10
