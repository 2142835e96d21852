"""What stands on a sheet and what does not: acts of gear, what is not made, numbers beside cards, a foe's numbers."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest

from campaigns.commands.calls import AssignRoller, CallTest, DoTest, RollTest
from campaigns.commands.making import BeginDraft, FinishDraft
from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.commands.starting import ChangeSetting
from campaigns.commands.subjects import CreateSubject
from campaigns.packs import Packs
from campaigns.parts.sheets import Sheets
from campaigns.sheet_reading import sheets_of
from campaigns.store import states
from frontend.asking import Frames
from frontend.seat import Seat
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_pages import address, client_of

PACK = "frontiers-fantasy"


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({PACK: ""})


def made(table: Table, who: str, ready: str) -> str:
    """A ready-made character; the id."""
    draft: Any = table.send(who, BeginDraft(pack=PACK, kind="character", ready=ready)).events[0].event
    events = table.send(who, FinishDraft(draft=draft.draft)).events
    found: str = events[0].event.subject  # type: ignore[attr-defined]
    return found


def page(table: Table, who: str, subject: str) -> str:
    return client_of(table, who).get(address(table, "subject", subject)).content.decode()


def test_acts_of_gear_stand_for_whom_has_it_and_can_use_it(table: Table) -> None:
    """The first carries a mace and is trained in its group; nothing else that brings an act of its own."""
    hero = made(table, "pia", "wall")
    before = page(table, "pia", hero)
    assert "Crack: 1 AP" in before
    for absent in ("Slip", "Cleave", "Half-Sword", "Be Still", "Loose Twice"):
        assert absent not in before
    table.send("olga", ApplyCard(subject=hero, pack=PACK, card="dagger", values={"state": "stowed"}))
    assert "Slip: 1 AP" in page(table, "pia", hero), "carried and trained: it stands, though it is not in hand"
    table.send("olga", ApplyCard(subject=hero, pack=PACK, card="shortbow", values={"state": "stowed"}))
    sheet = page(table, "pia", hero)
    assert "Loose Twice: 2 AP" not in sheet, "not trained: it is not theirs"
    assert "not trained: no Signature" in sheet


def test_who_has_no_gear_with_acts_has_no_empty_card_of_them(table: Table) -> None:
    hero = made(table, "pia", "flame")
    assert "Signatures of weapons" not in page(table, "pia", hero)


def test_what_another_calling_has_is_not_on_the_sheet(table: Table) -> None:
    hero = made(table, "pia", "flame")
    with states.held(table.campaign_id) as state:
        titles = [group.title for group in sheets_of(state, table.viewer("pia"), hero)[0].groups]
    assert "Domain" in titles and "Stance" not in titles


def test_what_is_not_made_says_so_and_leads_to_its_making(table: Table) -> None:
    hero = table.character("pia")
    sheet = page(table, "pia", hero)
    assert "Nothing is made yet" in sheet and "Make this sheet step by step" in sheet
    assert "sheet__values" not in sheet and "sheet__track" not in sheet
    assert "Nothing is made yet" in page(table, "paul", hero)
    table.send("olga", ChangeSheet(subject=hero, pack=PACK, values={"level": 2}))
    assert "Nothing is made yet" not in page(table, "pia", hero), "what is entered by hand is shown"


def test_skills_say_their_number_beside_their_name(table: Table) -> None:
    """A Skill brings one Favor; a healer's kit in hand one more with its own."""
    hero = made(table, "pia", "shepherd")
    with states.held(table.campaign_id) as state:
        groups = {group.title: group for group in sheets_of(state, table.viewer("pia"), hero)[0].groups}
    numbers = {card.title: [(one.title, one.value) for one in card.values] for card in groups["Skills"].cards}
    assert numbers and all(found == [("Favor", 1)] for found in numbers.values())
    table.send("olga", ApplyCard(subject=hero, pack=PACK, card="healers_kit", values={"state": "equipped"}))
    with states.held(table.campaign_id) as state:
        groups = {group.title: group for group in sheets_of(state, table.viewer("pia"), hero)[0].groups}
    after = {card.title: card.values[0].value for card in groups["Skills"].cards}
    assert after["Healing"] == 2
    assert all(value == 1 for title, value in after.items() if title != "Healing")


def test_a_form_begins_with_what_the_hero_has_and_says_its_number(table: Table) -> None:
    hero = made(table, "pia", "wall")
    form = client_of(table, "olga").get(address(table, "new_test") + f"?test={PACK}/check&subject={hero}")
    select = re.search(r'<select class="input" id="given-skill".*?</select>', form.content.decode(), re.S)
    assert select is not None
    options = re.findall(r"<option[^>]*>([^<]*)</option>", select[0])
    own = [one for one in options if one.endswith("(Favor 1)")]
    assert options[0] == "none" and options[1 : 1 + len(own)] == own
    assert {"Athletics (Favor 1)", "Intimidation (Favor 1)"} <= set(own)
    assert len(options) == 22, "none, and all 21"
    attribute = re.search(r'<select class="input" id="given-attribute".*?</select>', form.content.decode(), re.S)
    assert attribute is not None and "Vigor (Rank 4)" in attribute[0]


