"""The page of a test that stops to ask: the dice so far, the question in words, a button that says what it does."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.test import Client

from campaigns.commands.calls import CallTest, RollTest
from campaigns.commands.own_packs import BringPack
from campaigns.commands.subjects import CreateSubject
from campaigns.parts.calls import Calls
from campaigns.store import states
from tests.campaigns.tables import Table, make_table
from tests.campaigns.test_calls_attribute import dice
from tests.frontend.test_adjusting import page, post
from tests.frontend.test_pages import address, client_of

__all__ = ["dice"]

# The role whose test it is comes last by the alphabet, as events are stored.
PACK = """
id: glass
version: 1.0.0
title: Glass
source: Ours
rights: Ours
kinds:
  hero: {title: Hero, stats: {grit: {type: int, default: 2}}}
  place: {title: Place}
tests:
  risk:
    title: Take a risk
    named: "{zest.title} takes a risk"
    roles: {zest: {kinds: [hero]}, at: {kinds: [place]}}
    steps:
      - {roll: pool, dice: 3d6, title: Nerve, against: 5}
      - {drop: pool, lowest: 1}
      - {roll: own, sides: 8, seen: holders, title: Luck}
      - {roll: dark, sides: 10, seen: gm, title: Doom}
      - {let: {hits: "sum(1 for f in pool.faces if f >= 5)"}}
      - {ask: push, flag: true, title: "roll the misses again? {hits} hits so far"}
      - {ask: how, options: [softly, loudly], title: "How?"}
      - {outcome: done}
    outcomes: {done: {title: It is done}}
  rest:
    title: Lie low
    roles: {zest: {kinds: [hero]}}
    steps: [{narrate: Quiet}, {change: {zest.grit: 1}}]
