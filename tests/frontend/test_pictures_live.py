"""A player gives their character a face from the phone; the table sees it on the board, over the game master's map."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.campaigns.photos import photo, telling
from tests.frontend.browsing import new_page, sign_in
from tests.frontend.scene import prepare
from tests.services.chromium import complaints
from tests.services.site import Site


def file(data: bytes) -> dict[str, object]:
    return {"name": "IMG_0001.jpg", "mimeType": "image/jpeg", "buffer": data}


def is_there(image: Locator) -> None:
    """The picture was fetched and decoded."""
    expect(image).to_be_visible()
    expect(image).to_have_js_property("complete", True)
    assert image.evaluate("one => one.naturalWidth") > 0


@pytest.mark.embedded
def test_a_portrait_from_a_phone_and_a_map_from_a_desk(standing: Site, chromium: Browser) -> None:
    scene = prepare(standing)
    phone, desk = new_page(chromium, "phone"), new_page(chromium, "desktop")
    noted = [complaints(page) for page in (phone, desk)]
    sign_in(standing, phone, "tal")
    sign_in(standing, desk, "marin")

    sheet = f"{standing.url}/c/{scene.campaign}/characters/{scene.names['Ana']}/"
    phone.goto(sheet)
    phone.get_by_role("link", name="Portrait").tap()
    form = phone.locator("#dialog")
    form.get_by_label("The picture").set_input_files(file(telling(900, 600)))  # type: ignore[arg-type]
    form.get_by_label("What is to be seen on it?").fill("A woman in a salt-stained coat")
    form.get_by_role("button", name="Take this one").tap()
    # The page follows by itself. The photo lay on its side: 900 by 600 stands upright, at most 512 high.
    face = phone.get_by_role("img", name="A woman in a salt-stained coat")
    is_there(face)
    assert face.evaluate("one => [one.naturalWidth, one.naturalHeight]") == [341, 512]
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")

    desk.goto(standing.url + scene.board)
    desk.locator("#b-more summary").click()
    desk.get_by_role("link", name="Map picture").click()
    desk.locator("#dialog").get_by_label("The picture").set_input_files(file(photo(1200, 800)))  # type: ignore[arg-type]
    desk.locator("#dialog").get_by_label("What is to be seen on it?").fill("A ford between two rocks")
    desk.locator("#dialog").get_by_role("button", name="Lay it").click()
    expect(desk.get_by_role("img", name="A ford between two rocks")).to_be_visible()
    expect(desk.locator("#b-map .token__face")).to_have_count(1)
    assert noted == [[], []]
    for page in (phone, desk):
        page.context.close()
