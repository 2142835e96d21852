"""Starting, pausing, stretching, ending early, and moving to another zone."""

import datetime as dt

import pytest

from rules import calendar
from rules.calendar.changes import known_zone
from rules.refusal import Refused
from tests.rules.spindrift import Table, calendar_rules, utc


def refusal(table: Table, command: object, now: str) -> Refused:
    with pytest.raises(Refused) as no:
        table.time(command, utc(now))
    return no.value


def season_at(table: Table, when: str) -> int:
    stamp = calendar.stamp_of(calendar_rules(), table.calendar, utc(when))
    assert stamp is not None
    return stamp.numbers["season"]


def text_at(table: Table, when: str) -> str:
    stamp = calendar.stamp_of(calendar_rules(), table.calendar, utc(when))
    assert stamp is not None
    return stamp.text


def test_a_start_on_another_day_names_the_mondays_beside_it() -> None:
    """SPI-095."""
    no = refusal(
        Table(), calendar.StartCalendar(zone="Europe/London", starts_on=dt.date(2026, 1, 7)), "2026-01-05T00:00:00Z"
    )
    assert no.code == "season_starts_on_monday"
    assert no.field == "starts_on"
    assert no.right == "Monday, 5 January 2026 or Monday, 12 January 2026"


@pytest.mark.parametrize("command", [calendar.PauseCalendar, calendar.ResumeCalendar])
def test_the_last_day_of_all_has_one_monday_beside_it(command: type) -> None:
    """9999-12-31 is a Friday, and no date lies behind it."""
    table = Table()
    table.time(calendar.StartCalendar(zone="Europe/London", starts_on=dt.date(2026, 1, 5)))
    table.time(calendar.PauseCalendar(from_date=dt.date(2026, 1, 12)), utc("2026-01-06T00:00:00Z"))
    no = refusal(table, command(from_date=dt.date.max), "2026-01-06T00:00:00Z")
    assert (no.code, no.field, no.right) == ("not_a_monday", "from_date", "Monday, 27 December 9999")


def test_a_start_needs_a_known_zone_and_a_near_date() -> None:
    table = Table()
    no = refusal(
        table, calendar.StartCalendar(zone="Europe/Londn", starts_on=dt.date(2026, 1, 5)), "2026-01-05T00:00:00Z"
    )
    assert (no.code, no.field, no.right) == ("unknown_zone", "zone", "Europe/London")
    far = calendar.StartCalendar(zone="Europe/London", starts_on=dt.date(1926, 1, 4))
    assert refusal(table, far, "2026-01-05T00:00:00Z").code == "start_too_far_away"


def test_the_start_can_be_moved_until_something_has_closed() -> None:
    table = Table()
    table.time(calendar.StartCalendar(zone="Asia/Tokyo", starts_on=dt.date(2026, 1, 12)))
    assert calendar.next_due_at(table.calendar) == utc("2026-01-18T15:00:00Z")
    table.close(utc("2026-01-19T00:00:00Z"))
    again = calendar.StartCalendar(zone="Asia/Tokyo", starts_on=dt.date(2026, 1, 19))
    assert refusal(table, again, "2026-01-19T00:00:00Z").code == "calendar_already_running"


def test_a_stretched_season_takes_its_weeks_from_no_other() -> None:
    """SPI-095: season 1 stretched by one week."""
    table = Table()
    events = table.time(calendar.StretchPeriod(weeks=1), utc("2026-01-20T00:00:00Z"))
    assert events == [calendar.PeriodStretched(rung="season", number=1, weeks=1, ends=dt.date(2026, 2, 9))]
    assert season_at(table, "2026-02-04T12:00:00Z") == 1
    assert season_at(table, "2026-02-09T00:00:00Z") == 2
    assert text_at(table, "2026-02-08T23:59:59Z") == "Year 1, Spring, week 5"
    second = calendar.period(table.calendar, "season", 2)
    assert second is not None and second.ends is not None and (second.ends - second.starts).days == 28


def test_a_settled_season_is_not_stretched() -> None:
    table = Table()
    table.close(utc("2026-02-03T00:00:00Z"))
    no = refusal(table, calendar.StretchPeriod(number=1, weeks=1), "2026-02-03T00:00:00Z")
    assert (no.code, no.right) == ("season_already_settled", "2 to 2")
    assert refusal(table, calendar.StretchPeriod(number=3, weeks=1), "2026-02-03T00:00:00Z").code == "season_not_begun"
    assert refusal(table, calendar.StretchPeriod(weeks=0), "2026-02-03T00:00:00Z").code == "weeks_out_of_range"


