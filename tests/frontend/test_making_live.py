"""Making a character on a phone, in a real browser: by tap, kept as one goes, with numbers that grow in sight."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from deploy.demo import PASSWORD
from tests.frontend.browsing import new_page, sign_in
from tests.services.chromium import SIZES, complaints
from tests.services.site import Site

READY = ("Torvald Pike", "Sefa Lark", "Brother Anselm Reeve", "Ashe of the Ninth Rain")
MAGE = {
    "folk": "Highfolk",
    "background": "Scholar",
    "calling": "Mage",
    "skills": ("Lore", "Arcana", "Investigation", "Religion", "Insight"),
    "domain": "Ice",
    "spells": ("Arcane Bolt", "Numb", "Snare"),
}


def kept(page: Page) -> None:
    """Waits until what was tapped has come back from the server."""
    expect(page.locator("#making-kept")).to_have_text("Kept.")


def choose(page: Page, name: str) -> None:
    """Taps what is wanted of one choice."""
    wanted = MAGE[name]
    for title in (wanted,) if isinstance(wanted, str) else wanted:
        page.locator(f"#choice-{name} label.choice", has=page.get_by_text(title, exact=True)).tap()
    kept(page)


def mage(page: Page) -> None:
    """Nine steps by tap, with choices that follow from one another."""
    page.locator("section", has_text="Frontiers Fantasy").get_by_role("button", name="Step by step").tap()
    page.get_by_label("Name").fill("Ione Vash")
    page.get_by_label("Concept").fill("Carries the one book that was not there.")
    page.get_by_role("button", name="Next").tap()
    for step in ("folk", "background", "calling"):
        choose(page, step)
        page.get_by_role("button", name="Next").tap()
    taps = {"Acuity up": 4, "Resolve up": 2, "Vigor down": 2}
    for name, times in taps.items():
        for _ in range(times):
            page.get_by_role("button", name=name).tap()
    kept(page)
    expect(page.locator("#wrong-scores .wrong")).to_have_count(0)
    expect(page.locator("[data-number=hp_max]")).to_have_text("12")
    page.get_by_role("button", name="Next").tap()
    page.get_by_role("button", name="Next").tap()
    choose(page, "skills")
    page.get_by_role("button", name="Next").tap()
    choose(page, "domain")
    for name in ("Watchful", "Traveller"):
        page.get_by_role("button", name=f"One {name} more").tap()
    choose(page, "spells")
    page.get_by_role("button", name="Next").tap()
    page.get_by_label("Individual Pursuit").fill("To read the last page aloud.")
    page.get_by_role("button", name="Next").tap()
    expect(page.locator("#making-all")).to_contain_text("Nothing is open")
    page.get_by_role("button", name="Finish").tap()
    page.wait_for_url("**/characters/*/")
    expect(page.locator("#sheets")).to_contain_text("Arcane Bolt")


@pytest.mark.embedded
def test_characters_are_made_by_tap_on_a_phone(standing: Site, chromium: Browser) -> None:
    """One of a small game from the first step to the sheet; then one of each Calling of the large one."""
    context = chromium.new_context(viewport=SIZES["phone"], has_touch=True)  # type: ignore[arg-type]
    context.set_default_timeout(15_000)
    page = context.new_page()
    noted = complaints(page)
    page.goto(f"{standing.url}/accounts/login/")
    page.get_by_label("Login").fill("tal")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{standing.url}/start/")
    page.get_by_label("What is it called?").fill("Low Water")
    page.get_by_label("What does the table call you?").fill("Tal")
    for pack in ("Trait Tests", "Frontiers Fantasy"):
        page.locator("label", has_text=pack).tap()
    page.get_by_role("button", name="Start it").tap()
    page.wait_for_url("**/c/*/")

    making = page.url + "making/"
    page.goto(making)
    page.locator("section", has_text="Trait Tests").get_by_role("button", name="Step by step").tap()
    page.get_by_label("Name").fill("Iva Mott")
    page.get_by_role("button", name="Next").tap()
    physique = page.locator("[data-number]", has_text="2").first
    for _ in range(2):
        page.get_by_role("button", name="Physique up").tap()
    expect(physique).to_be_visible()
    expect(page.locator("#making-kept")).to_have_text("Kept.")
    # Nothing lives in the tab: what was tapped is there on another visit.
    page.reload()
    expect(page.get_by_label("Physique", exact=True)).to_have_value("2")
    for _ in range(4):
        page.get_by_role("button", name="Physique up").tap()
    expect(page.get_by_label("Physique", exact=True)).to_have_value("5")

    page.locator(".steps__step", has_text="Skills").tap()
    page.locator("#choice-learnt label", has_text="Stealth").tap()
    expect(page.locator("#count-learnt")).to_contain_text("1")
    # What may be mastered follows from what is learnt, without a reload.
    expect(page.locator("#choice-mastered label")).to_have_text([re.compile("Stealth")])
    page.locator(".steps__step", has_text="Look it over").tap()
    expect(page.locator("#making-all")).to_contain_text("Nothing is open")
    page.get_by_role("button", name="Finish").tap()
    page.wait_for_url("**/characters/*/")
    sheet = page.locator("#sheets")
    expect(sheet).to_contain_text("Stealth")
    sheet.locator("a.why").first.tap()
    expect(page.locator("#dialog")).to_contain_text("Worked out")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    for name in READY:
        page.goto(making)
        page.locator("li", has_text=name).get_by_role("button", name="Take").tap()
        page.get_by_role("button", name="Finish").tap()
        page.wait_for_url("**/characters/*/")
        expect(page.get_by_role("heading", name=name)).to_be_visible()
    page.goto(making)
    mage(page)
    assert noted == []
    context.close()


ARRAY = """
from uuid import uuid4
from django.contrib.auth.models import User
from campaigns.commands.subjects import CreateSubject
from campaigns.context import Actor
from campaigns.entrance import execute
from deploy.demo import DEMO
from identity.commands.pairs import RollArray
actor = Actor(user=User.objects.get(username="tal").pk)
made = execute(DEMO, CreateSubject(kind="character", name="Iva of the Array"), actor, command_id=uuid4())
subject = made.events[0].event.subject
execute(DEMO, RollArray(subject=subject), actor, command_id=uuid4())
print(f"{DEMO}/characters/{subject}")
"""


@pytest.mark.embedded
def test_placing_an_array_says_what_is_left_and_what_the_other_side_gets(standing: Site, chromium: Browser) -> None:
    """A result lies in one place only; both sides of a pair add up to 20."""
    page = new_page(chromium, "phone")
    sign_in(standing, page, "tal")
    page.goto(f"{standing.url}/c/{standing.run(ARRAY).strip()}/pairs/place/")
    left, pairs = page.locator("[data-left]"), page.locator("[data-pair]")
    count = pairs.count()
    expect(left).to_contain_text(f"Still to place ({count}):")
    first = pairs.nth(0).locator("select")
    first.select_option("1")
    value = int(first.locator("option[value='1']").inner_text())
    expect(left).to_contain_text(f"Still to place ({count - 1}):")
    expect(pairs.nth(0).locator("[data-side]")).to_have_text([str(value), str(20 - value)])
    expect(pairs.nth(1).locator("option[value='1']")).to_be_disabled()
    pairs.nth(0).locator("label.choice").nth(1).tap()
    expect(pairs.nth(0).locator("[data-side]")).to_have_text([str(20 - value), str(value)])
    first.select_option("")
    expect(left).to_contain_text(f"Still to place ({count}):")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.context.close()
