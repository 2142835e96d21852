"""What people read in a fight is in words: refusals, what taking back would change, why something cannot be done."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest

from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.commands.subjects import CreateSubject
from campaigns.store import states
from encounters.commands.hand import PlaceInEncounter
from encounters.commands.playing import ActInEncounter
from encounters.commands.preparing import JoinEncounter, ShowInEncounter
from frontend.fights.trying import Trial
from tests.campaigns.tables import Table
from tests.frontend.test_board import HP, PACK, Fight, dice, table
from tests.frontend.test_making import text_of
from tests.frontend.test_pages import address, client_of

__all__ = ["dice", "table"]
pytestmark = pytest.mark.django_db(transaction=True)


def undoing(fight: Fight) -> str:
    """The words of the page that takes the last step back."""
    to = re.findall(r'href="([^"]*/ledger/[^"]+)"', fight.page("olga").partition('id="b-gm"')[2])[0]
    page = text_of(client_of(fight.table, "olga").get(to))
    return re.sub(
        r"\s+",
        " ",
        page.partition("What would change")[2]
        .partition("People have seen this")[0]
        .partition("It stays in the ledger")[0],
    )


def lay(fight: Fight, **more: str) -> None:
    fight.post("olga", "lay_area", **{"card": "cover_here", "shape": "burst", "size": "1", "reason": "Barrels", **more})


def test_taking_back_says_what_would_change_and_nothing_else(table: Table, dice: list[int]) -> None:
    """A cover that lay there before is none of it; who was whole before is told by the number, not by its absence."""
    fight = Fight(table).begin()
    lay(fight, **{"place-at-x": "9", "place-at-y": "2"})
    dice += [11, 5, 6]  # a hit for 8
    fight.post("pia", "act", fight.ana, "combatant.attack", **{"role-target": fight.bo})
    said = undoing(fight)
    assert "HP 1 → 9" in said and "AP 2 → 3" in said
    assert not re.search(r"over|Encounters|shape|scene|as at first|not there", said)


def test_taking_back_a_step_says_from_which_square_to_which(table: Table) -> None:
    fight = Fight(table).begin()
    fight.post("pia", "act", fight.ana, "combatant.walk", **{"place-to-x": "4", "place-to-y": "7"})
    assert "Ana: Move, from column 4, row 5 to column 4, row 7." in text_of(client_of(table, "pia").get(fight.to()))
    assert "Where Ana stands column 4, row 7 → column 4, row 5" in undoing(fight)


def test_taking_back_an_area_and_a_card_names_them(table: Table) -> None:
    fight = Fight(table).begin()
    lay(fight, **{"place-at-x": "9", "place-at-y": "2"})
    assert "Cover, partial on the ground lies there → does not lie there" in undoing(fight)
    fight.post("olga", "hand", fight.bo, act="give", card="prone", reason="He slips")
    assert "Prone held → not held" in undoing(fight)


def test_the_gms_hand_begins_with_the_number_as_it_stands(table: Table) -> None:
    """A number that nobody has set stands at its most, and is cut to it where it is shown."""
    fight = Fight(table).begin()
    field = fight.page("olga", "hand", fight.bo)
    assert re.search(r'name="value"[^>]*value="9"|value="9"[^>]*name="value"', field)
    assert "100000" not in field


def test_a_number_that_nothing_touched_yet_changes_from_what_it_reads_as(table: Table) -> None:
    """Whole until now, whatever stands for that in the pack: from 12 to 0, and told."""
    fight = Fight(table)
    made: Any = table.send("olga", CreateSubject(kind="adversary", name="Roadman")).events[0].event
    table.send("olga", ChangeSheet(subject=made.subject, pack=PACK, values={"hp_max": 12}))
    table.send("olga", JoinEncounter(encounter=fight.id, subject=made.subject, side="road", x=1, y=1))
    fight.begin_with(made.subject)
    fight.post("olga", "hand", made.subject, act="set", stat="hp", value="0", reason="A stone")
    assert "Roadman: HP 12 \N{RIGHTWARDS ARROW} 0" in fight.page("olga").partition('id="b-log"')[2]


def test_the_gms_hand_gives_conditions_and_no_whole_adversaries(table: Table) -> None:
    fight = Fight(table).begin()
    page = fight.page("olga", "hand", fight.bo)
    given = page.partition('id="hand-card"')[2].partition("</select>")[0]
    assert 'value="prone"' in given and 'value="surprised"' in given
    for none in ("roadman", "elder_drake", "solid_wall", "cover_here"):
        assert f'value="{none}"' not in given
    assert "State in a fight" in given.partition("<option")[0]  # what is wanted most stands first, all by their titles
    for group in given.split("<optgroup")[1:]:
        titles = re.findall(r"<option[^>]*>([^<]*)", group)
        assert titles == sorted(titles, key=str.casefold) and len(titles) == len(set(titles))
    assert 'value="show"' not in page
    fight.post("olga", "hand", fight.bo, act="hide")
    page = fight.page("olga", "hand", fight.bo)
    assert page.index('value="show"') < page.index('id="hand-stat"')
    fight.post("olga", "hand", fight.bo, act="give", card="prone", reason="He slips")
    assert "Bo: Prone." in text_of(client_of(table, "olga").get(fight.to()))
    numbers = page.partition('id="hand-stat"')[2].partition("</select>")[0]
    assert ">HP<" in numbers and ">Movement left<" in numbers and "Last Round" not in numbers


def test_what_bars_the_way_is_offered_first_and_apart_from_what_spells_leave(table: Table) -> None:
    page = Fight(table).begin().page("olga", "lay_area")
    groups = re.findall(r'<optgroup label="([^"]+)">(.*?)</optgroup>', page.partition('id="lay-card"')[2], re.S)
    named = {label: re.findall(r'value="(\w+)"', options) for label, options in groups}
    first, *others = named
    assert named[first][0] == "solid_wall" and "cover_here" in named[first]
    assert all(label.startswith("Left by what somebody does") for label in others)
    left = [card for label in others for card in named[label]]
    assert {"set_spear", "sigil_mark", "sealed_gap"} <= set(left) and "set_spear" not in named[first]


def test_the_ground_needs_no_reason_and_the_log_says_what_lies_where(table: Table) -> None:
    fight = Fight(table).begin()
    at = {"card": "solid_wall", "shape": "line", "size": "2", "place-at-x": "9", "place-at-y": "2"}
    laid = fight.post("olga", "lay_area", **at, **{"place-to-x": "9", "place-to-y": "3"})
    assert laid.status_code in (204, 302)
    assert "Wall at column 9, row 2." in fight.page("pia")
    area = next(iter(fight.found.fight.scene.areas))
    assert fight.post("olga", "lift_area", area).status_code in (204, 302)
    assert "Wall is gone." in fight.page("pia")


def test_while_it_is_prepared_no_change_by_hand_wants_a_reason(table: Table) -> None:
    fight = Fight(table)
    fight.post("olga", "hand", fight.bo, act="set", stat="hp", value="4")
    assert "HP 4 / 9" in text_of(client_of(table, "olga").get(fight.to()))
    assert fight.begin().post("olga", "hand", fight.bo, act="set", stat="hp", value="5").status_code == 422


def acts(fight: Fight, who: str) -> str:
    """What somebody reads of what can be done, and what cannot and why."""
    page = fight.page(who).partition('id="b-acts"')[2].partition("</section>\n  </div>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_whoever_waits_for_their_turn_is_told_so(table: Table) -> None:
    fight = Fight(table).begin()
    said = acts(fight, "paul")
    assert said.count("It is not Bo&#x27;s turn.") == 1
    assert not re.search(r"combatant|cannot do that now|cannot be used", said)


def test_an_act_for_which_nobody_is_near_enough_says_so(table: Table) -> None:
    fight = Fight(table)
    table.send("olga", ChangeSheet(subject=fight.ana, pack=PACK, values={"hp": 3}))
    fight.begin()
    assert re.search(r"Nobody (is near enough|here can be chosen)\. Stabilize", acts(fight, "pia"))
    page = fight.page("pia", "act", fight.ana, "everybody.stabilize")
    assert "Nobody" in page and "just now" not in page


def test_nobody_is_chosen_beforehand_and_who_is_out_of_reach_is_marked(table: Table) -> None:
    """Ana's blade reaches one square; Bo stands beside her, the wolf five away."""
    fight = Fight(table).begin()
    page = fight.page("pia", "act", fight.ana, "combatant.attack")
    choices = page.partition('id="role-target"')[2].partition("</fieldset>")[0]
    assert " checked" not in choices
    assert choices.index("Bo") < choices.index("Wolf")
    assert "Rivals" in choices and "Beasts" in choices
    assert "That is 5 units away, and it reaches 1 unit." in choices.partition("Wolf")[2]
    assert "it reaches" not in choices.partition("Wolf")[0]
    tapped = (
        client_of(table, "pia").get(fight.to("act", fight.ana, "combatant.attack"), {"on": fight.bo}).content.decode()
    )
    assert f'value="{fight.bo}" data-choose="{fight.bo}" checked' in tapped