def test_a_pause_holds_the_season_and_has_no_weekly_close() -> None:
    table = Table()
    table.time(calendar.PauseCalendar(), utc("2026-01-14T00:00:00Z"))
    assert text_at(table, "2026-01-18T23:59:59Z") == "Year 1, Spring, week 2"
    assert text_at(table, "2026-01-19T00:00:00Z") == "Year 1, Spring, in a pause"
    assert table.close(utc("2026-03-04T00:00:00Z")) == ["week:1:1", "week:2:1"]
    assert calendar.next_due_at(table.calendar) is None
    season = calendar.period(table.calendar, "season", 1)
    assert season is not None and season.ends is None and season.ends_at is None
    assert calendar.period(table.calendar, "season", 2) is None

    table.time(calendar.ResumeCalendar(), utc("2026-03-04T00:00:00Z"))  # a Wednesday: its week counts
    assert text_at(table, "2026-03-04T00:00:00Z") == "Year 1, Spring, week 3"
    assert table.close(utc("2026-03-16T00:00:00Z")) == ["week:9:1", "week:10:1", "season:1:1"]


def test_a_pause_for_some_weeks_ends_by_itself_and_can_be_cut_short() -> None:
    table = Table()
    now = "2026-01-07T00:00:00Z"
    table.time(calendar.PauseCalendar(from_date=dt.date(2026, 1, 5), weeks=2), utc(now))
    assert text_at(table, now) == "Year 1, Spring, in a pause"
    assert text_at(table, "2026-01-19T00:00:00Z") == "Year 1, Spring, week 1"
    no = refusal(table, calendar.PauseCalendar(), now)
    assert (no.code, no.right) == ("already_paused", "resume it first")
    table.time(calendar.ResumeCalendar(from_date=dt.date(2026, 1, 12)), utc(now))
    assert text_at(table, "2026-01-12T00:00:00Z") == "Year 1, Spring, week 1"


def test_a_pause_right_behind_a_pause_is_one_long_pause() -> None:
    table = Table()
    table.time(calendar.PauseCalendar(weeks=1), utc("2026-01-06T00:00:00Z"))
    table.time(calendar.PauseCalendar(weeks=1), utc("2026-01-12T12:00:00Z"))
    assert table.close(utc("2026-02-02T00:00:00Z")) == ["week:1:1", "week:4:1"]


def test_a_pause_taken_back_before_it_begins_leaves_nothing() -> None:
    table = Table()
    before = calendar.after(table.calendar)
    table.time(calendar.PauseCalendar(), utc("2026-01-07T00:00:00Z"))
    table.time(calendar.ResumeCalendar(), utc("2026-01-07T00:00:00Z"))
    assert table.calendar == before
    assert refusal(table, calendar.ResumeCalendar(), "2026-01-07T00:00:00Z").code == "not_paused"


def test_a_pause_from_a_seasons_end_belongs_to_the_next_season() -> None:
    table = Table()
    table.time(calendar.PauseCalendar(from_date=dt.date(2026, 2, 2), weeks=1), utc("2026-01-28T00:00:00Z"))
    assert season_at(table, "2026-02-03T00:00:00Z") == 2
    first, second = (calendar.period(table.calendar, "season", number) for number in (1, 2))
    assert first is not None and second is not None
    assert first.ends == second.starts == dt.date(2026, 2, 2)
    assert second.ends == dt.date(2026, 3, 9)


@pytest.mark.parametrize("day", [dt.date(2025, 12, 29), dt.date(2026, 1, 8), dt.date(2031, 1, 6)])
def test_a_pause_begins_on_a_monday_within_reach(day: dt.date) -> None:
    no = refusal(Table(), calendar.PauseCalendar(from_date=day), "2026-01-07T00:00:00Z")
    assert no.code in ("not_a_monday", "pause_out_of_reach")
    assert "Monday" in str(no.right)


def test_a_season_ends_early_with_a_week() -> None:
    table = Table()
    now = "2026-01-14T00:00:00Z"
    events = table.time(calendar.EndEarly(), utc(now))
    assert events == [calendar.PeriodStretched(rung="season", number=1, weeks=-2, ends=dt.date(2026, 1, 19))]
    assert season_at(table, "2026-01-19T00:00:00Z") == 2
    assert table.close(utc("2026-01-19T00:00:00Z")) == ["week:1:1", "week:2:1", "season:1:1"]


