"""The fight of the source through the pages: the GM at a desk, four players on phones, a watcher.

What is done and which faces fall is the pack's own case, and what stands after each step is compared with it. Its first
rounds are fought, as many as TIDEBOOK_BRIDGE_ROUNDS says: 4 fights on to the last blow, which takes minutes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.encounters.bridge import script
from tests.frontend.browsing import new_page, sign_in
from tests.services.chromium import complaints
from tests.services.site import Site

ROUNDS = int(os.environ.get("TIDEBOOK_BRIDGE_ROUNDS", "2"))
PATIENCE = 20_000  # milliseconds, for six pages on a busy machine
PLAYERS = {"rell": "bridge-rell", "bryn": "bridge-bryn", "wren": "bridge-wren", "osk": "bridge-osk"}
SCENE = """
import json
from uuid import uuid4
from django.contrib.auth.models import User
from campaigns.commands.seats import JoinByLink, MakeLink
from campaigns.commands.starting import ChangeSetting, StartCampaign
from campaigns.context import Actor
from campaigns.entrance import execute, found
from campaigns.links import token_of
from tests.encounters.bridge import PACK, Bridge
campaign = uuid4()
names = {"gm": "bridge-gm", **PLAYERS}
actors = {who: Actor(user=User.objects.get_or_create(username=name)[0].pk) for who, name in names.items()}
def tell(who, command, send=execute):
    return send(campaign, command, actors[who], command_id=uuid4()).events[0].event
tell("gm", StartCampaign(name="The Long Bridge", owner_name="Gale", packs={PACK: ""}), found)
for who in PLAYERS:
    link = tell("gm", MakeLink(role="player", uses=1)).link
    tell(who, JoinByLink(link=link, token=token_of(campaign, link), name=who.title()))
