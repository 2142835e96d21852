"""Calendars as data: what is refused at load, and ladders other than the shipped one."""

import datetime as dt
from typing import Any

import msgspec
import pytest

from rules import calendar
from rules.bindings import with_settings
from rules.refusal import Refused
from tests.rules.spindrift import calendar_rules, utc

WEEK = calendar.Rung(id="week", title="Week", unit="iso_monday")


def ladder(*rungs: calendar.Rung, stamp: str = "week {week}") -> calendar.CalendarRules:
    return calendar.CalendarRules(ladder=rungs, stamp=stamp, paused_stamp="paused")


def changed(place: int, **parts: Any) -> calendar.CalendarRules:
    rules = calendar_rules()
    rungs = list(rules.ladder)
    rungs[place] = msgspec.structs.replace(rungs[place], **parts)
    return msgspec.structs.replace(rules, ladder=tuple(rungs))


@pytest.mark.parametrize(
    ("rules", "path", "right"),
    [
        (ladder(), "ladder", "at least one rung, of unit iso_monday"),
        (changed(0, unit=None), "ladder.0.unit", "iso_monday"),
        (changed(0, of="day", count=7), "ladder.0", "leave out of and count"),
        (changed(1, of="month"), "ladder.1.of", "week"),
        (changed(1, count=None), "ladder.1.count", "a whole number from 1"),
        (changed(1, unit="iso_monday"), "ladder.1.unit", "of and count"),
        (changed(1, names=("Wet", "Dry")), "ladder.1.names", "4 names, or none"),
        (changed(1, names=("A", "B", "A", "C")), "ladder.1.names", "different names"),
        (changed(2, id="week"), "ladder", "one id for each"),
        (msgspec.structs.replace(calendar_rules(), stamp="Year {yaer}"), "stamp", "year"),
        (msgspec.structs.replace(calendar_rules(), stamp="Year {year.__class__}"), "stamp", "week, season, year"),
        (msgspec.structs.replace(calendar_rules(), stamp="Year {year:>9}"), "stamp", "year"),
        (msgspec.structs.replace(calendar_rules(), stamp="Year {"), "stamp", "{rung id} for each period"),
        (msgspec.structs.replace(calendar_rules(), paused_stamp="week {week}"), "paused_stamp", "season, year"),
    ],
)
def test_faults_name_place_and_right(rules: calendar.CalendarRules, path: str, right: str) -> None:
    faults = calendar.check_calendar(rules)
    assert (path, right) in [(fault.path, fault.right) for fault in faults]


@pytest.mark.parametrize("count", [0, -1, 401])
def test_a_period_without_length_does_not_convert(count: int) -> None:
    tree = msgspec.json.decode(msgspec.json.encode(calendar_rules()))
    tree["ladder"][1]["count"] = count
    with pytest.raises(msgspec.ValidationError, match="count"):
        msgspec.convert(tree, calendar.CalendarRules)


def started(rules: calendar.CalendarRules) -> calendar.CalendarState:
    state = calendar.CalendarState()
    command = calendar.StartCalendar(zone="UTC", starts_on=dt.date(2026, 1, 5))
    for event in calendar.decide(rules, state, command, utc("2026-01-05T00:00:00Z")):
        calendar.evolve(state, event)
    return state


def test_a_calendar_of_weeks_alone() -> None:
    rules = ladder(WEEK)
    assert calendar.check_calendar(rules) == []
    state = started(rules)
    assert calendar.stamp_of(rules, state, utc("2026-02-10T00:00:00Z")).text == "week 6"
    assert [due.key for due in calendar.due_periods(state, utc("2026-01-19T00:00:00Z"))] == ["week:1:1", "week:2:1"]
    with pytest.raises(Refused) as no:
        calendar.decide(rules, state, calendar.StretchPeriod(weeks=1), utc("2026-01-19T00:00:00Z"))
    assert no.value.code == "no_such_period"


def test_a_calendar_of_four_rungs() -> None:
    rules = ladder(
        WEEK,
        calendar.Rung(id="moon", title="Moon", of="week", count=1),
        calendar.Rung(id="tide", title="Tide", of="moon", count=3, names=("Ebb", "Flood")),
        calendar.Rung(id="age", title="Age", of="tide", count=2),
        stamp="{age} {tide} {moon} {week}",
    )
    assert calendar.check_calendar(rules) == []
    state = started(rules)
    texts = [
        calendar.stamp_of(rules, state, utc("2026-01-05T00:00:00Z") + dt.timedelta(weeks=week)).text
        for week in range(8)
    ]
    assert texts == [
        "1 Ebb 1 1",
        "1 Ebb 2 1",
        "1 Ebb 3 1",
        "1 Flood 1 1",
        "1 Flood 2 1",
        "1 Flood 3 1",
        "2 Ebb 1 1",
        "2 Ebb 2 1",
    ]
    keys = [due.key for due in calendar.due_periods(state, utc("2026-02-16T00:00:00Z"))]
    assert keys[-5:] == ["moon:5:1", "week:6:1", "moon:6:1", "tide:2:1", "age:1:1"]


def test_a_change_of_the_pack_moves_no_period_of_a_running_calendar() -> None:
    rules = calendar_rules()
    state = started(rules)
    before = calendar.stamp_of(rules, state, utc("2026-06-10T00:00:00Z"))
    longer = with_settings(rules, {"identity.season_weeks": 6})
    assert longer.ladder[1].count == 6
    assert calendar.stamp_of(longer, state, utc("2026-06-10T00:00:00Z")) == before
    with pytest.raises(Refused, match="cannot be 0"):
        with_settings(rules, {"identity.season_weeks": 0})
