"""The mode of play bars what the rules say it bars: in words, on the sheet and at the entrance; a game master may do it
all the same."""

from __future__ import annotations

import re

import pytest

from campaigns.commands.calls import CallTest, DoTest
from campaigns.commands.sheets import ChangeSheet
from campaigns.commands.subjects import CreateSubject
from campaigns.parts.calls import Calls
from campaigns.parts.sheets import Sheets
from campaigns.store import states
from encounters.commands.preparing import BeginEncounter, EndEncounter, JoinEncounter, PrepareEncounter
from frontend.asking import not_to_call
from frontend.seat import Seat
from rules.refusal import Refused
from tests.campaigns.tables import Table
from tests.frontend.test_doing import PACK, press, sheet, table, to
from tests.frontend.test_pages import address, client_of

__all__ = ["table"]
NO_ACTIVITY = "Activities do not fit into an Encounter."
NO_ACTION = "An Endeavor is made of Activities."


@pytest.fixture
def hero(table: Table) -> str:
    hero = table.character("pia", "Orla")
    values = {"level": 2, "calling": "mage", "abilities": ["arcane_bolt"], "energy": 2}
    table.send("olga", ChangeSheet(subject=hero, pack=PACK, values=values))
    return hero


def endeavor(table: Table, *, hidden: bool = False) -> str:
    """The table is in an Endeavor."""
    made = table.send("olga", CreateSubject(kind="party", name="All of us", hidden=hidden)).events[0].event
    table.send("olga", ChangeSheet(subject=made.subject, pack=PACK, values={"mode": "endeavor"}))
    return str(made.subject)


def fight(table: Table, *who: str) -> str:
    """A fight that these take part in has begun."""
    made = table.send("olga", PrepareEncounter(title="The ford", pack=PACK)).events[0].event
    for one in who:
        table.send("olga", JoinEncounter(encounter=made.encounter, subject=one, side="party"))
    table.send("olga", BeginEncounter(encounter=made.encounter, initiative=dict.fromkeys(who, 9)))
    return str(made.encounter)


def energy(table: Table, hero: str) -> int:
    with states.held(table.campaign_id) as state:
        return int(state.part(Sheets).sheet(hero, PACK).values["energy"])


def buttons(html: str) -> list[str]:
    """What the disabled buttons of a page say."""
    found = re.findall(r"<button[^>]* disabled title=\"([^\"]+)\">([^<]+)<", html)
    return [f"{says}: {why}" for why, says in found]


def test_what_is_barred_stands_there_and_says_why(table: Table, hero: str) -> None:
    assert not buttons(sheet(table, hero)) and "Not now:" not in sheet(table, hero)
    party = endeavor(table)
    page = sheet(table, hero)
    assert {one.partition(":")[0] for one in buttons(page)} == {"Spend Energy on something else", "Cast, 0 Energy"}
    assert all(NO_ACTION in one for one in buttons(page))
    assert re.search(r"<strong>Not now:</strong> [^<]*Use an ability[^<]*\. " + NO_ACTION, page)
    assert f'href="{to(table, hero, "rest")}"' in page and f'href="{to(table, hero, "spend_energy")}"' not in page
    table.send("olga", ChangeSheet(subject=party, pack=PACK, values={"mode": "exploration"}))
    assert not buttons(sheet(table, hero))


def test_it_is_refused_in_words_and_nothing_happens(table: Table, hero: str) -> None:
    endeavor(table)
    page = press(table, to(table, hero, "spend_energy"), **{"given-demand": "3"}).content.decode()
    assert NO_ACTION in page and energy(table, hero) == 2
    for sent in (DoTest, CallTest):
        with pytest.raises(Refused) as no:
            table.send("pia", sent(pack=PACK, test="spend_energy", roles={"hero": hero}, given={"demand": 3}))
        assert no.value.code == "switch_mode"
    with pytest.raises(Refused) as no:
        asked = DoTest(pack=PACK, test="spend_energy", roles={"hero": hero}, given={"demand": 3}, anyway=True)
        table.send("pia", asked)
    assert no.value.code == "gm_only" and energy(table, hero) == 2


def test_a_game_master_does_it_all_the_same_and_says_so(table: Table, hero: str) -> None:
    endeavor(table)
    form = client_of(table, "olga").get(to(table, hero, "spend_energy")).content.decode()
    assert NO_ACTION in form and 'name="anyway"' in form
    called = client_of(table, "olga").get(
        f"{address(table, 'new_test')}?test={PACK}/spend_energy&subject={hero}&more=1"
    )
    assert NO_ACTION in called.content.decode() and 'name="anyway"' in called.content.decode()
    page = press(table, to(table, hero, "spend_energy"), "olga", **{"given-demand": "3"}).content.decode()
    assert NO_ACTION in page and energy(table, hero) == 2
    # A Demand of 3 against a Capacity of 2 costs 1.
    press(table, to(table, hero, "spend_energy"), "olga", **{"given-demand": "3", "anyway": "on"})
    assert energy(table, hero) == 1