def test_an_early_end_lies_between_now_and_the_ordinary_end() -> None:
    table = Table()
    mondays = "Monday, 12 January 2026 or Monday, 19 January 2026 or Monday, 26 January 2026"
    for day in (dt.date(2026, 1, 5), dt.date(2026, 2, 2), dt.date(2026, 3, 2)):
        no = refusal(table, calendar.EndEarly(ends_on=day), "2026-01-14T00:00:00Z")
        assert (no.code, no.right) == ("no_earlier_end", mondays)
    # In its last week it ends with that week anyway; only at once is earlier.
    assert refusal(table, calendar.EndEarly(), "2026-01-28T00:00:00Z").right == "Monday, 26 January 2026"


def test_an_end_at_once_closes_now_and_the_running_week_begins_the_next_season() -> None:
    table = Table()
    now = "2026-01-14T00:00:00Z"
    first = refusal(table, calendar.EndEarly(ends_on=dt.date(2026, 1, 5)), "2026-01-07T00:00:00Z")
    assert first.code == "no_earlier_end"
    events = table.time(calendar.EndEarly(ends_on=dt.date(2026, 1, 12)), utc(now))
    assert events == [calendar.PeriodStretched(rung="season", number=1, weeks=-3, ends=dt.date(2026, 1, 12))]
    assert (season_at(table, "2026-01-11T23:59:59Z"), season_at(table, now)) == (1, 2)
    assert table.close(utc(now)) == ["week:1:1", "season:1:1"]
    # The next season is an ordinary one of four weeks: 12 January to 9 February.
    assert (season_at(table, "2026-02-08T23:59:59Z"), season_at(table, "2026-02-09T00:00:00Z")) == (2, 3)


def test_an_early_end_taken_back_by_a_stretch_leaves_an_ordinary_season() -> None:
    table = Table()
    table.time(calendar.EndEarly(), utc("2026-01-14T00:00:00Z"))
    table.time(calendar.StretchPeriod(weeks=2), utc("2026-01-14T00:00:00Z"))
    assert table.calendar.extra == {}


def test_another_zone_moves_only_midnights_to_come() -> None:
    table = Table("Europe/London")
    events = table.time(calendar.ChangeZone(zone="America/New_York"), utc("2026-01-14T12:00:00Z"))
    assert events == [calendar.ZoneChanged(zone="America/New_York", from_date=dt.date(2026, 1, 19))]
    second, third = (calendar.period(table.calendar, "week", number) for number in (2, 3))
    assert second is not None and third is not None
    assert second.begins_at == utc("2026-01-12T00:00:00Z")
    assert second.ends_at == third.begins_at == utc("2026-01-19T05:00:00Z")


@pytest.mark.parametrize(
    ("old", "new", "now", "first"),
    [
        # Monday has begun in the old zone: it does not begin again in the new one.
        ("Pacific/Auckland", "America/New_York", "2026-01-11T20:00:00Z", "2026-01-19"),
        # It is Monday in the new zone already, and Sunday in the old: this Monday is still the old zone's.
        ("America/New_York", "Pacific/Auckland", "2026-01-11T20:00:00Z", "2026-01-19"),
        ("America/New_York", "Europe/London", "2026-01-11T20:00:00Z", "2026-01-12"),
    ],
)
def test_around_a_midnight_a_change_of_zone_waits_for_the_next(old: str, new: str, now: str, first: str) -> None:
    table = Table(old)
    stamped = text_at(table, now)
    events = table.time(calendar.ChangeZone(zone=new), utc(now))
    assert events[0].from_date == dt.date.fromisoformat(first)
    assert text_at(table, now) == stamped


def test_commands_before_the_start_say_so() -> None:
    blank = calendar.CalendarState()
    for command in (
        calendar.PauseCalendar(),
        calendar.ResumeCalendar(),
        calendar.StretchPeriod(weeks=1),
        calendar.EndEarly(),
        calendar.ClosePeriod(rung="week", number=1),
        calendar.ChangeZone(zone="UTC"),
    ):
        with pytest.raises(Refused) as no:
            calendar.decide(calendar_rules(), blank, command, utc("2026-01-14T00:00:00Z"))
        assert no.value.code == "calendar_not_started"


@pytest.mark.parametrize(
    "name", ["localtime", "posixrules", "Factory", "right/UTC", "../etc/passwd", "UTC\x00", "Europe"]
)
def test_a_zone_is_one_that_every_server_knows(name: str) -> None:
    with pytest.raises(Refused) as caught:
        known_zone(name)
    assert caught.value.code == "unknown_zone" and caught.value.right != name
