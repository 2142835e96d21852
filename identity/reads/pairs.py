"""A subject's pairs as one viewer may know them: names and gists for everybody, the rest for holders and GM."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from uuid import UUID

import msgspec

from campaigns.audience import Viewer, name_finder
from campaigns.events import GM
from campaigns.parts.calendar import Calendar, calendar_rules
from campaigns.parts.subjects import Subjects
from campaigns.sections import section
from campaigns.state import State
from identity import models
from identity.parts import marks as m
from identity.parts import pairs as p
from rules import calendar as rc
from rules import development as rd
from rules import pairs as rp


class SideRead(msgspec.Struct, frozen=True, kw_only=True):
    """One side: its key within the kind, what it is called, what it means; its rating where the viewer may know it."""

    side: str
    title: str
    gist: str
    rating: int | None = None


class MarkRead(msgspec.Struct, frozen=True, kw_only=True):
    """A mark that is not settled, or a proposal that waits. ``when`` is its place in the calendar, in words."""

    mark: str
    side: str
    title: str
    note: str
    source: str
    at: datetime
    when: str
    sealed: bool


class OpenRollRead(msgspec.Struct, frozen=True, kw_only=True):
    """An advancement roll that waits for its player until ``until``."""

    roll: str
    toward: str
    title: str
    bonus: int
    until: datetime


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """A rating of a pair's first side from ``at`` on; ``when`` in words."""

    at: datetime
    when: str
    rating: int


class PairRead(msgspec.Struct, frozen=True, kw_only=True):
    """A pair. ``stronger`` is the key of the side with the higher rating, empty where they are equal or unknown.

    ``markable`` says whether the pair takes a mark for conduct now; if not, ``why_not`` is a stable code and
    ``from_date`` the local date from which it does again. ``history`` runs from the first rating on.
    """

    pair: str
    kind: str
    sides: tuple[SideRead, SideRead]
    stronger: str = ""
    marks: tuple[MarkRead, ...] = ()
    proposals: tuple[MarkRead, ...] = ()
    open_rolls: tuple[OpenRollRead, ...] = ()
    markable: bool = False
    why_not: str = ""
    from_date: date | None = None
    history: tuple[Point, ...] = ()


class Creation(msgspec.Struct, frozen=True, kw_only=True):
    """Pairs in the making: ``results`` of the array (empty: not rolled yet), by full side key the number (from 1)
    of the result that stands there, and by pair the rating of its first side, what happened before play included."""

    results: tuple[int, ...]
    placed: dict[str, int]
    ratings: dict[str, int] = {}


class SubjectPairsRead(msgspec.Struct, frozen=True, kw_only=True):
    """A subject's pairs. ``full``: the viewer sees ratings and marks. ``state`` is none (nothing done yet), creation
    (with ``creation``) or ready; viewers who may not know are told "ready". ``starts_by`` is how the kind begins: array
    or gm_enters."""

    subject: str
    name: str
    kind: str
    title: str
    full: bool
    state: str
    starts_by: str
    pairs: tuple[PairRead, ...]
    creation: Creation | None = None


def sees_all(viewer: Viewer, subject: str) -> bool:
    """Whether a viewer sees a subject's ratings and marks: GMs, whoever plays it, and of a body whoever plays
    a member of it (SPI-140)."""
    return viewer.role == GM or subject in viewer.knows


def subject_pairs(state: State, viewer: Viewer, subject: str, now: datetime) -> SubjectPairsRead | None:
    """The pairs of a subject; None where the subject does not exist for the viewer or has no pairs by its kind."""
    found = state.part(Subjects).by_id.get(subject)
    full = sees_all(viewer, subject)
    rules = section(state, "pairs", rp.PairRules)
    if found is None or (found.hidden and not full) or rules is None:
        return None
    kind = next((kind for kind in rules[1].kinds if kind.holder == found.kind), None)
    if kind is None:
        return None
    own = state.part(rp.PairsState).subjects.get(subject) if full else None
    if not full or own is None or not own.ready:
        pairs = tuple(PairRead(pair=pair.id, kind=kind.id, sides=_sides(rules[1], pair, None)) for pair in kind.pairs)
    else:
        pairs = _full(state, viewer, subject, own, now)
    return SubjectPairsRead(
        subject=subject,
        name=found.name,
        kind=kind.id,
        title=kind.title,
        full=full,
        state="ready" if not full or (own and own.ready) else "creation" if own else "none",
        starts_by="array" if isinstance(kind.start, rp.ArrayStart) else "gm_enters",
        pairs=pairs,
        creation=_creation(own) if own and not own.ready else None,
    )


def _creation(own: rp.SubjectPairs) -> Creation:
    return Creation(results=tuple(own.results), placed=own.placed, ratings=dict(own.ratings))


def _sides(rules: rp.PairRules, pair: rp.Pair, first: int | None) -> tuple[SideRead, SideRead]:
    ratings = {} if first is None else rp.both_ratings(rules, pair, first)
    one, two = (
        SideRead(side=side.id, title=side.title, gist=side.gist, rating=ratings.get(side.id)) for side in pair.sides
    )
    return one, two


