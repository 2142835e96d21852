"""What pages propose: a pair's own test, none that only a fight brings about, sides and foes as they stand."""

from __future__ import annotations

import re

import pytest

from campaigns.commands.sheets import ChangeSheet
from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.store import states
from encounters.parts.encounters import Encounter
from frontend.asking import offered
from frontend.fights.foes import models
from frontend.seat import Seat
from frontend.views.encounters import _sides
from identity.commands.pairs import EnterPairs
from rules.cli.diff import diff
from rules.fight.state import Fight, Member
from rules.packs import pack_ids
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_pages import address, client_of
from tests.rules.small import one_test, pack

PAIRS, FIGHTS = "spindrift-identity", "frontiers-fantasy"


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({PAIRS: "", FIGHTS: ""})


def test_the_test_of_a_pair_is_about_that_pair(table: Table) -> None:
    talyne = table.character("pia")
    table.send("olga", EnterPairs(subject=talyne, ratings={"bold": 14}))
    sheet = client_of(table, "pia").get(address(table, "subject", talyne)).content.decode()
    links = re.findall(r'href="([^"]*\?subject=\w+&amp;pair=open_reserved)"', sheet)
    form = client_of(table, "pia").get(links[0].replace("&amp;", "&")).content.decode()
    assert re.search(r'<input type="hidden" name="test" value="spindrift-identity/\w+">', form)
    assert '<option value="open_reserved" selected>' in form


def test_a_test_that_a_fight_brings_about_is_not_offered(table: Table) -> None:
    table.character("pia")
    with states.held(table.campaign_id) as state:
        brings = Packs(state).get(FIGHTS).encounter.initiative
    form = client_of(table, "olga").get(address(table, "new_test")).content.decode()
    assert brings and f'value="{FIGHTS}/' in form and f'value="{FIGHTS}/{brings}"' not in form


# What a table is offered to call, pack by pack: tests alone, under the pack's name or a group of its own.
OFFERED = {
    "frontiers-fantasy": [
        "Check",
        "Contest",
        "Check about somebody",
        "Damage dice",
        "The Gradient alone",
        "Passive noticing",
    ],
    "trait-tests": [
        "Trait Test",
        "Attack Roll",
        "Trait Test by degrees",
        "Skill Roll",
        "Contested Test",
        "Test of a Party Challenge",
        "Prepare a Meal",
        "Study test",
        "Study test under a teacher",
        "Passive Skill Value",
    ],
    "attribute-checks": ["Attribute Check", "Opposed Check", "Resist Check", "Breaking free"],
    "spindrift-identity": ["Identity test"],
}


@pytest.mark.parametrize("pack_id", pack_ids())
def test_only_what_decides_something_is_offered_as_a_test(transactional_db: None, pack_id: str) -> None:
    table = make_table({pack_id: ""})
    with states.held(table.campaign_id) as state:
        seat = Seat(table.campaign_id, "", table.viewer("olga"), "", True, "")
        found = offered(state, seat)
        tests = [one.title for one in found if one.kind == "test"]
    assert sorted(tests) == sorted(OFFERED[pack_id])
    # Nobody is offered a name alone.
    assert [one.title for one in found if not one.says] == []


def test_bookkeeping_is_for_game_masters_who_look_for_it(table: Table) -> None:
    table.character("pia")
    plain = client_of(table, "olga").get(address(table, "new_test")).content.decode()
    more = client_of(table, "olga").get(address(table, "new_test") + "?more=1").content.decode()
    assert "HP by rank" not in plain and "More: what is done, and bookkeeping" in plain
    assert ">HP by rank<" in more and "Frontiers Fantasy: bookkeeping" in more
    assert client_of(table, "pia").get(address(table, "new_test") + "?more=1").status_code == 404


def test_tests_of_a_pack_that_somebody_does_not_play_by_are_left_out(transactional_db: None) -> None:
    table = make_table({"trait-tests": "", "attribute-checks": ""})
    wren = table.character("pia", "Wren")
    table.send("olga", ChangeSheet(subject=wren, pack="trait-tests", values={"base_trait": {"agility": 2}}))
    form = client_of(table, "olga").get(address(table, "new_test") + f"?subject={wren}").content.decode()
    assert ">Trait Test</option>" in form and "Attribute Check" not in form


def test_a_players_own_is_proposed_for_its_own_side_and_no_foe(table: Table) -> None:
    hero = table.character("pia", "Oda")
    foe = table.character("olga", "Wolf")
    with states.held(table.campaign_id) as state:
        assert not state.part(Subjects).by_id[foe].players
        found = Encounter(
            pack=FIGHTS, title="Ford", foes="bands", seconds=0, width=0, height=0, public=False, fight=Fight()
        )
        assert _sides(state, found)["sides"] == ["party", "foes"]
        found.fight.members[foe] = Member(side="wolves")
        assert _sides(state, found)["sides"] == ["party", "wolves"]
        found.fight.members[hero] = Member(side="ferry")
        assert _sides(state, found)["sides"] == ["ferry", "wolves"]
        *_, (_title, like) = models(state, Packs(state).get(FIGHTS), found)
        assert [one.title for one in like] == ["Wolf", "Oda"]


def test_changed_steps_are_told_as_they_are_written() -> None:
    old, new = (pack(one_test(steps)) for steps in ("- {let: {t: 1}}", "- {narrate: la}\n- {let: {t: 1}}"))
    assert [str(change) for change in diff(old, new)] == ["changed test it: steps.0 with {narrate: la}"]
    assert [str(change) for change in diff(new, old)] == ["changed test it: steps.0 without {narrate: la}"]
