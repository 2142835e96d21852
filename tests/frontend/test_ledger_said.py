"""The ledger and a rolled test as read by somebody new: order of days, whose dice, which side against which rating."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.urls import reverse

from campaigns.commands.calls import CallTest, RollTest
from campaigns.commands.containers import OpenContainer
from campaigns.commands.starting import ChangeSetting
from tests.frontend.test_pages import client_of
from tests.identity.season import Season, make_season

pytestmark = pytest.mark.django_db(transaction=True)
DAY = re.compile(r"entry--day\">([^<]+)<")


@pytest.fixture
def season() -> Season:
    return make_season()


def test_days_of_the_ledger_stand_in_the_order_of_writing_and_say_what_happened_earlier(season: Season) -> None:
    from tests.identity.season import at

    with at(2026, 1, 9, 12):
        season.award("bold", 2026, 1, 6, 19)
    with at(2026, 1, 9, 13):
        season.send("olga", ChangeSetting(setting="typed_dice", value=True))
    html = client_of(season.table, "olga").get(reverse("ledger", args=[season.table.campaign_id])).content.decode()
    assert DAY.findall(html) == ["Friday, 9 January 2026", "Thursday, 1 January 2026"]
    assert re.search(r'happened <time datetime="2026-01-06T19:00:00\+00:00"', html)


def _rolled(season: Season, container: str = "") -> str:
    """Talyne's test of Bold 14 with an 18, then of Cautious with a 3."""
    season.send("olga", ChangeSetting(setting="typed_dice", value=True))
    call = CallTest(
        pack="spindrift-identity",
        test="identity",
        roles={"holder": season.talyne},
        given={"pair": "bold_cautious"},
        decision="Jump?",
        container=container,
    )
    found: str = season.send("olga", call).events[0].event.call
    season.send("pia", RollTest(call=found, faces=(18, 3)))
    return reverse("test", args=[season.table.campaign_id, found])


def test_each_die_says_its_side_and_rating_to_those_who_may_know(season: Season) -> None:
    page = _rolled(season)
    label = re.compile(r'class="thrown__for">([^<]+)<')
    for who in ("olga", "pia"):
        html = client_of(season.table, who).get(page).content.decode()
        assert label.findall(html) == ["Bold against 14", "Cautious against 6"]
    # Which side is tested first says which is the stronger, and that is not everybody's to know (SPI-140).
    assert label.findall(client_of(season.table, "paul").get(page).content.decode()) == []


def test_a_rolled_test_says_how_to_compute_its_dice(season: Season) -> None:
    typed = client_of(season.table, "pia").get(_rolled(season)).content.decode()
    assert "d20 18, d20 3: thrown at the table and typed in by hand" in typed
    call = CallTest(
        pack="spindrift-identity",
        test="identity",
        roles={"holder": season.talyne},
        given={"pair": "bold_cautious"},
        decision="Swim?",
    )
    found = season.send("olga", call).events[0].event.call
    (draw,) = season.send("pia", RollTest(call=found)).events[0].dice
    html = client_of(season.table, "paul").get(reverse("test", args=[season.table.campaign_id, found])).content.decode()
    counters = "counter 0" if len(draw.faces) == 1 else "counters 0 to 1"
    assert f"d20 {draw.faces[0]}" in html and f"The table&#x27;s dice, seed 1, {counters}" in html


def test_whose_dice_a_seed_serves_is_said(season: Season) -> None:
    html = client_of(season.table, "pia").get(reverse("ledger", args=[season.table.campaign_id])).content.decode()
    assert "The table&#x27;s dice follow seed 1 from here on" in html


def test_the_form_of_a_mark_says_that_consequences_are_needed(season: Season) -> None:
    page = reverse("new_mark", args=[season.table.campaign_id, season.talyne])
    html = client_of(season.table, "olga").get(page).content.decode()
    assert re.search(r'name="consequential"[^>]* required', html)
    assert "needed: conduct without any earns no mark" in html


def test_a_campaign_that_was_just_written_says_so(season: Season) -> None:
    season.send("olga", ChangeSetting(setting="typed_dice", value=True))
    assert "Last written just now" in client_of(season.table, "olga").get(reverse("home")).content.decode()


def entries(html: str) -> list[list[str]]:
    """What each entry of a page's ledger says, what came of the same act behind it."""
    found = []
    for entry in re.findall(r'<li class="entry[^"]*" data-kind.*?entry__by', html, re.DOTALL):
        says = re.findall(r'class="entry__says">(.*?)(?:</p>| <a )', entry, re.DOTALL)
        says += re.findall(r"<li data-type[^>]*>(.*?)(?:<div|</li>)", entry, re.DOTALL)
        found.append([unescape(line) for line in says])
    return found


def test_the_first_die_of_a_scene_is_told_beside_its_test(season: Season) -> None:
    scene = OpenContainer(kind="scene", title="The Quay", participants=(season.talyne,))
    _rolled(season, season.send("olga", scene).events[0].event.container)
    html = client_of(season.table, "paul").get(reverse("campaign", args=[season.table.campaign_id])).content.decode()
    told = entries(html)[0]
    assert told[0].startswith("Talyne, Identity test") and told[1:] == [
        "The first die of The Quay has fallen: who takes part is settled."
    ]
