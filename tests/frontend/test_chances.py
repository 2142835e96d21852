"""The odds of an open test: told to those who may know what they hang on, and betraying nothing."""

from __future__ import annotations

import re

import pytest

from campaigns.commands.calls import CallTest
from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.commands.starting import ChangeSetting
from identity.commands.pairs import EnterPairs
from tests.campaigns.tables import Table, make_table
from tests.campaigns.test_calls_attribute import CHECKS, PAIRS, TRAITS, call
from tests.frontend.test_pages import address, client_of


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({CHECKS: "", TRAITS: "", PAIRS: ""})


@pytest.fixture
def herald(table: Table) -> str:
    subject = table.character("pia", "Herald")
    table.send("olga", EnterPairs(subject=subject, ratings={"bold": 14}))
    table.send("pia", ChangeSheet(subject=subject, pack=CHECKS, values={"natural_value": {"might": 5}}))
    table.send("olga", ChangeSetting(setting=f"{CHECKS}/dice.dice_pool", value=1))
    return subject


def odds(table: Table, test: str, who: str) -> dict[str, str] | int:
    """Outcome -> ways, or the status where there are none to be had."""
    page = client_of(table, who).get(address(table, "test", test)).content.decode()
    answer = client_of(table, who).get(address(table, "test_odds", test))
    assert ("What are the odds?" in page) == (answer.status_code == 200)
    if answer.status_code != 200:
        return answer.status_code
    return dict(re.findall(r"<td>([^<]*)</td><td>[^<]*</td><td>(\d+)</td>", answer.content.decode()))


def test_a_player_is_told_the_odds_of_their_own(table: Table, herald: str) -> None:
    """14 against 6: the first side binds in 13 of 20 and by the second's critical failure, and so on; 400 rolls."""
    command = CallTest(
        pack=PAIRS, test="identity", roles={"holder": herald}, given={"pair": "bold_cautious"}, decision="Go"
    )
    test = table.send("olga", command).events[0].event.call
    ways = odds(table, test, "pia")
    assert isinstance(ways, dict)
    assert sum(map(int, ways.values())) == 400
    assert ways == {
        "The side tested first decides": str(14 * 20 + 5 * 1),
        "The other side decides": str(1 * 20 + 5 * 6),
        "A free choice": str(5 * 13),
    }
    assert odds(table, test, "paul") == 404
    assert odds(table, test, "olga") == ways


def test_a_test_against_a_hidden_number_has_none_for_players(table: Table, herald: str) -> None:
    test = call(table, "trait_test", {"hero": herald}, pack=TRAITS, trait="agility", goal=11)
    assert odds(table, test, "pia") == 404


def test_hidden_inputs_and_cards_change_nothing_that_a_player_is_told(table: Table, herald: str) -> None:
    """One die, one Adjustment for the roller: a hidden Difficulty shows in the game master's odds alone."""
    plain = call(table, "attribute_check", {"hero": herald})
    table.send("olga", ChangeSetting(setting=f"{CHECKS}/difficulty.difficulty_visible", value="host"))
    hard = call(table, "attribute_check", {"hero": herald}, hidden_difficulty=9)
    assert odds(table, hard, "pia") == odds(table, plain, "pia") != 404
    assert odds(table, hard, "olga") != odds(table, hard, "pia")
    before = odds(table, plain, "pia")
    table.send("olga", ApplyCard(subject=herald, pack=CHECKS, card="grappled", secret=True))
    assert odds(table, plain, "pia") == before


def test_one_who_opposes_is_not_known(table: Table, herald: str) -> None:
    rival = table.character("paul", "Rival")
    test = call(table, "opposed_check", {"hero": herald, "opponent": rival})
    assert odds(table, test, "pia") == 404
    assert odds(table, test, "paul") == 404
    assert odds(table, test, "olga") != 404
