"""The past on the pages, and why a number is so: now, as of an entry, a close, a date; for those who may know."""

from __future__ import annotations

import re
from datetime import date
from typing import Any
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from campaigns.commands.subjects import CreateSubject, RevealSubject
from campaigns.commands.voiding import VoidAction
from campaigns.feed import cursor_of
from identity.commands.pairs import SetRating, ShiftPair
from tests.frontend.test_pages import client_of
from tests.identity.season import Season, at, make_season, make_season_at

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


def test_of_what_was_not_yet_written_down_a_page_says_when_it_first_was(season: Season) -> None:
    """Written down on Thursday, 1 January 2026; looked back at from a month before, and by what has no meaning."""
    for name in ("subject", "why"):
        more = {"name": "rating:bold_cautious/bold"} if name == "why" else {}
        answer = page(season, "pia", name, date="2025-12-01", **more)
        html = answer.content.decode()
        assert answer.status_code == 200
        assert "Talyne was not yet written down by the end of Monday, 1 December 2025;" in html
        assert '?date=2026-01-01">1 January 2026</a>' in html
    for wrong in ({"date": "soon"}, {"entry": "nonsense"}, {"season": "spring"}):
        assert page(season, "olga", **wrong).status_code == 404


def test_what_was_hidden_then_is_said_to_be_shown_later_and_what_is_hidden_is_not_there(season: Season) -> None:
    with at(2026, 1, 6):
        foe = season.send("olga", CreateSubject(kind="character", name="Foe", hidden=True)).events[0].event.subject
    here = reverse("subject", args=[season.table.campaign_id, foe])
    assert client_of(season.table, "pia").get(f"{here}?date=2026-01-03").status_code == 404
    with at(2026, 1, 8):
        season.send("olga", RevealSubject(subject=foe))
    hers = client_of(season.table, "pia").get(f"{here}?date=2026-01-07").content.decode()
    assert "Foe was not yet shown to the table by" in hers and "?date=2026-01-08" in hers
    gm = client_of(season.table, "olga")
    assert "As written down by" in gm.get(f"{here}?date=2026-01-07").content.decode()
    assert "?date=2026-01-06" in gm.get(f"{here}?date=2026-01-03").content.decode()


def test_a_date_that_a_later_begun_calendar_covers_is_called_by_that_calendar() -> None:
    """Begun on Wednesday 14 January as of Monday the 5th, in Auckland: the 8th is in its first week, and was written
    of by nobody. The day ends in Auckland, at 11:00 UTC: at 12:00 UTC of the 14th it is the 15th there."""
    with at(2026, 1, 14, 12):
        late = make_season_at("Pacific/Auckland", date(2026, 1, 5))
    html = page(late, "pia", "past", date="2026-01-08").content.decode()
    assert "<h1>Year 1, Spring, week 1</h1>" in html and "Before the calendar began" not in html
    assert "Nothing was written down yet by the end of Thursday, 8 January 2026" in html
    assert '?date=2026-01-15">15 January 2026</a>' in html
    assert "Nothing was written down yet" in page(late, "pia", "past", date="2026-01-14").content.decode()
    then = page(late, "pia", "past", date="2026-01-15").content.decode()
    assert "<h1>Year 1, Spring, week 2</h1>" in then and "Talyne" in then


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
    early = client.get(f"{asked}/pairs", {"date": "2025-01-01"})
    assert (early.status_code, early.json()["code"]) == (404, "not_yet_written")
    assert early.json()["right"] == "from 2026-01-01T12:00:00+00:00 on"
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