def test_a_friend_stands_last_and_is_never_chosen_by_itself(table: Table) -> None:
    fight = Fight(table)
    ally = fight._made("paul", "Cy", {"level": 1})
    table.send("olga", JoinEncounter(encounter=fight.id, subject=ally, side="party", x=3, y=3))
    fight.begin_with(ally)
    choices = fight.page("pia", "act", fight.ana, "combatant.attack").partition('id="role-target"')[2]
    names = re.findall(r"<span>(\w+)</span><span class=\"choice__say\">(\w+)", choices.partition("</fieldset>")[0])
    # The wolf is out of reach; one's own side stands apart.
    assert names == [("Bo", "Rivals"), ("Wolf", "Beasts"), ("Cy", "Party")]
    assert choices.index("One of the same side") < choices.index("Cy") and " checked" not in choices


def test_what_reaches_friends_alone_is_not_offered_as_an_attack(table: Table, dice: list[int]) -> None:
    """A bolt reaches five squares: Cy stands there, every foe further off. It can be thrown at Cy, by choosing Cy."""
    fight = Fight(table)
    mage = {"calling": "mage", "level": 1, "abilities": ["arcane_bolt"], "domain": "storm"}
    table.send("olga", ChangeSheet(subject=fight.ana, pack=PACK, values=mage))
    ally = fight._made("paul", "Cy", {"level": 1})
    table.send("olga", JoinEncounter(encounter=fight.id, subject=ally, side="party", x=3, y=3))
    for row, foe in enumerate((fight.bo, fight.wolf)):
        fight.post("olga", "hand", foe, act="place", x="12", y=str(row + 1))
    fight.begin_with(ally)
    page = fight.page("pia").partition('id="b-acts"')[2]
    ready, _, not_now = page.partition("Not now (")
    assert "Arcane Bolt" not in ready
    link = re.search(r'No foe is near enough\.</dt>(?:(?!</dd>).)*<a href="([^"]+)"[^>]*>Arcane Bolt', not_now, re.S)
    assert link
    form = client_of(table, "pia").get(link[1]).content.decode()
    assert (
        "No foe is near enough." in form
        and f'value="{ally}"' in form
        and " checked" not in form.split("role-target")[1]
    )
    refused = fight.post("pia", "act", fight.ana, "arcane_bolt")
    assert refused.status_code == 422  # nobody was chosen, and nobody is hit
    dice += [20, 5, 1]
    sent = fight.post("pia", "act", fight.ana, "arcane_bolt", **{"role-target": ally})
    assert sent.status_code == 302


