"""What holds of every calendar: time is divided without gap or overlap, and every period closes exactly once."""

import datetime as dt
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules import calendar
from rules.refusal import Refused
from tests.rules.spindrift import Table, calendar_rules

ZONES = [
    "UTC",
    "Europe/London",
    "America/New_York",
    "America/Santiago",
    "Australia/Sydney",
    "Australia/Lord_Howe",
    "Pacific/Auckland",
    "Pacific/Apia",
    "Asia/Kathmandu",
    "Africa/Cairo",
    "Atlantic/Azores",
]
HOUR = dt.timedelta(hours=1)


@pytest.mark.parametrize("zone", ZONES)
def test_thirty_years_of_weeks_seasons_and_years_follow_each_other_without_gap(zone: str) -> None:
    state = Table(zone, "2026-01-05").calendar
    years = 30 * 365 // 112 + 1
    for rung, count in (("week", years * 16), ("season", years * 4), ("year", years)):
        bounds = [calendar.period(state, rung, number) for number in range(1, count + 1)]
        assert bounds[0].starts == dt.date(2026, 1, 5)
        for before, following in zip(bounds, bounds[1:], strict=False):
            assert before.ends == following.starts
            assert before.ends_at == following.begins_at
            assert before.begins_at < before.ends_at
            assert following.starts.weekday() == 0
    assert bounds[-1].ends_at.year == 2056


@pytest.mark.parametrize("zone", ZONES)
def test_every_instant_of_thirty_years_lies_in_the_period_that_holds_it(zone: str) -> None:
    state = Table(zone, "2026-01-05").calendar
    at = calendar.period(state, "week", 1).begins_at
    step = dt.timedelta(days=5, hours=7, minutes=13, seconds=1)
    while at.year < 2056:
        for rung in ("week", "season", "year"):
            held = calendar.period_at(state, rung, at)
            assert held.begins_at <= at < held.ends_at
        at += step


changes = st.lists(
    st.tuples(
        st.integers(1, 60),
        st.one_of(
            st.builds(lambda weeks: calendar.StretchPeriod(weeks=weeks), st.integers(1, 5)),
            st.just(calendar.EndEarly()),
            st.builds(lambda weeks: calendar.PauseCalendar(weeks=weeks), st.integers(1, 6)),
            st.just(calendar.PauseCalendar()),
            st.just(calendar.ResumeCalendar()),
            st.builds(lambda zone: calendar.ChangeZone(zone=zone), st.sampled_from(ZONES)),
            st.just("close"),
            st.just("take_back"),
        ),
    ),
    max_size=25,
)


def act(table: Table, what: Any, now: dt.datetime) -> None:
    """One change of the calendar by a GM, or one waking of the job; refusals leave all as it was."""
    before = calendar.after(table.calendar)
    try:
        if what == "close":
            table.close(now)
        elif what == "take_back":
            number = table.calendar.closed.get("season", 0)
            table.time(calendar.TakeBackClose(rung="season", number=number), now)
        else:
            table.time(what, now)
    except Refused:
        assert table.calendar == before


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(ZONES), changes)
def test_no_change_makes_a_gap_an_overlap_or_moves_what_is_past(zone: str, steps: list[tuple[int, Any]]) -> None:
    table = Table(zone, "2026-01-05")
    now = table.now
    seen: dict[dt.datetime, dict[str, int]] = {}
    for days, what in steps:
        now += dt.timedelta(days=days) + HOUR
        act(table, what, now)
        stamp = calendar.stamp_of(calendar_rules(), table.calendar, now)
        seen[now] = stamp.numbers
        number = 1
        while (season := calendar.period(table.calendar, "season", number)) and season.ends_at is not None:
            following = calendar.period(table.calendar, "season", number + 1)
            assert following is not None and following.begins_at == season.ends_at
            assert season.ends_at - season.begins_at >= dt.timedelta(days=6)
            if season.begins_at > now:
                break
            number += 1
    for at, numbers in seen.items():
        again = calendar.stamp_of(calendar_rules(), table.calendar, at)
        assert again.numbers["week"] == numbers["week"]
        if numbers["season"] <= table.calendar.closed.get("season", 0):
            assert again.numbers["season"] <= table.calendar.closed["season"]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(ZONES), changes)
