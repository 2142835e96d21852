"""A whole year of play at speed: marks by the form in four seasons, and then every close, report and chart at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.frontend.browsing import new_page, sign_in
from tests.frontend.storytelling import STORY
from tests.services.site import Site

# The campaign waits for its erasure while its year is played, for then no job closes anything; keeping it lets time in.
# Every side that is marked stands at nothing, so that whatever the die shows is over it (SPI-100, 134).
MAKE = (
    STORY
    + """
from campaigns.commands.affiliations import BeginAffiliation
from identity.commands.marks import AwardMark
from identity.commands.pairs import EnterPairs

started("Four Tides", "spindrift-identity")
joined("tal", "Tal")
hero = tell("tal", CreateSubject(kind="character", name="Isolde")).subject
house = tell("marin", CreateSubject(kind="house", name="House Sele")).subject
tell("marin", EnterPairs(subject=hero, ratings={"bold": 0, "trusting": 0, "merciful": 0, "forthright": 0}))
tell("marin", EnterPairs(subject=house, ratings={"dynastic": 0}))
tell("marin", BeginAffiliation(subject=hero, body=house, standing="Ward"))
tell("marin", AskErasure(name="Four Tides"))
today = datetime.now(UTC).date()
start = today - timedelta(days=today.weekday(), weeks=16)
tell("marin", StartCalendar(zone="UTC", starts_on=start))
for season in range(4):
    then = datetime(start.year, start.month, start.day, 20, tzinfo=UTC) + timedelta(weeks=4 * season, days=10)
    tell("marin", AwardMark(subject=house, side="dynastic", at=then, consequential=True, collective=True))
print("made " + json.dumps({"campaign": str(campaign), "hero": hero, "house": house, "start": str(start)}))
"""
)
SEASONS = (("Spring", "Bold"), ("Summer", "Trusting"), ("Autumn", "Merciful"), ("Winter", "Forthright"))


@pytest.fixture
def made(standing: Site) -> dict[str, str]:
    said = standing.run(MAKE)
    found: dict[str, str] = json.loads(said.rpartition("made ")[2])
    return found


@pytest.fixture
def pages(standing: Site, chromium: Browser) -> Iterator[tuple[Page, Page]]:
    gm, player = new_page(chromium, "desktop"), new_page(chromium, "phone")
    sign_in(standing, gm, "marin")
    sign_in(standing, player, "tal")
    yield gm, player
    for page in (gm, player):
        page.context.close()


def mark(gm: Page, where: str, side: str, at: datetime, note: str) -> None:
    """The game master awards a mark by its form, for conduct at a time."""
    gm.goto(f"{where}marks/new/")
    gm.get_by_label("Which side did it show?").select_option(label=f"{side} (0)")
    gm.get_by_label("What did they do?").fill(note)
    gm.get_by_label("When did it happen?").fill(at.strftime("%Y-%m-%dT%H:%M"))
    gm.get_by_label("It had consequences").check()
    gm.get_by_role("button", name="Award the mark").click()
    gm.wait_for_url(where)


@pytest.mark.embedded
def test_a_year_is_played_and_closes_in_order_with_its_reports(
    standing: Site, made: dict[str, str], pages: tuple[Page, Page]
) -> None:
    gm, player = pages
    home, start = f"{standing.url}/c/{made['campaign']}/", datetime.fromisoformat(made["start"])
    for number, (_, side) in enumerate(SEASONS):
        then = start + timedelta(weeks=4 * number, days=9, hours=20)
        mark(gm, f"{home}characters/{made['hero']}/", side, then, f"Showed it in season {number + 1}")

    player.goto(f"{home}calendar/")
    reports: Any = player.locator("#reports")
    expect(reports).to_contain_text("The first one comes")
    gm.goto(f"{home}settings/")
    gm.get_by_role("button", name="Keep the campaign").click()
    # Sixteen weeks, four seasons and a year close by the job, in order, and the open page has their reports.
    for name, _ in SEASONS:
        expect(reports).to_contain_text(f"Year 1, {name}", timeout=30_000)
    expect(reports.get_by_role("link", name=re.compile(r"^Year 1$"))).to_be_visible(timeout=30_000)
    expect(player.locator("#cover")).to_contain_text("Year 2, Spring, week 1")

    for name, side in SEASONS:
        reports.get_by_role("link", name=f"Year 1, {name}").click()
        expect(player.locator("main")).to_contain_text(f"More {side}")
        player.go_back()
    reports.get_by_role("link", name=re.compile(r"^Year 1$")).click()
    # Of the house its player knows all, because Isolde belongs to it: four marks, three of them a bonus.
    expect(player.locator("main")).to_contain_text("More Dynastic")
    expect(player.locator("main")).to_contain_text("+ 3 =")
    player.get_by_text("Through the seasons").first.click()
    expect(player.locator("svg.chart").first).to_be_visible()

    player.goto(f"{home}characters/{made['hero']}/")
    for _, side in SEASONS:
        row = player.locator(".pair-row", has_text=side)
        expect(row.locator(".pair__rating").first).to_have_text(re.compile(r"^\s*1\b"))
    player.goto(f"{home}chronicle/1/")
    told = player.locator("#chronicle")
    for name, side in SEASONS:
        expect(told).to_contain_text(f"Year 1, {name} has ended.")
        expect(told).to_contain_text(f"Isolde has grown more {side}.")
    expect(told).to_contain_text("Year 1 has ended.")
    expect(player.locator(".bell:visible .nav__count")).to_be_visible(timeout=20_000)
