"""The settling of a period: who would roll for what (the plan), and what came of it (the results).

Plan and results come from the same lines, so that a preview cannot say anything else than the close does.
"""

import datetime as dt
from collections.abc import Callable
from fractions import Fraction
from typing import Literal

import msgspec

from rules.calendar import Period, midnight, next_attempt, period_name, zone_at
from rules.calendar.geometry import week_at
from rules.development.events import PairResult, SubjectSettled
from rules.development.limits import number_at, within_limit
from rules.development.rules import Cycle, DevelopmentRules
from rules.development.state import Mark, OpenRoll, Standing
from rules.pairs import Pair, kind_named
from rules.refusal import Refused


class FaceKey(msgspec.Struct, frozen=True, kw_only=True):
    """What an advancement die's face follows from: the period (`season:3`), subject and pair (`kind.pair`). The attempt
    is no part of it, so that a close taken back and done again rolls the same. `faces` is the size of the die."""

    period: str
    subject: str
    pair: str
    faces: int


Dice = Callable[[FaceKey], int]


class PlanLine(msgspec.Struct, frozen=True, kw_only=True):
    """What the close does with one marked pair.

    marks      ids of the marks that count, by side (short), surplus: those beyond their limit
    remaining  marks left after cancelling, on side `toward` (None: none left)
    outcome    roll; or why there is none: cancelled, at_end, no_ratings
    first      rating of the pair's first side, rating that of the marked side
    needed     the lowest face that shifts the pair, None when none does
    shifts     how many of the `of` equally likely faces do
    """

    subject: str
    kind: str
    pair: str
    marks: dict[str, tuple[str, ...]]
    surplus: tuple[str, ...]
    toward: str | None
    remaining: int
    outcome: Literal["roll", "cancelled", "at_end", "no_ratings"]
    first: int | None
    rating: int | None = None
    bonus: int = 0
    needed: int | None = None
    shifts: int = 0
    of: int = 1

    @property
    def chance(self) -> Fraction:
        """The exact chance that the pair shifts."""
        return Fraction(self.shifts, self.of)


class ClosePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What closing a period would do, as marks and ratings now stand."""

    rung: str
    number: int
    attempt: int
    name: str
    period: Period
    lines: tuple[PlanLine, ...]
    lapsing: tuple[Mark, ...]


def mark_bonus(rules: DevelopmentRules, remaining: int) -> int:
    """The bonus that marks left after cancelling give (SPI-099)."""
    return min(rules.bonus_cap, max(0, remaining - rules.free_marks))


def succeeds(rules: DevelopmentRules, face: int, bonus: int, rating: int) -> bool:
    """Whether a face moves a pair toward a side with this rating (SPI-100)."""
    total = face + bonus
    return total > rating if rules.beats == "over" else total >= rating


def advancement_chance(rules: DevelopmentRules, rating: int, bonus: int) -> Fraction:
    """The exact chance of a shift, counted over all faces (SPI-104)."""
    shifts = sum(succeeds(rules, face, bonus, rating) for face in range(1, rules.die + 1))
    return Fraction(shifts, rules.die)


def plan_close(standing: Standing, period: Period, *, sealed_too: bool = True) -> ClosePlan:
    """What the close of a period settles, at any time before it. `sealed_too` False: as those may see it who must not
    know of sealed marks."""
    lines: list[PlanLine] = []
    lapsing: list[Mark] = []
    for cycle in standing.rules.cycles:
        if cycle.settles != period.rung:
            continue
        marks = [
            mark
            for mark in standing.marks.marks.values()
            if mark.kind in cycle.kinds and (sealed_too or not mark.sealed) and _settles(standing, cycle, period, mark)
        ]
        lines += _lines(standing, cycle, marks)
        lapsing += [
            mark
            for mark in standing.marks.proposals.values()
            if mark.kind in cycle.kinds and _settles(standing, cycle, period, mark)
        ]
    return ClosePlan(
        rung=period.rung,
        number=period.number,
        attempt=next_attempt(standing.calendar, period.rung, period.number),
        name=period_name(standing.calendar_rules, standing.calendar, period.rung, period.number),
        period=period,
        lines=tuple(lines),
        lapsing=tuple(lapsing),
    )


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


def line_of_roll(standing: Standing, roll: OpenRoll) -> PlanLine:
    """An open roll as it now stands, the rating read at this moment (SPI-106)."""
    pair = _pair(standing, roll.kind, roll.pair)
    first = _first(standing, roll.subject, roll.pair)
    return _line(standing, roll.subject, roll.kind, pair, first, toward=roll.toward, remaining=roll.remaining)


def _rolled(standing: Standing, line: PlanLine, face: int) -> PairResult:
    if not 1 <= face <= standing.rules.die or line.first is None or line.rating is None:
        raise ValueError(f"a die of {standing.rules.die} faces cannot show {face}")
    pair = _pair(standing, line.kind, line.pair)
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


def _settles(standing: Standing, cycle: Cycle, period: Period, mark: Mark) -> bool:
    """Whether the close of this period settles a mark: conduct in it, or left over from before."""
    return number_at(standing, cycle.settles, mark.at) <= period.number


def _lines(standing: Standing, cycle: Cycle, marks: list[Mark]) -> list[PlanLine]:
    """One line a marked pair; subjects in the order they were opened, pairs in the order of their kind."""
    by_pair: dict[tuple[str, str, str], list[Mark]] = {}
    for mark in marks:
        by_pair.setdefault((mark.subject, mark.kind, mark.pair), []).append(mark)
    subjects = {subject: place for place, subject in enumerate(standing.pairs.subjects)}
    pairs = {(kind.id, pair.id): place for kind in standing.pair_rules.kinds for place, pair in enumerate(kind.pairs)}

    def order(key: tuple[str, str, str]) -> tuple[int, int]:
        return subjects.get(key[0], len(subjects)), pairs.get((key[1], key[2]), len(pairs))

    return [_cancelled(standing, cycle, key, by_pair[key]) for key in sorted(by_pair, key=order)]


def _cancelled(standing: Standing, cycle: Cycle, key: tuple[str, str, str], marks: list[Mark]) -> PlanLine:
    """The line of one pair after opposed marks have struck each other out one for one (SPI-096)."""
    subject, kind, pair_id = key
    counted, surplus = within_limit(standing, cycle, marks)
    first = _first(standing, subject, pair_id)
    pair = _pair(standing, kind, pair_id)
    by_side = {side.id: tuple(mark.id for mark in counted if mark.side == side.id) for side in pair.sides}
    left = len(by_side[pair.sides[0].id]) - len(by_side[pair.sides[1].id])
    toward = None if left == 0 else pair.sides[0 if left > 0 else 1].id
    line = _line(standing, subject, kind, pair, first, toward=toward, remaining=abs(left))
    return msgspec.structs.replace(line, marks=by_side, surplus=tuple(mark.id for mark in surplus))


def _line(
    standing: Standing,
    subject: str,
    kind: str,
    pair: Pair,
    first: int | None,
    *,
    toward: str | None,
    remaining: int,
) -> PlanLine:
    rules = standing.rules
    plain = PlanLine(
        subject=subject,
        kind=kind,
        pair=pair.id,
        marks={},
        surplus=(),
        toward=toward,
        remaining=remaining,
        outcome="cancelled",
        first=first,
    )
    if first is None:
        return msgspec.structs.replace(plain, outcome="no_ratings")
    if toward is None:
        return plain
    rises = toward == pair.sides[0].id
    rating = first if rises else standing.pair_rules.total - first
    bonus = mark_bonus(rules, remaining)
    at_end = first == standing.pair_rules.first_bounds[1 if rises else 0]
    if at_end and rules.at_cap == "no_roll_clear":
        return msgspec.structs.replace(plain, outcome="at_end", rating=rating, bonus=bonus)
    faces = [] if at_end else [face for face in range(1, rules.die + 1) if succeeds(rules, face, bonus, rating)]
    return msgspec.structs.replace(
        plain,
        outcome="roll",
        rating=rating,
        bonus=bonus,
        needed=min(faces, default=None),
        shifts=len(faces),
        of=rules.die,
    )


def _pair(standing: Standing, kind: str, pair: str) -> Pair:
    for own in kind_named(standing.pair_rules, kind).pairs:
        if own.id == pair:
            return own
    raise Refused("unknown_pair", f"{kind} has no pair {pair!r} any more.", field="pair", value=pair)


def _first(standing: Standing, subject: str, pair: str) -> int | None:
    own = standing.pairs.subjects.get(subject)
    return None if own is None else own.ratings.get(pair)


def _grace_end(standing: Standing, plan: ClosePlan, now: dt.datetime) -> dt.datetime:
    """The midnight at which open rolls are made in their players' stead: grace days after the period's end, or after
    the close when that came late."""
    zone = zone_at(standing.calendar, week_at(standing.calendar, now))
    today = now.astimezone(zone).date()
    ends = plan.period.ends or today
    return midnight(max(ends, today) + dt.timedelta(days=standing.rules.grace_days), zone)