def test_a_move_shows_what_is_left_and_which_squares_it_reaches(table: Table) -> None:
    """From column 4, row 5 with a Movement of 6: the far right of the grid is out of reach, a wall's shadow too."""
    fight = Fight(table)
    lay(fight, card="solid_wall", shape="line", size="3", **to(9, 4), **toward(9, 6))
    fight.begin()
    page = fight.page("pia", "act", fight.ana, "combatant.walk")
    reach = squares(page)
    left = int(re.search(r"Movement left</span> <strong>(\d+)", page)[1])  # type: ignore[index]
    assert (4, 7) in reach and (4, 5) not in reach
    assert all(max(abs(x - 4), abs(y - 5)) <= left for x, y in reach)
    assert (9, 5) not in reach and (10, 5) not in reach  # the wall, and behind it
    refused = fight.post("pia", "act", fight.ana, "combatant.walk", **{"place-to-x": "10", "place-to-y": "5"})
    said = refused.content.decode()
    assert refused.status_code == 422 and said.count("Wall bars the way.") == 1
    kept = dict(re.findall(r'name="(place-to-\w)"[^>]*value="(\d+)"', said))
    assert kept == {"place-to-x": "10", "place-to-y": "5"}


def to(x: int, y: int) -> dict[str, str]:
    return {"place-at-x": str(x), "place-at-y": str(y)}


def toward(x: int, y: int) -> dict[str, str]:
    return {"place-to-x": str(x), "place-to-y": str(y)}


