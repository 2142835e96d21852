"""Reads of `campaigns` about its dice: how they fell, the seeds that were promised and revealed, what each gave."""

from __future__ import annotations

from datetime import datetime

import msgspec

from campaigns.api.reading import Ask, register_read
from campaigns.audience import name_finder
from campaigns.dice_seeds import SeedSeen, draws_seen, seeds_seen
from campaigns.dice_statistics import Tally, tallies, tallies_by_audience
from campaigns.events import GM, PLAYER
from campaigns.parts.seeds import whose
from rules.refusal import Refused

MEMBERS = (GM, PLAYER)


class TallyRead(msgspec.Struct):
    """Dice of one number of sides. `faces` says how often each came up; `expected` how often it would on average."""

    sides: int
    typed: bool
    audience: str
    whose: str
    total: int
    expected: float
    faces: dict[int, int]
    chance: float | None
    says: str


class DiceRead(msgspec.Struct):
    """All dice that one may see: `together` by sides, `apart` by sides and audience of the seed."""

    together: list[TallyRead]
    apart: list[TallyRead]


class SeedRead(msgspec.Struct):
    """A seed. `commitment` is the SHA-256 of it, `seed` the seed itself once it is revealed; both hex."""

    audience: str
    whose: str
    number: int
    commitment: str
    promised_at: datetime
    seed: str
    revealed_at: datetime | None
    drawn: int | None


class SeedsRead(msgspec.Struct):
    """The newest promise first."""

    seeds: list[SeedRead]


class DrawRead(msgspec.Struct):
    """Dice one behind another: `first` is the counter of the first, a text because it may be longer than 53 bits."""

    entry: str
    first: str
    sides: tuple[int, ...]
    faces: tuple[int, ...]


class SeedDrawsRead(msgspec.Struct):
    """A seed and all that it gave, as far as one may see it."""

    seed: SeedRead
    draws: list[DrawRead]


def _tally(ask: Ask, tally: Tally) -> TallyRead:
    return TallyRead(
        sides=tally.sides,
        typed=tally.typed,
        audience=tally.audience,
        whose=whose(tally.audience, name_finder(ask.state)) if tally.audience else "",
        total=tally.total,
        expected=tally.expected,
        faces=tally.faces,
        chance=tally.chance,
        says=tally.says,
    )


def _seed(ask: Ask, seed: SeedSeen) -> SeedRead:
    return SeedRead(
        audience=seed.audience,
        whose=whose(seed.audience, name_finder(ask.state)),
        number=seed.number,
        commitment=seed.commitment,
        promised_at=seed.promised_at,
        seed=seed.seed,
        revealed_at=seed.revealed_at,
        drawn=seed.drawn,
    )


@register_read("dice", title="How the dice fell", answer=DiceRead, roles=MEMBERS)
def dice(ask: Ask) -> DiceRead:
    """Faces seen and expected, of the dice that one may see, and whether the deviation is remarkable."""
    found = (ask.campaign_id, ask.viewer, ask.state.position)
    return DiceRead([_tally(ask, t) for t in tallies(*found)], [_tally(ask, t) for t in tallies_by_audience(*found)])


@register_read("seeds", title="Dice seeds", answer=SeedsRead, roles=MEMBERS)
def seeds(ask: Ask) -> SeedsRead:
    """Promised hashes, and the seeds that were revealed."""
    return SeedsRead([_seed(ask, seed) for seed in seeds_seen(ask.viewer, ask.state.position)])


@register_read("seeds/<str:audience>/<int:number>", title="What a seed gave", answer=SeedDrawsRead, roles=MEMBERS)
def seed_draws(ask: Ask) -> SeedDrawsRead:
    """For computing its dice anew: face = HMAC-SHA256(seed, counter and attempt), as `/api/docs` says."""
    wanted = (ask.path["audience"], ask.path["number"])
    seed = next((s for s in seeds_seen(ask.viewer, ask.state.position) if (s.audience, s.number) == wanted), None)
    if seed is None:
        raise Refused("not_found", "You were told of no such seed.", field="audience", value=wanted[0])
    draws = [DrawRead(d.entry, str(d.first), d.sides, d.faces) for d in draws_seen(ask.viewer, seed)]
    return SeedDrawsRead(_seed(ask, seed), draws)