def _full(state: State, viewer: Viewer, subject: str, own: rp.SubjectPairs, now: datetime) -> tuple[PairRead, ...]:
    rules = p.pair_rules(state)
    kind = rp.kind_named(rules, own.kind)
    develops = section(state, "development", rd.DevelopmentRules) is not None
    standing = m.standing_of(state) if develops else None
    past = history(state, viewer.campaign_id, subject)
    read = []
    for pair in kind.pairs:
        first = own.ratings[pair.id]
        able = rd.eligibility(standing, subject, pair.id, now) if standing else rd.Eligibility(possible=False)
        read.append(
            PairRead(
                pair=pair.id,
                kind=kind.id,
                sides=_sides(rules, pair, first),
                stronger=rp.stronger_side(rules, pair, first) or "",
                marks=_marks(state, viewer, state.part(m.Marks).kept.marks, subject, pair.id),
                proposals=_marks(state, viewer, state.part(m.Marks).kept.proposals, subject, pair.id),
                open_rolls=_open_rolls(standing, subject, pair) if standing else (),
                markable=able.possible,
                why_not=able.code,
                from_date=able.from_date,
                history=past.get(pair.id, ()),
            )
        )
    return tuple(read)


def _marks(state: State, viewer: Viewer, marks: Mapping[str, rd.Mark], subject: str, pair: str) -> tuple[MarkRead, ...]:
    rules = p.pair_rules(state)
    return tuple(
        MarkRead(
            mark=mark.id,
            side=mark.side,
            title=m.side_title(rules, mark.kind, mark.side),
            note=mark.note,
            source=mark.source,
            at=mark.at,
            when=in_words(state, mark.at),
            sealed=mark.sealed,
        )
        for mark in sorted(marks.values(), key=lambda mark: mark.at)
        if (mark.subject, mark.pair) == (subject, pair) and (viewer.role == GM or not mark.sealed)
    )


def _open_rolls(standing: rd.Standing, subject: str, pair: rp.Pair) -> tuple[OpenRollRead, ...]:
    titles = {side.id: side.title for side in pair.sides}
    return tuple(
        OpenRollRead(
            roll=roll.key,
            toward=roll.toward,
            title=titles[roll.toward],
            bonus=rd.mark_bonus(standing.rules, roll.remaining),
            until=roll.until,
        )
        for roll in standing.marks.open_rolls.values()
        if (roll.subject, roll.pair) == (subject, pair.id)
    )


class RollOwed(msgspec.Struct, frozen=True, kw_only=True):
    """An advancement roll of a close that still waits, ``until`` when, ``by`` whom (names, empty: the GM). ``may``: the
    viewer makes it now; ``period`` in words."""

    roll: str
    subject: str
    name: str
    title: str
    bonus: int
    until: datetime
    period: str
    by: tuple[str, ...]
    may: bool


def rolls_owed(state: State, viewer: Viewer) -> tuple[RollOwed, ...]:
    """The open rolls of those whom the viewer plays, first what is theirs to make; a GM sees all."""
    if not state.part(m.Marks).kept.open_rolls:
        return ()
    standing, subjects, rules = m.standing_of(state), state.part(Subjects).by_id, p.pair_rules(state)
    found = []
    for roll in standing.marks.open_rolls.values():
        subject, own = subjects.get(roll.subject), state.part(rp.PairsState).subjects.get(roll.subject)
        if subject is None or own is None or not (viewer.role == GM or roll.subject in viewer.plays):
            continue
        title = rp.side_named(rules, rp.kind_named(rules, own.kind), roll.toward).side.title
        found.append(
            RollOwed(
                roll=roll.key,
                subject=roll.subject,
                name=subject.name,
                title=title,
                bonus=rd.mark_bonus(standing.rules, roll.remaining),
                until=roll.until,
                period=rc.period_name(standing.calendar_rules, standing.calendar, roll.rung, roll.number),
                by=tuple(name_finder(state)(player) for player in subject.players),
                may=roll.subject in viewer.plays or (viewer.role == GM and not subject.players),
            )
        )
    return tuple(sorted(found, key=lambda one: (not one.may, one.until, one.name)))


def in_words(state: State, at: datetime) -> str:
    """An instant's place in the calendar, in words; empty before its start."""
    rules = calendar_rules(state)
    stamp = rc.stamp_of(rules, state.part(Calendar).clock, at) if rules else None
    return stamp.text if stamp else ""


def history(state: State, campaign_id: UUID, subject: str) -> dict[str, tuple[Point, ...]]:
    """By pair, the ratings of its first side since it has them up to this state, from one query.

    Moves are added up, so that one that was voided leaves no trace in what came after it.
    """
    own = state.part(rp.PairsState).subjects.get(subject)
    if own is None:
        return {}
    points: dict[str, list[Point]] = {}
    found = models.PairChange.objects.filter(campaign_id=campaign_id, subject=subject, position__lte=state.position)
    for row in found.order_by("position", "seq"):
        so_far = points.setdefault(row.pair, [])
        rating = row.rating
        if row.change is not None and so_far:
            rating = min(max(so_far[-1].rating + row.change, own.low), own.high)
        so_far.append(Point(at=row.happened_at, when=in_words(state, row.happened_at), rating=rating))
    return {pair: tuple(so_far) for pair, so_far in points.items()}
