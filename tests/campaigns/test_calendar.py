"""The calendar through commands: each change an event, each period closed once and in order, each with its own date."""

import json
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
import time_machine

from campaigns import models
from campaigns.commands import calendar as c
from campaigns.parts.calendar import Calendar
from campaigns.projecting import project_all
from campaigns.store import states
from campaigns.tasks import do_all, due_campaigns
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table

LONDON = ZoneInfo("Europe/London")


@pytest.fixture
def table(transactional_db: None) -> Table:
    with time_machine.travel(datetime(2026, 1, 1, 12, tzinfo=UTC), tick=False):
        made = make_table({"spindrift-identity": ""})
        made.send("olga", c.StartCalendar(zone="Europe/London", starts_on=date(2026, 1, 5)))
    return made


def head(table: Table) -> models.Campaign:
    return models.Campaign.objects.get(id=table.campaign_id)


def run_jobs(table: Table, now: datetime) -> int:
    with time_machine.travel(now, tick=False):
        assert due_campaigns(now, 10) in ([table.campaign_id], [])
        return do_all(table.campaign_id, now)


def closed(table: Table) -> list[tuple[str, int, int]]:
    events = models.Event.objects.filter(campaign_id=table.campaign_id, type="period.closed").order_by("position")
    return [(d["rung"], d["number"], d["attempt"]) for d in (json.loads(e.data) for e in events)]


def test_start_names_the_first_due_instant_and_the_place(table: Table) -> None:
    row = head(table)
    assert row.due_at == datetime(2026, 1, 12, tzinfo=UTC)
    assert row.calendar == "Year 1, Spring, week 1"


def test_a_month_asleep_closes_four_weeks_and_a_season_in_order(table: Table) -> None:
    assert run_jobs(table, datetime(2026, 2, 10, 3, tzinfo=UTC)) == 6
    assert closed(table) == [("week", n, 1) for n in range(1, 5)] + [("season", 1, 1), ("week", 5, 1)]
    events = models.Event.objects.filter(campaign_id=table.campaign_id, type="period.closed").order_by("position")
    ends = [e.happened_at.astimezone(LONDON).date() for e in events]
    assert ends == [date(2026, 1, 11), date(2026, 1, 18), date(2026, 1, 25), date(2026, 2, 1)] + [
        date(2026, 2, 1),
        date(2026, 2, 8),
    ]
    assert run_jobs(table, datetime(2026, 2, 10, 3, tzinfo=UTC)) == 0
    assert head(table).calendar == "Year 1, Summer, week 2"


def test_taken_back_and_closed_again(table: Table) -> None:
    now = datetime(2026, 2, 3, tzinfo=UTC)
    run_jobs(table, now)
    with time_machine.travel(now, tick=False):
        table.send("olga", c.TakeBackClose(rung="season", number=1, reason="A mark was missing"))
        assert do_all(table.campaign_id, now) == 0
        with pytest.raises(Refused) as caught:
            table.send("job:calendar", c.ClosePeriod(rung="season", number=1, attempt=2))
        assert caught.value.code == "left_to_the_gm"
        with states.held(table.campaign_id) as state:
            assert state.part(Calendar).clock.closed == {"week": 4, "season": 0}
        table.send("olga", c.ClosePeriod(rung="season", number=1, attempt=2))
    assert closed(table)[-1] == ("season", 1, 2)
    assert head(table).calendar == "Year 1, Summer, week 1"


def test_a_day_later_the_job_closes_again(table: Table) -> None:
    now = datetime(2026, 2, 3, tzinfo=UTC)
    run_jobs(table, now)
    with time_machine.travel(now, tick=False):
        table.send("olga", c.TakeBackClose(rung="season", number=1))
    assert head(table).due_at == datetime(2026, 2, 4, tzinfo=UTC)
    assert run_jobs(table, datetime(2026, 2, 4, 1, tzinfo=UTC)) == 1


def test_projections_made_anew_equal_those_grown(table: Table) -> None:
    run_jobs(table, datetime(2026, 3, 3, tzinfo=UTC))
    grown = models.Campaign.objects.values().get(id=table.campaign_id)
    with states.held(table.campaign_id) as state:
        project_all(table.campaign_id, state)
    assert models.Campaign.objects.values().get(id=table.campaign_id) == grown