def squares(page: str) -> set[tuple[int, int]]:
    """The squares that a form tints, counted from 1."""
    path = re.search(r'map__reach--act" d="([^"]*)"', page)
    found = re.findall(r"M(\d+) (\d+)", path[1]) if path else []
    return {(int(x) // 10 + 1, int(y) // 10 + 1) for x, y in found}


def test_only_what_is_in_hand_is_offered_as_a_weapon_and_things_are_drawn_in_one_step(table: Table) -> None:
    fight = Fight(table)
    for card, state in (("longsword", "stowed"), ("mace", "equipped"), ("torch", "stowed"), ("leather", "equipped")):
        table.send("olga", ApplyCard(subject=fight.ana, pack=PACK, card=card, values={"state": state}))
    fight.begin()
    attack = fight.page("pia", "act", fight.ana, "combatant.attack")
    weapons = attack.partition('name="given-weapon"')[2].partition("</select>")[0]
    assert re.findall(r'value="(\w+)"', weapons) == ["none", "mace"]
    draw = fight.page("pia", "act", fight.ana, "everybody.draw").partition('name="given-thing"')[2]
    assert set(re.findall(r'value="(\w+)"', draw.partition("</select>")[0])) == {"longsword", "torch"}
    fight.post("pia", "act", fight.ana, "everybody.draw", **{"given-thing": "longsword"})
    said = fight.page("pia").partition('id="b-log"')[2]
    assert "Longsword: in the pack → in hand or worn" in said
    assert "Longsword ended" not in said


def test_what_is_missing_in_an_act_is_said_by_its_title(table: Table) -> None:
    fight = Fight(table).begin()
    nobody = text_of(fight.post("pia", "act", fight.ana, "combatant.attack"))
    assert "Choose somebody: Target." in nobody
    nowhere = text_of(fight.post("pia", "act", fight.ana, "combatant.walk"))
    assert "Choose a square: Where to." in nowhere
    lot = text_of(
        fight.post(
            "olga", "act", fight.ana, "combatant.walk", **{"place-to-x": "4", "place-to-y": "7", "given-rough": "many"}
        )
    )
    assert "Units of rough ground on the way: " in lot
    for page in (nobody, nowhere, lot):
        assert not re.search(r"combatant|needs (a subject|this input)", page)


def test_an_end_is_asked_first_and_who_was_how_is_read_afterwards(table: Table) -> None:
    """Of the wolf, whose numbers are hidden, players read neither before nor after."""
    fight = Fight(table).begin()
    fight.post("olga", "hand", fight.bo, act="set", stat="hp", value="4", reason="A loose stone")
    assert "end_encounter" not in fight.page("pia")
    gm = client_of(table, "olga")
    asked = text_of(gm.get(fight.to("end_encounter")))
    assert "End the fight?" in asked and "HP 4 / 9" in asked and fight.found.begun
    assert client_of(table, "pia").get(fight.to("ended_encounter")).status_code == 404
    assert client_of(table, "pia").post(fight.to("end_encounter"), {"command_id": uuid4()}).status_code in (403, 404)
    gm.post(fight.to("end_encounter"), {"command_id": uuid4()})
    listed = client_of(table, "pia").get(address(table, "encounters")).content.decode()
    assert fight.to("ended_encounter") in listed
    for who in ("olga", "pia", "wim"):
        page = text_of(client_of(table, who).get(fight.to("ended_encounter")))
        assert "At the Ford" in page and "after 1 round" in page
        assert ("HP 4 / 9" in page, str(HP) in page) == (True, who == "olga")


def test_an_end_that_was_taken_back_is_on_no_list(table: Table) -> None:
    fight = Fight(table).begin()
    fight.post("olga", "end_encounter")
    to = re.findall(
        r'href="([^"]*/ledger/[^"]+)"', client_of(table, "olga").get(address(table, "ledger")).content.decode()
    )
    client_of(table, "olga").post(to[0], {"command_id": uuid4(), "reason": "Too early"})
    assert fight.to("ended_encounter") not in client_of(table, "pia").get(address(table, "encounters")).content.decode()


def test_a_wall_is_laid_as_a_line_where_nothing_else_is_said(table: Table) -> None:
    gm, fight = client_of(table, "olga"), Fight(table).begin()
    for asked, shape in (({}, "line"), ({"card": "cover_here"}, "burst"), ({"shape": "square"}, "square")):
        page = gm.get(fight.to("lay_area"), asked).content.decode()
        assert re.findall(r'name="shape" value="(\w+)" checked', page) == [shape]
        assert ('id="lay-line" open' in page) == (shape == "line")


def test_what_an_act_reaches_is_tried_when_the_campaign_is_free_for_others(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    fight = Fight(table).begin()
    held: list[bool] = []
    tried = Trial.reach

    def reach(self: Trial, *of: Any) -> Any:
        held.append(states.is_held_here(table.campaign_id))
        # Whatever is done meanwhile does not change what is tried.
        table.send("olga", ChangeSheet(subject=fight.ana, pack=PACK, values={"moves": 0}))
        return tried(self, *of)

    monkeypatch.setattr(Trial, "reach", reach)
    page = fight.page("pia", "act", fight.ana, "combatant.walk")
    assert held == [False]
    assert (4, 7) in squares(page)


def test_what_the_game_master_agrees_to_stands_apart_and_open_where_no_grid_says_it(table: Table) -> None:
    for placed in (True, False):
        size = {} if placed else {"width": 0, "height": 0}
        fight = Fight(table, placed=placed, **size).begin()
        for who in ("olga", "pia"):
            page = fight.page(who, "act", fight.ana, "combatant.attack")
            agreed = page.partition('id="agreed-of-act"')[2].partition("</details>")[0]
            named = set(re.findall(r'id="given-(\w+)"|name="given-(\w+)" value="on"', agreed))
            if who == "pia":
                assert not agreed and "given-flanked" not in page
                continue
            assert {"flanked", "favor", "disfavor"} <= {one for pair in named for one in pair}
            assert agreed.startswith(" open") is not placed
        lent = {"role-target": fight.bo, "given-favor": "2", "given-flanked": "flanked"}
        assert fight.post("olga", "act", fight.ana, "combatant.attack", **lent, faces="11 5 6").status_code in (
            302,
            422,
        )


def test_whoever_is_not_on_turn_is_folded_and_conditions_stand_on_the_board(table: Table) -> None:
    fight = Fight(table).begin()
    table.send("olga", ApplyCard(subject=fight.bo, pack=PACK, card="prone"))
    order = fight.page("wim").partition('id="b-order"')[2].partition("</section>")[0]
    assert re.search(r'class="badge"[^>]*>Prone', order)
    assert 'id="waits-' in fight.page("paul") and 'id="waits-' not in fight.page("pia")
    # What all in a fight hold is no news on every button.
    assert "In a fight" not in fight.page("pia").partition('id="b-acts"')[2].partition("</section>")[0]


def test_turns_are_told_in_the_fights_own_log_and_in_no_ledger(table: Table) -> None:
    fight = Fight(table).begin()
    for _ in range(3):
        fight.post("olga", "run_encounter", act="end_turn")
    for who in ("olga", "pia", "wim"):
        log = fight.page(who).partition('id="b-log"')[2]
        assert "Bo&#x27;s turn." in log and "Round 2. Ana&#x27;s turn." in log
        for name in ("campaign", "ledger"):
            if (who, name) != ("wim", "ledger"):
                said = client_of(table, who).get(address(table, name)).content.decode().partition("<main")[2]
                assert "turn." not in said.partition("</main>")[0], (who, name)


def test_who_fell_stands_last_in_the_story_and_foes_behind_characters(table: Table) -> None:
    fight = Fight(table)
    made: Any = table.send("olga", CreateSubject(kind="adversary", name="Zander")).events[0].event
    table.send("olga", ChangeSheet(subject=made.subject, pack=PACK, values={"hp_max": 5, "hp": 5}))
    table.send("olga", ChangeSheet(subject=fight.wolf, pack=PACK, values={"hp": 0}))
    story = client_of(table, "olga").get(address(table, "campaign")).content.decode().partition('id="our-subjects"')[2]
    names = re.findall(r">(Ana|Bo|Wolf|Zander)<", story.partition("</section>")[0])
    assert list(dict.fromkeys(names)) == ["Ana", "Bo", "Zander", "Wolf"]


def test_what_somebody_unseen_did_stands_alone_in_the_log(table: Table, dice: list[int]) -> None:
    """Not under the step before it, as if that had done it, nor under the name of who sent that."""
    fight = Fight(table).begin()
    table.send("olga", ApplyCard(subject=fight.wolf, pack=PACK, card="roadman", secret=True))
    table.send("olga", ShowInEncounter(encounter=fight.id, subject=fight.wolf, hidden=True))
    table.send("olga", PlaceInEncounter(encounter=fight.id, subject=fight.wolf, x=5, y=4))
    for _ in range(2):
        fight.post("olga", "run_encounter", act="end_turn")
    dice += [15, 5, 3, 3, 3]
    blow = ActInEncounter(encounter=fight.id, action="roadman.cudgel", user=fight.wolf, roles={"target": fight.bo})
    table.send("olga", blow)
    assert fight.found.fight.waiting is None
    log = fight.page("pia").partition('id="b-log"')[2]
    first, second = re.findall(r'<li class="tale__step.*?</li>(?=<li class="tale__step|</ol>)', log, re.DOTALL)[:2]
    assert "Bo: HP 9" in first and "tale__changes" not in first and "turn" not in first
    assert "Bo" not in second or "HP" not in second
