"""Simulations as their pages show them: those that run and how far they are, and what the others came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec

from campaigns.state import State
from encounters.models import SimulationResult, SimulationWork
from encounters.parts.simulations import Simulation, Simulations
from encounters.simulating import SoFar, wanted_of
from frontend.fights.charts import Columns, columns
from rules.packs import Pack
from rules.simulation import Tally
from rules.simulation.arena import Blow

KEPT = 50


@dataclass(frozen=True)
class Running:
    """One that is not over: ``done`` of ``wanted``."""

    id: str
    title: str
    done: int
    wanted: int
    stopped: bool

    @property
    def share(self) -> int:
        """How far it is, in percent."""
        return 100 * self.done // max(1, self.wanted)


@dataclass(frozen=True)
class FighterLine:
    """One who fought: how often they are out at the end, in percent, how often their blows land, what these take."""

    name: str
    side: str
    out: float
    fell: float
    landed: float
    took: float


@dataclass(frozen=True)
class SideLine:
    """One side: how often it won, in percent, and what it lost in a round."""

    side: str
    won: float
    lost: float


@dataclass(frozen=True)
class MeasuredLine:
    """A printed number beside the measured one."""

    row: str
    printed: str
    found: str
    bears: bool
    words: str


@dataclass(frozen=True)
class DesignLine:
    """Numbers that belong together, and why they differ."""

    title: str
    why: str
    rows: tuple[MeasuredLine, ...]


@dataclass(frozen=True)
class Told:
    """What fights came to."""

    fights: int
    rounds: float
    undecided: float
    sides: tuple[SideLine, ...]
    fighters: tuple[FighterLine, ...]
    by_length: Columns
    by_round: Columns
    lengths: tuple[tuple[str, str], ...]
    losses: tuple[tuple[str, tuple[str, ...]], ...]


def running(campaign_id: UUID, state: State, packs: Any) -> list[Running]:
    """Those that are not over."""
    done = dict(SimulationWork.objects.filter(campaign_id=campaign_id).values_list("simulation", "done"))
    return [
        Running(name, one.title, done.get(name, 0), wanted_of(one, packs.get(one.pack)), one.stopped)
        for name, one in state.part(Simulations).open.items()
    ]


def results(campaign_id: UUID) -> list[SimulationResult]:
    """The newest of those that are over."""
    found = SimulationResult.objects.filter(campaign_id=campaign_id).defer("result").order_by("-position")
    return list(found[:KEPT])


def so_far(campaign_id: UUID, name: str) -> SoFar:
    """What one that runs has come to by now."""
    row = SimulationWork.objects.filter(campaign_id=campaign_id, simulation=name).first()
    return SoFar() if row is None else msgspec.convert(row.so_far, SoFar, strict=False)


def told(tally: Tally, names: Mapping[str, str], sides: Mapping[str, str], fought: Sequence[str] = ()) -> Told:
    """A tally as charts and tables. ``fought`` are those who did, in the order in which they are told."""
    names = {one: names[one] for one in fought or names}
    fights = max(1, tally.fights)
    lengths = range(1, max(tally.rounds, default=0) + 1)
    shares = [100 * tally.rounds.get(n, 0) / fights for n in lengths]
    order = list(dict.fromkeys(sides[one] for one in names if one in sides))
    by_round = [
        [lost / count for lost, count in zip(tally.lost.get(side, []), tally.fought, strict=False)] for side in order
    ]
    rounds = [str(n) for n in range(1, len(tally.fought) + 1)]
    return Told(
        fights=tally.fights,
        rounds=tally.mean_rounds(),
        undecided=tally.share_won(""),
        sides=tuple(SideLine(side, tally.share_won(side), tally.lost_a_round(side)) for side in order),
        fighters=tuple(fighter(tally, one, name, sides.get(one, "")) for one, name in names.items()),
        by_length=columns([str(n) for n in lengths], [shares], " %"),
        by_round=columns(rounds, by_round),
        lengths=tuple((str(n), f"{share:.1f}") for n, share in zip(lengths, shares, strict=True)),
        losses=tuple(
            (label, tuple(f"{one[at]:.1f}" if at < len(one) else "0" for one in by_round))
            for at, label in enumerate(rounds)
        ),
    )


def fighter(tally: Tally, one: str, name: str, side: str) -> FighterLine:
    """One who fought."""
    blow, fights = tally.blows.get(one, Blow()), max(1, tally.fights)
    return FighterLine(
        name=name,
        side=side,
        out=100 * tally.out.get(one, 0) / fights,
        fell=tally.fell.get(one, 0) / fights,
        landed=100 * blow.landed / max(1, blow.acts),
        took=blow.took / fights,
    )


def measured_lines(pack: Pack | None, measured: list[dict[str, Any]]) -> list[DesignLine]:
    """Measured numbers by what they belong to; why they differ is the pack's to say."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for one in measured:
        groups.setdefault(one["design"], []).append(one)
    designs = pack.source.sections["designs"] if pack is not None else {}
    return [
        DesignLine(
            rows[0]["title"],
            designs[name].why if name in designs else "",
            tuple(
                MeasuredLine(
                    one["row"],
                    f"{one['printed'] / one['parts']:g}",
                    f"{one['found'] / one['parts']:g}",
                    one["bears"],
                    one["words"],
                )
                for one in rows
            ),
        )
        for name, rows in groups.items()
    ]


def told_of(result: Mapping[str, Any]) -> Told | None:
    """What is kept of one that is over; None where it has no tally."""
    if "tally" not in result:
        return None
    return told(
        msgspec.convert(result["tally"], Tally, strict=False), result["names"], result["sides"], result.get("order", ())
    )


def told_now(found: SoFar) -> Told | None:
    """What one that runs has come to by now."""
    if found.who is None or not found.tally.fights:
        return None
    return told(found.tally, found.who.names, found.who.sides, [one.id for one in found.who.subjects])


def open_one(state: State, name: str) -> Simulation | None:
    """One that is not over."""
    return state.part(Simulations).open.get(name)
