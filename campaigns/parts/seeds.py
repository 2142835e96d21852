"""Dice seeds of a campaign: which are promised, how far each is used, which were revealed.

A seed serves one audience (``table``, ``gm``, ``member:<id>``) for one period. Its hash is told before it serves a
roll, the seed itself when its period ends. Source: promise 8 of the design.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, HOLDER, PLAYER, WATCHER, Data, Draft, Draw, Event, Names, event_type

# Counters from here on follow from a label (see `campaigns.seeds.fixed_counter`), those below are counted one by one.
FIXED = 1 << 62


class Seed(msgspec.Struct):
    """The running seed of one audience: its number, the public nonce it derives from, its hash, the next counter."""

    number: int
    nonce: str
    commitment: str
    next: int = 0


class Seeds(msgspec.Struct):
    """Part of the state: running seed by audience, and the number of the last one promised to each."""

    running: dict[str, Seed] = {}
    last: dict[str, int] = {}


part = registry.part("seeds", Seeds)
_PUBLIC = ("audience", "number", "commitment")


def whose(audience: str, names: Names) -> str:
    """Whose dice a seed's audience names, as the beginning of a sentence: "The table's dice", "Pia's own dice"."""
    kind, _, member = audience.partition(":")
    if member:
        return f"{names(member)}'s own dice"
    if kind.startswith("close."):
        return f"The dice of the calendar's close {kind.partition('.')[2]}"
    return f"The {'game master' if kind == 'gm' else kind}'s dice"


def _whose(d: Data, names: Names) -> str:
    """Whose dice a seed serves, as the beginning of a sentence."""
    return whose(d["audience"], names)


@event_type(
    "seed.committed",
    shows={GM: _PUBLIC, HOLDER: _PUBLIC, PLAYER: _PUBLIC, WATCHER: _PUBLIC},
    stays="A dice seed that was promised or revealed stays so.",
    rides=True,
    says=lambda d, names: (
        f"{_whose(d, names)} follow seed {d['number']} from here on; its hash begins {d['commitment'][:12]}."
    ),
)
class SeedCommitted(Event):
    """A seed was made; ``commitment`` is the SHA-256 of it (hex). The nonce never leaves the server before the end."""

    audience: str
    number: int
    nonce: str
    commitment: str


@event_type(
    "seed.revealed",
    shows={GM: EVERY_FIELD, HOLDER: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: EVERY_FIELD},
    stays="A dice seed that was promised or revealed stays so.",
    rides=True,
    says=lambda d, names: f"{_whose(d, names)}: seed {d['number']} is revealed, after {d['drawn']} dice.",
)
class SeedRevealed(Event):
    """A seed's period ended; ``seed`` is the seed itself (hex), ``drawn`` how many dice it gave."""

    audience: str
    number: int
    seed: str
    drawn: int


@part.evolves(SeedCommitted)
def _committed(seeds: Seeds, event: SeedCommitted, _position: int) -> None:
    seeds.running[event.audience] = Seed(event.number, event.nonce, event.commitment)
    seeds.last[event.audience] = event.number


@part.evolves(SeedRevealed)
def _revealed(seeds: Seeds, event: SeedRevealed, _position: int) -> None:
    running = seeds.running.get(event.audience)
    if running is not None and running.number == event.number:
        del seeds.running[event.audience]


def count(seeds: Seeds, draws: Sequence[Draw]) -> None:
    """Moves the counters past dice that were drawn; voided events count too, for no counter is used twice."""
    for draw in draws:
        seed = seeds.running.get(draw.audience)
        if seed is not None and seed.number == draw.seed and not draw.typed:
            fixed = draw.first >= FIXED
            seed.next = seed.next + len(draw.faces) if fixed else max(seed.next, draw.first + len(draw.faces))


def audience_of(seed_audience: str) -> str:
    """Who is told of a seed: the GM or one member of their own, everybody at the table of the others."""
    return seed_audience if seed_audience == "gm" or seed_audience.startswith("member:") else "table"


def commit_draft(audience: str, number: int, made: tuple[str, str]) -> Draft:
    """The draft that promises a seed; ``made`` is (nonce, commitment) as the context makes them."""
    nonce, commitment = made
    event = SeedCommitted(audience=audience, number=number, nonce=nonce, commitment=commitment)
    return Draft(event, audience=audience_of(audience))
