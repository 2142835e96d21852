"""Turning dice on the page: what each press leads to, what the dice come to, and that only the end is recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from playwright.sync_api import Browser, expect

from campaigns.commands.calls import RollTest
from campaigns.store import states
from tests.campaigns.tables import Table, make_table
from tests.campaigns.test_calls_attribute import CHECKS, TRAITS, WORKED, call, dice, someone
from tests.frontend.test_pages import address, client_of
from tests.services.chromium import SIZES, complaints

__all__ = ["dice"]


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({CHECKS: "", TRAITS: ""})


@pytest.fixture
def test(table: Table, dice: list[int]) -> str:
    """A check that waits for Pia's two Adjustments on the worked roll."""
    opened = call(table, "attribute_check", {"hero": someone(table, "pia", "Herald", 35)})
    dice += WORKED
    table.send("pia", RollTest(call=opened))
    return opened


def page(table: Table, test: str, who: str = "pia", moves: str = "") -> str:
    answer = client_of(table, who).get(address(table, "test", test), {"moves": moves} if moves else {})
    assert answer.status_code == 200
    return answer.content.decode()


def faces(html: str) -> list[int]:
    return [int(face) for face in re.findall(r'data-die="12" data-face="(\d+)"', html)]


def leads(html: str, css: str) -> list[str]:
    return re.findall(rf'class="turning__{css}" id="\w+-\d+" href="\?moves=([\d:,]*)"', html)


def post(client: Client, table: Table, test: str, **fields: Any) -> Any:
    where = address(table, "test", test)
    return client.post(where, {"command_id": str(uuid4()), "act": "roll", **fields})


def test_each_press_turns_one_die_one_face(table: Table, test: str) -> None:
    """Two 12s cannot go up; each of the other five can, by one."""
    html = page(table, test)
    assert faces(html) == WORKED
    assert leads(html, "on") == ["3:11", "4:10", "5:7", "6:5", "7:2"]
    assert leads(html, "back") == []
    assert "<strong>2</strong> of 2 left" in html
    assert "comes to <strong data-value>4</strong>" in html


def test_the_page_says_what_the_dice_come_to_and_leads_back(table: Table, test: str) -> None:
    """The 1 to 2 frees a 12, which is worth two Passes less a Fail: five."""
    html = page(table, test, moves="7:2")
    assert faces(html) == [12, 12, 10, 9, 6, 4, 2]
    assert "<strong>1</strong> of 2 left" in html
    assert "comes to <strong data-value>5</strong>" in html and "it was 4" in html
    assert leads(html, "back") == [""]
    assert "7:3" in leads(html, "on") and "6:5,7:2" in leads(html, "on")
    spent = page(table, test, moves="6:5,7:2")
    assert leads(spent, "on") == []
    assert leads(spent, "back") == ["7:2", "6:5"]


@pytest.mark.parametrize("moves", ["7:4", "1:13", "9:2", "nonsense", "7:2,7:2", "3:9"])
def test_moves_that_cannot_be_are_left_out(table: Table, test: str, moves: str) -> None:
    assert faces(page(table, test, moves=moves)) == WORKED


def test_only_who_is_asked_turns_dice(table: Table, test: str) -> None:
    for who in ("olga", "paul"):
        html = page(table, test, who, moves="7:2")
        assert "turning" not in html and "waits for Pia" in html
        # They see how the dice lie, and no move that Pia only thinks of.
        assert faces(html) == WORKED


def test_what_is_sent_is_recorded_once(table: Table, test: str) -> None:
    client = client_of(table, "pia")
    with states.held(table.campaign_id) as state:
        position = state.position
    page(table, test, moves="7:2")
    with states.held(table.campaign_id) as state:
        assert state.position == position
    assert post(client, table, test, choice="7:4").status_code == 422
    assert post(client, table, test, choice="6:5,7:2").status_code == 302
    html = page(table, test)
    assert faces(html) == [12, 12, 10, 9, 6, 5, 2]
    assert "Success" in html


def test_the_best_use_is_a_button(table: Table, test: str) -> None:
    """One step frees a 12; the other gains nothing and is left, whatever was turned before the press."""
    post(client_of(table, "pia"), table, test, choice="6:5", best="1")
    assert faces(page(table, test)) == [12, 12, 10, 9, 6, 4, 2]


