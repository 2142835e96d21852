"""The calendar over clock changes, ISO week 53, New Year, a change of zone, pauses, thirty years; each close once."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine

from campaigns import models
from campaigns.commands import calendar as c
from campaigns.parts.calendar import Calendar, PeriodClosed, calendar_rules
from campaigns.parts.seeds import Seeds
from campaigns.store import read, states
from campaigns.tasks import do_all
from rules import calendar as rc
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table


def started(zone: str, starts_on: date, *, before: timedelta = timedelta(days=3)) -> Table:
    with time_machine.travel(datetime(*starts_on.timetuple()[:3], tzinfo=UTC) - before, tick=False):
        table = make_table({"spindrift-identity": ""})
        table.send("olga", c.StartCalendar(zone=zone, starts_on=starts_on))
    return table


def at_work(table: Table, now: datetime) -> int:
    with time_machine.travel(now, tick=False):
        return do_all(table.campaign_id, now)


def ends(table: Table, rung: str) -> list[datetime]:
    told = [e.event for page in read.pages_of_types(table.campaign_id, ("period.closed",), 1 << 40) for e in page]
    return [event.ended_at for event in told if isinstance(event, PeriodClosed) and event.rung == rung]


def due(table: Table) -> datetime | None:
    return models.Campaign.objects.get(id=table.campaign_id).due_at


@pytest.mark.parametrize(
    "zone, starts_on, boundaries",
    [
        # Europe: clocks go forward on 2026-03-29 at 01:00 UTC, back on 2026-10-25.
        ("Europe/London", date(2026, 3, 23), ["2026-03-29T23:00Z", "2026-04-05T23:00Z"]),
        ("Europe/London", date(2026, 10, 19), ["2026-10-26T00:00Z", "2026-11-02T00:00Z"]),
        # New Zealand: back on 2026-04-05 (03:00 NZDT), forward on 2026-09-27.
        ("Pacific/Auckland", date(2026, 3, 30), ["2026-04-05T12:00Z", "2026-04-12T12:00Z"]),
        ("Pacific/Auckland", date(2026, 9, 21), ["2026-09-27T11:00Z", "2026-10-04T11:00Z"]),
        # No change at all, and half an hour of one (Lord Howe, back on 2026-04-05).
        ("Asia/Tokyo", date(2026, 3, 30), ["2026-04-05T15:00Z", "2026-04-12T15:00Z"]),
        ("Australia/Lord_Howe", date(2026, 3, 30), ["2026-04-05T13:30Z", "2026-04-12T13:30Z"]),
    ],
)
def test_weeks_end_at_local_midnight_across_clock_changes(
    transactional_db: None, zone: str, starts_on: date, boundaries: list[str]
) -> None:
    table = started(zone, starts_on)
    for boundary in map(datetime.fromisoformat, boundaries):
        assert due(table) == boundary
        assert at_work(table, boundary - timedelta(seconds=1)) == 0
        assert at_work(table, boundary) == 1
        assert at_work(table, boundary) == 0
    local = [end.astimezone(ZoneInfo(zone)) for end in ends(table, "week")]
    assert {(end.weekday(), end.hour, end.minute) for end in local} == {(0, 0, 0)}


def test_the_week_across_new_year_is_one_week_53(transactional_db: None) -> None:
    table = started("Europe/London", date(2026, 12, 21))
    assert at_work(table, datetime(2027, 1, 3, 23, 59, 59, tzinfo=UTC)) == 1
    with states.held(table.campaign_id) as state:
        rules, calendar = calendar_rules(state), state.part(Calendar).clock
        assert rules is not None
        keys = {
            (stamp.week_key, stamp.text)
            for day in (datetime(2026, 12, 31, 12, tzinfo=UTC), datetime(2027, 1, 1, 12, tzinfo=UTC))
            if (stamp := rc.stamp_of(rules, calendar, day))
        }
    assert keys == {("2026-W53", "Year 1, Spring, week 2")}
    assert at_work(table, datetime(2027, 1, 4, tzinfo=UTC)) == 1


def test_a_changed_zone_moves_no_week_that_is_past(transactional_db: None) -> None:
    table = started("Europe/London", date(2026, 1, 5))
    with time_machine.travel(datetime(2026, 1, 7, tzinfo=UTC), tick=False):
        table.send("olga", c.ChangeZone(zone="America/New_York"))
        with pytest.raises(Refused) as caught:
            table.send("olga", c.ChangeZone(zone="America/New_Yrok"))
    assert caught.value.right == "America/New_York"
    assert at_work(table, datetime(2026, 1, 20, tzinfo=UTC)) == 2
    assert ends(table, "week") == [datetime(2026, 1, 12, 5, tzinfo=UTC), datetime(2026, 1, 19, 5, tzinfo=UTC)]


def test_a_pause_moves_the_season_and_an_early_end_the_next_ones(transactional_db: None) -> None:
    table = started("Europe/London", date(2026, 1, 5))
    with time_machine.travel(datetime(2026, 1, 7, tzinfo=UTC), tick=False):
        table.send("olga", c.PauseCalendar(weeks=2))
    assert at_work(table, datetime(2026, 2, 15, tzinfo=UTC)) == 3
    assert ends(table, "season") == []
    assert at_work(table, datetime(2026, 2, 16, tzinfo=UTC)) == 2
    with time_machine.travel(datetime(2026, 2, 17, tzinfo=UTC), tick=False):
        table.send("olga", c.EndEarly())
    assert at_work(table, datetime(2026, 2, 23, tzinfo=UTC)) == 2
    assert ends(table, "season") == [datetime(2026, 2, 16, tzinfo=UTC), datetime(2026, 2, 23, tzinfo=UTC)]
    # Four weeks and two more paused, then one week; the next season is an ordinary one again.
    assert at_work(table, datetime(2026, 3, 22, tzinfo=UTC)) == 3
    assert at_work(table, datetime(2026, 3, 23, tzinfo=UTC)) == 2


def test_thirty_years_of_seasons_close_in_order(transactional_db: None) -> None:
    """1,560 weeks: 390 seasons of four and 97 years of four seasons, with as many dates and no gap."""
    table = started("Europe/London", date(2026, 1, 5))
    now = datetime(2026, 1, 5, tzinfo=UTC) + timedelta(weeks=1560, days=1)
    while at_work(table, now):
        pass
    weeks, seasons, years = (ends(table, rung) for rung in ("week", "season", "year"))
    london = ZoneInfo("Europe/London")
    assert [w.astimezone(london).date() for w in weeks] == [
        date(2026, 1, 5) + timedelta(weeks=n) for n in range(1, 1561)
    ]
    assert seasons == weeks[3::4] and years == seasons[3::4]
    row = models.Campaign.objects.get(id=table.campaign_id)
    assert row.calendar == "Year 98, Autumn, week 1"
    with states.held(table.campaign_id) as state:
        running = {audience for audience in state.part(Seeds).running if audience.startswith("close.")}
    assert running == {"close.390", "close.391"}
