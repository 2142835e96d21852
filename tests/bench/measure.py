"""Rows of the table and how they are measured."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One figure: what was done, by whom, how much. `higher` says whether more is better; `aim` is a ratio or ''."""

    work: str
    who: str
    value: float
    unit: str
    higher: bool = True
    aim: str = ""


def rate(operation: Callable[[], int]) -> float:
    """Operations a second (of CPU time: others may use the machine meanwhile) of one call, which answers how many."""
    began = time.process_time()
    done = operation()
    return done / (time.process_time() - began)


def interleaved(work: str, unit: str, rivals: Mapping[str, Callable[[], float]], rounds: int = 5) -> list[Row]:
    """Measure each of `rivals` (a name and what answers one figure) in turn, `rounds` times; a row of medians each."""
    figures: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds):
        for name, one in rivals.items():
            figures[name].append(one())
    return [Row(work, name, statistics.median(values), unit) for name, values in figures.items()]
