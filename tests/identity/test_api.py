"""Reads of the API: each viewer's own view of calendar, pairs and closes."""

import pytest

from tests.campaigns.api.callers import Caller, callers
from tests.identity.season import Season, at


@pytest.fixture
def people(season: Season) -> dict[str, Caller]:
    return callers(season.table)


def bold(caller: Caller, subject: str) -> list[int | None]:
    pairs = caller.read(f"subjects/{subject}/pairs").json()["pairs"]
    return [side["rating"] for pair in pairs if pair["pair"] == "bold_cautious" for side in pair["sides"]]


def test_each_reads_what_they_may(season: Season, people: dict[str, Caller]) -> None:
    with at(2026, 1, 8):
        season.award("bold", 2026, 1, 6, note="CanaryNote")
        for who in ("olga", "pia"):
            assert bold(people[who], season.talyne) == [14, 6]
        for who in ("paul", "wim", "link"):
            assert bold(people[who], season.talyne) == [None, None]
        assert people["link"].read("calendar").json()["text"] == "Year 1, Spring, week 1"
        assert people["olga"].read("preview").json()["lines"][0]["chance"] == "3/10"
        for who in ("pia", "wim", "link"):
            assert people[who].read("preview").status_code in (403, 404)
    season.run_jobs(2026, 2, 3)
    with at(2026, 2, 3):
        for who in people:
            told = people[who].read("periods/season/1")
            assert (told.status_code == 200) == (who not in ("stan", "nobody"))
            assert ("CanaryNote" in told.content.decode()) == (who in ("olga", "pia"))
        periods = people["wim"].read("periods", rung="season").json()["periods"]
        assert [period["title"] for period in periods] == ["Year 1, Spring"]
        assert people["olga"].read("periods/season/2").status_code == 404
