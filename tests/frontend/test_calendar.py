"""The calendar's page: ending at once or with the week, closing, the report with its charts, rolls left to players."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from uuid import uuid4

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from campaigns.commands.calendar import StartCalendar
from campaigns.commands.starting import AskErasure, ChangeSetting
from campaigns.entrance import utc_now
from campaigns.feed import cursor_of
from campaigns.parts.table import Table
from campaigns.store import states
from frontend.pairs import _history
from frontend.when import host_zone
from identity.reads import PairRead
from rules.refusal import Refused
from tests.campaigns.tables import make_table
from tests.frontend.test_pages import address, client_of
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
        asked = pull(season, client, "end_now", ends_on="2026-01-12").content.decode()
        assert "End Year 1, Spring now?" in asked and "Over, and not yet closed" not in page(season, client)
        # Four weeks of Spring become one: the year ends three weeks before Monday, 27 April.
        for name, after, before in (("Year 1, Spring", "12 January", "2 February"), ("Year 1", "6 April", "27 April")):
            assert f"{name} closes on Monday, {after} 2026 instead of Monday, {before} 2026" in asked
        pull(season, client, "end_now", ends_on="2026-01-12", sure="yes")
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


def test_an_early_end_is_taken_back_on_the_calendar_where_the_ledger_leads(season: Season) -> None:
    season.run_jobs(2026, 1, 14)
    with at(2026, 1, 14):
        client = client_of(season.table, "olga")
        pull(season, client, "end_now", ends_on="2026-01-12", sure="yes")
        here, ended = season.table.campaign_id, season.events("calendar.stretched")[-1]
        assert "Let it go on" in page(season, client) and 'id="go-on-1"' in page(season, client)
        asked = page(season, client, "entry", cursor_of(here, ended.position))
        assert f'href="{reverse("calendar", args=[here])}#go-on-1"' in asked
    season.run_jobs(2026, 1, 14, 13)
    with at(2026, 1, 14, 14):
        client = client_of(season.table, "olga")
        html = page(season, client)
        assert "Take its close back first" in html and "Let it go on" not in html
        told = pull(season, client, "lift_end", number="1").content.decode()
        assert "Year 1, Spring is closed. Right would be: take back the close of Year 1, Spring." in told
        pull(season, client, "take_back", period="season:1")
        assert "before Monday, 2 February 2026" in page(season, client)
        assert "It goes on." in pull(season, client, "lift_end", number="1").content.decode()
        html = page(season, client)
        assert "Year 1, Spring, week 2" in html and "go-on-1" not in html and "Over, and not yet closed" not in html
        assert "Year 1, Spring goes on and ends before 2 February 2026." in [e["says"] for e in season.feed("pia")]
    season.run_jobs(2026, 2, 2, 1)
    assert [e["says"] for e in season.feed("pia") if e["type"] == "period.closed"][-1] == "Year 1, Spring has ended."


def test_another_zone_is_said_from_when_it_holds(season: Season) -> None:
    with at(2026, 1, 7):
        gm = client_of(season.table, "olga")
        pull(season, gm, "zone", zone="Europe/Berlin")
        for reader in (gm, client_of(season.table, "pia")):
            assert "in Europe/Berlin from Monday, 12 January on" in page(season, reader)
        html = page(season, gm)
        assert "closes on Monday, 2 February, 00:00 Europe/Berlin" in " ".join(html.split())
        assert (
            "follows Europe/Berlin from Monday, 12 January 2026 on"
            in pull(season, gm, "zone", zone="Europe/Berlin").content.decode()
        )
    with at(2026, 1, 14):
        html = page(season, client_of(season.table, "olga"))
        assert "from Monday, 12 January on" not in html and 'value="Europe/Berlin"' in html


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
        assert (
            "Roll for Bold" in told
            and "by Saturday, 7 February 2026, 00:00 (Europe/London); then it is rolled for you" in told
        )
        # Wherever it is told, it can be made by whom it waits for; the game master reads whom that is.
        for name, args in (("campaign", ()), ("tests", ()), ("calendar", ()), ("report", ("season", 1))):
            html = page(season, pia, name, *args)
            assert "Roll for Bold" in html and "until Saturday, 7 February 2026, 00:00 (Europe/London)" in html, name
            seen = page(season, client_of(season.table, "olga"), name, *args)
            assert "waits for Pia until" in seen and "Roll for Bold" not in seen, name
            assert "Left to roll" not in page(season, client_of(season.table, "paul"), name, *args)
        roll = told.split('name="roll" value="')[1].split('"')[0]
        form = {"command_id": str(uuid4()), "roll": roll, "subject": season.talyne}
        # One is back where one pressed, and is told what came of it: whatever shows is over 0.
        to, here = (reverse(name, args=[season.table.campaign_id]) for name in ("roll_advancement", "calendar"))
        done = pia.post(to, form, headers={"referer": f"http://testserver{here}"})
        assert done["Location"] == here and " against Bold 0: it rises." in pia.get(here).content.decode()
        away = pia.post(to, form, headers={"referer": f"https://elsewhere.example{here}"})
        assert away["Location"] == reverse("subject", args=[season.table.campaign_id, season.talyne])
        assert season.first("bold_cautious") == 1
    assert date(2026, 2, 7) - date(2026, 2, 2) == date(2026, 1, 10) - date(2026, 1, 5)


def test_nothing_is_said_to_close_by_itself_while_the_campaign_waits_for_its_erasure(season: Season) -> None:
    with at(2026, 1, 13):
        client = client_of(season.table, "olga")
        assert "Closes by itself in a moment" in page(season, client)
        with states.held(season.table.campaign_id) as state:
            name = state.part(Table).name
        season.send("olga", AskErasure(name=name))
        told = page(season, client)
        assert "Rests while the campaign waits" in told and "Closes by itself in a moment" not in told


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


def test_a_pause_is_said_on_the_calendar_at_the_table_and_in_the_report(season: Season) -> None:
    """Asked for on Wednesday 7 January, it begins with the next Monday; Spring then ends a pause later."""
    with at(2026, 1, 7):
        gm, player = client_of(season.table, "olga"), client_of(season.table, "pia")
        html = page(season, gm)
        assert 'value="pause"' in html and 'value="resume"' not in html and "Paused" not in html
        pull(season, gm, "pause")
        said = "Paused from 12 January 2026 until it is resumed"
        html = page(season, gm)
        assert 'value="resume"' in html and 'value="pause"' not in html and "it is called off" in html
        for reader in (gm, player):
            assert said in page(season, reader) and said in page(season, reader, "campaign")
        assert 'value="resume"' not in page(season, player)
    with at(2026, 1, 20):
        assert said in page(season, player) and "the week that runs counts again" in page(season, gm)
        pull(season, gm, "resume")
        assert said not in page(season, gm) and 'value="pause"' in page(season, gm)
    season.run_jobs(2026, 2, 10)
    with at(2026, 2, 10):
        player = client_of(season.table, "pia")
        said = "Paused from 12 to 18 January 2026. Those weeks do not count."
        # Week 1 ended with the beginning of the pause; week 3 of the year came after it.
        assert all(said in page(season, player, "report", *of) for of in (("season", 1), ("week", 1)))
        assert "Paused" not in page(season, player, "report", "week", 3)


def test_every_closed_period_is_in_the_list_with_its_report_and_in_the_ledger(season: Season) -> None:
    season.award("bold", 2026, 1, 6)
    season.run_jobs(2026, 2, 3)
    client = client_of(season.table, "pia")
    with at(2026, 2, 3, 12):
        html, ledger = page(season, client), page(season, client, "campaign")
    for rung, number in (("season", 1), ("week", 1), ("week", 4)):
        to = reverse("report", args=[season.table.campaign_id, rung, number])
        assert f'href="{to}"' in html and f'href="{to}"' in ledger
        assert client.get(to).status_code == 200


def test_the_table_says_that_the_calendar_can_begin_and_in_which_zone(transactional_db: None) -> None:
    table = make_table({"spindrift-identity": ""})
    here = [table.campaign_id]
    gm = client_of(table, "olga").get(reverse("campaign", args=here)).content.decode()
    assert "The calendar has not begun" in gm and reverse("calendar", args=here) in gm
    assert "has not begun" not in client_of(table, "pia").get(reverse("campaign", args=here)).content.decode()
    form = client_of(table, "olga").get(reverse("calendar", args=here)).content.decode()
    zone = re.findall(r'<input[^>]* name="zone"[^>]*>', form)[0]
    assert f'value="{host_zone()}"' in zone and 'list="zones"' in zone and "data-own-zone" in zone
    today = utc_now().date()
    monday = today - timedelta(days=today.weekday())
    table.send("olga", StartCalendar(zone="Asia/Tokyo", starts_on=monday))
    assert "has not begun" not in client_of(table, "olga").get(reverse("campaign", args=here)).content.decode()


def test_the_zone_of_the_host_is_the_file_it_follows(tmp_path: Path) -> None:
    (tmp_path / "zoneinfo/Europe").mkdir(parents=True)
    (tmp_path / "zoneinfo/Europe/Lisbon").touch()
    (tmp_path / "localtime").symlink_to(tmp_path / "zoneinfo/Europe/Lisbon")
    assert host_zone(tmp_path / "localtime") == "Europe/Lisbon"
    (tmp_path / "zoneinfo/Atlantis").touch()
    (tmp_path / "nowhere").symlink_to(tmp_path / "zoneinfo/Atlantis")
    assert host_zone(tmp_path / "nowhere") == "UTC" == host_zone(tmp_path / "missing")


def test_the_preview_says_who_throws_the_dice(season: Season) -> None:
    with at(2026, 1, 14):
        client = client_of(season.table, "olga")
        assert "The dice are thrown here as it closes." in page(season, client)
        for name, value in (("advancement_roller", "owner_player"), ("advancement_grace_days", 5)):
            season.send("olga", ChangeSetting(setting=f"spindrift-identity/identity.{name}", value=value))
        assert "Players have 5 days after the close to roll for themselves" in page(season, client)
        assert "to roll for themselves" not in page(season, client_of(season.table, "pia"))


def fields(html: str) -> dict[str, str]:
    """The inputs of a page by id."""
    return {found[1]: found[0] for found in re.findall(r'(<input[^>]* id="([^"]+)"[^>]*>)', html)}


def test_a_refused_start_keeps_what_was_typed_and_says_at_the_field_what_is_wrong(transactional_db: None) -> None:
    table = make_table({"spindrift-identity": ""})
    client, here = client_of(table, "olga"), reverse("calendar", args=[table.campaign_id])
    form = {"command_id": str(uuid4()), "act": "start", "zone": "Berlin", "starts_on": "2026-01-05"}
    with at(2026, 1, 7):
        html = client.post(reverse("lever", args=[table.campaign_id]), form, follow=True).content.decode()
        told = fields(html)
        assert 'value="Berlin"' in told["field-zone"] and 'aria-invalid="true"' in told["field-zone"]
        assert 'value="2026-01-05"' in told["field-starts_on"] and "aria-invalid" not in told["field-starts_on"]
        assert "Europe/Berlin" in html.split('id="field-zone-error"')[1].split("</div>")[0]
        assert 'value="Berlin"' not in client.get(here).content.decode()  # once


@pytest.mark.parametrize(
    ("act", "typed", "field"),
    [
        ("zone", {"zone": "Berlin"}, "field-zone-now"),
        ("pause", {"weeks": "900"}, "field-pause"),
        ("stretch", {"weeks": "900"}, "field-stretch"),
    ],
)
def test_every_lever_keeps_what_was_typed_in_its_own_form(
    season: Season, act: str, typed: dict[str, str], field: str
) -> None:
    with at(2026, 1, 14):
        told = fields(pull(season, client_of(season.table, "olga"), act, **typed).content.decode())
    (value,) = typed.values()
    assert [name for name, one in told.items() if f'value="{value}"' in one] == [field]
    assert 'aria-invalid="true"' in told[field]


def test_a_start_in_the_past_asks_first_and_says_what_would_close_at_once(transactional_db: None) -> None:
    """Seventeen weeks are over: four seasons of four weeks, and with the fourth the year."""
    table = make_table({"spindrift-identity": ""})
    client, lever = client_of(table, "olga"), reverse("lever", args=[table.campaign_id])
    form = {"act": "start", "zone": "Europe/London", "starts_on": "2026-01-05"}
    with at(2026, 5, 4, 12):
        html = client.post(lever, {**form, "command_id": str(uuid4())}).content.decode()
        assert "Start on 5 January 2026?" in html
        for said in ("17 weeks", "4 seasons", "1 year"):
            assert f"<li>{said}, the last is" in html, said
        assert "Year 1, Winter</li>" in html
        read = f"/api/campaigns/{table.campaign_id}/calendar/start?zone=Europe/London&starts_on=2026-01-05"
        assert [one["count"] for one in client.get(read).json()["closes"]] == [17, 4, 1]
        assert client_of(table, "pia").get(read).status_code == 403
        assert "It has not begun" in client.get(reverse("calendar", args=[table.campaign_id])).content.decode()
        client.post(lever, {**form, "command_id": str(uuid4()), "sure": "yes"})
        assert "It has not begun" not in client.get(reverse("calendar", args=[table.campaign_id])).content.decode()


def test_a_start_of_this_week_asks_nothing(transactional_db: None) -> None:
    table = make_table({"spindrift-identity": ""})
    form = {"command_id": str(uuid4()), "act": "start", "zone": "Europe/London", "starts_on": "2026-01-05"}
    with at(2026, 1, 7):
        html = client_of(table, "olga").post(reverse("lever", args=[table.campaign_id]), form, follow=True)
    assert "The calendar is started." in html.content.decode()


def test_the_closed_periods_go_on_back_to_the_first(season: Season, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty weeks and seven seasons are over; a page of ten each."""
    monkeypatch.setattr("frontend.views.calendar.A_PAGE", 10)
    season.run_jobs(2026, 8, 3, 12)
    client, weeks = client_of(season.table, "pia"), reverse("closes", args=[season.table.campaign_id, "week"])
    with at(2026, 8, 3, 12):
        html = page(season, client)
        seasons = reverse("closes", args=[season.table.campaign_id, "season"])
        assert f'href="{weeks}"' in html and f'href="{seasons}"' not in html
        told, where = [], weeks
        while where:
            html = client.get(where).content.decode()
            told += [int(one) for one in re.findall(r"/calendar/week/(\d+)/", html)]
            older = re.search(r'href="([^"]+)" rel="next"', html)
            where = weeks + older[1] if older else ""
        assert told == [*range(30, 0, -1)]
        newer = re.search(r'href="([^"]+)" rel="prev"', client.get(weeks + "?before=11").content.decode())
        assert newer is not None and newer[1] == "?before=21"
        read = f"/api/campaigns/{season.table.campaign_id}/periods?rung=week&before=3"
        assert [one["number"] for one in client.get(read).json()["periods"]] == [2, 1]
        assert client.get(reverse("closes", args=[season.table.campaign_id, "moon"])).status_code == 404


