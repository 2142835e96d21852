"""Closed periods: their reports as one viewer may know them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import msgspec

from campaigns.audience import Viewer, name_finder, view_event
from campaigns.events import Recorded
from campaigns.parts.acts import CardActed, CardRolled
from campaigns.parts.calendar import Calendar, PeriodClosed
from campaigns.parts.sheets import CardApplied, CardEnded, SheetChanged
from campaigns.parts.voids import Voids
from campaigns.sections import section
from campaigns.state import State
from campaigns.store import read
from identity import models
from identity.parts import marks as m
from identity.parts import pairs as p
from identity.reads.pairs import in_words
from rules import development as rd
from rules import pairs as rp
from rules.calendar.geometry import monday_of

OF_SHEETS = (CardActed, CardRolled, SheetChanged, CardApplied, CardEnded)


class ClosedPeriod(msgspec.Struct, frozen=True, kw_only=True):
    """A closed period; ``ends`` is the first day after it."""

    rung: str
    number: int
    title: str
    starts: date
    ends: date


class MarkTold(msgspec.Struct, frozen=True, kw_only=True):
    """A mark that a close settled, and why it had been given; ``counted`` is False for one beyond its limit."""

    side: str
    title: str
    note: str
    at: datetime
    when: str
    sealed: bool
    counted: bool


class PairReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a close did to one pair. ``outcome``: rolled, cancelled, at_end, no_ratings, open (waits for its player).

    The roll was ``face`` + ``bonus`` = ``total`` against ``rating`` of the side ``toward``; ``chance`` was that
    of a shift, exact ("3/10"). ``before`` and ``after`` are the ratings of the two ``sides``, in their order.
    """

    pair: str
    sides: tuple[str, str]
    marks: tuple[MarkTold, ...]
    outcome: str
    toward: str
    remaining: int
    bonus: int | None
    rating: int | None
    chance: str
    face: int | None
    total: int | None
    shifted: bool
    before: tuple[int, int] | None
    after: tuple[int, int] | None


class CardTold(msgspec.Struct, frozen=True, kw_only=True):
    """What a card did by itself when the period closed, or what changed or ended with it, in a sentence. ``dice`` are
    the faces that the viewer may see, by roll."""

    says: str
    dice: dict[str, tuple[int, ...]] = {}


class SubjectReport(msgspec.Struct, frozen=True, kw_only=True):
    """A subject in a report. ``rose`` names the sides that rose, for all who may know of it; ``pairs`` is filled for
    GM and holders alone. ``roll_until``: rolls wait for the player until then; ``lapsed``: proposals left unanswered;
    ``cards``: what cards did by themselves, and what ended with the period.
    """

    subject: str
    name: str
    rose: tuple[str, ...]
    full: bool
    pairs: tuple[PairReport, ...] = ()
    roll_until: datetime | None = None
    lapsed: int = 0
    cards: tuple[CardTold, ...] = ()


class PauseTold(msgspec.Struct, frozen=True, kw_only=True):
    """Weeks that did not count: ``until`` is the first day after them, None while nobody knows."""

    starts: date
    until: date | None


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What the close of a period came to, as the viewer may know it. ``pauses`` lie within the period or begin with its
    end."""

    rung: str
    number: int
    title: str
    starts: date
    ends: date
    closed_at: datetime
    subjects: tuple[SubjectReport, ...]
    pauses: tuple[PauseTold, ...] = ()


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
    for event in _came_of(state, viewer, rung, number):
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
    subjects = tuple(_subject_report(state, subject, names(subject), found) for subject, found in told.items())
    starts, ends = date.fromisoformat(head["starts"]), date.fromisoformat(head["ends"])
    return Report(
        rung=rung,
        number=number,
        title=head["title"],
        starts=starts,
        ends=ends,
        closed_at=head["closed_at"],
        subjects=subjects,
        pauses=_pauses(state, starts, ends),
    )


def _pauses(state: State, starts: date, ends: date) -> tuple[PauseTold, ...]:
    clock = state.part(Calendar).clock
    found = ((monday_of(clock, one.first), one.until) for one in clock.pauses)
    told = (PauseTold(starts=first, until=None if u is None else monday_of(clock, u)) for first, u in found)
    return tuple(one for one in told if one.starts <= ends and (one.until is None or one.until > starts))


def _came_of(state: State, viewer: Viewer, rung: str, number: int) -> list[Recorded]:
    """The events of a period's close and of the rolls that it left to players, oldest first."""
    entries = models.PeriodEntry.objects.filter(campaign_id=viewer.campaign_id, rung=rung, number=number)
    places = set(entries.values_list("position", flat=True))
    found = read.events_at(viewer.campaign_id, sorted(places))
    for event in found:
        # What came of a close lies behind it; what others are told of a roll lies behind that.
        behind = event.event.recorded - 1 if isinstance(event.event, PeriodClosed) else 1
        places |= set(range(event.position + 1, event.position + behind + 1))
    voided = state.part(Voids).by
    closes = {event.position for event in found if isinstance(event.event, PeriodClosed)}
    return [
        event
        for event in read.events_at(viewer.campaign_id, sorted(places))
        if event.position not in voided and _is_of(event, rung, number, closes)
    ]


def _is_of(event: Recorded, rung: str, number: int, closes: set[int]) -> bool:
    body = event.event
    if isinstance(body, OF_SHEETS):
        return event.cause in closes
    if not isinstance(body, PeriodClosed | m.SubjectSettled | m.AdvancementRolled | m.DevelopmentShown):
        return False
    return (body.rung, body.number) == (rung, number)


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
        roll_until=_moment(data["roll_until"]) if data["roll_until"] else None,
        lapsed=len(data["lapsed"]),
        cards=cards,
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


def _marks_told(
    state: State, result: dict[str, Any], marks: dict[str, Any], titles: dict[str, str]
) -> tuple[MarkTold, ...]:
    ids = [mark for side in result["marks"].values() for mark in side]
    told = [(marks[i], i in ids) for i in (*ids, *result["surplus"])]
    return tuple(
        MarkTold(
            side=mark["side"],
            title=titles.get(mark["side"], mark["side"]),
            note=mark["note"],
            at=_moment(mark["at"]),
            when=in_words(state, _moment(mark["at"])),
            sealed=mark["sealed"],
            counted=counted,
        )
        for mark, counted in sorted(told, key=lambda one: one[0]["at"])
    )


def _moment(text: str | datetime) -> datetime:
    return text if isinstance(text, datetime) else datetime.fromisoformat(text)


def _chance(state: State, rating: int | None, bonus: int | None) -> str:
    found = section(state, "development", rd.DevelopmentRules)
    if rating is None or bonus is None or found is None:
        return ""
    return str(rd.advancement_chance(found[1], rating, bonus))
