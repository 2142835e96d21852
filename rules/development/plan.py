"""The plan of a close: who would roll for what, with which bonus and exact chance, as things now stand."""

from fractions import Fraction
from typing import Literal

import msgspec

from rules.calendar import Period, next_attempt, period_name
from rules.development.limits import number_at, within_limit
from rules.development.rules import Cycle, DevelopmentRules
from rules.development.state import Mark, OpenRoll, Standing
from rules.pairs import Pair


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


def line_of_roll(standing: Standing, roll: OpenRoll) -> PlanLine:
    """An open roll as it now stands, the rating read at this moment (SPI-106)."""
    pair, first = _pair_and_first(standing, roll.subject, roll.kind, roll.pair)
    if pair is None or first is None:
        return _without_ratings(roll.subject, roll.kind, roll.pair)
    return _line(standing, roll.subject, roll.kind, pair, first, toward=roll.toward, remaining=roll.remaining)


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
    dropped = tuple(mark.id for mark in surplus)
    pair, first = _pair_and_first(standing, subject, kind, pair_id)
    if pair is None or first is None:
        names = dict.fromkeys(mark.side for mark in counted)
        lone = {name: tuple(mark.id for mark in counted if mark.side == name) for name in names}
        return msgspec.structs.replace(_without_ratings(subject, kind, pair_id), marks=lone, surplus=dropped)
    by_side = {side.id: tuple(mark.id for mark in counted if mark.side == side.id) for side in pair.sides}
    left = len(by_side[pair.sides[0].id]) - len(by_side[pair.sides[1].id])
    toward = None if left == 0 else pair.sides[0 if left > 0 else 1].id
    line = _line(standing, subject, kind, pair, first, toward=toward, remaining=abs(left))
    return msgspec.structs.replace(line, marks=by_side, surplus=dropped)


def _line(
    standing: Standing,
    subject: str,
    kind: str,
    pair: Pair,
    first: int,
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


def _without_ratings(subject: str, kind: str, pair: str) -> PlanLine:
    """The line of a pair that the subject, or the pack, no longer has: its marks go, nothing is rolled."""
    return PlanLine(
        subject=subject,
        kind=kind,
        pair=pair,
        marks={},
        surplus=(),
        toward=None,
        remaining=0,
        outcome="no_ratings",
        first=None,
    )


def _pair_and_first(standing: Standing, subject: str, kind: str, pair: str) -> tuple[Pair | None, int | None]:
    """A pair as the pack has it and the subject's first rating of it; None for what there no longer is."""
    kinds = [own for own in standing.pair_rules.kinds if own.id == kind]
    found = next((own for step in kinds for own in step.pairs if own.id == pair), None)
    own = standing.pairs.subjects.get(subject)
    return found, None if own is None else own.ratings.get(pair)
