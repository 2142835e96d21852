"""What pages propose: a pair's own test, none that only a fight brings about, sides and foes as they stand."""

from __future__ import annotations

import re

import pytest

from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.store import states
from encounters.parts.encounters import Encounter
from frontend.fights.foes import models
from frontend.views.encounters import _sides
from identity.commands.pairs import EnterPairs
from rules.cli.diff import diff
from rules.fight.state import Fight, Member
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
    assert re.search(r'<option value="spindrift-identity/\w+" selected>', form)
    assert '<option value="open_reserved" selected>' in form


def test_a_test_that_a_fight_brings_about_is_not_offered(table: Table) -> None:
    table.character("pia")
    with states.held(table.campaign_id) as state:
        brings = Packs(state).get(FIGHTS).encounter.initiative
    form = client_of(table, "olga").get(address(table, "new_test")).content.decode()
    assert brings and f'value="{FIGHTS}/' in form and f'value="{FIGHTS}/{brings}"' not in form


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
