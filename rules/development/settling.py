"""The settling of a period: what came of its plan. Preview and close share their lines and so cannot disagree."""

import datetime as dt
from collections.abc import Callable

import msgspec

from rules.calendar import midnight, zone_at
from rules.calendar.geometry import week_at
from rules.development.events import PairResult, SubjectSettled
from rules.development.plan import ClosePlan, PlanLine, succeeds
from rules.development.state import Standing
from rules.pairs import kind_named, pair_named


class FaceKey(msgspec.Struct, frozen=True, kw_only=True):
    """What an advancement die's face follows from: the period (`season:3`), subject and pair (`kind.pair`). The attempt
    is no part of it, so that a close taken back and done again rolls the same. `faces` is the size of the die."""

    period: str
    subject: str
    pair: str
    faces: int


Dice = Callable[[FaceKey], int]


def resolve_close(standing: Standing, plan: ClosePlan, dice: Dice, now: dt.datetime) -> list[SubjectSettled]:
    """The results of a plan, one event a subject. Where players roll, the rolls are opened instead of made."""
    opens = standing.rules.roller == "owner_player"
    until = _grace_end(standing, plan, now) if opens else None
    results: dict[str, list[PairResult]] = {}
    kinds: dict[str, str] = {}
    for line in plan.lines:
        kinds[line.subject] = line.kind
        done = _opened(line) if opens and line.outcome == "roll" else resolve_line(standing, plan, line, dice)
        results.setdefault(line.subject, []).append(done)
    lapsed: dict[str, list[str]] = {}
    for proposal in plan.lapsing:
        kinds.setdefault(proposal.subject, proposal.kind)
        lapsed.setdefault(proposal.subject, []).append(proposal.id)
    return [
        SubjectSettled(
            subject=subject,
            kind=kind,
            rung=plan.rung,
            number=plan.number,
            attempt=plan.attempt,
            results=tuple(results.get(subject, [])),
            lapsed=tuple(lapsed.get(subject, [])),
            roll_until=until if any(done.outcome == "open" for done in results.get(subject, [])) else None,
        )
        for subject, kind in kinds.items()
    ]


def resolve_line(standing: Standing, plan: ClosePlan, line: PlanLine, dice: Dice) -> PairResult:
    """What becomes of one pair: at most one roll, at most one shift."""
    if line.outcome != "roll":
        return PairResult(
            pair=line.pair,
            marks=line.marks,
            surplus=line.surplus,
            toward=line.toward,
            remaining=line.remaining,
            outcome=line.outcome,
            before=line.first,
            after=line.first,
        )
    face = dice(
        FaceKey(
            period=plan.period.key,
            subject=line.subject,
            pair=f"{line.kind}.{line.pair}",
            faces=standing.rules.die,
        )
    )
    return _rolled(standing, line, face)


def _rolled(standing: Standing, line: PlanLine, face: int) -> PairResult:
    if not 1 <= face <= standing.rules.die or line.first is None or line.rating is None:
        raise ValueError(f"a die of {standing.rules.die} faces cannot show {face}")
    pair = pair_named(kind_named(standing.pair_rules, line.kind), line.pair)
    before, after = line.first, line.first
    if succeeds(standing.rules, face, line.bonus, line.rating):
        low, high = standing.pair_rules.first_bounds
        points = standing.rules.shift_by if line.toward == pair.sides[0].id else -standing.rules.shift_by
        after = min(max(before + points, low), high)
    return PairResult(
        pair=line.pair,
        marks=line.marks,
        surplus=line.surplus,
        toward=line.toward,
        remaining=line.remaining,
        outcome="rolled",
        before=before,
        after=after,
        rating=line.rating,
        bonus=line.bonus,
        face=face,
        total=face + line.bonus,
        shifted=after != before,
        change=after - before,
    )


def _opened(line: PlanLine) -> PairResult:
    return PairResult(
        pair=line.pair,
        marks=line.marks,
        surplus=line.surplus,
        toward=line.toward,
        remaining=line.remaining,
        outcome="open",
        before=line.first,
        after=line.first,
    )


def _grace_end(standing: Standing, plan: ClosePlan, now: dt.datetime) -> dt.datetime:
    """The midnight at which open rolls are made in their players' stead: grace days after the period's end, or after
    the close when that came late."""
    zone = zone_at(standing.calendar, week_at(standing.calendar, now))
    today = now.astimezone(zone).date()
    ends = plan.period.ends or today
    return midnight(max(ends, today) + dt.timedelta(days=standing.rules.grace_days), zone)