def test_the_report_of_a_close_that_was_taken_back_says_so_in_the_campaigns_frame(season: Season) -> None:
    season.award("bold", 2026, 1, 6)
    season.run_jobs(2026, 2, 3)
    here, where = season.table.campaign_id, reverse("report", args=[season.table.campaign_id, "season", 1])
    with at(2026, 2, 3, 12):
        pull(season, client_of(season.table, "olga"), "take_back", period="season:1")
        told = client_of(season.table, "pia").get(where)
        html = told.content.decode()
        assert told.status_code == 404 and "The close of Year 1, Spring was taken back" in html
        assert f'href="{reverse("calendar", args=[here])}"' in html and "data-feed-cursor" in html
        never = client_of(season.table, "pia").get(reverse("report", args=[here, "season", 2]))
        assert never.status_code == 404 and "Nothing here" in never.content.decode()
        stranger = client_of(season.table, "stan").get(where)
        assert stranger.status_code == 404 and "data-feed-cursor" not in stranger.content.decode()
    season.run_jobs(2026, 2, 5)
    with at(2026, 2, 5):
        assert client_of(season.table, "pia").get(where).status_code == 200


def test_the_address_of_a_button_leads_to_the_page_it_belongs_to(season: Season) -> None:
    client, here = client_of(season.table, "olga"), season.table.campaign_id
    for name, args, page_of in (("lever", (), "calendar"), ("answer_invoked", (), "campaign")):
        found = client.get(reverse(name, args=[here, *args]))
        assert found.status_code == 302 and found["Location"] == reverse(page_of, args=[here]), name
        assert client.put(reverse(name, args=[here, *args])).status_code == 405


def test_a_page_for_game_masters_alone_says_so_in_the_campaigns_frame(season: Season) -> None:
    told = client_of(season.table, "pia").get(reverse("new_affiliation", args=[season.table.campaign_id, season.house]))
    html = told.content.decode()
    assert told.status_code == 403 and "the game master's" in html.split("<main")[1] and "data-feed-cursor" in html


def test_a_refusal_says_nothing_twice(season: Season) -> None:
    refused = Refused("needs", "This needs an open Deed.", right="an open Deed")
    assert refused.hint is None and refused.right == "an open Deed"
    assert Refused("needs", "This is none.", right="an open Deed").hint == "an open Deed"


def test_a_campaign_without_a_calendar_says_what_that_means_and_the_game_master_what_to_do(
    transactional_db: None,
) -> None:
    table = make_table({"frontiers-fantasy": ""})
    told = {who: client_of(table, who).get(address(table, "calendar")).content.decode() for who in ("olga", "pia")}
    assert all("There is none." in html and "go on without one" in html for html in told.values())
    to = f'under <a href="{address(table, "rules")}">'
    assert to in told["olga"] and to not in told["pia"]
