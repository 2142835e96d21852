"""The dice seeds of a campaign as one viewer may know them: what was promised, what was revealed, what each gave."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import msgspec

from campaigns.audience import Viewer, is_seen, view_fields
from campaigns.events import Draw, Recorded
from campaigns.feed import cursor_of
from campaigns.parts.seeds import SeedCommitted, SeedRevealed
from campaigns.store import read

TYPES = ("seed.committed", "seed.revealed")
_holders = msgspec.json.Decoder(tuple[str, ...])
_dice = msgspec.json.Decoder(tuple[Draw, ...])


@dataclass
class SeedSeen:
    """One seed: whose, its number, the hash that was promised and when; once revealed the seed itself (hex), when, and
    how many dice it gave. ``since`` and ``until`` are the positions between which it served."""

    audience: str
    number: int
    commitment: str
    promised_at: datetime
    since: int
    until: int
    seed: str = ""
    revealed_at: datetime | None = None
    drawn: int | None = None


@dataclass(frozen=True)
class DrawSeen:
    """An unbroken run of dice from a seed: the entry that tells of it (a cursor), the counter of the first die."""

    entry: str
    first: int
    sides: tuple[int, ...]
    faces: tuple[int, ...]


def seeds_seen(viewer: Viewer, upto: int) -> list[SeedSeen]:
    """Every seed that the viewer was told of up to a position, the newest promise first."""
    found: dict[tuple[str, int], SeedSeen] = {}
    for page in read.pages_of_types(viewer.campaign_id, TYPES, upto):
        for event in page:
            if is_seen(viewer, event.type, event.audience, event.holders):
                _take_in(found, event, upto, view_fields(viewer, event.type, event.holders) or ())
    return sorted(found.values(), key=lambda seed: -seed.since)


def _take_in(found: dict[tuple[str, int], SeedSeen], event: Recorded, upto: int, fields: tuple[str, ...]) -> None:
    body = event.event
    if isinstance(body, SeedCommitted) and "commitment" in fields:
        found[body.audience, body.number] = SeedSeen(
            body.audience, body.number, body.commitment, event.recorded_at, event.position, upto
        )
    elif isinstance(body, SeedRevealed) and "seed" in fields:
        seed = found.get((body.audience, body.number))
        if seed is not None:
            seed.seed, seed.drawn = body.seed, body.drawn
            seed.revealed_at, seed.until = event.recorded_at, event.position


def draws_seen(viewer: Viewer, seed: SeedSeen) -> Iterator[DrawSeen]:
    """What a seed gave, as far as the viewer sees the entries that tell of it, oldest first."""
    if not viewer.may_know_seed(seed.audience):
        return
    for position, kind, audience, holders, dice in read.draws(viewer.campaign_id, seed.since, seed.until):
        if not is_seen(viewer, kind, audience, _holders.decode(holders)):
            continue
        for draw in _dice.decode(dice):
            if (draw.audience, draw.seed) == (seed.audience, seed.number) and not draw.typed:
                yield DrawSeen(cursor_of(viewer.campaign_id, position), draw.first, draw.sides, draw.faces)
