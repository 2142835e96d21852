"""How an instant reads in the campaign's calendar."""

import datetime as dt

import msgspec

from rules.calendar.geometry import (
    counted_before,
    first_week,
    is_paused,
    monday_of,
    number_in,
    second_first,
    week_at,
)
from rules.calendar.rules import CalendarRules
from rules.calendar.state import CalendarState


class Stamp(msgspec.Struct, frozen=True, kw_only=True):
    """An instant's place in the calendar.

    numbers   by rung, the number of the period since the start (season 6)
    places    by rung, its number within the period of the rung above (season 2 of its year); the top rung's is its
              number. A paused week has no place (None)
    names     by rung, the name of the place, or the place as text where it has no name ("" in a pause)
    week_key  the real week by ISO year and week, such as 2026-W09
    paused    whether the week lies in a pause
    text      the whole, as the pack words it: "Year 3, Autumn, week 2"
    """

    numbers: dict[str, int]
    places: dict[str, int | None]
    names: dict[str, str]
    week_key: str
    week_starts: dt.date
    paused: bool
    text: str


def stamp_of(rules: CalendarRules, state: CalendarState, at: dt.datetime) -> Stamp | None:
    """Where an aware instant lies; None before the calendar's start."""
    if state.start is None:
        return None
    week = week_at(state, at)
    return None if week < 0 else stamp_of_week(rules, state, week)


def stamp_of_week(rules: CalendarRules, state: CalendarState, week: int) -> Stamp:
    """The stamp that every instant of a week (numbered from 0) has."""
    paused = is_paused(state, week)
    numbers = {rung: number_in(state, place, week) for place, rung in enumerate(state.rungs)}
    places = places_of_week(state, week)
    names = {rung: _name(rules, state, rung, place) for rung, place in places.items()}
    monday = monday_of(state, week)
    return Stamp(
        numbers=numbers,
        places=places,
        names=names,
        week_key=iso_key(monday),
        week_starts=monday,
        paused=paused,
        text=_filled(rules.paused_stamp if paused else rules.stamp, names),
    )


def places_of_week(state: CalendarState, week: int) -> dict[str, int | None]:
    """By rung, lowest first, the place of a week's period within the one above; None where the week does not count."""
    paused = is_paused(state, week)
    return {rung: _place(state, place, week, paused) for place, rung in enumerate(state.rungs)}


def iso_key(monday: dt.date) -> str:
    """The real week that begins on a Monday, by ISO year and week: 2026-W53."""
    year, week, _ = monday.isocalendar()
    return f"{year}-W{week:02}"


def period_name(rules: CalendarRules, state: CalendarState, rung: str, number: int) -> str:
    """What a period is called on screens, from its own rung up: "Year 3, Autumn, week 2"."""
    place = state.rungs.index(rung)
    week = first_week(state, place, number)
    titles = {step.id: step.title for step in rules.ladder}
    if week is None:
        return f"{titles.get(rung, rung)} {number}"
    parts: list[str] = []
    for above in range(len(state.rungs) - 1, place - 1, -1):
        own = state.rungs[above]
        at = _place(state, above, week, paused=above == 0 and is_paused(state, week))
        name = _name(rules, state, own, at)
        named = at is not None and name != str(at)
        title = titles.get(own, own)
        parts.append(name if named else f"{title.lower() if parts else title} {name}".strip())
    return ", ".join(parts)


def _place(state: CalendarState, rung: int, week: int, paused: bool) -> int | None:
    """The place of the period of a rung within the one above, from 1."""
    if rung == 0:
        if paused:
            return None
        if len(state.rungs) == 1:
            return week + 1
        counted = counted_before(state, week)
        return counted - second_first(state, number_in(state, 1, week)) + 1
    number = number_in(state, rung, week)
    if rung + 1 == len(state.rungs):
        return number
    return (number - 1) % state.counts[rung + 1] + 1


def _name(rules: CalendarRules, state: CalendarState, rung: str, place: int | None) -> str:
    if place is None:
        return ""
    names = state.names.get(rung) or [name for step in rules.ladder if step.id == rung for name in step.names]
    top = rung == state.rungs[-1]
    if names and (top or place <= len(names)):
        return names[(place - 1) % len(names)]
    return str(place)


def _filled(template: str, names: dict[str, str]) -> str:
    for rung, name in names.items():
        template = template.replace("{" + rung + "}", name)
    return template
