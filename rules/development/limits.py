"""When a pair can be marked: which week or season an instant belongs to, and what is marked there already."""

import datetime as dt

import msgspec

from rules.calendar import period, week_at
from rules.calendar.geometry import number_in, rung_place
from rules.development.rules import Cycle, cycle_of
from rules.development.state import Mark, MarksState, Standing


class Eligibility(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a pair can take a mark for conduct at an instant.

    code       why not: before_calendar, does_not_develop, <rung>_already_settled, pair_marked_this_<unit>; "" if it can
    unit       the rung that limits marks, `number` the period of it in which the instant lies
    marks      ids of the marks that fill it
    from_date  local date from which conduct can be marked again; None when it can be now, or that is unknown
    """

    possible: bool
    code: str = ""
    unit: str = ""
    number: int = 0
    marks: tuple[str, ...] = ()
    from_date: dt.date | None = None


def number_at(standing: Standing, rung: str, at: dt.datetime) -> int:
    """The number of the period of a rung in which an instant lies; 0 before the calendar's start."""
    week = week_at(standing.calendar, at)
    return 0 if week < 0 else number_in(standing.calendar, rung_place(standing.calendar, rung), week)


def eligibility(
    standing: Standing, subject: str, pair: str, at: dt.datetime, *, sealed_too: bool = False
) -> Eligibility:
    """Whether a subject's pair can take an open mark for conduct at `at`.

    Sealed marks are left out, so that the answer tells a player nothing; the limit they share with open marks is
    settled at the close. `sealed_too` is for those who may know.
    """
    own = standing.pairs.subjects.get(subject)
    cycle = cycle_of(standing.rules, own.kind) if own else None
    if cycle is None:
        return Eligibility(possible=False, code="does_not_develop")
    number = number_at(standing, cycle.unit, at) if standing.calendar.start else 0
    if number < 1:
        return Eligibility(possible=False, code="before_calendar", from_date=standing.calendar.start)
    settled = standing.calendar.closed.get(cycle.settles, 0)
    if number_at(standing, cycle.settles, at) <= settled:
        return _settled(standing, cycle, number, settled)
    by_unit = _by_unit(standing, subject, pair, cycle, sealed_too)
    full = by_unit.get(number, [])
    if len(full) < cycle.limit:
        return Eligibility(possible=True, unit=cycle.unit, number=number)
    following = number + 1
    while len(by_unit.get(following, [])) >= cycle.limit:
        following += 1
    return Eligibility(
        possible=False,
        code=f"pair_marked_this_{cycle.unit}",
        unit=cycle.unit,
        number=number,
        marks=tuple(mark.id for mark in full),
        from_date=_starts(standing, cycle.unit, following),
    )


def marks_in(standing: Standing, rung: str, number: int, *, sealed_too: bool = False) -> list[Mark]:
    """The unsettled marks for conduct in one period, in the order in which it happened."""
    found = [
        mark
        for mark in standing.marks.marks.values()
        if (sealed_too or not mark.sealed) and number_at(standing, rung, mark.at) == number
    ]
    return sorted(found, key=lambda mark: mark.at)


def within_limit(standing: Standing, cycle: Cycle, marks: list[Mark]) -> tuple[list[Mark], list[Mark]]:
    """Marks of one pair divided into those that count and those beyond the limit of their week or season.

    The conduct that came first counts; of two at one instant the one recorded first. (More than the limit occurs only
    where a sealed mark is involved, or when a change of the calendar joined two periods.)
    """
    if len(marks) <= cycle.limit:
        return marks, []
    counted: list[Mark] = []
    surplus: list[Mark] = []
    taken: dict[int, int] = {}
    for mark in sorted(marks, key=lambda mark: mark.at):
        unit = number_at(standing, cycle.unit, mark.at)
        taken[unit] = taken.get(unit, 0) + 1
        (counted if taken[unit] <= cycle.limit else surplus).append(mark)
    return counted, surplus


def next_roll_due_at(state: MarksState) -> dt.datetime | None:
    """When the first open roll is to be made in its player's stead; None when none is open."""
    return min((roll.until for roll in state.open_rolls.values()), default=None)


def _by_unit(standing: Standing, subject: str, pair: str, cycle: Cycle, sealed_too: bool) -> dict[int, list[Mark]]:
    by_unit: dict[int, list[Mark]] = {}
    for mark in standing.marks.marks.values():
        if mark.subject == subject and mark.pair == pair and (sealed_too or not mark.sealed):
            by_unit.setdefault(number_at(standing, cycle.unit, mark.at), []).append(mark)
    return by_unit


def _settled(standing: Standing, cycle: Cycle, number: int, settled: int) -> Eligibility:
    return Eligibility(
        possible=False,
        code=f"{cycle.settles}_already_settled",
        unit=cycle.unit,
        number=number,
        from_date=_starts(standing, cycle.settles, settled + 1),
    )


def _starts(standing: Standing, rung: str, number: int) -> dt.date | None:
    found = period(standing.calendar, rung, number)
    return None if found is None else found.starts
