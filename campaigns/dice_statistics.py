"""How the dice have fallen: faces seen and expected, and in a plain sentence whether that is remarkable."""

from __future__ import annotations

import math
import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import msgspec

from campaigns.audience import Viewer, is_seen
from campaigns.events import Draw
from campaigns.store import read

# The test is trusted from this many expected dice a face on.
ENOUGH = 5
KEPT = 512
_holders = msgspec.json.Decoder(tuple[str, ...])
_dice = msgspec.json.Decoder(tuple[Draw, ...])


@dataclass(frozen=True)
class Tally:
    """Dice of one number of sides, rolled here or typed in: how often each face came up (``faces``: face -> times).
    ``audience`` is that of the seeds they came from; empty where all are counted together."""

    sides: int
    typed: bool
    faces: dict[int, int]
    audience: str = ""

    @property
    def name(self) -> str:
        """ "d20", "d20, typed in"."""
        return f"d{self.sides}" + (", typed in" if self.typed else "")

    @property
    def most(self) -> int:
        """How often the commonest face came up."""
        return max(self.faces.values())

    @property
    def total(self) -> int:
        """How many dice fell."""
        return sum(self.faces.values())

    @property
    def expected(self) -> float:
        """How often each face comes up on average in so many dice."""
        return self.total / self.sides

    @property
    def chance(self) -> float | None:
        """How likely fair dice deviate at least as much (chi-squared test); None for too few dice to say."""
        if self.expected < ENOUGH or self.sides < 2:
            return None
        expected = self.expected
        return chi_squared_tail(sum((n - expected) ** 2 / expected for n in self.faces.values()), self.sides - 1)

    @property
    def says(self) -> str:
        """Whether the deviation is remarkable, in a sentence."""
        chance = self.chance
        if chance is None:
            return f"Too few to judge: {self.total} of at least {ENOUGH * self.sides} dice."
        if chance >= 0.05:
            return f"Nothing remarkable: fair dice stray at least this far in {round(chance * 100)} of 100 such series."
        if chance >= 0.001:
            return f"Unusual, but not alarming: fair dice stray this far once in {round(1 / chance)} such series."
        return "Remarkable: fair dice stray this far less than once in a thousand such series."


Kind = tuple[str, int, bool]
"""audience of the seed, sides, typed in"""


@dataclass
class _Counted:
    """What was counted up to a position. Dice never change, so the next look goes on from there."""

    position: int = 0
    faces: dict[Kind, Counter[int]] = field(default_factory=dict)


_kept: OrderedDict[tuple[Any, ...], _Counted] = OrderedDict()
_guard = threading.Lock()


def _counted(campaign_id: UUID, viewer: Viewer | None, upto: int) -> dict[Kind, Counter[int]]:
    key = (campaign_id, viewer and (viewer.audience_key, viewer.plays))
    with _guard:
        counted = _kept.pop(key, None)
        if counted is None or counted.position > upto:
            counted = _Counted()
        for position, kind, audience, holders, dice in read.draws(campaign_id, counted.position, upto):
            counted.position = position
            if viewer is not None and not is_seen(viewer, kind, audience, _holders.decode(holders)):
                continue
            for draw in _dice.decode(dice):
                if viewer is None or viewer.may_know_seed(draw.audience):
                    for sides, shown in zip(draw.sides, draw.faces, strict=True):
                        counted.faces.setdefault((draw.audience, sides, draw.typed), Counter())[shown] += 1
        _kept[key] = counted
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
        return {kind: Counter(seen) for kind, seen in counted.faces.items()}


def tallies(campaign_id: UUID, viewer: Viewer | None = None, upto: int = 1 << 62) -> list[Tally]:
    """Tallies by sides, of the dice that the viewer may see (None: all). A die counts although its event was voided."""
    together: dict[Kind, Counter[int]] = {}
    for (_, sides, typed), seen in _counted(campaign_id, viewer, upto).items():
        together.setdefault(("", sides, typed), Counter()).update(seen)
    return _tallied(together)


def tallies_by_audience(campaign_id: UUID, viewer: Viewer | None = None, upto: int = 1 << 62) -> list[Tally]:
    """The same, one for each audience of seeds apart."""
    return _tallied(_counted(campaign_id, viewer, upto))


def _tallied(counts: dict[Kind, Counter[int]]) -> list[Tally]:
    return [
        Tally(sides, typed, {face: seen[face] for face in range(1, sides + 1)}, audience)
        for (audience, sides, typed), seen in sorted(counts.items(), key=lambda one: (one[0][1:], one[0][0]))
    ]


def chi_squared_tail(statistic: float, freedom: int) -> float:
    """The chance of a chi-squared value of at least ``statistic`` with ``freedom`` degrees: Q(freedom/2, statistic/2).

    By its series below the bend and by its continued fraction above, as for any regularized gamma function.
    """
    a, x = freedom / 2, statistic / 2
    if x <= 0:
        return 1.0
    front = math.exp(-x + a * math.log(x) - math.lgamma(a))
    return 1 - front * _series(a, x) if x < a + 1 else front * _fraction(a, x)


def _series(a: float, x: float) -> float:
    term = total = 1 / a
    n = a
    while abs(term) > abs(total) * 1e-12:
        n += 1
        term *= x / n
        total += term
    return total


def _fraction(a: float, x: float) -> float:
    b = x + 1 - a
    c, d = 1e300, 1 / b
    value = d
    for i in range(1, 1000):
        factor = -i * (i - a)
        b += 2
        d = 1 / (factor * d + b)
        c = b + factor / c
        value *= c * d
        if abs(c * d - 1) < 1e-12:
            break
    return value
