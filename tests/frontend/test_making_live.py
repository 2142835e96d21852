"""Making a character on a phone, in a real browser: by tap, kept as one goes, with numbers that grow in sight."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from deploy.demo import PASSWORD
from tests.services.chromium import SIZES, complaints
from tests.services.site import Site


@pytest.mark.embedded
def test_a_character_is_made_by_tap_on_a_phone(live_server_embedded: Site, chromium: Browser) -> None:
    context = chromium.new_context(viewport=SIZES["phone"], has_touch=True)  # type: ignore[arg-type]
    context.set_default_timeout(15_000)
    page = context.new_page()
    noted = complaints(page)
    page.goto(f"{live_server_embedded.url}/accounts/login/")
    page.get_by_label("Login").fill("tal")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{live_server_embedded.url}/start/")
    page.get_by_label("What is it called?").fill("Low Water")
    page.get_by_label("What does the table call you?").fill("Tal")
    page.locator("label", has_text="Trait Tests").tap()
    page.get_by_role("button", name="Start it").tap()
    page.wait_for_url("**/c/*/")

    page.goto(page.url + "making/")
    page.get_by_role("button", name="Step by step").tap()
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
    assert noted == []
    context.close()
