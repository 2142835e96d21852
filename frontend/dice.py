"""How the dice of a campaign fell, and their seeds, as plain values for templates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from campaigns.audience import GONE, name_finder
from campaigns.dice_seeds import SeedSeen, seeds_seen
from campaigns.dice_statistics import Tally, tallies, tallies_by_audience
from campaigns.events import Names
from campaigns.feed import older
from campaigns.parts.seeds import whose
from campaigns.parts.table import Table
from campaigns.state import State
from campaigns.store import read
from frontend.seat import Seat

FAR_BACK = 600
ROLLED = ("test.advanced", "test.resolved")
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


def members_named(state: State) -> Names:
    """Names of members, for use outside the campaign's lock."""
    names = {member: found.name for member, found in state.part(Table).members.items()}
    return lambda member: names.get(member, GONE)


def dice_told(seat: Seat, position: int, names: Names) -> list[DieTold]:
    """Every kind of die that this seat has seen fall. Counts far back the first time: not for under a lock."""
    apart = tallies_by_audience(seat.campaign_id, seat.viewer, position)
    found = []
    for tally in tallies(seat.campaign_id, seat.viewer, position):
        own = [t for t in apart if (t.sides, t.typed) == (tally.sides, tally.typed)]
        told = tuple((whose(t.audience, names), t) for t in own) if len(own) > 1 else ()
        top = max(tally.most, tally.expected)
        bars = tuple(Bar(f, n, round(100 * n / top)) for f, n in tally.faces.items()) if tally.sides <= FACES else ()
        found.append(DieTold(tally, bars, round(100 * tally.expected / top), told))
    return found


@dataclass(frozen=True)
class DrawTold:
    """Dice of a test as they were recorded: whose seed, its number, the counters, what fell; or typed in by hand."""

    whose: str
    seed: int
    first: int
    last: int
    dice: str
    typed: bool


def dice_said(sides: Iterable[int]) -> str:
    """Dice in the order in which they are thrown: "2 d20, then d10"."""
    runs = [(size, len(list(run))) for size, run in groupby(sides)]
    return ", then ".join(f"{count} d{size}" if count > 1 else f"d{size}" for size, count in runs)


def draws_of_test(state: State, seat: Seat, call: str) -> list[DrawTold]:
    """How to compute the dice of a finished test anew, as far as this seat may know their seeds."""
    positions: list[int] = []
    before, looked = state.position + 1, 0
    while looked < FAR_BACK:
        entries = older(state, seat.viewer, before, 100)
        own = [entry for entry in entries if entry.view["data"].get("call") == call]
        positions += [entry.position for entry in own if entry.view["type"] in ROLLED]
        if len(entries) < 100 or any(entry.view["type"] == "test.called" for entry in own):
            break
        looked, before = looked + len(entries), entries[-1].position
    names = name_finder(state)
    return [
        DrawTold(
            whose=whose(draw.audience, names),
            seed=draw.seed,
            first=draw.first,
            last=draw.first + len(draw.faces) - 1,
            dice=", ".join(f"d{sides} {shown}" for sides, shown in zip(draw.sides, draw.faces, strict=True)),
            typed=draw.typed,
        )
        for event in read.events_at(seat.campaign_id, positions)
        for draw in event.dice
        if seat.viewer.may_know_seed(draw.audience)
    ]


def seeds_told(seat: Seat, position: int, names: Names) -> list[SeedTold]:
    """Every seed that this seat was told of, newest first."""
    return [SeedTold(whose(seed.audience, names), seed) for seed in seeds_seen(seat.viewer, position)]


def running_first(seeds: Iterable[SeedTold]) -> tuple[list[SeedTold], list[SeedTold]]:
    """Those that serve now, and those that were revealed."""
    every = list(seeds)
    return [s for s in every if not s.seed.seed], [s for s in every if s.seed.seed]
