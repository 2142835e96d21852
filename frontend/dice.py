"""How the dice of a campaign fell, and their seeds, as plain values for templates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from campaigns.audience import name_finder
from campaigns.dice_seeds import SeedSeen, seeds_seen
from campaigns.dice_statistics import Tally, tallies, tallies_by_audience
from campaigns.parts.seeds import whose
from campaigns.state import State
from frontend.seat import Seat

FACES = 20
"""dice with more sides than this are told in a sentence, not face by face"""


@dataclass(frozen=True)
class Bar:
    """One face: how often it fell, and its height and that of the expected number, 0 to 100."""

    face: int
    seen: int
    height: int


@dataclass(frozen=True)
class DieTold:
    """Dice of one kind: all that this seat sees, and apart by whose seeds they came from (whose, tally)."""

    tally: Tally
    bars: tuple[Bar, ...]
    expected_height: int
    apart: tuple[tuple[str, Tally], ...]


@dataclass(frozen=True)
class SeedTold:
    """A seed with the words for whose dice it serves."""

    whose: str
    seed: SeedSeen


def dice_told(state: State, seat: Seat) -> list[DieTold]:
    """Every kind of die that this seat has seen fall."""
    names, viewer = name_finder(state), seat.viewer
    apart = tallies_by_audience(seat.campaign_id, viewer, state.position)
    found = []
    for tally in tallies(seat.campaign_id, viewer, state.position):
        own = [t for t in apart if (t.sides, t.typed) == (tally.sides, tally.typed)]
        told = tuple((whose(t.audience, names), t) for t in own) if len(own) > 1 else ()
        top = max(tally.most, tally.expected)
        bars = tuple(Bar(f, n, round(100 * n / top)) for f, n in tally.faces.items()) if tally.sides <= FACES else ()
        found.append(DieTold(tally, bars, round(100 * tally.expected / top), told))
    return found


def seeds_told(state: State, seat: Seat) -> list[SeedTold]:
    """Every seed that this seat was told of, newest first."""
    names = name_finder(state)
    return [SeedTold(whose(seed.audience, names), seed) for seed in seeds_seen(state, seat.viewer)]


def running_first(seeds: Iterable[SeedTold]) -> tuple[list[SeedTold], list[SeedTold]]:
    """Those that serve now, and those that were revealed."""
    every = list(seeds)
    return [s for s in every if not s.seed.seed], [s for s in every if s.seed.seed]
