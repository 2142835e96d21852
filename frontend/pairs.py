"""Opposed pairs and marks as templates draw them, made of what `identity.reads` lets this seat know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from campaigns.entrance import utc_now
from campaigns.sections import section
from campaigns.state import State
from frontend.drawing import ChartPoint
from frontend.seat import Seat
from identity.reads import Creation, MarkRead, OpenRollRead, PairRead, SubjectPairsRead, subject_pairs
from rules import pairs as rp


@dataclass(frozen=True)
class PairView:
    """One pair: names, ratings (None while unknown), open marks on either side, sealed ones, when it can be marked."""

    id: str
    key_a: str
    key_b: str
    name_a: str
    name_b: str
    gist_a: str
    gist_b: str
    rating_a: int | None
    rating_b: int | None
    marks_a: int
    marks_b: int
    sealed: int
    marked_until: date | None
    open_rolls: tuple[OpenRollRead, ...]
    history: tuple[ChartPoint, ...]

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.name_a} / {self.name_b}"


@dataclass(frozen=True)
class PairsView:
    """The pairs of a subject. ``stage``: none (nothing yet), creation (waits for its placing), ready. ``full``: this
    seat sees ratings and marks. ``marks`` and ``proposals`` are those not yet settled, oldest first."""

    stage: str
    full: bool
    title: str
    gist: str
    rolls: bool
    total: int
    pairs: tuple[PairView, ...]
    creation: Creation | None
    marks: tuple[MarkRead, ...]
    proposals: tuple[MarkRead, ...]

    def charts(self) -> Iterator[PairView]:
        """The pairs that have moved."""
        return (pair for pair in self.pairs if any(point.moved for point in pair.history))


def pairs_view(state: State, seat: Seat, subject: str) -> PairsView | None:
    """The pairs of a subject as this seat may know them; None where its kind has none."""
    found, rules = subject_pairs(state, seat.viewer, subject, utc_now()), section(state, "pairs", rp.PairRules)
    if found is None or rules is None:
        return None
    total = rules[1].total
    views = tuple(_pair_view(pair, found.creation, total) for pair in found.pairs)
    return PairsView(
        stage=found.state,
        full=found.full,
        title=found.title,
        gist=_gist(rules[1], found),
        rolls=found.starts_by == "array",
        total=total,
        pairs=views,
        creation=found.creation,
        marks=tuple(sorted((m for pair in found.pairs for m in pair.marks), key=lambda mark: mark.at)),
        proposals=tuple(sorted((m for pair in found.pairs for m in pair.proposals), key=lambda mark: mark.at)),
    )


def _gist(rules: rp.PairRules, found: SubjectPairsRead) -> str:
    return next((kind.gist for kind in rules.kinds if kind.id == found.kind), "")


def _pair_view(pair: PairRead, creation: Creation | None, total: int) -> PairView:
    a, b = pair.sides
    key_a, key_b = f"{pair.kind}.{a.side}", f"{pair.kind}.{b.side}"
    rating = a.rating
    if rating is None and creation is not None:
        rating = creation.ratings.get(pair.pair)
    return PairView(
        id=pair.pair,
        key_a=key_a,
        key_b=key_b,
        name_a=a.title,
        name_b=b.title,
        gist_a=a.gist,
        gist_b=b.gist,
        rating_a=rating,
        rating_b=None if rating is None else total - rating,
        marks_a=sum(mark.side == a.side and not mark.sealed for mark in pair.marks),
        marks_b=sum(mark.side == b.side and not mark.sealed for mark in pair.marks),
        sealed=sum(mark.sealed for mark in pair.marks),
        marked_until=None if pair.markable else pair.from_date,
        open_rolls=pair.open_rolls,
        history=_history(pair),
    )


def _history(pair: PairRead) -> tuple[ChartPoint, ...]:
    """What was entered after the close that moved it (a close bears its own date) stands at that close's time."""
    points: list[ChartPoint] = []
    for place, point in enumerate(pair.history):
        moved = bool(points) and points[-1].value != point.rating
        stood = min(pair.history[place:], key=lambda one: one.at)
        points.append(ChartPoint(stood.when or f"{stood.at.day} {stood.at:%b %Y}", point.rating, moved))
    return tuple(points)