"""


@pytest.fixture
def table(transactional_db: None) -> Table:
    table = make_table()
    table.send("olga", BringPack(files={"pack.yaml": PACK}))
    return table


@pytest.fixture
def hero(table: Table) -> str:
    return table.character("pia", "Kestrel", "hero")


@pytest.fixture
def risk(table: Table, hero: str) -> str:
    place = table.send("olga", CreateSubject(kind="place", name="The Harbour")).events[0].event.subject
    sent = table.send("pia", CallTest(pack="glass", test="risk", roles={"zest": hero, "at": place}))
    return str(sent.events[0].event.call)


@pytest.fixture
def asked(table: Table, risk: str, dice: list[int]) -> str:
    dice += [2, 6, 5, 7, 9]
    table.send("pia", RollTest(call=risk))
    return risk


def fallen(html: str, sides: int) -> list[int]:
    return [int(face) for face in re.findall(rf'data-die="{sides}" data-face="(\d+)"', html)]


def test_the_dice_so_far_are_shown_to_those_who_may_see_them(table: Table, asked: str) -> None:
    mine, others, gms = (page(table, asked, who) for who in ("pia", "paul", "olga"))
    assert [fallen(html, 6) for html in (mine, others, gms)] == [[2, 6, 5]] * 3
    assert [fallen(html, 8) for html in (mine, others, gms)] == [[7], [], [7]]
    assert fallen(mine, 10) == fallen(others, 10) == []
    assert "Nerve against 5" in mine and "Luck" in mine and "Luck" not in others
    assert "Doom" not in mine and "Doom" not in others
    # The lowest was dropped, and lies so.
    assert re.search(r'die--dropped[^>]*data-die="6" data-face="2"', mine)
    assert client_of(table, "wim").get(address(table, "test", asked)).status_code == 404


def test_a_question_is_asked_in_words_and_its_buttons_answer_it(table: Table, asked: str) -> None:
    mine = page(table, asked)
    assert "Roll the misses again? 2 hits so far" in mine
    assert re.findall(r'<button[^>]*name="choice" value="(\w+)">(\w+)<', mine) == [("yes", "Yes"), ("no", "No")]
    assert "button--roll" not in mine
    waits = page(table, asked, "paul")
    assert "It waits for Pia to answer: roll the misses again?" in waits and 'name="choice"' not in waits
    assert post(client_of(table, "pia"), table, asked, choice="no").status_code == 302
    then = page(table, asked)
    assert "How?" in then and re.search(r"<button[^>]*>.*? Answer</button>", then) and fallen(then, 6) == [2, 6, 5]
    assert ">Answer<span" in client_of(table, "pia").get(address(table, "tests")).content.decode()
    post(client_of(table, "pia"), table, asked, choice="softly")
    done = page(table, asked)
    assert "It is done" in done
    came = done.split('<ol class="came">')[1].split("</ol>")[0]
    # Three dice of which the lowest is dropped; no step as the rules write it, which game masters alone can unfold.
    assert "Nerve against 5: 2 (dropped), 6 and 5 on 3d6" in came
    assert "let " not in came and "hits =" not in came and 'class="trace"' not in done
    assert "let " in page(table, asked, "olga").split('class="trace"')[1]


def heading(html: str) -> str:
    (found,) = re.findall(r"<h1>(.*?)</h1>", html)
    return str(found)


def test_whose_test_it_is_comes_first_before_and_after(table: Table, asked: str) -> None:
    for again in (False, True):
        if again:
            states.forget(table.campaign_id)
        assert heading(page(table, asked)) == "Kestrel and The Harbour"
    for choice in ("no", "softly"):
        post(client_of(table, "pia"), table, asked, choice=choice)
    assert heading(page(table, asked)) == "Kestrel and The Harbour"
    ledger = client_of(table, "pia").get(address(table, "ledger")).content.decode()
    # Who is in the title already is not named once more.
    assert (
        "Kestrel takes a risk for The Harbour" in ledger and "The Harbour, Kestrel takes a risk: It is done" in ledger
    )


def test_what_decides_nothing_is_done_and_says_so(table: Table, hero: str) -> None:
    sent = table.send("pia", CallTest(pack="glass", test="rest", roles={"zest": hero}))
    call = str(sent.events[0].event.call)
    assert re.search(r"<button[^>]*>.*? Go ahead</button>", page(table, call))
    waits = client_of(table, "pia").get(address(table, "tests")).content.decode()
    (link,) = re.findall(r'<a class="button[^"]*card__act" href="([^"]*)">', waits)
    assert link == address(table, "test", call)
    assert post(client_of(table, "pia"), table, call).status_code == 302
    done = page(table, call)
    assert 'verdict__word">Lie low<' in done
    # Grit begins at 2.
    assert "grit 2 \N{RIGHTWARDS ARROW} 3" in done.split('id="followed"')[1].split("</section>")[0]
    assert ">Lie low</a>" in client_of(table, "pia").get(address(table, "tests")).content.decode()
    assert "Kestrel, Lie low." in client_of(table, "pia").get(address(table, "ledger")).content.decode()


@pytest.mark.parametrize("begun", [False, True])
def test_every_page_draws_a_test_whose_rules_are_gone(
    table: Table, hero: str, risk: str, dice: list[int], begun: bool
) -> None:
    """No command leaves one behind; the stream of an older version may."""
    if begun:
        dice += [2, 6, 5, 7, 9]
        table.send("pia", RollTest(call=risk))
    with states.held(table.campaign_id) as state:
        state.part(Calls).open[risk].test = "gone"
    for who in ("pia", "olga"):
        browser = client_of(table, who)
        for where in (address(table, "campaign"), address(table, "tests"), address(table, "subject", hero)):
            assert browser.get(where).status_code == 200
        assert "has no such test" in page(table, risk, who) or "have no such test" in page(table, risk, who)
        assert browser.get(address(table, "test_odds", risk)).status_code == 404
    assert post(client_of(table, "pia"), table, risk).status_code == 422
    drop = {"command_id": "6f0c0a0e-6f6c-4d0e-8c1e-9d7a1c2b3d4e", "act": "drop"}
    assert client_of(table, "olga").post(address(table, "test", risk), drop).status_code == 302
    with states.held(table.campaign_id) as state:
        assert state.part(Calls).open == {}


def test_what_the_game_master_called_is_dropped_after_a_question_and_they_are_told_by_whom(
    table: Table, hero: str
) -> None:
    """SPI-006: the player may drop the decision instead of rolling, before the first die."""
    place = table.send("olga", CreateSubject(kind="place", name="The Harbour")).events[0].event.subject
    call = CallTest(pack="glass", test="risk", roles={"zest": hero, "at": place})
    pia, olga = client_of(table, "pia"), client_of(table, "olga")

    def dropped(who: Client, caller: str, **more: str) -> tuple[bool, str, str]:
        """Whether it still stands, what whoever drops it reads, and what the game master reads."""
        test = table.send(caller, call).events[0].event.call
        where = address(table, "test", test)
        told = who.post(where, {"command_id": str(uuid4()), "act": "drop", **more}, follow=True).content.decode()
        with states.held(table.campaign_id) as state:
            return test in state.part(Calls).open, told, olga.get(where).content.decode()

    stands, told, _ = dropped(pia, "olga")
    assert stands and "The game master called this test." in told and 'name="sure" value="yes"' in told
    stands, told, seen = dropped(pia, "olga", sure="yes")
    assert not stands and "This test was dropped" in told
    assert "Pia dropped the test" in seen and "which the game master had called" in seen
    for who, caller in ((pia, "pia"), (olga, "olga")):
        stands, _, seen = dropped(who, caller)
        assert not stands and "This test was dropped" in seen and "had called" not in seen
