"""What is due when, in what order, and closed once."""

import datetime as dt

import pytest

from rules import calendar
from rules.refusal import Refused
from tests.rules.spindrift import Table, calendar_rules, utc


def keys(table: Table, now: str) -> list[str]:
    return [due.key for due in calendar.due_periods(table.calendar, utc(now))]


def test_a_month_away_is_four_weeks_and_a_season_in_order_each_with_its_own_date() -> None:
    table = Table()
    now = utc("2026-02-03T09:00:00Z")
    due = calendar.due_periods(table.calendar, now)
    assert [one.key for one in due] == ["week:1:1", "week:2:1", "week:3:1", "week:4:1", "season:1:1"]
    assert [one.period.ends for one in due] == [
        dt.date(2026, 1, 12),
        dt.date(2026, 1, 19),
        dt.date(2026, 1, 26),
        dt.date(2026, 2, 2),
        dt.date(2026, 2, 2),
    ]
    assert table.close(now) == [one.key for one in due]
    assert table.close(now) == []
    ends = [event.ended_at for event in table.log if isinstance(event, calendar.PeriodClosed)]
    assert ends == sorted(ends) and ends[-1] == utc("2026-02-02T00:00:00Z")


def test_the_fourth_season_closes_its_year_after_itself() -> None:
    assert keys(Table(), "2026-04-27T00:00:00Z")[-3:] == ["week:16:1", "season:4:1", "year:1:1"]


def test_nothing_is_due_before_the_instant() -> None:
    table = Table()
    assert calendar.next_due_at(table.calendar) == utc("2026-01-12T00:00:00Z")
    assert keys(table, "2026-01-11T23:59:59.999999Z") == []
    assert keys(table, "2026-01-12T00:00:00Z") == ["week:1:1"]


def test_due_periods_can_be_asked_for_a_few_at_a_time() -> None:
    due = calendar.due_periods(Table().calendar, utc("2026-04-27T00:00:00Z"), limit=3)
    assert [one.key for one in due] == ["week:1:1", "week:2:1", "week:3:1"]


@pytest.mark.parametrize(
    ("rung", "number", "attempt", "code"),
    [
        ("week", 1, 1, "week_already_settled"),
        ("week", 2, 2, "stale_attempt"),
        ("week", 3, 1, "close_in_order"),
        ("week", 4, 1, "week_not_over"),
        ("season", 1, 1, "season_not_over"),
        ("year", 1, 1, "year_not_over"),
        ("month", 1, 1, "unknown_period"),
    ],
)
def test_a_close_out_of_turn_is_refused(rung: str, number: int, attempt: int, code: str) -> None:
    """SPI-098, SPI-101, SPI-117, SPI-135."""
    table = Table()
    table.close(utc("2026-01-12T00:00:00Z"))
    with pytest.raises(Refused) as no:
        table.time(calendar.ClosePeriod(rung=rung, number=number, attempt=attempt), utc("2026-01-28T00:00:00Z"))
    assert no.value.code == code


def test_a_close_is_taken_back_and_done_again_under_a_new_attempt() -> None:
    table = Table()
    now = utc("2026-02-17T00:00:00Z")
    table.close(now)
    table.time(calendar.TakeBackClose(rung="season", number=1, reason="a mark was missing"), now)
    assert keys(table, "2026-02-17T00:00:00Z") == ["season:1:2"]
    with pytest.raises(Refused) as no:
        table.time(calendar.ClosePeriod(rung="season", number=1, attempt=1), now)
    assert (no.value.code, no.value.right) == ("stale_attempt", "2")
    assert table.close(now) == ["season:1:2"]
    table.time(calendar.TakeBackClose(rung="season", number=1), now)
    assert table.close(now) == ["season:1:3"]


def test_what_later_closes_rest_on_is_taken_back_after_them() -> None:
    table = Table()
    now = utc("2026-04-27T12:00:00Z")
    table.close(now)
    for rung, number, code, right in [
        ("season", 3, "later_close_stands", "take back season 4 first"),
        ("season", 4, "later_close_stands", "take back year 1 first"),
        ("week", 16, "later_close_stands", "take back season 4 first"),
        ("season", 5, "season_not_closed", "4"),
    ]:
        with pytest.raises(Refused) as no:
            table.time(calendar.TakeBackClose(rung=rung, number=number), now)
        assert (no.value.code, no.value.right) == (code, right)
    for rung, number in [("year", 1), ("season", 4), ("season", 3)]:
        table.time(calendar.TakeBackClose(rung=rung, number=number), now)
    assert table.close(now) == ["season:3:2", "season:4:2", "year:1:2"]


def test_after_a_close_is_taken_back_the_season_can_be_stretched() -> None:
    table = Table()
    now = utc("2026-02-10T12:00:00Z")
    table.close(now)
    table.time(calendar.TakeBackClose(rung="season", number=1), now)
    with pytest.raises(Refused) as no:
        table.time(calendar.StretchPeriod(number=1, weeks=1), now)
    assert (no.value.code, no.value.right) == ("still_over", "2 weeks or more")
    table.time(calendar.StretchPeriod(number=1, weeks=2), now)
    assert keys(table, "2026-02-16T00:00:00Z") == ["week:6:1", "season:1:2"]


def test_state_folds_alike_from_its_stored_form() -> None:
    import msgspec

    table = Table()
    table.close(utc("2026-03-10T00:00:00Z"))
    table.time(calendar.StretchPeriod(weeks=2), utc("2026-03-10T00:00:00Z"))
    stored = msgspec.json.decode(msgspec.json.encode(table.calendar), type=calendar.CalendarState)
    assert stored == table.calendar
    again = calendar.CalendarState()
    for event in table.log:
        calendar.evolve(again, msgspec.json.decode(msgspec.json.encode(event), type=type(event)))
    assert again == table.calendar
    assert calendar.check_calendar(calendar_rules()) == []
