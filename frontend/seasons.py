"""What the calendar closes: the preview of a close, and the report of one that is done, for one seat."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any
from uuid import UUID

from campaigns.audience import name_finder, view_event
from campaigns.entrance import utc_now
from campaigns.parts.calendar import Calendar, calendar_rules
from campaigns.parts.subjects import Subjects
from campaigns.parts.voids import Voids
from campaigns.state import State
from campaigns.store import read
from frontend.pairs import rules_of, sees_pairs, standing
from frontend.seat import Seat
from frontend.when import dates
from identity.models import PeriodEntry
from rules import calendar as rc
from rules import development as rd
from rules import pairs as rp


@dataclass(frozen=True)
class PlanRow:
    """What a close would do with one marked pair, as things stand."""

    subject: str
    subject_id: str
    pair: str
    toward: str
    marks: tuple[tuple[str, int], ...]
    outcome: str
    rating: int | None
    bonus: int
    needed: int | None
    chance: Fraction

    @property
    def percent(self) -> int:
        """The chance in whole percent."""
        return round(100 * self.chance)


@dataclass(frozen=True)
class Plan:
    """The preview of the close of one period."""

    title: str
    ends: date | None
    rows: tuple[PlanRow, ...]


@dataclass(frozen=True)
class Closed:
    """A period that has been closed."""

    rung: str
    number: int
    title: str
    dates: str


@dataclass(frozen=True)
class ResultRow:
    """What a close did to one pair: its marks with their reasons, the roll, the ratings of the marked side."""

    pair: str
    toward: str
    marks: tuple[tuple[str, str], ...]
    outcome: str
    face: int | None
    bonus: int
    total: int | None
    rating: int | None
    after: int | None
    shifted: bool
    view: dict[str, Any]


@dataclass(frozen=True)
class SubjectReport:
    """What a close did to one subject; ``rose`` is all that others than its holders learn."""

    subject: str
    name: str
    rows: tuple[ResultRow, ...] = ()
    rose: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """The report of a closed period as one seat may read it."""

    title: str
    dates: str
    subjects: tuple[SubjectReport, ...]
    die: int


def plans(state: State, seat: Seat) -> list[Plan]:
    """What the running periods would settle if they closed as things stand: all of it for game masters, one's own
    subjects without sealed marks for players."""
    stands = standing(state)
    if stands is None or stands.calendar.start is None or seat.is_watcher:
        return []
    found = []
    for rung in dict.fromkeys(cycle.settles for cycle in stands.rules.cycles):
        period = rc.period_at(stands.calendar, rung, utc_now())
        if period is None:
            continue
        plan = rd.plan_close(stands, period, sealed_too=seat.is_gm)
        rows = tuple(_plan_row(state, stands, line) for line in plan.lines if sees_pairs(seat, line.subject))
        found.append(Plan(plan.name, period.ends, rows))
    return found


def _plan_row(state: State, stands: rd.Standing, line: rd.PlanLine) -> PlanRow:
    kind = rp.kind_named(stands.pair_rules, line.kind)
    titles = {side.id: side.title for side in rp.pair_named(kind, line.pair).sides}
    subject = state.part(Subjects).by_id.get(line.subject)
    return PlanRow(
        subject=subject.name if subject else "",
        subject_id=line.subject,
        pair=" / ".join(titles.values()),
        toward=titles.get(line.toward or "", ""),
        marks=tuple((titles[side], len(ids)) for side, ids in line.marks.items() if ids),
        outcome=line.outcome,
        rating=line.rating,
        bonus=line.bonus,
        needed=line.needed,
        chance=line.chance,
    )


def closed_periods(state: State, campaign_id: UUID) -> list[Closed]:
    """Closed periods of all rungs but the lowest, the newest first."""
    clock = state.part(Calendar).clock
    rows = PeriodEntry.objects.filter(campaign_id=campaign_id, rung__in=clock.rungs[1:]).exclude(title="")
    found: dict[tuple[str, int], Closed] = {}
    for row in rows.order_by("-position"):
        if row.number <= clock.closed.get(row.rung, 0) and row.starts is not None:
            closed = Closed(row.rung, row.number, row.title, dates(row.starts, row.ends))
            found.setdefault((row.rung, row.number), closed)
    return list(found.values())


def report(state: State, seat: Seat, rung: str, number: int) -> Report | None:
    """The report of a close, from its events as this seat may see them; None where there is none."""
    views = _views(state, seat, rung, number)
    heads = [view for view in views if view["type"] == "period.closed"]
    if not heads or number > state.part(Calendar).clock.closed.get(rung, 0):
        return None
    head = heads[-1]["data"]
    by_subject: dict[str, SubjectReport] = {}
    for view in views:
        told = _told(state, view)
        if told is not None:
            before = by_subject.get(told.subject)
            by_subject[told.subject] = _joined(before, told) if before else told
    stands = standing(state)
    when = dates(date.fromisoformat(head["starts"]), date.fromisoformat(head["ends"]) if head["ends"] else None)
    return Report(head["title"], when, tuple(by_subject.values()), stands.rules.die if stands else 20)


def _views(state: State, seat: Seat, rung: str, number: int) -> list[dict[str, Any]]:
    entries = PeriodEntry.objects.filter(campaign_id=seat.campaign_id, rung=rung, number=number).order_by("position")
    positions = list(dict.fromkeys(entries.values_list("position", flat=True)))
    voided, names = state.part(Voids).by, name_finder(state)
    events = [event for event in read.events_at(seat.campaign_id, positions) if event.position not in voided]
    return [view for event in events if (view := view_event(event, seat.viewer, names)) is not None]


def _told(state: State, view: dict[str, Any]) -> SubjectReport | None:
    data = view["data"]
    subject = state.part(Subjects).by_id.get(data.get("subject", ""))
    if subject is None:
        return None
    if view["type"] == "development.shown":
        return SubjectReport(data["subject"], subject.name, rose=tuple(data["rose"]))
    results = data["results"] if "results" in data else [data["result"]]
    notes = {mark["id"]: mark.get("note", "") for mark in data.get("marks", ())}
    rules = rules_of(state)
    if rules is None:
        return None
    kind = rp.kind_named(rules, data["kind"])
    rows = tuple(_result_row(rules, kind, result, notes) for result in results)
    return SubjectReport(data["subject"], subject.name, rows=rows)


def _joined(one: SubjectReport, other: SubjectReport) -> SubjectReport:
    """Two tellings of one subject; a roll made later takes the place of the one left open."""
    later = {row.pair for row in other.rows}
    rows = tuple(row for row in one.rows if row.pair not in later) + other.rows
    return SubjectReport(one.subject, one.name, rows, one.rose or other.rose)


def _result_row(
    rules: rp.PairRules, kind: rp.PairKind, result: dict[str, Any], notes: dict[str, str]
) -> ResultRow:
    a, b = rp.pair_named(kind, result["pair"]).sides
    titles = {a.id: a.title, b.id: b.title}
    toward, after = result["toward"], result["after"]
    rises = after if toward == a.id or after is None else rules.total - after
    marks = tuple((titles[side], notes.get(i, "")) for side, ids in result["marks"].items() for i in ids)
    view = {
        "name_a": a.title,
        "name_b": b.title,
        "rating_a": after,
        "rating_b": None if after is None else rules.total - after,
    }
    return ResultRow(
        pair=f"{a.title} / {b.title}",
        toward=titles.get(toward or "", ""),
        marks=marks,
        outcome=result["outcome"],
        face=result["face"],
        bonus=result["bonus"] or 0,
        total=result["total"],
        rating=result["rating"],
        after=rises,
        shifted=result["shifted"],
        view=view,
    )


def takes_back(state: State) -> list[Closed]:
    """The last close of each rung, which a game master can take back, the highest rung first."""
    clock, rules = state.part(Calendar).clock, calendar_rules(state)
    if rules is None:
        return []
    return [
        Closed(rung, number, rc.period_name(rules, clock, rung, number), "")
        for rung in reversed(clock.rungs)
        if (number := clock.closed.get(rung, 0))
    ]
