"""The main job in real browsers: a game master, a player on a phone and a watcher, live, on the served site.

What depends on how news travels runs on both set-ups; the rest on one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect

from deploy.demo import DEMO
from tests.frontend.browsing import new_page, sign_in
from tests.frontend.storytelling import STORY
from tests.services.chromium import complaints
from tests.services.site import Site

# A table of Marin's with Tal at it.
TABLE = f"""{STORY}
started("Low Water")
joined("tal", "Tal")
print(campaign)
"""


@dataclass
class People:
    """The pages of those who take part."""

    site: Site
    gm: Page
    player: Page
    watcher: Page

    def at(self, page: Page, where: str = "") -> None:
        """Opens a page of the campaign and waits until it hears the table."""
        page.goto(f"{self.site.url}/c/{DEMO}/{where}")
        expect(page.locator("[data-connection]:visible").first).to_have_attribute("data-state", "live")


@pytest.fixture
def people(standing: Site, chromium: Browser) -> Iterator[People]:
    """Marin runs the demo, Tal plays Talyne on a phone, somebody watches by the link."""
    pages = [new_page(chromium, size) for size in ("desktop", "phone", "desktop")]
    gm, player, watcher = pages
    sign_in(standing, gm, "marin")
    sign_in(standing, player, "tal")
    gm.goto(f"{standing.url}/c/{DEMO}/people/")
    watcher.goto(gm.locator("#links input[readonly]").first.input_value())
    yield People(standing, gm, player, watcher)
    for page in pages:
        page.context.close()


def test_a_test_is_called_rolled_and_seen_by_all_without_a_reload(people: People) -> None:
    gm, player, watcher = people.gm, people.player, people.watcher
    for page in (gm, player, watcher):
        people.at(page)
    gm.get_by_role("link", name="Call a test").first.click()
    dialog = gm.locator("#dialog")
    dialog.get_by_label("Holder").select_option(label="Talyne")
    dialog.get_by_label("Opposed pair").select_option(label="Bold - Cautious")
    dialog.get_by_label("What is at stake?").fill("Board the burning ship?")
    dialog.get_by_role("button", name="Call it").click()
    expect(dialog).to_be_hidden()

    card = player.locator("#open-tests article", has_text="Board the burning ship?")
    expect(card).to_be_visible()
    card.get_by_role("link", name="Roll").click()
    player.get_by_role("button", name="Roll").click()
    expect(player.locator("#call .verdict__word")).to_be_visible()

    seen = gm.locator("#open-tests .result", has_text="Board the burning ship?")
    expect(seen.locator("[data-die]").first).to_be_visible()
    faces = seen.locator("[data-face]").evaluate_all("dice => dice.map(die => die.dataset.face)")
    own = player.locator("#call [data-face]").evaluate_all("dice => dice.map(die => die.dataset.face)")
    assert faces == own

    told = watcher.locator("#ledger li", has_text="Board the burning ship?").first
    expect(told).to_be_visible()
    assert watcher.locator("#ledger [data-die], #open-tests [data-die]").count() == 0

    # The player's own browser computes the dice anew from the seed, once it is revealed.
    people.at(gm, "dice/")
    gm.get_by_role("button", name="Reveal and renew").click()
    people.at(player, "dice/")
    player.get_by_role("button", name="Check its dice").first.click()
    expect(player.locator("[data-seed-said]").first).to_contain_text("In order")


def _award(gm: Page) -> None:
    gm.locator(".pair-row", has_text="Suspicious").get_by_role("link", name="Mark").click()
    dialog = gm.locator("#dialog")
    dialog.locator("label.choice", has_text="Suspicious").click()
    dialog.get_by_label("What did they do?").fill("Opened the sealed letter.")
    dialog.get_by_label("It had consequences").check()
    dialog.get_by_role("button", name="Award the mark").click()


@pytest.mark.embedded
def test_the_second_mark_of_a_week_is_refused_with_reason_and_date(people: People) -> None:
    gm = people.gm
    people.at(gm, "characters/")
    gm.get_by_role("link", name="Talyne").click()
    _award(gm)
    expect(gm.locator("#marks")).to_contain_text("Opened the sealed letter.")
    _award(gm)
    refusal = gm.locator("#dialog #refusal")
    expect(refusal).to_contain_text("has its mark")
    expect(refusal).to_contain_text(re.compile(r"from Monday, \d{1,2} \w+ 20\d\d on"))


def test_a_page_that_lost_the_line_says_so_and_catches_up(people: People) -> None:
    gm, player = people.gm, people.player
    people.at(gm)
    people.at(player)
    player.context.set_offline(True)
    player.evaluate("dispatchEvent(new Event('offline'))")
    state = player.locator("[data-connection]:visible").first
    expect(state).to_have_attribute("data-state", "offline")
    for name in ("The Drowned Bell", "The Salt Widow"):
        gm.goto(f"{people.site.url}/c/{DEMO}/characters/new/")
        gm.get_by_label("Name").fill(name)
        gm.get_by_role("button", name="Let them in").click()
        gm.wait_for_url(re.compile(r"/characters/[0-9a-f]{32}/$"))
    player.context.set_offline(False)
    player.evaluate("dispatchEvent(new Event('online'))")
    expect(state).to_have_attribute("data-state", "live")
    for name in ("The Drowned Bell", "The Salt Widow"):
        expect(player.locator("#ledger li", has_text=f"{name} entered the story.")).to_have_count(1)


@pytest.mark.embedded
def test_one_who_is_removed_is_shown_out_at_once(people: People) -> None:
    gm, player, home = people.gm, people.player, f"{people.site.url}/c/{people.site.run(TABLE).strip()}/"
    player.goto(home)
    expect(player.locator("[data-connection]:visible").first).to_have_attribute("data-state", "live")
    gm.goto(f"{home}people/")
    gm.locator("#members li", has_text="Tal").get_by_role("link", name="Change").click()
    gm.locator("#dialog").get_by_role("button", name="Remove Tal").click()
    expect(player.get_by_role("heading", name="Your campaigns")).to_be_visible()
    assert player.goto(home).status == 404  # type: ignore[union-attr]


@pytest.mark.embedded
def test_nothing_is_said_on_the_console_and_no_page_is_wider_than_a_phone(people: People) -> None:
    player = people.player
    heard = complaints(player)
    for where in (
        "",
        "characters/",
        "tests/",
        "tests/new/",
        "calendar/",
        "people/",
        "ledger/",
        "dice/",
        "keeping/",
        "past/",
    ):
        people.at(player, where)
        assert player.evaluate("document.documentElement.scrollWidth <= innerWidth"), where
    assert heard == []