def test_who_fights_neither_rests_nor_travels_and_the_others_do(table: Table, hero: str) -> None:
    other = table.character("paul", "Rell")
    encounter = fight(table, hero)
    page = sheet(table, hero)
    assert f"Rest: {NO_ACTIVITY}" in buttons(page) and f"Travel: {NO_ACTIVITY}" in buttons(page)
    for test, roles, given in (("rest", {"hero": hero}, {"minutes": 60}), ("travel", {}, {"foot_days": 2})):
        with pytest.raises(Refused) as no:
            table.send("pia", DoTest(pack=PACK, test=test, roles=roles, given=given))
        assert no.value.code == "no_activities", test
    assert not buttons(sheet(table, other, "paul"))
    table.send("paul", DoTest(pack=PACK, test="rest", roles={"hero": other}, given={"minutes": 60}))
    table.send("olga", EndEncounter(encounter=encounter))
    assert not buttons(sheet(table, hero))
    table.send("pia", DoTest(pack=PACK, test="rest", roles={"hero": hero}, given={"minutes": 60}))


def test_nothing_hidden_is_told_by_what_is_barred(table: Table, hero: str) -> None:
    """A hidden subject stands for no table; and what another asks for somebody waits for the game master, whether that
    one fights or not."""
    endeavor(table, hidden=True)
    assert not buttons(sheet(table, hero))
    fight(table, hero)
    called = table.send("paul", CallTest(pack=PACK, test="rest", roles={"hero": hero}, given={"minutes": 60}))
    with states.held(table.campaign_id) as state:
        assert state.part(Calls).open[called.events[0].event.call].state == "awaiting_gm"


def test_a_rest_is_chosen_by_whole_and_half_hours(table: Table, hero: str) -> None:
    form = client_of(table, "pia").get(to(table, hero, "rest")).content.decode()
    hours = re.findall(r'<option value="(\d+)"[^>]*>([^<]+)<', form.partition('name="given-minutes"')[2])
    assert ("60", "1:00 hours") in hours and ("480", "8:00 hours (a night)") in hours
    assert not [minutes for minutes, _ in hours if int(minutes) % 60]
    assert "Domain from now on" in form  # a mage has one
    values = {"folk": "highfolk", "calling": "fighter"}
    table.send("olga", ChangeSheet(subject=hero, pack=PACK, values=values))
    form = client_of(table, "pia").get(to(table, hero, "rest")).content.decode()
    assert '<option value="30">0:30 hours</option>' in form and "Domain" not in form
    done = press(table, to(table, hero, "rest"), **{"given-minutes": "90"}).content.decode()
    assert "Orla rests for 1:30 hours" in done


def test_an_address_of_what_cannot_be_called_says_so(table: Table, hero: str) -> None:
    def form(test: str) -> str:
        return client_of(table, "olga").get(f"{address(table, 'new_test')}?test={test}").content.decode()

    assert "There is no such test in this campaign. Below is Check." in form(f"{PACK}/chek")
    assert "Initiative belongs to a fight" in form(f"{PACK}/roll_initiative")
    assert "Below is" not in form(f"{PACK}/contest")
    pia = Seat(table.campaign_id, "", table.viewer("pia"), "", False, "")
    with states.held(table.campaign_id) as state:
        assert not_to_call(state, pia, f"{PACK}/check") == "Check is called by the game master."


def test_what_meters_a_fight_stands_on_a_sheet_in_a_fight_alone(table: Table, hero: str) -> None:
    """Of a fight that is none of theirs the others are told nothing by it."""
    assert ">AP<" not in sheet(table, hero) and ">Movement<" in sheet(table, hero)
    encounter = fight(table, hero)
    assert ">AP<" in sheet(table, hero) and ">AP<" in sheet(table, hero, "olga")
    assert ">AP<" not in sheet(table, hero, "paul")
    table.send("olga", EndEncounter(encounter=encounter))
    assert ">AP<" not in sheet(table, hero)


def test_a_track_says_each_number_once(table: Table, hero: str) -> None:
    page = sheet(table, hero)
    head = re.search(r'<span class="meter__head"><span>Wounds</span>.*?</div>', page, re.S)
    # With a Vigor of 10 three Wounds are borne, which is worked out: the way to why stands in the number's place.
    assert head is not None and head[0].count('class="why"') == 1
    assert re.sub(r"<[^>]+>|, why\?", "", head[0]).split() == ["Wounds0", "/", "3"]