def test_untrained_gear_is_said_where_it_is_chosen(table: Table) -> None:
    draft: Any = table.send("pia", BeginDraft(pack=PACK, kind="character", ready="flame")).events[0].event
    step = client_of(table, "pia").get(address(table, "draft", draft.draft) + "?step=abilities").content.decode()
    rows = re.findall(r'<span class="spread__name"|<label class="spread__name".*?</label>', step, re.S)
    plate = next(row for row in rows if ">Plate" in row)
    assert "not trained: its property does nothing" in plate
    staff = next(row for row in rows if ">Staff" in row)
    assert "not trained" not in staff


def test_numbers_of_a_foe_are_its_own_until_the_pack_shows_them(table: Table) -> None:
    made_foe: Any = table.send("olga", CreateSubject(kind="adversary", name="Grell")).events[0].event
    foe = made_foe.subject
    answer = table.send("olga", ChangeSheet(subject=foe, pack=PACK, values={"tier": 4, "movement": 9}))
    told = [event.audience for event in answer.events]
    assert "table" not in told and "all" not in told, "what changes it is told to nobody else either"

    def known(who: str) -> set[str]:
        with states.held(table.campaign_id) as state:
            sheets = sheets_of(state, table.viewer(who), foe)
        return {value.stat for sheet in sheets for group in sheet.groups for value in group.values}

    assert {"tier", "movement", "hp", "pd"} <= known("olga")
    assert known("pia") <= {"dead", "collapsed", "size"}
    assert "<dt>Movement" not in page(table, "pia", foe)


def test_enhanced_gear_is_asked_for_and_comes_with_the_game_masters_word(table: Table) -> None:
    hero = made(table, "pia", "wall")
    act = DoTest(
        pack=PACK, test="ask_for_item", roles={"hero": hero}, given={"thing": "emberbrand", "state": "removed"}
    )
    asked: Any = table.send("pia", act).events[0].event
    assert asked.state == "awaiting_gm"
    assert "emberbrand" not in held(table, hero)
    shown = client_of(table, "olga").get(address(table, "test", asked.call)).content.decode()
    assert "It is given" in shown and "Emberbrand" in shown
    agreed = {"act": "agree", "given-given": "on", "command_id": str(uuid4())}
    client_of(table, "olga").post(address(table, "test", asked.call), agreed)
    table.send("pia", RollTest(call=asked.call))
    assert "emberbrand" in held(table, hero)


def held(table: Table, subject: str) -> list[str]:
    """The cards that somebody was given."""
    with states.held(table.campaign_id) as state:
        return [one.card for one in state.part(Sheets).sheet(subject, PACK).held]


def test_a_result_names_who_threw_the_dice_and_not_who_answered_last(table: Table) -> None:
    """The player rolls; both come to the same, so that the game master says who had the edge."""
    one, two = made(table, "pia", "wall"), made(table, "paul", "blade")
    given = {"attribute": "vigor", "other_attribute": "deft"}
    call: Any = table.send("olga", CallTest(pack=PACK, test="contest", roles={"one": one, "two": two}, given=given))
    called = call.events[0].event.call
    table.send("olga", ChangeSetting(setting="typed_dice", value=True))
    table.send("olga", AssignRoller(call=called, member=table.member("pia")))
    with states.held(table.campaign_id) as state:
        ranks = [Frames(state, seat_of(table, "olga"), Packs(state).get(PACK)).sheet(i)["rank"] for i in (one, two)]
    faces = (10, 10 + ranks[0]["vigor"] - ranks[1]["deft"])
    table.send("pia", RollTest(call=called, faces=faces))
    table.send("olga", RollTest(call=called, choices={"edge": "first"}))
    shown = client_of(table, "pia").get(address(table, "test", called)).content.decode()
    assert "rolled by Pia" in " ".join(shown.split())


def seat_of(table: Table, who: str) -> Seat:
    return Seat(table.campaign_id, "", table.viewer(who), "", False, "")


def test_the_mode_of_play_stands_for_all_with_what_it_allows_and_is_changed_in_one_step(table: Table) -> None:
    party: Any = table.send("olga", CreateSubject(kind="party", name="The Company")).events[0].event
    before = page(table, "pia", party.subject)
    assert "Minutes: Actions and Activities, nothing metered." in before
    assert f"/do/{PACK}/set_mode/" in page(table, "olga", party.subject)
    assert f"/do/{PACK}/set_mode/" not in before
    table.send("olga", DoTest(pack=PACK, test="set_mode", roles={"party": party.subject}, given={"mode": "endeavor"}))
    assert "Hours or days: Activities alone." in page(table, "pia", party.subject)
