"""A short fight through the pages: the GM at a desk, a player on a phone, a watcher; live, with a reaction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.frontend.browsing import new_page, sign_in
from tests.frontend.scene import Scene, prepare
from tests.services.chromium import complaints
from tests.services.site import Site


@dataclass
class AtTheFord:
    """The pages of those who follow one fight."""

    site: Site
    scene: Scene
    gm: Page
    player: Page
    watcher: Page

    @property
    def pages(self) -> tuple[Page, Page, Page]:
        return self.gm, self.player, self.watcher

    def to_board(self, page: Page) -> None:
        page.goto(self.site.url + self.scene.board)
        expect(page.locator("[data-connection]:visible").first).to_have_attribute("data-state", "live")


@pytest.fixture
def ford(standing: Site, chromium: Browser) -> Iterator[AtTheFord]:
    gm, player, watcher = (new_page(chromium, size) for size in ("desktop", "phone", "desktop"))
    ford = AtTheFord(standing, prepare(standing), gm, player, watcher)
    noted = [complaints(page) for page in ford.pages]
    sign_in(ford.site, gm, "marin")
    sign_in(ford.site, player, "tal")
    watcher.goto(ford.site.url + ford.scene.watch)
    yield ford
    for page in ford.pages:
        page.context.close()
    assert noted == [[], [], []]


def typed(page: Page, faces: str) -> None:
    """Types the faces of dice into the open form, so that the story is the same each time."""
    page.locator("#typed-faces summary").click()
    page.get_by_label("Faces, in the order they fell").fill(faces)


# A dialog slides in: what lies in it is tapped when it has come to rest.
STILL = """async (node) => {
  await Promise.allSettled((node.closest("dialog")?.getAnimations() ?? []).map((one) => one.finished));
  node.scrollIntoView({ block: "center" });
}"""


def tap(page: Page, x: int, y: int, within: str = "#b-map") -> None:
    """Taps a square of the grid, counted from 0."""
    ground = page.locator(f"{within} .map__ground")
    box = None
    while box is None:  # drawn anew just now
        expect(ground).to_be_visible()
        ground.evaluate(STILL)
        box = ground.bounding_box()
    page.mouse.click(box["x"] + (x + 0.5) * box["width"] / 12, box["y"] + (y + 0.5) * box["height"] / 8)


@pytest.mark.embedded
def test_a_fight_is_begun_played_and_answered_live(ford: AtTheFord) -> None:
    begin(ford)
    squares_are_tapped(ford)
    strike(ford)
    walk(ford)
    tab = second_tab(ford)
    react(ford)
    notified(tab)
    by_keys(ford.player)
    carry(ford)
    wall(ford)
    take_back(ford)
    demoted(ford, tab)
    for page in ford.pages:
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def begin(ford: AtTheFord) -> None:
    """The GM begins; the player's list shows it without a reload."""
    gm, player = ford.gm, ford.player
    player.goto(f"{ford.site.url}/c/{ford.scene.campaign}/encounters/")
    expect(player.locator("[data-connection]:visible").first).to_have_attribute("data-state", "live")
    expect(player.locator("#page")).not_to_contain_text("At the ford")
    ford.to_board(gm)
    gm.get_by_role("link", name="Begin").click()
    for name, initiative in (("Ana", "18"), ("Reeve", "15"), ("Tollman", "9")):
        gm.get_by_role("textbox", name=name).fill(initiative)
    gm.locator("#dialog").get_by_role("button", name="Begin").click()
    expect(gm.locator("#b-turn")).to_contain_text("Round 1")
    player.get_by_role("link", name="At the ford").tap()
    expect(player.locator("#b-turn")).to_contain_text("Your turn: Ana")
    expect(player).to_have_title(re.compile("^● Your turn"))
    ford.to_board(ford.watcher)


SQUARES = """() => {
  const grid = document.querySelector("#b-map .map__svg"), box = grid.getBoundingClientRect();
  const over = [...document.querySelectorAll("#b-map [data-zoom]")].map((one) => one.getBoundingClientRect());
  const covers = over.some((one) => one.top < box.bottom && one.bottom > box.top && one.left < box.right);
  const view = grid.viewBox.baseVal;
  const inside = (n, start, size) => n * 10 >= start && (Number(n) + 1) * 10 <= start + size;
  const all = [...document.querySelectorAll("#b-map [data-token]")].map((one) => one.dataset);
  const seen = all.every(({ x, y }) => inside(x, view.x, view.width) && inside(y, view.y, view.height));
  return [Math.round(box.width / (view.width / 10)), covers, seen];
}"""


def squares_are_tapped(ford: AtTheFord) -> None:
    """On a phone a square is as large as a finger needs it, no button lies over one, and nobody stands out of view."""
    for page in (ford.player, ford.gm):
        pixels, covered, seen = page.evaluate(SQUARES)
        assert pixels >= 30 and not covered and seen


