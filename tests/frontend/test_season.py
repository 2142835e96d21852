"""A season that turns on open pages: the job closes it, the report comes, the pair moves, without a reload."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.frontend.browsing import new_page, sign_in
from tests.frontend.storytelling import STORY
from tests.services.site import Site

# The campaign waits for its erasure while its past is made, for then no job closes anything; keeping it lets time in.
MAKE = (
    STORY
    + """
from identity.commands.marks import AwardMark
from identity.commands.pairs import EnterPairs

started("Spring Tide", "spindrift-identity")
joined("tal", "Tal")
subject = tell("tal", CreateSubject(kind="character", name="Isolde")).subject
tell("marin", EnterPairs(subject=subject, ratings={"bold": 0}))
tell("marin", AskErasure(name="Spring Tide"))
today = datetime.now(UTC).date()
start = today - timedelta(days=today.weekday(), weeks=5)
tell("marin", StartCalendar(zone="UTC", starts_on=start))
then = datetime(start.year, start.month, start.day, 20, tzinfo=UTC) + timedelta(days=9)
tell("marin", AwardMark(subject=subject, side="bold", at=then, consequential=True, note="Leapt first"))
print("made " + json.dumps({"campaign": str(campaign), "subject": subject}))
"""
)
KEEP = """
from uuid import UUID, uuid4
from django.contrib.auth.models import User
from campaigns.commands.starting import WithdrawErasure
from campaigns.context import Actor
from campaigns.entrance import execute
execute(UUID("{campaign}"), WithdrawErasure(), Actor(user=User.objects.get(username="marin").pk), command_id=uuid4())
"""


@pytest.fixture
def made(standing: Site) -> dict[str, str]:
    """A campaign whose first season is over and not closed yet; a mark on the side that stands at nothing."""
    said = standing.run(MAKE)
    found: dict[str, str] = json.loads(said.rpartition("made ")[2])
    return found


@pytest.fixture
def pages(standing: Site, chromium: Browser) -> Iterator[tuple[Page, Page]]:
    """The game master's page on a desktop and the player's on a phone, signed in."""
    gm, player = new_page(chromium, "desktop"), new_page(chromium, "phone")
    sign_in(standing, gm, "marin")
    sign_in(standing, player, "tal")
    yield gm, player
    for page in (gm, player):
        page.context.close()


def test_a_season_closes_by_its_job_and_every_open_page_shows_it(
    standing: Site, made: dict[str, str], pages: tuple[Page, Page]
) -> None:
    gm, player = pages
    home = f"{standing.url}/c/{made['campaign']}/"
    gm.goto(home)
    player.goto(f"{home}characters/{made['subject']}/")
    for page in pages:
        expect(page.locator("[data-connection]:visible").first).to_have_attribute("data-state", "live")
    # A side at 0 moves whatever the die shows, for any face is over it (SPI-100).
    row: Any = player.locator(".pair-row", has_text="Cautious")
    expect(row).to_contain_text("20")
    standing.run(KEEP.format(**made))
    expect(gm.locator("#ledger")).to_contain_text(re.compile("Spring has ended"), timeout=30_000)
    expect(row).to_contain_text("19", timeout=30_000)
    gm.goto(f"{home}calendar/season/1/")
    expect(gm.locator("main")).to_contain_text("Isolde", timeout=15_000)
