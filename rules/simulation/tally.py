"""What many fights came to, in counts that can be added up: kept, sent, shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from msgspec import Struct, field

from rules.simulation.arena import MOST_ROUNDS, Arena, Blow, FightOver

K = TypeVar("K", str, int)


class Tally(Struct, kw_only=True):
    """``fights`` so many; ``length`` of all of them, in hundredths of rounds. ``rounds``: how many -> fights. ``won``:
    side -> fights (empty: undecided). ``out``: subject -> fights at whose end they are out; ``fell``: subject -> how
    often they went out. ``lost``: side -> what it lost in all, by round; ``fought``: how many fights came to each
    round. ``blows`` by who dealt them."""

    fights: int = 0
    length: int = 0
    rounds: dict[int, int] = {}
    won: dict[str, int] = {}
    out: dict[str, int] = {}
    fell: dict[str, int] = {}
    lost: dict[str, list[int]] = {}
    fought: list[int] = []
    blows: dict[str, Blow] = field(default_factory=dict)

    def mean_rounds(self) -> float:
        """How long a fight took, a round that was not over counted in part."""
        return self.length / 100 / max(1, self.fights)

    def lost_a_round(self, side: str) -> float:
        """What a side lost in a round, on the average of all that was fought."""
        return 100 * sum(self.lost.get(side, [])) / max(1, self.length)

    def share_won(self, side: str) -> float:
        """How often, in percent, a side won."""
        return 100 * self.won.get(side, 0) / max(1, self.fights)


def counted(over: FightOver) -> Tally:
    """One fight as a tally."""
    return Tally(
        fights=1,
        length=over.length,
        rounds={over.rounds: 1},
        won={over.won: 1},
        out=dict.fromkeys(over.out, 1),
        fell=dict(over.fell),
        lost={side: list(rounds) for side, rounds in over.lost.items()},
        fought=[1] * over.rounds,
        blows=over.blows,
    )


def merged(one: Tally, other: Tally) -> Tally:
    """Both together."""
    blows = {name: Blow(**{f: getattr(b, f) for f in b.__struct_fields__}) for name, b in one.blows.items()}
    for name, more in other.blows.items():
        into = blows.setdefault(name, Blow())
        for part in more.__struct_fields__:
            setattr(into, part, getattr(into, part) + getattr(more, part))
    sides = dict.fromkeys([*one.lost, *other.lost])
    return Tally(
        fights=one.fights + other.fights,
        length=one.length + other.length,
        rounds=added(one.rounds, other.rounds),
        won=added(one.won, other.won),
        out=added(one.out, other.out),
        fell=added(one.fell, other.fell),
        lost={side: sums(one.lost.get(side, []), other.lost.get(side, [])) for side in sides},
        fought=sums(one.fought, other.fought),
        blows=blows,
    )


def added(one: dict[K, int], other: dict[K, int]) -> dict[K, int]:
    return {key: one.get(key, 0) + other.get(key, 0) for key in {**one, **other}}


def sums(one: list[int], other: list[int]) -> list[int]:
    size = max(len(one), len(other))
    return [sum(part[at] for part in (one, other) if at < len(part)) for at in range(size)]


def simulate(  # noqa: PLR0913
    arena: Arena, count: int, seed: str, begin: int = 0, step: int = 25, most: int = MOST_ROUNDS
) -> Iterator[Tally]:
    """Fights from number ``begin`` on, a tally of those so far after every ``step`` of them and at the end."""
    tally = Tally()
    for number in range(begin, begin + count):
        tally = merged(tally, counted(arena.fight(f"{seed}:{number}", most)))
        if (number + 1 - begin) % step == 0 and number + 1 < begin + count:
            yield tally
    yield tally


def whole(arena: Arena, count: int, seed: str, most: int = MOST_ROUNDS) -> Tally:
    """All of them at once."""
    *_, tally = simulate(arena, count, seed, step=count, most=most)
    return tally