def strike(ford: AtTheFord) -> None:
    """A foe is tapped, then struck; the page measures, and tells the others with every die."""
    player = ford.player
    tap(player, 4, 3)
    bar = player.locator("[data-chosen]")
    expect(bar).to_contain_text("1 unit from Ana")
    bar.get_by_role("link", name="Attack").tap()
    dialog = player.locator("#dialog")
    expect(dialog.get_by_role("radio", name="Reeve")).to_be_checked()
    typed(player, "12 5 3")  # 12 and 4 against 13; 3 and 2 of his 12
    dialog.get_by_role("button", name="Attack").tap()
    expect(dialog).to_be_hidden()
    struck = ford.watcher.locator("#b-log li", has_text="Ana: Attack (Reeve): A hit.").first
    expect(struck.locator("[data-die='20']")).to_have_attribute("data-face", "12")
    expect(ford.watcher.locator("[data-fighter]", has_text="Reeve")).to_contain_text("battered")
    expect(ford.gm.locator("[data-fighter]", has_text="Reeve")).to_contain_text("7 / 12")


def walk(ford: AtTheFord) -> None:
    """A square is tapped; the way is shown before it is gone, and the token moves for all."""
    player = ford.player
    player.get_by_role("button", name="Choose nothing").tap()
    tap(player, 3, 1)
    player.locator("[data-chosen]").get_by_role("link", name="Move").tap()
    dialog = player.locator("#dialog")
    expect(dialog.locator("#foreseen")).to_contain_text("column 4, row 2")
    tap(player, 4, 2, "#dialog")
    expect(dialog.locator("#foreseen")).to_contain_text("column 5, row 3")
    dialog.get_by_role("button", name="Move", exact=True).tap()
    for page in (ford.watcher, ford.gm):
        token = page.locator(f"#b-map [data-token='{ford.scene.names['Ana']}']")
        expect(token).to_have_attribute("data-x", "4")
        expect(token).to_have_attribute("data-y", "2")
    player.get_by_role("button", name="End my turn").tap()


def react(ford: AtTheFord) -> None:
    """The Reeve misses badly: the player is asked at once, on whatever page, and strikes back."""
    gm, player, watcher = ford.gm, ford.player, ford.watcher
    expect(gm.locator("#b-turn")).to_contain_text("Reeve")
    player.goto(f"{ford.site.url}/c/{ford.scene.campaign}/characters/")
    expect(player.locator("[data-connection]:visible").first).to_have_attribute("data-state", "live")
    gm.locator("#b-acts").get_by_role("link", name=re.compile("Cudgel")).click()
    gm.locator("#dialog label", has_text="Ana").click()
    typed(gm, "1 1")
    gm.locator("#dialog").get_by_role("button", name="Cudgel").click()
    player.locator("a.call-in").tap()
    panel = player.locator("#b-ask [data-asks]")
    expect(panel).to_contain_text("Opportunity Attack")
    expect(panel.locator("[data-deadline]")).to_contain_text(re.compile(r"\d+ s"))
    expect(watcher.locator("#b-ask")).to_contain_text("Waits for Ana")
    panel.get_by_role("button", name="Opportunity Attack").tap()
    panel.get_by_role("button", name="Vigor").tap()
    expect(panel).to_have_count(0)
    expect(watcher.locator("#b-log li", has_text="Cudgel (Ana)").first).to_be_visible()


def by_keys(page: Page) -> None:
    """The keys do what a finger does."""
    page.locator("#b-map .map__svg").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#b-map [data-map-say]")).to_contain_text("1 unit from")


def take_back(ford: AtTheFord) -> None:
    """The GM takes the last step back, with the preview of what goes with it."""
    ford.gm.locator("#b-gm").get_by_role("link", name="Undo").click()
    dialog = ford.gm.locator("#dialog")
    dialog.get_by_label("Why?").fill("He had not heard it.")
    dialog.get_by_role("button", name="Take it back").click()
    expect(ford.watcher.locator("#b-log .entry--voided").first).to_be_visible()


UNWATCHED = 'Object.defineProperty(document, "hidden", { get: () => true })'
SHOWN = """async () => {
  const workers = await navigator.serviceWorker.getRegistrations();
  return (await Promise.all(workers.map((one) => one.getNotifications()))).flat().map((one) => one.title);
}"""


def second_tab(ford: AtTheFord) -> Page:
    """The player has the board open in another tab as well, which nobody looks at and which may speak up."""
    ford.player.context.grant_permissions(["notifications"], origin=ford.site.url)
    tab = ford.player.context.new_page()
    tab.add_init_script(UNWATCHED)
    tab.goto(f"{ford.site.url}/c/{ford.scene.campaign}/notices/")
    tab.get_by_role("button", name="Tell me here").click()
    expect(tab.locator("[data-notify-says]")).to_contain_text("This browser tells you")
    ford.to_board(tab)
    expect(tab.get_by_role("button", name="Tell me when I am asked")).to_be_hidden()
    return tab


