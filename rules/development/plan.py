"""The plan of a close: who would roll for what, with which bonus and exact chance, as things now stand."""

import functools
from fractions import Fraction
from typing import Literal

import msgspec

from rules.calendar import Period, next_attempt, period_name
from rules.development.limits import within_limit
from rules.development.rules import Cycle, DevelopmentRules
from rules.development.state import Mark, OpenRoll, Standing
from rules.pairs import Pair

Key = tuple[str, str, str]  # subject, kind, pair
Pairs = dict[tuple[str, str], Pair]  # by kind and pair
Outcome = Literal["roll", "cancelled", "at_end", "no_ratings"]


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
    outcome: Outcome
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
    return _beats(rules.beats, face + bonus, rating)


def advancement_chance(rules: DevelopmentRules, rating: int, bonus: int) -> Fraction:
    """The exact chance of a shift, counted over all faces (SPI-104)."""
    return Fraction(_counted(rules.beats, rules.die, bonus, rating)[1], rules.die)


def _beats(rule: str, total: int, rating: int) -> bool:
    return total > rating if rule == "over" else total >= rating


@functools.lru_cache(maxsize=4096)
def _counted(rule: str, die: int, bonus: int, rating: int) -> tuple[int | None, int]:
    """The lowest face that beats the rating, and how many do."""
    faces = [face for face in range(1, die + 1) if _beats(rule, face + bonus, rating)]
    return min(faces, default=None), len(faces)


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
            if mark.kind in cycle.kinds and (sealed_too or not mark.sealed) and _settles(period, mark)
        ]
        lines += _lines(standing, cycle, marks)
        lapsing += [
            mark for mark in standing.marks.proposals.values() if mark.kind in cycle.kinds and _settles(period, mark)
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
    return _line(
        standing, (roll.subject, roll.kind, roll.pair), _pairs(standing), (roll.toward, roll.remaining), {}, ()
    )


def _settles(period: Period, mark: Mark) -> bool:
    """Whether the close of this period settles a mark: conduct in it, or left over from before. While its end is
    unknown, all there is."""
    return period.ends_at is None or mark.at < period.ends_at


def _pairs(standing: Standing) -> Pairs:
    """All pairs of the pack, in order."""
    return {(kind.id, pair.id): pair for kind in standing.pair_rules.kinds for pair in kind.pairs}


def _lines(standing: Standing, cycle: Cycle, marks: list[Mark]) -> list[PlanLine]:
    """One line a marked pair; subjects in the order they were opened, pairs in the order of their kind."""
    by_pair: dict[Key, list[Mark]] = {}
    for mark in marks:
        by_pair.setdefault((mark.subject, mark.kind, mark.pair), []).append(mark)
    pairs = _pairs(standing)
    subjects = {subject: place for place, subject in enumerate(standing.pairs.subjects)}
    places = {key: place for place, key in enumerate(pairs)}

    def order(key: Key) -> tuple[int, int]:
        return subjects.get(key[0], len(subjects)), places.get((key[1], key[2]), len(places))

    return [_cancelled(standing, cycle, key, pairs, by_pair[key]) for key in sorted(by_pair, key=order)]


def _cancelled(standing: Standing, cycle: Cycle, key: Key, pairs: Pairs, marks: list[Mark]) -> PlanLine:
    """The line of one pair after opposed marks have struck each other out one for one (SPI-096)."""
    counted, surplus = within_limit(standing, cycle, marks)
    pair = pairs.get((key[1], key[2]))
    sides = [side.id for side in pair.sides] if pair else list(dict.fromkeys([mark.side for mark in counted]))
    by_side = {side: tuple([mark.id for mark in counted if mark.side == side]) for side in sides}
    left = len(by_side[sides[0]]) - len(by_side[sides[1]]) if pair else 0
    toward = None if left == 0 else sides[0 if left > 0 else 1]
    return _line(standing, key, pairs, (toward, abs(left)), by_side, tuple([mark.id for mark in surplus]))


def _line(
    standing: Standing,
    key: Key,
    pairs: Pairs,
    left: tuple[str | None, int],
    marks: dict[str, tuple[str, ...]],
    surplus: tuple[str, ...],
) -> PlanLine:
    """What stands for one pair with marks `left` on a side. A pair that the subject, or the pack, no longer has loses
    its marks without a roll."""
    pair, own, rules = pairs.get((key[1], key[2])), standing.pairs.subjects.get(key[0]), standing.rules
    first = own.ratings.get(key[2]) if own else None
    toward, remaining = left
    outcome: Outcome = "roll"
    rating, bonus, needed, shifts = None, 0, None, 0
    if pair is None or first is None:
        outcome, toward, remaining, first = "no_ratings", None, 0, None
    elif toward is None:
        outcome = "cancelled"
    else:
        rises = toward == pair.sides[0].id
        rating = first if rises else standing.pair_rules.total - first
        bonus = mark_bonus(rules, remaining)
        at_end = first == standing.pair_rules.first_bounds[1 if rises else 0]
        if at_end and rules.at_cap == "no_roll_clear":
            outcome = "at_end"
        elif not at_end:
            needed, shifts = _counted(rules.beats, rules.die, bonus, rating)
    return PlanLine(
        subject=key[0],
        kind=key[1],
        pair=key[2],
        marks=marks,
        surplus=surplus,
        toward=toward,
        remaining=remaining,
        outcome=outcome,
        first=first,
        rating=rating,
        bonus=bonus,
        needed=needed,
        shifts=shifts,
        of=rules.die,
    )
