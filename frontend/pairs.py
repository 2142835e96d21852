"""Opposed pairs and marks of a subject, as the seats that may see them see them: plain values for the templates."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from campaigns.entrance import utc_now
from campaigns.parts.calendar import Calendar, calendar_rules
from campaigns.sections import section
from campaigns.state import State
from frontend.drawing import ChartPoint
from frontend.seat import Seat
from identity.models import PairChange
from identity.parts.marks import Marks, side_title, standing_of
from rules import calendar as rc
from rules import development as rd
from rules import pairs as rp
from rules.refusal import Refused


@dataclass(frozen=True)
class PairView:
    """One pair: names, ratings (None while it is not placed), marks on either side, and until when it takes none."""

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

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.name_a} / {self.name_b}"


@dataclass(frozen=True)
class PairsView:
    """The pairs of a subject. ``stage``: none (nothing yet), rolled (waits for its placing), ready."""

    stage: str
    title: str
    gist: str
    rolls: bool
    total: int
    pairs: tuple[PairView, ...]
    results: tuple[int, ...] = ()
    placed: dict[str, int] | None = None


@dataclass(frozen=True)
class MarkView:
    """A mark that is not settled, or a proposal of one."""

    id: str
    subject: str
    pair: str
    side: str
    at: datetime
    note: str
    source: str
    sealed: bool
    proposal: bool


def sees_pairs(seat: Seat, subject: str) -> bool:
    """Ratings and marks are their holder's and the game masters'."""
    return seat.is_gm or subject in seat.viewer.plays


def rules_of(state: State) -> rp.PairRules | None:
    """The campaign's rules of pairs, if one of its packs has some."""
    found = section(state, "pairs", rp.PairRules)
    return found[1] if found else None


def standing(state: State) -> rd.Standing | None:
    """All that development reads; None where the campaign has no development."""
    try:
        return standing_of(state)
    except Refused:
        return None


def pairs_view(state: State, seat: Seat, subject: str, subject_kind: str) -> PairsView | None:
    """The pairs of a subject for somebody who may see them; None where its kind has none."""
    rules = rules_of(state)
    kind = next((k for k in rules.kinds if k.holder == subject_kind), None) if rules else None
    if rules is None or kind is None:
        return None
    own = state.part(rp.PairsState).subjects.get(subject)
    stage = "none" if own is None else "ready" if own.ready else "rolled"
    marks = _counted(state, subject, sealed_too=seat.is_gm)
    stands = standing(state) if own is not None and own.ready else None
    views = tuple(_pair_view(rules, kind, pair, own, marks, _until(stands, subject, pair.id)) for pair in kind.pairs)
    return PairsView(
        stage=stage,
        title=kind.title,
        gist=kind.gist,
        rolls=isinstance(kind.start, rp.ArrayStart),
        total=rules.total,
        pairs=views,
        results=tuple(own.results) if own else (),
        placed=dict(own.placed) if own else None,
    )


def _counted(state: State, subject: str, *, sealed_too: bool) -> Counter[tuple[str, str, bool]]:
    """Unsettled marks by (pair, side, sealed)."""
    every = state.part(Marks).kept.marks.values()
    own = [mark for mark in every if mark.subject == subject and (sealed_too or not mark.sealed)]
    return Counter((mark.pair, mark.side, mark.sealed) for mark in own)


def _until(stands: rd.Standing | None, subject: str, pair: str) -> date | None:
    """From when the pair can be marked again, where it cannot be now."""
    if stands is None:
        return None
    able = rd.eligibility(stands, subject, pair, utc_now())
    return None if able.possible else able.from_date


def _pair_view(
    rules: rp.PairRules,
    kind: rp.PairKind,
    pair: rp.Pair,
    own: rp.SubjectPairs | None,
    marks: Counter[tuple[str, str, bool]],
    until: date | None,
) -> PairView:
    a, b = pair.sides
    first = own.ratings.get(pair.id) if own else None
    return PairView(
        id=pair.id,
        key_a=f"{kind.id}.{a.id}",
        key_b=f"{kind.id}.{b.id}",
        name_a=a.title,
        name_b=b.title,
        gist_a=a.gist,
        gist_b=b.gist,
        rating_a=first,
        rating_b=None if first is None else rules.total - first,
        marks_a=marks[pair.id, a.id, False],
        marks_b=marks[pair.id, b.id, False],
        sealed=marks[pair.id, a.id, True] + marks[pair.id, b.id, True],
        marked_until=until,
    )


def marks_of(state: State, seat: Seat, subject: str = "") -> list[MarkView]:
    """Unsettled marks and open proposals of a subject (of all, without one) that this seat may see, oldest first."""
    rules, stands = rules_of(state), standing(state)
    if rules is None or stands is None:
        return []
    sources = {source.id: source.title for source in stands.rules.sources}
    kept = state.part(Marks).kept
    found = [(mark, False) for mark in kept.marks.values()] + [(mark, True) for mark in kept.proposals.values()]
    return sorted(
        (
            _mark_view(rules, mark, sources.get(mark.source, ""), proposal)
            for mark, proposal in found
            if (not subject or mark.subject == subject)
            and sees_pairs(seat, mark.subject)
            and (seat.is_gm or not mark.sealed)
        ),
        key=lambda view: view.at,
    )


def _mark_view(rules: rp.PairRules, mark: rd.Mark, source: str, proposal: bool) -> MarkView:
    return MarkView(
        id=mark.id,
        subject=mark.subject,
        pair=mark.pair,
        side=side_title(rules, mark.kind, mark.side),
        at=mark.at,
        note=mark.note,
        source=source,
        sealed=mark.sealed,
        proposal=proposal,
    )


def history_of(state: State, campaign_id: UUID, subject: str) -> dict[str, list[ChartPoint]]:
    """By pair, how its first side's rating went. Pairs that never moved are left out."""
    rows = PairChange.objects.filter(campaign_id=campaign_id, subject=subject).order_by("position", "seq")
    by_pair: dict[str, list[ChartPoint]] = {}
    for row in rows:
        points = by_pair.setdefault(row.pair, [])
        moved = bool(points) and points[-1].value != row.rating
        points.append(ChartPoint(_label(state, row.happened_at), row.rating, moved))
    return {pair: points for pair, points in by_pair.items() if len(points) > 1}


def _label(state: State, at: datetime) -> str:
    """The period in which something happened, or its date where the calendar had not begun."""
    rules, clock = calendar_rules(state), state.part(Calendar).clock
    if rules is None or clock.start is None or len(clock.rungs) < 2:
        return f"{at.day} {at:%b %Y}"
    found = rc.period_at(clock, clock.rungs[1], at)
    return rc.period_name(rules, clock, found.rung, found.number) if found else f"{at.day} {at:%b %Y}"