def notified(tab: Page) -> None:
    """It was told of the question, and shows what came of the answer given in the other one."""
    assert tab.evaluate(SHOWN) == ["You are asked"]
    expect(tab.locator("#b-ask [data-asks]")).to_have_count(0)
    expect(tab.locator("#b-log li", has_text="Cudgel (Ana)").first).to_be_visible()


def carry(ford: AtTheFord) -> None:
    """The GM drags one who then stands there for all, and carries another by keys; nothing moves before it is sent."""
    gm, tollman = ford.gm, ford.scene.names["Tollman"]
    gm.get_by_label("Show what is within so many units").fill("1")
    expect(gm.locator("#b-map [data-reach]")).to_have_attribute("d", re.compile("^(M[^M]*){9}$"))
    ground = gm.locator("#b-map .map__ground")
    ground.evaluate(STILL)  # wherever the page has been scrolled to, the hand is on the grid
    box = ground.bounding_box()
    assert box is not None
    square = box["width"] / 12
    gm.mouse.move(box["x"] + 9.5 * square, box["y"] + 5.5 * square)
    gm.mouse.down()
    gm.mouse.move(box["x"] + 8.5 * square, box["y"] + 6 * square, steps=4)
    gm.mouse.move(box["x"] + 7.5 * square, box["y"] + 6.5 * square, steps=4)
    expect(gm.locator("#b-map [data-measure]")).to_have_text("2")
    gm.mouse.up()
    dialog = gm.locator("#dialog")
    expect(dialog.get_by_label("Column")).to_have_value("8")
    expect(dialog.get_by_label("Row")).to_have_value("7")
    dialog.get_by_role("button", name="Put them there").click()
    token = ford.watcher.locator(f"#b-map [data-token='{tollman}']")
    expect(token).to_have_attribute("data-x", "7")
    expect(token).to_have_attribute("data-y", "6")
    expect(gm.locator(f"#b-map [data-token='{tollman}']")).to_have_attribute("data-x", "7")
    gm.locator("#b-map .map__svg").focus()
    for key in ("m", "ArrowLeft", "Enter"):
        gm.keyboard.press(key)
    expect(dialog.get_by_role("button", name="Put them there")).to_be_visible()
    dialog.get_by_role("button", name="Not now").click()


def wall(ford: AtTheFord) -> None:
    """The GM taps where a wall begins and the way it runs, sees it before it stands, and takes it away by a tap."""
    gm = ford.gm
    tap(gm, 6, 1)
    gm.locator("[data-chosen]").get_by_role("link", name="Lay something here").click()
    dialog = gm.locator("#dialog")
    dialog.get_by_label("What lies there?").select_option("solid_wall")
    dialog.locator("label", has_text="A line or a wall").click()
    tap(gm, 6, 4, "#dialog")
    # From the square that was tapped first to the one that was tapped last.
    expect(dialog.locator("[data-foreseen] path")).to_have_attribute(
        "d", " ".join(f"M60 {y}h10v10h-10z" for y in (10, 20, 30, 40))
    )
    dialog.get_by_label("Why?").fill("A cart is overturned")
    dialog.get_by_role("button", name="Lay it").click()
    there = ford.watcher.locator("#b-map [data-area]", has_text="Wall")
    expect(there).to_have_count(1)
    tap(gm, 6, 3)
    gm.locator("[data-chosen]").get_by_role("link", name="Take away: Wall").click()
    dialog.get_by_label("Why?").fill("It is righted")
    dialog.get_by_role("button", name="Take it away").click()
    expect(there).to_have_count(0)


def demoted(ford: AtTheFord, tab: Page) -> None:
    """Who loses their seat as a player loses what players can do, on every open board."""
    can = "section[aria-label='What Ana can do']"
    ford.to_board(ford.player)
    expect(ford.player.locator(can)).to_have_count(1)
    ford.site.run(DEMOTE.format(campaign=ford.scene.campaign))
    for page in (ford.player, tab):
        expect(page.locator(can)).to_have_count(0)


DEMOTE = """
from uuid import UUID, uuid4
from django.contrib.auth.models import User
from campaigns.commands.seats import ChangeRole
from campaigns.context import Actor
from campaigns.entrance import execute
from campaigns.parts.table import Table
from campaigns.store import states
campaign = UUID("{campaign}")
with states.held(campaign) as state:
    member = state.part(Table).member_of(User.objects.get(username="tal").pk)
gm = Actor(user=User.objects.get(username="marin").pk)
execute(campaign, ChangeRole(member=member, role="watcher"), gm, command_id=uuid4())
"""
