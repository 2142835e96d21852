"""Taking back on the page: what goes, what would change and for whom, what people have seen; a campaign's end."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from campaigns.commands.starting import AskErasure
from campaigns.commands.subjects import CreateSubject, RevealSubject
from campaigns.erasing import grace
from campaigns.feed import cursor_of
from identity.commands.pairs import SetRating
from tests.frontend.test_pages import client_of, form_id
from tests.identity.season import Season, make_season

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def season() -> Season:
    return make_season(bold=14)


def page(season: Season, position: int) -> str:
    return reverse("entry", args=[season.table.campaign_id, cursor_of(season.table.campaign_id, position)])


def shown(season: Season, position: int) -> str:
    html: str = client_of(season.table, "olga").get(page(season, position)).content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html.split("<main")[1].split("</main>")[0]))


def test_the_page_says_which_rating_would_be_another(season: Season) -> None:
    sent = season.send("olga", SetRating(subject=season.talyne, side="bold", rating=17, reason="The storm"))
    said = shown(season, sent.position)
    assert "What would change" in said and "Talyne" in said
    assert "17 → 14" in said
    assert "People have seen this" not in said


def test_the_page_warns_where_hidden_things_were_shown(season: Season) -> None:
    made: Any = season.send("olga", CreateSubject(kind="character", name="Wrack", hidden=True)).events[0].event
    sent = season.send("olga", RevealSubject(subject=made.subject))
    said = shown(season, sent.position)
    assert "People have seen this, and will not unlearn it: Wrack entered the story." in said


def test_letting_it_stand_again_shows_the_same_the_other_way_round(season: Season) -> None:
    sent = season.send("olga", SetRating(subject=season.talyne, side="bold", rating=17, reason="The storm"))
    client = client_of(season.table, "olga")
    html = client.get(page(season, sent.position)).content.decode()
    client.post(page(season, sent.position), {"command_id": form_id(html), "reason": "A slip"})
    assert season.first("bold_cautious") == 14
    void = season.events("events.voided")[-1].position
    assert "14 → 17" in shown(season, void)
    assert "taken back already" in shown(season, sent.position)


def test_all_are_told_that_a_campaign_will_be_erased_and_the_owner_keeps_it(season: Season) -> None:
    season.send("olga", AskErasure(name="The Long Tide"))
    day = f"{timezone.now() + grace():%A}, {(timezone.now() + grace()).day} {timezone.now() + grace():%B %Y}"
    home = reverse("campaign", args=[season.table.campaign_id])
    for who in ("olga", "pia"):
        assert f"will be erased after {day}" in client_of(season.table, who).get(home).content.decode()
    client, settings = client_of(season.table, "olga"), reverse("settings", args=[season.table.campaign_id])
    html = client.get(settings).content.decode()
    assert day in html and grace() > timedelta(0)
    keep = html.split('value="keep"')[0].rpartition('name="command_id" value="')[2].partition('"')[0]
    client.post(settings, {"command_id": keep, "act": "keep"})
    assert "will be erased" not in client.get(home).content.decode()
