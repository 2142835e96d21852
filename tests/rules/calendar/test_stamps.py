"""Where an instant lies: weeks, seasons and years, their bounds and their names."""

import datetime as dt

import pytest

from rules import calendar
from rules.refusal import Refused
from tests.rules.spindrift import Table, calendar_rules, local, utc


def at(table: Table, when: str) -> calendar.Stamp:
    stamp = calendar.stamp_of(calendar_rules(), table.calendar, utc(when))
    assert stamp is not None
    return stamp


@pytest.mark.parametrize(
    ("zone", "when", "week"),
    [
        ("America/New_York", "2026-03-02T03:30:00Z", "2026-W09"),
        ("America/New_York", "2026-03-02T06:00:00Z", "2026-W10"),
        ("UTC", "2026-03-02T03:30:00Z", "2026-W10"),
    ],
)
def test_weeks_are_those_of_the_campaigns_zone(zone: str, when: str, week: str) -> None:
    """SPI-093."""
    assert at(Table(zone), when).week_key == week


@pytest.mark.parametrize(
    ("when", "season"),
    [("2026-01-05T00:00:00Z", 1), ("2026-02-01T23:59:59Z", 1), ("2026-02-02T00:00:00Z", 2)],
)
def test_four_weeks_make_a_season(when: str, season: int) -> None:
    """SPI-094."""
    assert at(Table(), when).numbers["season"] == season


@pytest.mark.parametrize(
    ("when", "season", "year", "of_year"),
    [("2026-04-26T22:59:59Z", 4, 1, 4), ("2026-04-26T23:00:00Z", 5, 2, 1)],
)
def test_four_seasons_make_a_year_across_the_spring_clock_change(
    when: str, season: int, year: int, of_year: int
) -> None:
    """SPI-137: midnight of 27 April in London is 23:00 UTC."""
    stamp = at(Table(), when)
    assert (stamp.numbers["season"], stamp.numbers["year"], stamp.places["season"]) == (season, year, of_year)


def test_text_names_and_places() -> None:
    stamp = at(Table(), "2026-11-03T12:00:00Z")
    # 3 November is in week 44 of the calendar (302 days = 43 whole weeks): season 11 is the third of year 3.
    assert stamp.text == "Year 3, Autumn, week 4"
    assert stamp.numbers == {"week": 44, "season": 11, "year": 3}
    assert stamp.places == {"week": 4, "season": 3, "year": 3}
    assert stamp.week_starts == dt.date(2026, 11, 2)


def test_before_the_start_there_is_no_stamp_and_nothing_due() -> None:
    table = Table(start="2026-01-05")
    assert calendar.stamp_of(calendar_rules(), table.calendar, utc("2026-01-04T23:59:59Z")) is None
    blank = calendar.CalendarState()
    assert calendar.stamp_of(calendar_rules(), blank, utc("2026-01-10T00:00:00Z")) is None
    assert calendar.next_due_at(blank) is None
    assert calendar.due_periods(blank, utc("2036-01-10T00:00:00Z")) == []


def test_week_53_and_the_week_across_new_year_are_one_week_each() -> None:
    """SPI-093: 2026 has 53 ISO weeks; its last runs into 2027."""
    table = Table(start="2026-12-14")
    keys = [at(table, f"{day}T12:00:00Z").week_key for day in ("2026-12-27", "2026-12-28", "2027-01-03", "2027-01-04")]
    assert keys == ["2026-W52", "2026-W53", "2026-W53", "2027-W01"]


@pytest.mark.parametrize(
    ("zone", "start", "number", "hours"),
    [
        ("Europe/London", "2026-03-23", 1, 167),  # spring forward on 29 March
        ("Europe/London", "2026-10-19", 1, 169),  # autumn back on 25 October
        ("Australia/Sydney", "2026-03-30", 1, 169),  # southern autumn, 5 April
        ("Australia/Sydney", "2026-09-28", 1, 167),  # southern spring, 4 October
        ("Asia/Kolkata", "2026-03-23", 1, 168),
        ("Australia/Lord_Howe", "2026-03-30", 1, 168.5),  # a change of half an hour
    ],
)
def test_a_week_with_a_clock_change_is_an_hour_longer_or_shorter(
    zone: str, start: str, number: int, hours: float
) -> None:
    week = calendar.period(Table(zone, start).calendar, "week", number)
    assert week is not None and week.ends_at is not None
    assert (week.ends_at - week.begins_at) == dt.timedelta(hours=hours)
    assert (week.ends - week.starts).days == 7


def test_the_repeated_hour_belongs_to_the_same_week() -> None:
    """In the Azores Sunday's clock goes from 01:00 back to 00:00; both passes lie in the week that is ending."""
    table = Table("Atlantic/Azores", "2026-10-19")
    for fold in (0, 1):
        instant = local("Atlantic/Azores", 2026, 10, 25, 0, 30).replace(fold=fold)
        stamp = calendar.stamp_of(calendar_rules(), table.calendar, instant)
        assert stamp is not None and stamp.numbers["week"] == 1


def test_period_bounds_are_local_dates_and_utc_instants() -> None:
    season = calendar.period_at(Table("America/New_York", "2026-03-02").calendar, "season", utc("2026-03-20T00:00:00Z"))
    assert season is not None
    assert (season.starts, season.ends) == (dt.date(2026, 3, 2), dt.date(2026, 3, 30))
    assert season.begins_at == utc("2026-03-02T05:00:00Z")
    assert season.ends_at == utc("2026-03-30T04:00:00Z")
    assert season.key == "season:1"


def test_names_of_the_table_replace_those_of_the_pack() -> None:
    table = Table()
    table.time(calendar.NamePeriods(rung="season", names=("Thaw", "Bloom", "Storm", "Ice")))
    assert at(table, "2026-01-06T00:00:00Z").text == "Year 1, Thaw, week 1"
    table.time(calendar.NamePeriods(rung="season", names=()))
    assert at(table, "2026-01-06T00:00:00Z").text == "Year 1, Spring, week 1"
    with pytest.raises(Refused) as no:
        table.time(calendar.NamePeriods(rung="season", names=("Wet", "Dry")))
    assert (no.value.code, no.value.right) == ("names_do_not_fit", "4 names, or none for the pack's own")


def test_period_names() -> None:
    table = Table()
    names = [calendar.period_name(calendar_rules(), table.calendar, *which) for which in (("year", 2), ("season", 7))]
    assert names == ["Year 2", "Year 2, Autumn"]
    assert calendar.period_name(calendar_rules(), table.calendar, "week", 7) == "Year 1, Summer, week 3"
