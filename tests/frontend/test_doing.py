"""Doing what is no test: buttons on the sheet, a small form, one step; only what somebody has or may is offered."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest

from campaigns.commands.calls import CallTest, DoTest
from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.parts.calls import Calls
from campaigns.parts.sheets import Sheets
from campaigns.store import states
from frontend.asking import Frames, field_of, narrowed
from frontend.seat import Seat
from rules.dice.sources import SystemDice
from rules.packs import load_pack
from rules.refusal import Refused
from rules.tests import run
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_pages import address, client_of

PACK = "frontiers-fantasy"


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({PACK: ""})


@pytest.fixture
def hero(table: Table) -> str:
    """A level-2 mage with a torch and a mace in the pack, and armor on."""
    hero = table.character("pia", "Orla")
    values = {"level": 2, "calling": "mage", "abilities": ["arcane_bolt", "schooling"], "energy": 0}
    table.send("olga", ChangeSheet(subject=hero, pack=PACK, values=values))
    for card, state in (("torch", "stowed"), ("mace", "stowed")):
        table.send("olga", ApplyCard(subject=hero, pack=PACK, card=card, values={"state": state}))
    return hero


def sheet(table: Table, hero: str, who: str = "pia") -> str:
    return client_of(table, who).get(address(table, "subject", hero)).content.decode()


def to(table: Table, hero: str, test: str) -> str:
    return address(table, "do", hero, PACK, test)


def states_of(table: Table, hero: str) -> dict[str, Any]:
    with states.held(table.campaign_id) as state:
        return {one.card: one.values.get("state") for one in state.part(Sheets).sheet(hero, PACK).held}


def press(table: Table, address: str, who: str = "pia", **fields: str) -> Any:
    return client_of(table, who).post(address, {"command_id": str(uuid4()), **fields}, follow=True)


def test_gear_is_drawn_used_and_stowed_from_its_row(table: Table, hero: str) -> None:
    row = re.search(r'<li class="sheet__card">(?:(?!</li>).)*Torch.*?</li>', sheet(table, hero), re.S)
    assert row and ">Draw<" in row[0] and ">Stow<" not in row[0] and ">Lose<" in row[0]
    done = press(table, to(table, hero, "draw_thing"), **{"given-thing": "torch", "from": "sheet"}).content.decode()
    assert states_of(table, hero) == {"torch": "equipped", "mace": "stowed"}
    assert "Orla draws Torch: " in done and done.count('class="page__head"') == 1
    press(table, to(table, hero, "put_to_use"), **{"given-thing": "torch", "from": "sheet"})
    assert states_of(table, hero)["torch"] == "active"
    press(table, to(table, hero, "stow_thing"), **{"given-thing": "torch", "from": "sheet"})
    assert states_of(table, hero)["torch"] == "stowed"
    with states.held(table.campaign_id) as state:
        assert not state.part(Calls).open


def test_an_act_is_not_dressed_as_a_test(table: Table, hero: str) -> None:
    form = client_of(table, "pia").get(to(table, hero, "rest")).content.decode()
    assert "What is at stake" not in form and "Call it" not in form
    done = press(table, to(table, hero, "rest"), **{"given-minutes": "120"}).content.decode()
    assert "rolled by" not in done and "Orla rests for 2:00 hours: " in done
    assert "Energy 0 \N{RIGHTWARDS ARROW} 2" in done
    with pytest.raises(Refused) as no:
        table.send("olga", DoTest(pack=PACK, test="check", roles={"hero": hero}))
    assert no.value.code == "not_an_act"


def test_what_is_missing_is_asked_point_by_point(table: Table, hero: str) -> None:
    # Demand 5 against a Capacity of 2 at Level 2: three points, and none is there.
    table.send("olga", ChangeSheet(subject=hero, pack=PACK, values={"abilities": ["unmake"], "energy": 0}))
    assert ">Cast, 3 Energy<" in sheet(table, hero)
    page = press(table, to(table, hero, "use_ability"), **{"given-ability": "unmake", "from": "sheet"})
    said = page.content.decode()
    assert re.search(r"1 of 3 missing points\..*Wounds stand at 0 of [1-9], Fatigue at 0 of [1-9]", said), re.findall(
        "<h2>.*?<.h2>", said
    )
    assert "> Roll<" not in said


def test_the_form_offers_what_may_be_and_nothing_else(table: Table, hero: str) -> None:
    """For each act of the pack: what is offered is not refused, and what is not offered is."""
    pack = load_pack(PACK)
    for name, only in (("lose_item", {"state": "stowed"}), ("draw_thing", {}), ("stow_thing", {}), ("learn", {}),
                       ("use_ability", {}), ("don_armor", {}), ("choose_skill", {})):  # fmt: skip
        with states.held(table.campaign_id) as state:
            seat = Seat(table.campaign_id, "", table.viewer("pia"), "", False, "")
            frames = Frames(state, seat, pack)
            subject = frames.sheet(hero).subject()
            program = pack.test(name)
            field = next(n for n, i in program.spec.inputs.items() if i.where is not True)
            spec = program.spec.inputs[field]
            one = narrowed(pack, program, field, field_of(pack, field, spec, "", None), frames.of(program, hero))
        offered = {key for _, options in one.groups for key, _ in options}
        legal = set()
        for card in pack.cards[spec.card or ""]:
            found = run(pack, name, {**only, field: card}, SystemDice(), {}, subjects={"hero": subject})
            legal |= {card} if found.refused is None else set()
        assert offered == legal, name


def test_one_acts_for_oneself(table: Table, hero: str) -> None:
    other = table.character("paul", "Rell")
    assert client_of(table, "pia").get(to(table, other, "rest")).status_code == 404
    assert client_of(table, "wim").get(to(table, hero, "rest")).status_code in (403, 404)
    assert 'class="doing' not in sheet(table, hero, "paul")


def test_what_was_begun_is_offered_by_name(table: Table, hero: str) -> None:
    assert client_of(table, "pia").get(to(table, hero, "spend_downtime")).status_code == 404
    begun = press(
        table, to(table, hero, "begin_downtime"), **{"given-name": "Chart the shoals", "given-kind": "project"}
    )
    assert "Orla begins: Chart the shoals." in begun.content.decode()
    form = client_of(table, "pia").get(to(table, hero, "spend_downtime")).content.decode()
    assert '<option value="Chart the shoals"' in form
    ledger = client_of(table, "pia").get(address(table, "ledger")).content.decode()
    assert not re.search(r"entry__says[^<]*[{\[]", ledger) and "&#x27;days&#x27;" not in ledger


def test_a_check_asks_for_little_and_its_list_has_rows(table: Table, hero: str) -> None:
    form = (
        client_of(table, "olga").get(address(table, "new_test") + f"?test={PACK}/check&subject={hero}").content.decode()
    )
    seen, folded = form.split('class="form asked-more"', 1)
    assert [name for name in ("attribute", "skill", "dt", "favor", "scent") if f'name="given-{name}"' in seen] == [
        "attribute",
        "skill",
        "dt",
    ]
    assert 'name="given-disfavors.0.cause"' in folded and "One a line" not in form
    fields = {
        "test": f"{PACK}/check",
        "role-hero": hero,
        "given-attribute": "deft",
        "given-skill": "none",
        "given-dt": "12",
        "given-disfavors.0.cause": "darkness",
        "given-disfavors.1.number": "40",
    }
    no = press(table, address(table, "new_test"), "olga", **fields).content.decode()
    assert "entry 2" in no and "40 is above the highest value, 20" in no
    done = press(table, address(table, "new_test"), "olga", **{**fields, "given-disfavors.1.number": "2"})
    assert done.status_code == 200
    with states.held(table.campaign_id) as state:
        (call,) = state.part(Calls).open.values()
        assert [d.get("cause") for d in call.given["disfavors"]] == ["darkness", None]
    head = client_of(table, "pia").get(address(table, "tests")).content.decode()
    main = head.split("<main")[1].split("</main")[0]
    assert "Deft · darkness; how much 2" in main and not re.search(r"unset|nothing ·|[{]|&#x27;cause", main)


def test_a_call_as_before_still_does_an_act(table: Table, hero: str) -> None:
    sent = table.send("pia", CallTest(pack=PACK, test="rest", roles={"hero": hero}, given={"minutes": 60}))
    assert sent.events[0].event.state == "open"


def test_the_ledger_tells_what_was_done_once_and_in_words(table: Table, hero: str) -> None:
    """No card "ends" and "comes" for a thing that only moved, nor is a call told of what was done at once."""
    said = press(table, to(table, hero, "draw_thing"), **{"given-thing": "mace"}).content.decode()
    ledger = client_of(table, "pia").get(address(table, "campaign")).content.decode()
    entry = ledger.split("entry__says")[1].split("</li>")[0]
    assert "Orla draws Mace" in said and "Orla draws Mace" in entry
    for words in ("ended for", ": Mace.", "Take in hand", ": done", "Draw for"):
        assert words not in entry
    assert "Orla draws Mace" in ledger.split("verdict__word")[1].split("</span>")[0]


def test_what_was_used_says_what_it_cost(table: Table, hero: str) -> None:
    table.send("olga", ChangeSheet(subject=hero, pack=PACK, values={"energy": 2}))
    press(table, to(table, hero, "use_ability"), **{"given-ability": "arcane_bolt"})
    ledger = client_of(table, "pia").get(address(table, "campaign")).content.decode()
    assert re.search(r"Orla uses Arcane Bolt: It costs \d Energy", ledger) and "It happens" not in ledger


def test_what_a_level_takes_is_said_before_it_is_given(table: Table, hero: str) -> None:
    table.send("olga", ChangeSheet(subject=hero, pack=PACK, values={"awards_open": 1}))
    page = client_of(table, "olga").get(address(table, "growth", hero, PACK)).content.decode()
    told = page.split('id="what-comes"')[1].split("</div></div>")[0]
    assert "Level 2 → 3" in told and "not yet named 1 → 0" in told
    with states.held(table.campaign_id) as state:
        assert state.part(Sheets).sheet(hero, PACK).values["level"] == 2
    # A player's form tells nothing that a hidden number could have a part in.
    rest = client_of(table, "pia").get(to(table, hero, "rest")).content.decode()
    assert "what-comes" not in rest


def test_growing_has_one_door(table: Table, hero: str) -> None:
    table.send("olga", ChangeSheet(subject=hero, pack=PACK, values={"awards_open": 1}))
    for who in ("pia", "olga"):
        page = sheet(table, hero, who)
        assert "> Grow<" in page and not re.search(r"/do/[^/]+/(spend_mark|level_up|award_mark)/", page)
        assert client_of(table, who).get(to(table, hero, "spend_mark")).status_code == 404
    grow = client_of(table, "olga").get(address(table, "growth", hero, PACK)).content.decode()
    assert "Give mark of advancement" in grow and "1 Mark awarded and not yet named" in grow and "1 Marks" not in grow


def test_what_follows_from_a_choice_is_shown_before_it_is_made_and_stands_in_no_address(
    table: Table, hero: str
) -> None:
    table.send("olga", ChangeSheet(subject=hero, pack=PACK, values={"awards_open": 1}))
    client, where = client_of(table, "pia"), address(table, "take_growth", hero, PACK, "attributes")
    form = client.get(where).content.decode()
    assert "See what follows" in form and 'formmethod="get"' not in form
    keys = re.findall(r'name="c-first" value="([^"]+)"', form)
    sent = {"command_id": str(uuid4()), "asked": ["first", "second"], "c-first": keys[0], "c-second": keys[1]}
    told = client.post(where, {**sent, "look": "1"}).content.decode()
    follows = re.sub(r"<[^>]+>", "", told.split('id="follows"')[1].split("</section>")[0])
    with states.held(table.campaign_id) as state:
        kept = state.part(Sheets).sheet(hero, PACK).values
    assert kept["awards_open"] == 1  # nothing was done
    assert len(re.findall(r"(\d+) → (\d+)", follows)) >= 2, follows
    assert client.post(where, sent).status_code == 302
    with states.held(table.campaign_id) as state:
        assert state.part(Sheets).sheet(hero, PACK).values["awards_open"] == 0


def test_a_thing_that_changes_its_place_is_told_in_one_sentence(table: Table, hero: str) -> None:
    press(table, to(table, hero, "draw_thing"), **{"given-thing": "torch", "from": "sheet"})
    told = client_of(table, "pia").get(address(table, "ledger")).content.decode()
    assert "Orla: Torch: in the pack → in hand or worn" in told
    assert "Torch ended" not in told and ": Torch." not in told.partition("Orla: Torch: in the pack")[0]


def test_what_an_act_comes_to_is_said_though_nothing_changed_on_the_sheet(table: Table, hero: str) -> None:
    """Five days on foot, ridden twice as fast: up(5 * 2 / 4)."""
    client = client_of(table, "pia")
    to = address(table, "do", hero, PACK, "travel")
    sent = {"command_id": str(uuid4()), "given-foot_days": "5", "given-by": "mount"}
    said = client.post(to, sent, headers={"HX-Request": "true"})
    told = str(said.headers) + client.get(address(table, "subject", hero)).content.decode()
    assert "Days on the way 3" in told
