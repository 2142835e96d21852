"""Closed periods: their reports as one viewer may know them."""

from __future__ import annotations

from datetime import date
from typing import Any

from campaigns.audience import Viewer, name_finder, view_event
from campaigns.parts.calendar import Calendar
from campaigns.sections import section
from campaigns.state import State
from identity import models
from identity.parts import pairs as p
from identity.reads.earned import with_earned
from identity.reads.reports import (
    OF_SHEETS,
    CardTold,
    ClosedPeriod,
    MarkTold,
    PairReport,
    PauseTold,
    Report,
    SubjectReport,
    came_of,
    mark_told,
    moment,
)
from rules import development as rd
from rules import pairs as rp
from rules.calendar.geometry import monday_of


def closed_periods(viewer: Viewer, rung: str = "", limit: int = 50, before: int = 0) -> list[ClosedPeriod]:
    """The closed periods of a rung (of all: empty), newest first; ``before`` goes on behind the one of that number, and
    costs the same at any age."""
    rows = models.PeriodEntry.objects.filter(campaign_id=viewer.campaign_id).exclude(title="")
    if rung:
        rows = rows.filter(rung=rung, **({"number__lt": before} if before else {}))
    return [
        ClosedPeriod(rung=row.rung, number=row.number, title=row.title, starts=row.starts, ends=row.ends)
        for row in rows.order_by(*(["-number"] if rung else []), "-position")[:limit]
        if row.starts and row.ends
    ]


def period_report(state: State, viewer: Viewer, rung: str, number: int) -> Report | None:
    """The report of a closed period, made of nothing but what the audience filter lets through; None where the period
    is not closed (or its close was taken back)."""
    names = name_finder(state)
    head: dict[str, Any] | None = None
    told: dict[str, dict[str, Any]] = {}
    for event in came_of(state, viewer, rung, number):
        view = view_event(event, viewer, names)
        if view is None:
            continue
        data = view["data"]
        if view["type"] == "period.closed":
            head = {**data, "closed_at": event.recorded_at}
        elif view["type"] == "development.rolled":
            told.setdefault(data["subject"], {}).setdefault("rolled", []).append(data["result"])
        elif isinstance(event.event, OF_SHEETS):
            told.setdefault(data["subject"], {}).setdefault("cards", []).append(_card_told(view))
        else:
            told.setdefault(data["subject"], {}).setdefault(view["type"], []).append(data)
    if head is None:
        return None
    subjects = [_subject_report(state, subject, names(subject), found) for subject, found in told.items()]
    starts, ends = date.fromisoformat(head["starts"]), date.fromisoformat(head["ends"])
    return Report(
        rung=rung,
        number=number,
        title=head["title"],
        starts=starts,
        ends=ends,
        closed_at=head["closed_at"],
        subjects=tuple(with_earned(state, viewer, rung, number, subjects)),
        pauses=_pauses(state, starts, ends),
    )


def _pauses(state: State, starts: date, ends: date) -> tuple[PauseTold, ...]:
    clock = state.part(Calendar).clock
    found = ((monday_of(clock, one.first), one.until) for one in clock.pauses)
    told = (PauseTold(starts=first, until=None if u is None else monday_of(clock, u)) for first, u in found)
    return tuple(one for one in told if one.starts <= ends and (one.until is None or one.until > starts))


def _card_told(view: dict[str, Any]) -> CardTold:
    data = view["data"]
    dice = {**data.get("dice", {}), **data.get("dice_holders", {}), **data.get("dice_gm", {})}
    return CardTold(says=view["says"], dice={name: tuple(die["face"] for die in lie) for name, lie in dice.items()})


def _subject_report(state: State, subject: str, name: str, told: dict[str, Any]) -> SubjectReport:
    rose = tuple(title for shown in told.get("development.shown", ()) for title in shown["rose"])
    settled = told.get("development.settled")
    cards = tuple(told.get("cards", ()))
    if not settled:
        return SubjectReport(subject=subject, name=name, rose=rose, full=False, cards=cards)
    data = settled[0]
    rolled = {result["pair"]: result for result in told.get("rolled", ())}
    marks = {mark["id"]: mark for mark in data["marks"]}
    return SubjectReport(
        subject=subject,
        name=name,
        rose=rose,
        full=True,
        pairs=tuple(_pair_report(state, data["kind"], result, rolled, marks) for result in data["results"]),
        roll_until=moment(data["roll_until"]) if data["roll_until"] else None,
        lapsed=len(data["lapsed"]),
        cards=cards,
    )


def _marks_told(
    state: State, result: dict[str, Any], marks: dict[str, Any], titles: dict[str, str]
) -> tuple[MarkTold, ...]:
    ids = [mark for side in result["marks"].values() for mark in side]
    told = sorted(((marks[i], i in ids) for i in (*ids, *result["surplus"])), key=lambda one: one[0]["at"])
    return tuple(
        mark_told(state, mark, titles.get(mark["side"], mark["side"]), counted=counted) for mark, counted in told
    )


def _pair_report(
    state: State, kind: str, result: dict[str, Any], rolled: dict[str, Any], marks: dict[str, Any]
) -> PairReport:
    rules = p.pair_rules(state)
    pair = rp.pair_named(rp.kind_named(rules, kind), result["pair"])
    titles = {side.id: side.title for side in pair.sides}
    roll = rolled.get(result["pair"], result)

    def both(first: int | None) -> tuple[int, int] | None:
        return None if first is None else (first, rules.total - first)

    return PairReport(
        pair=pair.id,
        sides=(pair.sides[0].title, pair.sides[1].title),
        marks=_marks_told(state, result, marks, titles),
        outcome=roll["outcome"],
        toward=titles.get(result["toward"], ""),
        remaining=result["remaining"],
        bonus=roll["bonus"],
        rating=roll["rating"],
        chance=_chance(state, roll["rating"], roll["bonus"]),
        face=roll["face"],
        total=roll["total"],
        shifted=roll["shifted"],
        before=both(roll["before"]),
        after=both(roll["after"]),
    )


def _chance(state: State, rating: int | None, bonus: int | None) -> str:
    found = section(state, "development", rd.DevelopmentRules)
    if rating is None or bonus is None or found is None:
        return ""
    return str(rd.advancement_chance(found[1], rating, bonus))
