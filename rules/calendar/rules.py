"""The calendar as pack data: the ladder of periods, their names, and what a GM may do to them."""

import string
from typing import Annotated, Literal

import msgspec

from rules.faults import Fault, nearest, repeated

Count = Annotated[int, msgspec.Meta(ge=1, le=400)]


class Rung(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of period.

    The lowest rung has a `unit` (`iso_monday`: from a Monday's midnight to the next, in the campaign's zone); every
    other rung is `count` periods of the rung below (`of`). `names`, when given, name the places within one period of
    the rung above (or go round without end on the top rung); a rung without names is numbered.
    """

    id: str
    title: str
    unit: Literal["iso_monday"] | None = None
    of: str | None = None
    count: Count | None = None
    names: tuple[str, ...] = ()


class CalendarRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A pack's calendar.

    `ladder` runs from the shortest period to the longest; only a period of the second rung can be paused, stretched
    or ended early, always by whole periods of the lowest rung. `stamp` is how an instant reads, `paused_stamp` how it
    reads in a pause: `{rung id}` stands for the name or number of that period. `settings` maps value paths to keys of
    pack settings (see `rules.bindings`).
    """

    ladder: tuple[Rung, ...]
    stamp: str
    paused_stamp: str
    start_day: Literal["monday"] = "monday"
    zone: Literal["campaign"] = "campaign"
    start_within_weeks: Count = 53
    max_stretch_weeks: Count = 52
    settings: dict[str, str] = {}


def check_calendar(rules: CalendarRules) -> list[Fault]:
    """Everything wrong with a calendar; an empty list when it can be used."""
    if not rules.ladder:
        return [Fault(path="ladder", message="there is no period", right="at least one rung, of unit iso_monday")]
    problems = _check_lowest(rules.ladder[0])
    for place in range(1, len(rules.ladder)):
        problems += _check_rung(rules, place)
    for name in repeated(rung.id for rung in rules.ladder):
        problems.append(Fault(path="ladder", message=f"two rungs are called {name!r}", right="one id for each"))
    for place, rung in enumerate(rules.ladder):
        problems += _check_names(rules, place, rung)
    ids = [rung.id for rung in rules.ladder]
    problems += _check_template("stamp", rules.stamp, ids)
    problems += _check_template("paused_stamp", rules.paused_stamp, ids[1:])
    return problems


def _check_lowest(rung: Rung) -> list[Fault]:
    problems = []
    if rung.unit is None:
        problems.append(Fault(path="ladder.0.unit", message="the lowest rung needs a unit", right="iso_monday"))
    if rung.of is not None or rung.count is not None:
        problems.append(
            Fault(path="ladder.0", message="the lowest rung is not made of another", right="leave out of and count")
        )
    return problems


def _check_rung(rules: CalendarRules, place: int) -> list[Fault]:
    rung, below = rules.ladder[place], rules.ladder[place - 1]
    problems = []
    if rung.unit is not None:
        problems.append(
            Fault(path=f"ladder.{place}.unit", message="only the lowest rung has a unit", right="of and count")
        )
    if rung.of != below.id:
        problems.append(Fault(path=f"ladder.{place}.of", message=f"{rung.id} is not made of {rung.of}", right=below.id))
    if rung.count is None:
        problems.append(
            Fault(
                path=f"ladder.{place}.count",
                message=f"how many {below.id} periods {rung.id} has is not said",
                right="a whole number from 1",
            )
        )
    return problems


def _check_names(rules: CalendarRules, place: int, rung: Rung) -> list[Fault]:
    problems = [
        Fault(path=f"ladder.{place}.names", message=f"two places are called {name!r}", right="different names")
        for name in repeated(rung.names)
    ]
    above = rules.ladder[place + 1] if place + 1 < len(rules.ladder) else None
    if rung.names and above is not None and above.count is not None and len(rung.names) != above.count:
        problems.append(
            Fault(
                path=f"ladder.{place}.names",
                message=f"{len(rung.names)} names for {above.count} places in {above.id}",
                right=f"{above.count} names, or none",
            )
        )
    return problems


def _check_template(path: str, template: str, known: list[str]) -> list[Fault]:
    try:
        fields = list(string.Formatter().parse(template))
    except ValueError as error:
        return [Fault(path=path, message=f"cannot be read: {error}", right="{rung id} for each period")]
    problems = []
    for _, name, spec, conversion in fields:
        if name is not None and (name not in known or spec or conversion):
            problems.append(
                Fault(path=path, message=f"{{{name}}} is no period", right=nearest(name, known) or "{rung id}")
            )
    return problems