def test_every_close_happens_once_in_order_whenever_the_job_wakes(zone: str, steps: list[tuple[int, Any]]) -> None:
    table = Table(zone, "2026-01-05")
    now = table.now
    for days, what in steps:
        now += dt.timedelta(days=days) + HOUR
        act(table, what, now)
    act(table, "close", now)
    act(table, "close", now)
    standing: dict[str, list[int]] = {"week": [], "season": [], "year": []}
    for event in table.log:
        if isinstance(event, calendar.PeriodClosed):
            assert event.ended_at <= now
            assert not standing[event.rung] or event.number > standing[event.rung][-1]
            standing[event.rung].append(event.number)
        elif isinstance(event, calendar.CloseTakenBack):
            assert standing[event.rung].pop() == event.number
    for rung in ("season", "year"):
        assert standing[rung] == list(range(1, len(standing[rung]) + 1))
    running = calendar.stamp_of(calendar_rules(), table.calendar, now)
    assert len(standing["season"]) == running.numbers["season"] - 1
    assert len(standing["year"]) == running.numbers["year"] - 1
    weeks = [week for week in range(1, running.numbers["week"]) if not calendar.is_paused(table.calendar, week - 1)]
    assert standing["week"] == weeks
    keys = [
        (event.rung, event.number, event.attempt) for event in table.log if isinstance(event, calendar.PeriodClosed)
    ]
    assert len(keys) == len(set(keys))
    assert calendar.due_periods(table.calendar, now) == []
    upcoming = calendar.next_due_at(table.calendar)
    assert upcoming is None or upcoming > now


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 24 * 90), min_size=1, max_size=12), st.sampled_from(ZONES))
def test_one_long_sleep_and_many_wakings_close_the_same(hours: list[int], zone: str) -> None:
    often, once = Table(zone), Table(zone)
    end = often.now + dt.timedelta(hours=sum(hours))
    now = often.now
    for pause in hours:
        now += dt.timedelta(hours=pause)
        often.close(now)
        often.close(now)
    once.close(end)
    assert often.log == once.log and often.calendar == once.calendar


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(ZONES), changes, st.integers(0, 3), st.booleans())
def test_ended_early_and_taken_back_is_as_if_never_ended(
    zone: str, steps: list[tuple[int, Any]], later: int, closes: bool
) -> None:
    """Whatever was done before, and with the closes that came of it taken back first, last one first."""
    table = Table(zone, "2026-01-05")
    now = table.now
    for days, what in steps:
        now += dt.timedelta(days=days) + HOUR
        act(table, what, now)
    table.close(now)
    before = calendar.after(table.calendar)
    try:
        (ended,) = table.time(calendar.EndEarly(), now)
    except Refused:
        return
    now += dt.timedelta(weeks=later)
    if closes:
        table.close(now)
    with_closes = table.calendar.closed
    for rung in ("year", "season"):
        while with_closes.get(rung, 0) > before.closed.get(rung, 0):
            try:
                table.time(calendar.TakeBackClose(rung=rung, number=with_closes[rung]), now)
            except Refused as refusal:
                assert refusal.code == "later_close_stands" and rung == "season"
                return
    table.time(calendar.LiftEnd(number=ended.number), now)
    assert (table.calendar.extra, table.calendar.pauses) == (before.extra, before.pauses)
    assert table.calendar.cut == before.cut
    for rung in ("season", "year"):
        for number in range(1, 20):
            assert calendar.period(table.calendar, rung, number) == calendar.period(before, rung, number)


def test_what_was_not_ended_early_does_not_go_on_and_what_is_closed_says_so() -> None:
    table = Table("UTC", "2026-01-05")
    with pytest.raises(Refused, match="ended early"):
        table.time(calendar.LiftEnd())
    table.time(calendar.EndEarly())
    table.close(table.now + dt.timedelta(days=8))
    with pytest.raises(Refused) as refused:
        table.time(calendar.LiftEnd(number=1))
    assert refused.value.code == "later_close_stands" and refused.value.right == "take back season 1 first"


def test_weeks_that_were_stretched_after_an_early_end_are_given_back_once() -> None:
    """Four weeks become one, then two: the early end still holds two weeks back."""
    table = Table("UTC", "2026-01-05")
    table.time(calendar.EndEarly())
    table.time(calendar.StretchPeriod(weeks=1))
    (lifted,) = table.time(calendar.LiftEnd())
    assert lifted.weeks == 2 and lifted.ends == dt.date(2026, 2, 2)
    assert table.calendar.extra == table.calendar.cut == {}
