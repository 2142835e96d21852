"""The past on the pages, and why a number is so: now, as of an entry, a close, a date; for those who may know."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from campaigns.commands.subjects import CreateSubject, RevealSubject
from campaigns.commands.voiding import VoidAction
from campaigns.feed import cursor_of
from identity.commands.pairs import SetRating, ShiftPair
from tests.frontend.test_pages import client_of
from tests.identity.season import Season, at, make_season

pytestmark = pytest.mark.django_db(transaction=True)
RATING = re.compile(r'hx-target="#dialog-body">(\d+)<span class="unseen">, why\?')


@pytest.fixture
def season() -> Season:
    """Bold 14 from 1 January on, 16 from the 3rd, 15 from the 4th."""
    season = make_season(bold=14)
    with at(2026, 1, 3, 12):
        season.send("olga", SetRating(subject=season.talyne, side="bold", rating=16, reason="The storm"))
    with at(2026, 1, 4, 12):
        season.send("olga", ShiftPair(subject=season.talyne, toward="cautious", reason="The wreck"))
    return season


def page(season: Season, who: str, name: str = "subject", /, **query: str) -> Any:
    args = [season.table.campaign_id, *([season.talyne] if name in ("subject", "why") else [])]
    return client_of(season.table, who).get(f"{reverse(name, args=args)}?{urlencode(query)}")


def cursor(season: Season, kind: str) -> str:
    return cursor_of(season.table.campaign_id, season.events(kind)[-1].position)


def test_a_page_as_of_a_date_and_as_of_an_entry(season: Season) -> None:
    def bold(**query: str) -> str:
        return RATING.findall(page(season, "pia", **query).content.decode())[0]

    assert bold() == "15"
    assert bold(date="2026-01-01") == "14"
    assert bold(date="2026-01-03T11:59") == "14"
    assert bold(date="2026-01-03") == "16"
    assert bold(entry=cursor(season, "pairs.rating_set")) == "16"
    assert bold(entry=cursor(season, "pairs.shifted")) == "15"


def test_nothing_can_be_done_in_the_past(season: Season) -> None:
    html = page(season, "olga", date="2026-01-03").content.decode()
    assert "Nothing can be done here" in html
    main = html.split("<main")[1].split("</main>")[0]
    assert 'method="post"' not in main and "Award" not in main


def test_before_one_existed_there_is_no_page(season: Season) -> None:
    assert page(season, "olga", date="2025-12-01").status_code == 404
    for wrong in ({"date": "soon"}, {"entry": "nonsense"}, {"season": "spring"}):
        assert page(season, "olga", **wrong).status_code == 404


def test_why_a_rating_is_so_now_and_then(season: Season) -> None:
    name = "rating:bold_cautious/bold"
    html = page(season, "pia", "why", name=name).content.decode()
    parts = re.findall(r'why__line"><span>(.*?)</strong>', html, re.DOTALL)
    assert [re.sub(r".*<strong>", "", part, flags=re.DOTALL) for part in parts] == ["14", "to 16", "-1"]
    assert "The storm" in parts[1] and "The wreck" in parts[2]
    then = page(season, "pia", "why", name=name, date="2026-01-03").content.decode()
    assert "The storm" in then and "The wreck" not in then
    other = page(season, "pia", "why", name="rating:bold_cautious/cautious").content.decode()
    assert re.findall(r"<strong>([^<]+)</strong></div>", other) == ["6", "to 4", "+1"]


def test_why_is_for_those_who_see_the_number(season: Season) -> None:
    name = "rating:bold_cautious/bold"
    assert page(season, "paul", "why", name=name).status_code == 404
    asked = f"/api/campaigns/{season.table.campaign_id}/subjects/{season.talyne}/why?{urlencode({'name': name})}"
    assert client_of(season.table, "paul").get(asked).status_code == 404
    told = client_of(season.table, "pia").get(asked + "&date=2026-01-01").json()
    assert (told["label"], told["value"], [part["value"] for part in told["parts"]]) == ("Bold", 14, ["14"])


def test_pairs_and_sheets_of_the_past_over_the_api(season: Season) -> None:
    asked = f"/api/campaigns/{season.table.campaign_id}/subjects/{season.talyne}"
    client = client_of(season.table, "pia")

    def bold(**query: str) -> int:
        return int(client.get(f"{asked}/pairs", query).json()["pairs"][0]["sides"][0]["rating"])

    assert [bold(), bold(date="2026-01-03"), bold(date="2026-01-01")] == [15, 16, 14]
    assert client.get(f"{asked}/sheets", {"date": "2026-01-03"}).status_code == 200
    assert client.get(f"{asked}/pairs", {"date": "2025-01-01"}).status_code == 404
    wrong = client.get(f"{asked}/pairs", {"date": "soon"})
    assert (wrong.status_code, wrong.json()["field"]) == (400, "date")


def test_what_was_shown_in_error_is_not_shown_by_looking_back(season: Season) -> None:
    foe = season.send("olga", CreateSubject(kind="character", name="Canary-Foe", hidden=True)).events[0].event.subject
    shown = season.send("olga", RevealSubject(subject=foe)).position
    entry = cursor_of(season.table.campaign_id, shown)
    assert "Canary-Foe" in page(season, "pia", "past", entry=entry).content.decode()
    season.send("olga", VoidAction(entry=entry, reason="Too early"))
    assert "Canary-Foe" not in page(season, "pia", "past", entry=entry).content.decode()
    assert "Canary-Foe" in page(season, "olga", "past", entry=entry).content.decode()


def test_the_ledger_leads_to_how_things_stood(season: Season) -> None:
    html = client_of(season.table, "pia").get(reverse("ledger", args=[season.table.campaign_id])).content.decode()
    to = re.findall(r'href="([^"]*/past/\?entry=[^"]+)"', html)[0]
    assert client_of(season.table, "pia").get(to).status_code == 200


def test_closes_are_offered_as_moments(season: Season) -> None:
    season.award("bold", 2026, 1, 6, 12)
    season.run_jobs(2026, 2, 3, 12)
    html = page(season, "pia", "past").content.decode()
    assert "Year 1, Spring</option>" in html
    entry = re.findall(r'<option value="([^"]+)">Year 1, Spring<', html)[0]
    ended = page(season, "pia", entry=entry).content.decode()
    assert "Marks not yet settled then" in ended and "None." in ended
