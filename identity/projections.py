"""Projections of `identity`: pairs and unsettled marks; and trails: changes of pairs, entries of closed periods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from campaigns.events import Event, Recorded
from campaigns.parts.calendar import PeriodClosed
from campaigns.registry import Key, Projection, Trail, projection, trail
from campaigns.state import State
from identity import models
from identity.parts import marks as m
from identity.parts import pairs as p
from rules import pairs as rp

PAIR_BODIES = (p.PairsOpened, p.PairsConfirmed, p.RatingSet, p.PairShifted, m.SubjectSettled, m.AdvancementRolled)


def _pairs_touched(event: Event) -> Iterable[Key]:
    if isinstance(event, p.PairsOpened | p.PairsConfirmed):
        return [(event.subject, pair) for pair in event.ratings]
    if isinstance(event, p.RatingSet | p.PairShifted):
        return [(event.subject, event.pair)]
    if isinstance(event, m.SubjectSettled):
        return [(event.subject, result.pair) for result in event.results if result.change]
    assert isinstance(event, m.AdvancementRolled)
    return [(event.subject, event.result.pair)]


def _pair_keys(state: State) -> Iterable[Key]:
    subjects = state.part(rp.PairsState).subjects
    return [(subject, pair) for subject, own in subjects.items() if own.ready for pair in own.ratings]


def _pair_row(state: State, key: Key) -> Mapping[str, Any] | None:
    subject, pair_id = key
    own = state.part(rp.PairsState).subjects.get(subject)
    if own is None or not own.ready or pair_id not in own.ratings:
        return None
    rules = p.pair_rules(state)
    kind = rp.kind_named(rules, own.kind)
    pair = rp.pair_named(kind, pair_id)
    first = own.ratings[pair_id]
    return {
        "kind": own.kind,
        "place": kind.pairs.index(pair),
        "first_side": pair.sides[0].title,
        "first_rating": first,
        "second_side": pair.sides[1].title,
        "second_rating": rules.total - first,
    }


MARK_BODIES = (m.MarkAwarded, m.MarkProposed, m.ProposalDeclined, m.MarkVoided, m.SubjectSettled)


def _marks_touched(event: Event) -> Iterable[Key]:
    if isinstance(event, m.SubjectSettled):
        return [(i,) for i in (*(mark.id for mark in event.marks), *event.lapsed)]
    if isinstance(event, m.MarkAwarded):
        return [(event.mark,), *([(event.proposal,)] if event.proposal else [])]
    if isinstance(event, m.MarkProposed | m.ProposalDeclined):
        return [(event.proposal,)]
    assert isinstance(event, m.MarkVoided)
    return [(event.mark,)]


def _mark_keys(state: State) -> Iterable[Key]:
    kept = state.part(m.Marks).kept
    return [(i,) for i in (*kept.marks, *kept.proposals)]


def _mark_row(state: State, key: Key) -> Mapping[str, Any] | None:
    kept = state.part(m.Marks).kept
    mark = kept.marks.get(key[0]) or kept.proposals.get(key[0])
    if mark is None:
        return None
    return {
        "state": models.Mark.AWARDED if key[0] in kept.marks else models.Mark.PROPOSED,
        "subject": mark.subject,
        "pair": mark.pair,
        "side": m.side_title(p.pair_rules(state), mark.kind, mark.side),
        "happened_at": mark.at,
        "sealed": mark.sealed,
        "source": mark.source,
        "note": mark.note,
    }


def _changes(recorded: Recorded) -> Iterable[Mapping[str, Any]]:
    """The changes of ratings that an event tells: (pair, first side's rating, signed change or None)."""
    event = recorded.event
    told: list[tuple[str, int | None, int | None]] = []
    if isinstance(event, p.PairsConfirmed) or (isinstance(event, p.PairsOpened) and event.ready):
        told = [(pair, first, None) for pair, first in sorted(event.ratings.items())]
    elif isinstance(event, p.RatingSet):
        told = [(event.pair, event.after, None)]
    elif isinstance(event, p.PairShifted):
        told = [(event.pair, event.after, event.change)]
    elif isinstance(event, m.SubjectSettled):
        told = [(result.pair, result.after, result.change) for result in event.results if result.change]
    elif isinstance(event, m.AdvancementRolled) and event.result.change:
        told = [(event.result.pair, event.result.after, event.result.change)]
    subject = getattr(event, "subject", "")
    at = recorded.happened_at or recorded.recorded_at
    return [
        {"subject": subject, "pair": pair, "rating": rating, "change": change, "happened_at": at}
        for pair, rating, change in told
    ]


def _entries(recorded: Recorded) -> Iterable[Mapping[str, Any]]:
    """One row a close, for what came of it lies behind it; one a roll that was made later."""
    event = recorded.event
    if isinstance(event, PeriodClosed):
        place = {"title": event.title, "starts": event.starts, "ends": event.ends}
        return [{"rung": event.rung, "number": event.number, **place}]
    assert isinstance(event, m.AdvancementRolled)
    return [{"rung": event.rung, "number": event.number}]


projection(Projection("pairs", models.Pair, ("subject", "pair"), PAIR_BODIES, _pairs_touched, _pair_keys, _pair_row))
projection(Projection("marks", models.Mark, ("mark",), MARK_BODIES, _marks_touched, _mark_keys, _mark_row))
trail(
    Trail(
        "pair_changes",
        models.PairChange,
        PAIR_BODIES,
        _changes,
    )
)
trail(
    Trail(
        "period_entries",
        models.PeriodEntry,
        (PeriodClosed, m.AdvancementRolled),
        _entries,
    )
)
