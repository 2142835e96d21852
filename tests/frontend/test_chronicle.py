"""Pages of the chronicle."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.frontend.test_pages import client_of
from tests.identity.season import Season, at, make_season


@pytest.fixture
def season(transactional_db: None) -> Season:
    return make_season()


def test_the_chronicle_leads_from_season_to_season_and_to_reports(season: Season) -> None:
    season.award("bold", 2026, 1, 6)
    season.run_jobs(2026, 5, 1)
    here = [season.table.campaign_id]
    with at(2026, 5, 1):
        client = client_of(season.table, "pia")
        now = client.get(reverse("chronicle", args=here)).content.decode()
        assert "Year 2, Spring" in now and reverse("chronicle_season", args=[*here, 1, 4]) in now
        year = client.get(reverse("chronicle_year", args=[*here, 1])).content.decode()
        for name in ("Spring", "Summer", "Autumn", "Winter"):
            assert f"<h2>Year 1, {name}</h2>" in year
        assert reverse("report", args=[*here, "season", 1]) in year and "data-print" in year
        assert reverse("report", args=[*here, "week", 1]) not in year
        own = client.get(reverse("chronicle_of", args=[*here, season.talyne])).content.decode()
        assert "Talyne entered the story." in own
        for nowhere in ((7, 1), (1, 9)):
            assert client.get(reverse("chronicle_season", args=[*here, *nowhere])).status_code == 404
        watcher = client_of(season.table, "wim").get(reverse("chronicle_year", args=[*here, 1]))
        assert watcher.status_code == 200
