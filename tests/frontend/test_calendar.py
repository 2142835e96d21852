"""The calendar's page: ending at once or with the week, closing, the report with its charts, rolls left to players."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any, cast
from uuid import uuid4

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from campaigns.commands.starting import ChangeSetting
from frontend.pairs import _history
from identity.reads import PairRead
from tests.frontend.test_pages import client_of
from tests.identity.season import Season, at, make_season, utc


@pytest.fixture
def season(transactional_db: None) -> Season:
    return make_season(bold=0)


def page(season: Season, client: Client, name: str = "calendar", *more: Any) -> str:
    return client.get(reverse(name, args=[season.table.campaign_id, *more])).content.decode()


def pull(season: Season, client: Client, act: str, **fields: Any) -> Any:
    address = reverse("lever", args=[season.table.campaign_id])
    return client.post(address, {"command_id": str(uuid4()), "act": act, **fields}, follow=True)


def test_a_season_ends_at_once_closes_on_the_spot_and_its_report_charts_what_moved(season: Season) -> None:
    """Bold stands at 0, so that any face moves it (SPI-100)."""
    season.award("bold", 2026, 1, 6, note="Leapt first")
    with at(2026, 1, 7):
        client = client_of(season.table, "olga")
        assert "End now" not in page(season, client)
    season.run_jobs(2026, 1, 14)
    with at(2026, 1, 14):
        client = client_of(season.table, "olga")
        html = page(season, client)
        assert "what happened since Monday, 12 January counts to what follows" in html
        assert '<div id="waiting" data-live="period calendar">' in html  # there, for an open page to fill
        assert "Year 1, Spring" in pull(season, client, "end_now", ends_on="2026-01-12").content.decode()
        waiting = page(season, client).split("Over, and not yet closed")[1].split("</section>")[0]
        period = waiting.split('name="period" value="')[1].split('"')[0]
        assert period == "season:1:1"
        pull(season, client, "close", period=period)
        told = [entry["says"] for entry in season.feed("olga") if entry["type"] == "development.settled"]
        assert told == ["Year 1, Spring was settled for Talyne: Bold."]
        assert '<div id="waiting" data-live="period calendar">' in page(season, client)  # and to empty again
        report = page(season, client, "report", "season", 1)
        assert "More Bold" in report and "Leapt first" in report and "5 to 11 January 2026" in report
        assert "Through the seasons" in report and 'class="chart"' in report
        assert "Year 1, Summer, week 1" in page(season, client)
        other = page(season, client_of(season.table, "paul"), "report", "season", 1)
        assert "has grown more Bold" in other and 'class="chart"' not in other


def test_a_refusal_writes_dates_as_the_page_does(season: Season) -> None:
    with at(2026, 1, 7):
        client = client_of(season.table, "olga")
        html = page(season, client)
        assert "ends before Monday, 2 February" in html
        told = pull(season, client, "end_now", ends_on="2026-01-05").content.decode()
        assert "Right would be: Monday, 12 January 2026 or Monday, 19 January 2026" in told
        told = pull(season, client, "end_now", ends_on="2026-01-13").content.decode()
        assert "Tuesday, 13 January 2026 is not a Monday" in told


def test_players_make_the_rolls_themselves_until_a_date_that_they_are_told(season: Season) -> None:
    season.award("bold", 2026, 1, 6)
    with time_machine.travel(utc(2026, 1, 7), tick=False):
        for name, value in (("advancement_roller", "owner_player"), ("advancement_grace_days", 5)):
            season.send("olga", ChangeSetting(setting=f"spindrift-identity/identity.{name}", value=value))
    season.run_jobs(2026, 2, 2)
    with at(2026, 2, 2, 12):
        pia = client_of(season.table, "pia")
        told = page(season, pia, "subject", season.talyne)
        assert "Roll for Bold" in told and "by Saturday, 7 February, 00:00 UTC; then it is rolled for you" in told
        roll = told.split('name="roll" value="')[1].split('"')[0]
        form = {"command_id": str(uuid4()), "roll": roll, "subject": season.talyne}
        pia.post(reverse("roll_advancement", args=[season.table.campaign_id]), form)
        assert season.first("bold_cautious") == 1
    assert date(2026, 2, 7) - date(2026, 2, 2) == date(2026, 1, 10) - date(2026, 1, 5)


def test_a_chart_never_runs_backwards() -> None:
    """Ratings entered this week, and a close of last week that moved them: both stand at the close."""
    history = (
        SimpleNamespace(at=utc(2026, 1, 12), when="Year 1, Summer, week 1", rating=11),
        SimpleNamespace(at=utc(2026, 1, 11), when="Year 1, Spring, week 1", rating=12),
        SimpleNamespace(at=utc(2026, 1, 25), when="Year 1, Summer, week 2", rating=12),
    )
    points = _history(cast(PairRead, SimpleNamespace(history=history)))
    assert [point.label for point in points] == [
        "Year 1, Spring, week 1",
        "Year 1, Spring, week 1",
        "Year 1, Summer, week 2",
    ]
    assert [point.moved for point in points] == [False, True, False]