watch = tell("gm", MakeLink(role="watcher", days=None)).link
tell("gm", ChangeSetting(setting="typed_dice", value=True))
bridge = Bridge(tell, "gm", {who: who for who in PLAYERS}).make(foes="numbers").begin()
told = [str(campaign), bridge.encounter, f"/join/{campaign}/{watch}/{token_of(campaign, watch)}/", bridge.ids]
print("SCENE " + json.dumps(told))
""".replace("PLAYERS", repr(PLAYERS))


class AtTheBridge:
    """The pages of those at the table, by who sits there: gm, watcher, and the players by whom they play."""

    def __init__(self, site: Site, browser: Browser) -> None:
        told = re.search(r"SCENE (.*)", site.run(SCENE))
        assert told
        self.campaign, self.encounter, watch, self.ids = json.loads(told[1])
        self.turn, self.asked = "rell", ""
        self.board = f"{site.url}/c/{self.campaign}/encounters/{self.encounter}/"
        self.pages: dict[str, Page] = {"gm": new_page(browser, "desktop"), "watcher": new_page(browser, "desktop")}
        self.pages |= {who: new_page(browser, "phone") for who in PLAYERS}
        self.heard = {who: complaints(page) for who, page in self.pages.items()}
        for who, name in {"gm": "bridge-gm", **PLAYERS}.items():
            sign_in(site, self.pages[who], name)
        self.pages["watcher"].goto(site.url + watch)
        for page in self.pages.values():
            page.goto(self.board)
            expect(page.locator("[data-connection]:visible").first).to_have_attribute("data-state", "live")

    def hand(self, user: str) -> Page:
        """The page of whoever plays somebody."""
        return self.pages.get(user, self.pages["gm"])

    def fighter(self, page: Page, name: str) -> Locator:
        return page.locator(f"[data-fighter='{self.ids[name]}']")

    # ---------------------------------------------------------------- what is done

    def acts(self, step: dict[str, Any]) -> None:
        page, user = self.hand(step["user"]), self.ids[step["user"]]
        action = step["act"]
        page.locator(f"#b-acts a[href*='/act/{user}/{action}/']").click()
        dialog = page.locator("#dialog")
        for role, chosen in step.get("roles", {}).items():
            for one in [chosen] if isinstance(chosen, str) else chosen:
                choice = f"input[value='{self.ids[one]}']"
                if not dialog.locator(f"#role-{role} {choice}").is_checked():
                    dialog.locator(f"#role-{role} label", has=page.locator(choice)).click()
        if any(not isinstance(value, dict) for value in step.get("given", {}).values()):
            self.opened(dialog, "#more-of-act")
        for name, value in step.get("given", {}).items():
            if isinstance(value, dict):
                for axis in ("x", "y"):
                    dialog.locator(f"[name=place-{name}-{axis}]").fill(str(value[axis] + 1))
            else:
                self.give(dialog, name, value)
        if step.get("dice"):
            self.opened(dialog, "#typed-faces")
            dialog.locator("[name=faces]").fill(" ".join(map(str, step["dice"])))
        dialog.locator(".dialog__foot .button--roll").click()
        expect(dialog).to_be_hidden()

    def opened(self, dialog: Locator, which: str) -> None:
        details = dialog.locator(f"{which}:not([open]) > summary")
        if details.count():
            details.click()

    def give(self, dialog: Locator, name: str, value: Any) -> None:
        field = dialog.locator(f"[name=given-{name}]").first
        if field.evaluate("node => node.tagName") == "SELECT":
            field.select_option(str(value))
        elif field.get_attribute("type") == "radio":
            dialog.locator("label", has=dialog.page.locator(f"[name=given-{name}][value='{value}']")).click()
        else:
            field.fill(str(value))

    def answers(self, step: dict[str, Any], asked: str) -> str:
        ((who, answer),) = step["answer"].items()
        who = who if who in self.ids else asked
        panel = self.hand(who).locator("#b-ask [data-asks]")
        if step.get("dice"):
            panel.locator(f"#faces-{self.ids[who]} > summary").click()
            panel.locator("[name=faces]").fill(" ".join(map(str, step["dice"])))
        window = panel.locator(f"input[name=answer][value='{answer}']")
        if window.count():
            if window.get_attribute("type") == "checkbox":
                window.check()
            panel.locator(f"form:has([name=answer][value='{answer}']) .button--roll").click()
            expect(window).to_have_count(0)
        else:
            panel.locator(f"button[name=answer][value='{answer}']").click()
        return who

    def ends_turn(self, whose: str, dice: list[int]) -> None:
        page = self.hand(whose)
        if dice:
            page.locator("#faces-of-turn > summary").click()
            page.locator("#b-turn [name=faces]").fill(" ".join(map(str, dice)))
        page.get_by_role("button", name=re.compile("End (my|the) turn")).click()

    def more(self) -> None:
        """Opens what the GM does by hand, where it is not open still."""
        closed = self.pages["gm"].locator("#b-more:not([open]) > summary")
        if closed.count():
            closed.click()

    def lays(self, area: dict[str, Any]) -> None:
        gm = self.pages["gm"]
        self.more()
        gm.get_by_role("link", name="Lay an area").click()
        dialog = gm.locator("#dialog")
        dialog.locator("[name=card]").select_option(area["card"])
        dialog.locator("label", has_text="A line").click()
        dialog.locator("#lay-line > summary").click()
        for name in ("at", "to"):
            for axis, place in zip("xy", area[name], strict=True):
                dialog.locator(f"[name=place-{name}-{axis}]").fill(str(place + 1))
        dialog.get_by_label("How far it reaches").fill(str(area["size"]))
        dialog.get_by_label("Why?").fill("The rail burns")
        expect(dialog.locator("#foreseen")).to_contain_text("Stands in it: Captain")
        dialog.get_by_role("button", name="Lay it").click()
        expect(dialog).to_be_hidden()

    # ---------------------------------------------------------------- what is then seen

    def stands(self, page: Page, expected: dict[str, Any]) -> None:
        """HP, turn and squares are what the case says."""
        for name, found in expected.get("state", {}).items():
            hp = found.get("stats", {}).get("hp")
            if hp == 0 and name not in PLAYERS:
                expect(self.fighter(page, name)).to_have_count(0)  # out of the fight
            elif hp is not None:
                expect(self.fighter(page, name)).to_contain_text(re.compile(rf"HP\s*{hp}\s*/"))
        for name, (x, y) in expected.get("places", {}).items():
            token = page.locator(f"#b-map [data-token='{self.ids[name]}']")
            expect(token).to_have_attribute("data-x", str(x))
            expect(token).to_have_attribute("data-y", str(y))
        if expected.get("turn"):
            expect(self.fighter(page, expected["turn"])).to_have_attribute("aria-current", "true")
            expect(page.locator("#b-turn")).to_contain_text(f"Round {expected['round']}")

    def does(self, step: dict[str, Any]) -> None:
        """One step of the case, by whoever does it."""
        if "act" in step:
            self.acts(step)
        elif "answer" in step:
            self.asked = self.answers(step, self.asked)
        elif "end_turn" in step:
            self.ends_turn(self.turn, step.get("dice", []))
            self.turn = step["expect"]["turn"]
        elif "adjust" in step:
            self.lays(step["adjust"]["lay"][0])

    def all_see(self, expected: dict[str, Any], whole: bool) -> None:
        """Everybody sees the same (at each turn those whose turn it is and the watcher, as a round begins all), and
        whose turn it is cannot overlook it."""
        for who, page in self.pages.items():
            if not whole and who not in (self.turn, "watcher"):
                continue
            self.stands(page, expected)
            expect(page.locator("[data-my-turn]")).to_have_count(1 if who == self.turn else 0)


@pytest.fixture
def bridge(standing: Site, chromium: Browser) -> Iterator[AtTheBridge]:
    expect.set_options(timeout=PATIENCE)
    bridge = AtTheBridge(standing, chromium)
    yield bridge
    expect.set_options(timeout=5_000)
    for page in bridge.pages.values():
        page.context.close()
    assert bridge.heard == {who: [] for who in bridge.heard}


@pytest.mark.embedded
def test_the_fight_at_the_bridge_is_fought_through_the_pages(bridge: AtTheBridge) -> None:
    bridge.acts({"act": "flock.name_flock", "user": "osk", "roles": {"members": ["rell"]}})
    gm, round_ = bridge.pages["gm"], 1
    for step in script()[:-1]:
        before, round_ = round_, step.get("expect", {}).get("round", round_)
        bridge.does(step)
        bridge.stands(gm, step.get("expect", {}))
        for who in step.get("expect", {}).get("asked", {}):
            expect(bridge.pages[who]).to_have_title(re.compile("^● You are asked"))
            expect(bridge.pages["watcher"].locator("#b-ask")).to_contain_text(f"Waits for {who.title()}")
        if "end_turn" in step:
            bridge.all_see(step["expect"], round_ > before)
        if round_ > ROUNDS:
            break
    # Before the end, which takes every page elsewhere.
    for page in bridge.pages.values():
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    bridge.more()
    gm.get_by_role("link", name="End the fight").click()
    gm.locator("dialog").get_by_role("button", name="End the fight").click()
    expect(gm).to_have_url(re.compile(r"/encounters/\w+/over/$"))