def test_none_may_be_turned(table: Table, test: str) -> None:
    post(client_of(table, "pia"), table, test, choice="")
    assert faces(page(table, test)) == WORKED


# ------------------------------------------------------------------------------------------ what is asked beside


def test_the_roller_is_asked_what_is_theirs_before_the_dice(table: Table, dice: list[int]) -> None:
    herald = table.character("pia", "Herald")
    opened = call(table, "trait_test", {"hero": herald}, pack=TRAITS, trait="agility", goal=5)
    assert 'name="given-choose_fail"' in page(table, opened)
    assert 'name="given-choose_fail"' not in page(table, opened, "olga")
    dice += [15]
    assert post(client_of(table, "pia"), table, opened, **{"given-choose_fail": "before_roll"}).status_code == 302
    assert "Failure" in page(table, opened)


def test_lists_are_given_a_line_each(table: Table) -> None:
    herald = table.character("pia", "Herald")
    client = client_of(table, "olga")
    form = {
        "test": f"{TRAITS}/degree_test",
        "role-hero": herald,
        "given-trait": "agility",
        "given-rows": "5; barely\n 12 ; well",
        "given-bonuses": "+2; a rope; gear\n-1; the dark",
        "given-inspired_scope": "1, 2",
        "given-skill_fits": ["off", "on"],
        "command_id": str(uuid4()),
    }
    answer = client.post(address(table, "new_test"), form)
    assert answer.status_code == 302, answer.content.decode()
    with states.held(table.campaign_id) as state:
        from campaigns.parts.calls import Calls

        (opened,) = state.part(Calls).open.values()
    assert opened.given["rows"] == [{"at": 5, "result": "barely"}, {"at": 12, "result": "well"}]
    assert opened.given["bonuses"] == [
        {"value": 2, "source": "a rope", "type": "gear"},
        {"value": -1, "source": "the dark"},
    ]
    assert opened.given["inspired_scope"] == [1, 2]
    assert opened.given["skill_fits"] is True


# ------------------------------------------------------------------------------------------ in a browser


@pytest.fixture
def phone(chromium: Browser) -> Iterator[Any]:
    context = chromium.new_context(viewport=SIZES["phone"], has_touch=True)  # type: ignore[arg-type]
    yield context
    context.close()


def test_dice_are_tapped_on_a_phone(live_server: Any, phone: Any, table: Table, test: str) -> None:
    client = client_of(table, "pia")
    phone.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
    tab = phone.new_page()
    tab.goto(live_server.url + address(table, "test", test))
    stand = tab.get_by_role("status").filter(has_text="left")
    expect(stand).to_contain_text("2 of 2 left")
    tab.get_by_role("link", name="Die 7 shows 1: turn it up").tap()
    expect(stand).to_contain_text("1 of 2 left · comes to 5")
    tab.get_by_role("link", name="Die 6 shows 4: turn it up").tap()
    expect(stand).to_contain_text("0 of 2 left")
    tab.get_by_role("link", name="Die 6 fell on 4: take a step back").tap()
    expect(stand).to_contain_text("1 of 2 left · comes to 5")
    assert tab.evaluate("document.documentElement.scrollWidth") <= SIZES["phone"]["width"]
    assert not complaints(tab)
    tab.get_by_role("button", name="Leave them so").tap()
    expect(tab.locator("#call .verdict__word")).to_have_text("Success, by a net of 5")


def test_many_tests_are_chosen_from_shelves_and_one_that_decides_comes_first(transactional_db: None) -> None:
    """A pack of dozens of tests must not be a row of tabs that begins with whatever its first file holds."""
    table = make_table({"trait-tests": "", "spindrift-identity": ""})
    html = client_of(table, "olga").get(address(table, "new_test")).content.decode()
    select = html.split('id="which-test"')[1].split("</select>")[0]
    headings = [part.split('"')[0] for part in select.split('<optgroup label="')[1:]]
    assert headings == ["Trait Tests", "Spindrift Identity", "Trait Tests: rests", "Trait Tests: study"]
    assert (
        'value="trait-tests/trait_test"' in select.split("Spindrift Identity")[0]
        and "trait-tests/set_level" not in select
    )
    few = make_table({"spindrift-identity": ""})
    assert 'id="which-test"' not in client_of(few, "olga").get(address(few, "new_test")).content.decode()
