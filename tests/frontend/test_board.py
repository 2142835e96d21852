"""The pages of encounters: preparing, the board, acting, answering, the GM's hand; what each seat sees and may do."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from campaigns import seeds
from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.commands.subjects import CreateSubject
from campaigns.parts.subjects import Subjects
from campaigns.store import states
from encounters.commands.hand import AdjustInEncounter, PlaceInEncounter
from encounters.commands.playing import ActInEncounter
from encounters.commands.preparing import BeginEncounter, DropEncounter, JoinEncounter, PrepareEncounter
from encounters.parts.encounters import Encounter, Encounters
from frontend.fights.board import mark
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_making import text_of
from tests.frontend.test_pages import address, client_of

pytestmark = pytest.mark.django_db(transaction=True)
PACK = "frontiers-fantasy"
# Numbers that nobody but the GM may meet on a page.
HP, DEFENSE = 7341, 39


@pytest.fixture
def dice(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Faces for the next rolls, in order."""
    faces: list[int] = []
    monkeypatch.setattr(seeds, "face", lambda seed, counter, sides: faces.pop(0))
    return faces


@pytest.fixture
def table() -> Table:
    return make_table({PACK: ""})


class Fight:
    """Ana (Pia's), Bo (Paul's) and a wolf with canary numbers on a grid of 12 by 9, Ana's turn."""

    def __init__(self, table: Table, *, placed: bool = True, **more: Any) -> None:
        self.table = table
        self.ana = self._made("pia", "Ana", {"level": 2, "score": {"vigor": 13}, "weapon_die": 8})
        self.bo = self._made("paul", "Bo", {"level": 2, "score": {"vigor": 14, "deft": 14}})
        made: Any = table.send("olga", CreateSubject(kind="adversary", name="Wolf")).events[0].event
        self.wolf = made.subject
        numbers = {"pd": DEFENSE, "md": 12, "hp_max": HP, "hp": HP}
        table.send("olga", ChangeSheet(subject=self.wolf, pack=PACK, values=numbers))
        prepare = PrepareEncounter(**{"title": "At the Ford", "pack": PACK, "width": 12, "height": 9, **more})
        ready: Any = table.send("olga", prepare).events[0].event
        self.id = ready.encounter
        for subject, side, x in ((self.ana, "party", 3), (self.bo, "rivals", 4), (self.wolf, "beasts", 8)):
            where = {"x": x, "y": 4} if placed else {}
            table.send("olga", JoinEncounter(encounter=self.id, subject=subject, side=side, **where))

    def _made(self, who: str, name: str, values: dict[str, Any]) -> str:
        subject = self.table.character(who, name)
        self.table.send("olga", ChangeSheet(subject=subject, pack=PACK, values=values))
        return subject

    def begin_with(self, last: str) -> Fight:
        order = {self.ana: 20, self.bo: 15, self.wolf: 10, last: 5}
        self.table.send("olga", BeginEncounter(encounter=self.id, initiative=order))
        return self

    def begin(self) -> Fight:
        order = {self.ana: 20, self.bo: 15, self.wolf: 10}
        self.table.send("olga", BeginEncounter(encounter=self.id, initiative=order))
        return self

    def to(self, name: str = "encounter", *more: str) -> str:
        return address(self.table, name, self.id, *more)

    def page(self, who: str, name: str = "encounter", *more: str) -> str:
        return client_of(self.table, who).get(self.to(name, *more)).content.decode()

    def post(self, sender: str, name: str, *more: str, **fields: Any) -> Any:
        return client_of(self.table, sender).post(self.to(name, *more), {"command_id": uuid4(), **fields})

    @property
    def found(self) -> Encounter:
        with states.held(self.table.campaign_id) as state:
            return state.part(Encounters).open[self.id]


def subjects_named(table: Table, start: str) -> list[str]:
    with states.held(table.campaign_id) as state:
        return [one.name for one in state.part(Subjects).by_id.values() if one.name.startswith(start)]


def test_an_encounter_is_prepared_filled_with_foes_and_begun_on_pages(table: Table) -> None:
    gm = client_of(table, "olga")
    assert "Prepare one" in text_of(gm.get(address(table, "encounters")))
    fields = {"title": "Toll bridge", "pack": PACK, "foes": "words", "seconds": "30", "width": "14", "height": "8"}
    wrong = gm.post(address(table, "new_encounter"), {"command_id": uuid4(), **fields, "height": "0"})
    assert wrong.status_code == 422
    assert "A grid has a width and a height" in text_of(wrong)
    made = gm.post(address(table, "new_encounter"), {"command_id": uuid4(), **fields})
    to = made["Location"]
    encounter = to.rstrip("/").rpartition("/")[2]
    foes = address(table, "make_foes", encounter)
    assert "Roadman" in gm.get(foes).content.decode()
    press = {"command_id": uuid4(), "model": "card:adversary:roadman", "count": "3", "side": "road", "hidden": "on"}
    gm.post(foes, press)
    gm.post(foes, press)
    assert subjects_named(table, "Roadman") == ["Roadman 1", "Roadman 2", "Roadman 3"]
    many = gm.post(foes, {**press, "command_id": uuid4(), "count": "99"})
    assert many.status_code == 422 and "1 to 12" in text_of(many)
    ana = table.character("pia", "Ana")
    gm.post(address(table, "bring_in_encounter", encounter), {"command_id": uuid4(), "subject": [ana], "side": "party"})
    page = text_of(gm.get(to))
    assert "Prepared." in page and "Roadman 2" in page and "HP 12 / 12" in page
    for who in ("pia", "wim"):
        assert client_of(table, who).get(to).status_code == 302
        assert "Toll bridge" not in client_of(table, who).get(address(table, "encounters")).content.decode()
    with states.held(table.campaign_id) as state:
        members = list(state.part(Encounters).open[encounter].fight.members)
    begin = {f"initiative-{one}": 20 - place for place, one in enumerate(members)}
    begin |= {f"seen-{one}": "on" for one in members[:2]}
    gm.post(address(table, "begin_encounter", encounter), {"command_id": uuid4(), **begin})
    seen = text_of(client_of(table, "pia").get(to))
    assert "Roadman 1" in seen and "Roadman 2" in seen and "Roadman 3" not in seen
    assert "unhurt" in seen and "HP 12" not in seen


def test_who_takes_up_several_squares_is_drawn_over_all_of_them(table: Table) -> None:
    fight = Fight(table)
    made: Any = table.send("olga", CreateSubject(kind="adversary", name="Ogre")).events[0].event
    table.send("olga", ChangeSheet(subject=made.subject, pack=PACK, values={"size": 2}))
    table.send("olga", JoinEncounter(encounter=fight.id, subject=made.subject, side="beasts", x=6, y=2))
    page = fight.begin_with(made.subject).page("olga")
    # squares 6 and 7, 2 and 3: their middle is at 70, 30
    assert 'transform="translate(70.0 30.0) scale(2)"' in page
    # By the GM's hand it grows while the fight runs; what does not touch it leaves it so.
    for values, size in (({"size": 3}, 3), ({"hp": 5}, 3), ({"size": 1}, 1)):
        table.send("olga", AdjustInEncounter(encounter=fight.id, reason="A potion", set={made.subject: values}))
        assert fight.found.fight.scene.sizes.get(made.subject, 1) == size


@pytest.mark.parametrize(
    ("name", "sign"),
    [("Ana", "AN"), ("Talyne Veld", "TV"), ("Roadman 3", "R3"), ("Roadman 12 of the weir", "R12"), ("4", "4")],
)
def test_two_signs_stand_for_somebody_and_tell_the_numbered_apart(name: str, sign: str) -> None:
    assert mark(name) == sign


def test_what_cannot_begin_is_said_at_its_form(table: Table) -> None:
    fight = Fight(table)
    wrong = fight.post("olga", "begin_encounter", **{f"initiative-{fight.ana}": "soon"})
    assert wrong.status_code == 422
    assert "This is no number" in text_of(wrong)
    assert not fight.found.begun
    for name in ("make_foes", "begin_encounter", "bring_in_encounter", "change_encounter", "place_in_encounter"):
        assert client_of(table, "pia").get(fight.to(name)).status_code in (403, 404)


def test_a_player_acts_and_the_log_tells_it_with_every_die(table: Table, dice: list[int]) -> None:
    fight = Fight(table).begin()
    page = fight.page("pia")
    assert "data-my-turn" in page and "data-my-turn" not in fight.page("paul")
    form = fight.page("pia", "act", fight.ana, "combatant.attack")
    assert f'value="{fight.bo}"' in form and "1 unit away" in form and "5 units away" in form
    dice += [11, 5, 6, 12, 5, 1]  # 11 + 3 = 14 against 14; 6 + 2 of Bo's 9 hp; the second press counts for nothing
    press = {"command_id": uuid4(), "role-target": fight.bo}
    client = client_of(table, "pia")
    for _ in range(2):
        client.post(fight.to("act", fight.ana, "combatant.attack"), press)
    told = fight.page("paul")
    assert "Ana: Attack (Bo): A hit." in told
    for sides, face in ((20, 11), (10, 5), (8, 6)):
        assert f'aria-label="d{sides}: {face}"' in told
    assert "HP 1 / 9" in text_of(client_of(table, "paul").get(fight.to()))


def test_what_an_action_refuses_is_said_and_nothing_is_paid(table: Table, dice: list[int]) -> None:
    fight = Fight(table).begin()
    far = {"place-to-x": "12", "place-to-y": "9"}
    refused = fight.post("pia", "act", fight.ana, "combatant.walk", **far)
    assert refused.status_code == 422
    assert "That costs 8 of Movement" in text_of(refused)
    asked = client_of(table, "pia").get(fight.to("act", fight.ana, "combatant.walk"), far)
    assert "That costs 8 of Movement" in text_of(asked)
    near = client_of(table, "pia").get(fight.to("act", fight.ana, "combatant.walk"), {"x": "3", "y": "3"})
    assert "Ana: to column 3, row 3" in text_of(near)
    fight.post("pia", "act", fight.ana, "combatant.walk", **{"place-to-x": "3", "place-to-y": "3"})
    assert fight.found.fight.scene.places[fight.ana] == (2, 2)


def test_only_its_player_or_the_gm_gets_the_form_of_an_action(table: Table) -> None:
    fight = Fight(table).begin()
    to = fight.to("act", fight.ana, "combatant.attack")
    statuses = {who: client_of(table, who).get(to).status_code for who in ("olga", "pia", "paul", "wim", "stan")}
    assert statuses == {"olga": 200, "pia": 200, "paul": 404, "wim": 404, "stan": 404}
    fight.post("paul", "act", fight.ana, "combatant.attack", **{"role-target": fight.bo})
    fight.post("paul", "run_encounter", act="end_turn")
    fight.post("wim", "end_encounter")
    assert fight.found.fight.scene.turn == fight.ana
    fight.post("pia", "run_encounter", act="end_turn")
    assert fight.found.fight.scene.turn == fight.bo


def test_a_reaction_is_asked_of_those_alone_who_can_and_answered(table: Table, dice: list[int]) -> None:
    fight = Fight(table, seconds=30).begin()
    dice += [1, 1]  # a critical miss lays Ana open to Bo
    fight.post("pia", "act", fight.ana, "combatant.attack", **{"role-target": fight.bo})
    asked = fight.page("paul")
    assert "data-asks" in asked and "data-deadline" in asked and "Opportunity Attack" in asked
    for who in ("pia", "wim"):
        other = fight.page(who)
        assert "data-asks" not in other and "Waits for Bo" in other and "data-deadline" in other
    assert "data-close" not in fight.page("wim")
    assert "You are asked" in client_of(table, "paul").get(address(table, "campaign")).content.decode()
    assert "You are asked" not in client_of(table, "pia").get(address(table, "campaign")).content.decode()
    fight.post("pia", "answer_in_encounter", subject=fight.bo, **{"pass": "1"})
    assert fight.found.fight.waiting is not None
    fight.post("paul", "answer_in_encounter", subject=fight.bo, **{"pass": "1"})
    assert fight.found.fight.waiting is None


def test_the_gm_answers_for_anybody_and_follow_up_questions_are_drawn(table: Table, dice: list[int]) -> None:
    fight = Fight(table).begin()
    dice += [1, 1, 11, 5, 1]
    fight.post("pia", "act", fight.ana, "combatant.attack", **{"role-target": fight.bo})
    fight.post("olga", "answer_in_encounter", subject=fight.bo, answer="combatant.opportunity")
    assert 'name="answer" value="vigor"' in fight.page("paul")
    fight.post("olga", "answer_in_encounter", subject=fight.bo, answer="vigor")
    assert fight.found.fight.waiting is None
    assert "HP" in text_of(client_of(table, "pia").get(fight.to()))


@pytest.mark.parametrize("foes", ["hidden", "words"])
def test_a_foes_numbers_are_on_no_page_of_player_or_watcher(table: Table, dice: list[int], foes: str) -> None:
    fight = Fight(table, foes=foes).begin()
    dice += [15, 5, 1]
    fight.post("pia", "act", fight.ana, "combatant.attack", **{"role-target": fight.wolf})
    names = ("encounter", "encounter_screen")
    for who in ("pia", "paul", "wim"):
        pages = [fight.page(who, name) for name in names]
        pages += [client_of(table, who).get(address(table, name)).content.decode() for name in ("campaign", "ledger")]
        if who == "pia":
            pages.append(fight.page(who, "act", fight.ana, "combatant.attack"))
        for page in pages:
            # A minute of the clock is no defense.
            assert not re.search(rf"(?<!:)\b({HP}|{HP - 3}|{DEFENSE})\b", page.partition("<main")[2])
    assert str(HP) in fight.page("olga")
    assert str(HP) not in fight.page("olga", "encounter_screen").partition("<main")[2]


def test_who_is_hidden_is_neither_on_the_board_nor_on_the_screen(table: Table) -> None:
    fight = Fight(table).begin()
    fight.post("olga", "hand", fight.wolf, act="hide")
    for who in ("pia", "wim"):
        assert "Wolf" not in fight.page(who).partition('id="b-log"')[0].partition("<main")[2]
    assert "Wolf" not in fight.page("olga", "encounter_screen").partition('id="b-log"')[0].partition("<main")[2]
    assert "Unseen" in fight.page("olga")
    assert client_of(table, "pia").get(fight.to("hand", fight.wolf)).status_code in (403, 404)
    fight.post("olga", "hand", fight.wolf, act="show")
    assert "Wolf" in fight.page("pia")


def test_what_an_action_would_do_finds_nobody_who_is_hidden(table: Table) -> None:
    fight = Fight(table).begin()
    to, asked = fight.to("act", fight.ana, "everybody.stabilize"), {"role-target": fight.bo}
    pia = client_of(table, "pia")
    assert "Bo cannot be chosen" in text_of(pia.get(to, asked))
    fight.post("olga", "hand", fight.bo, act="hide")
    assert not re.search(r"\bBo\b", text_of(pia.get(to, asked)))


def test_the_gms_hand_sets_gives_ends_ranks_and_places_with_a_reason(table: Table) -> None:
    fight = Fight(table).begin()
    without = fight.post("olga", "hand", fight.bo, act="set", stat="hp", value="4", reason="")
    assert without.status_code == 422
    fight.post("olga", "hand", fight.bo, act="set", stat="hp", value="4", reason="A loose stone")
    fight.post("olga", "hand", fight.bo, act="give", card="prone", reason="He slips")
    fight.post("olga", "hand", fight.bo, act="rank", initiative="3")
    fight.post("olga", "place_in_encounter", who=fight.bo, x="1", y="9")
    page = text_of(client_of(table, "pia").get(fight.to()))
    assert "HP 4 / 9" in page and "A loose stone" in page
    assert fight.found.fight.scene.places[fight.bo] == (0, 8)
    assert fight.found.fight.members[fight.bo].initiative == 3
    off = fight.post("olga", "place_in_encounter", who=fight.bo, x="99", y="1")
    assert off.status_code == 422 and "No such square" in text_of(off)


def test_undo_leads_to_the_preview_of_the_last_step(table: Table, dice: list[int]) -> None:
    fight = Fight(table).begin()
    dice += [11, 5, 6]
    fight.post("pia", "act", fight.ana, "combatant.attack", **{"role-target": fight.bo})
    to = re.findall(r'href="([^"]*/ledger/[^"]+)"', fight.page("olga").partition('id="b-gm"')[2])[0]
    gm = client_of(table, "olga")
    assert "Attack (Bo)" in text_of(gm.get(to))
    gm.post(to, {"command_id": uuid4(), "reason": "Out of reach"})
    page = fight.page("pia")
    assert "Struck out: " in page and "HP 9 / 9" in text_of(client_of(table, "pia").get(fight.to()))
    assert re.findall(r'href="([^"]*/ledger/[^"]+)"', fight.page("pia").partition("<main")[2]) == []


@pytest.mark.parametrize("foes", ["hidden", "words", "numbers"])
def test_who_is_down_lies_there_for_all_and_is_told_what_that_means(table: Table, foes: str) -> None:
    """Set to 0 HP by hand, a foe as a hero; a foe's numbers stay what the game master lets be seen."""
    fight = Fight(table, foes=foes).begin()
    for who in (fight.wolf, fight.ana):
        fight.post("olga", "hand", who, act="set", stat="hp", value="0", reason="A loose stone")
    for who in ("olga", "pia", "wim"):
        page = fight.page(who)
        cards = dict(re.findall(r'data-fighter="([^"]+)"(.*?)</li>\s*(?=<li class="fighter|</ol>)', page, re.DOTALL))
        assert ">Down<" in cards[fight.wolf] and ">Downed<" in cards[fight.ana] and "Down" not in cards[fight.bo], who
        assert page.count("token--out") == 2
    assert "Your turn: Ana Downed. Neither acts, reacts nor walks" in " ".join(
        text_of(client_of(table, "pia").get(fight.to())).split()
    )


def test_an_encounter_that_is_over_leads_to_what_became_of_everybody(table: Table) -> None:
    fight = Fight(table).begin()
    over = fight.post("olga", "end_encounter")
    assert over["Location"] == fight.to("ended_encounter")
    assert client_of(table, "pia").get(fight.to())["Location"] == fight.to("ended_encounter")
    screen = client_of(table, "wim").get(fight.to("encounter_screen"), follow=True)
    assert screen.redirect_chain == [(fight.to("ended_encounter") + "?screen=1", 302)]
    assert "Who was how" in text_of(screen) and 'class="screen"' in screen.content.decode()
    gone = PrepareEncounter(title="Never", pack=PACK)
    dropped: Any = table.send("olga", gone).events[0].event
    table.send("olga", DropEncounter(encounter=dropped.encounter))
    lost = client_of(table, "pia").get(address(table, "encounter", dropped.encounter))
    assert lost["Location"] == address(table, "encounters")
    assert Client().get(fight.to()).status_code == 302


def test_the_grid_draws_who_stands_where(table: Table) -> None:
    fight = Fight(table).begin()
    table.send("olga", PlaceInEncounter(encounter=fight.id, subject=fight.ana, x=0, y=0))
    page = fight.page("wim")
    assert re.search(
        rf'data-token="{fight.ana}" data-name="Ana" data-x="0" data-y="0" transform="translate\(5.0 5.0\)"', page
    )
    assert "style=" not in page.partition("<main")[2]


def test_an_area_is_laid_after_a_look_at_who_stands_in_it(table: Table) -> None:
    fight = Fight(table).begin()
    gm = client_of(table, "olga")
    asked = {"card": "burning_ground", "shape": "burst", "size": "1", "place-at-x": "4", "place-at-y": "5"}
    assert "Stands in it: Ana, Bo" in text_of(gm.get(fight.to("lay_area"), asked))
    line = {**asked, "shape": "line", "size": "5", "place-to-x": "9", "place-to-y": "5"}
    assert "Stands in it: Bo, Wolf" in text_of(gm.get(fight.to("lay_area"), line))
    assert fight.found.fight.scene.areas == {}
    fight.post("olga", "lay_area", **asked, reason="A lamp breaks")
    assert "Burning ground" in fight.page("wim") and "A lamp breaks" in fight.page("wim")
    (area,) = fight.found.fight.scene.areas.values()
    assert (area.at, area.size, area.card) == ((3, 4), 1, "burning_ground")
    assert client_of(table, "pia").get(fight.to("lay_area")).status_code in (403, 404)


def test_without_a_grid_the_gms_word_says_who_is_how_far(table: Table) -> None:
    fight = Fight(table, width=0, height=0, placed=False).begin()
    gm = client_of(table, "olga")
    assert "Who is how far" in fight.page("olga") and "Who is how far" not in fight.page("pia")
    assert f'name="apart-{fight.bo}" value="1"' in gm.get(fight.to("distances"), {"of": fight.ana}).content.decode()
    far = {"of": fight.ana, f"apart-{fight.bo}": "1", f"apart-{fight.wolf}": "9"}
    fight.post("olga", "distances", **far)
    page = text_of(client_of(table, "pia").get(fight.to()))
    assert "From Ana 1 unit Bo 9 units Wolf" in page
    assert "1 unit away" in fight.page("pia", "act", fight.ana, "combatant.attack")
    assert "This is no distance" in text_of(fight.post("olga", "distances", **{**far, f"apart-{fight.bo}": "near"}))
    fight.post("olga", "hand", fight.wolf, act="hide")
    assert "Wolf" not in text_of(client_of(table, "pia").get(fight.to())).partition("So far")[0]


def test_without_a_grid_a_move_is_toward_somebody_or_away_and_never_to_a_square(table: Table) -> None:
    fight = Fight(table, width=0, height=0, placed=False).begin()
    fight.post("olga", "distances", **{"of": fight.ana, f"apart-{fight.bo}": "1", f"apart-{fight.wolf}": "9"})
    page = fight.page("pia")
    assert "combatant.walk" not in page and "Move nearer" in page and "Move away" in page
    form = fight.page("pia", "act", fight.ana, "combatant.nearer")
    assert "Wolf" in form and fight.bo not in form.partition('id="role-other"')[2].partition("</fieldset>")[0]
    fight.post("pia", "act", fight.ana, "combatant.nearer", **{"role-other": fight.wolf, "given-units": "3"})
    page = text_of(client_of(table, "pia").get(fight.to()))
    assert "Ana goes 3 units nearer to Wolf." in page and "From Ana 1 unit Bo 6 units Wolf" in page
    with pytest.raises(Refused) as caught:
        given = {"to": {"x": 5, "y": 5}}
        table.send("pia", ActInEncounter(encounter=fight.id, action="combatant.walk", user=fight.ana, given=given))
    assert "no squares" in caught.value.message
    fight.post("olga", "hand", fight.wolf, act="hide")  # nobody is found by walking to where they stand
    with pytest.raises(Refused) as caught:
        given = {"to": fight.wolf}
        table.send("pia", ActInEncounter(encounter=fight.id, action="combatant.walk", user=fight.ana, given=given))
    assert caught.value.code == "not_in_it"


def test_without_a_grid_a_place_is_where_somebody_stands(table: Table, dice: list[int]) -> None:
    fight = Fight(table, width=0, height=0, placed=False)
    mage = {"calling": "mage", "level": 1, "abilities": ["arcane_lance"], "domain": "storm", "energy": 3}
    table.send("olga", ChangeSheet(subject=fight.ana, pack=PACK, values=mage))
    fight.begin()
    form = fight.page("pia", "act", fight.ana, "arcane_lance")
    assert "where Wolf stands" in form and "Column" not in form
    dice += [1, 5]
    fight.post("pia", "act", fight.ana, "arcane_lance", **{"place-toward": fight.wolf})
    assert "Arcane Lance" in text_of(client_of(table, "pia").get(fight.to())).partition("So far")[2]


def test_ones_own_hp_and_conditions_stand_where_one_acts_and_the_last_thing_at_the_turn(
    table: Table, dice: list[int]
) -> None:
    fight = Fight(table).begin()
    fight.post("olga", "hand", fight.bo, act="give", card="prone", reason="He slips")
    dice += [2, 5]  # a miss
    fight.post("pia", "act", fight.ana, "combatant.attack", **{"role-target": fight.bo})
    page = fight.page("paul")
    acts = page.partition('id="b-acts"')[2].partition('id="b-log"')[0]
    assert re.search(r'aria-label="How Bo is".*?>HP<.*?9 of 9.*?>Prone', acts, re.S)
    turn = page.partition('id="b-turn"')[2].partition("</div>")[0]
    assert "Ana misses Bo with 5." in turn


def test_spells_say_what_they_take_in_their_course_and_what_ones_own_domain_does(table: Table) -> None:
    """Numb asks 3 of somebody who bears 2 for nothing: one Energy. What Ice does is for those who are in Ice."""
    fight = Fight(table)
    mage = {"calling": "mage", "level": 1, "abilities": ["numb"], "domain": "ice", "energy": 2}
    table.send("olga", ChangeSheet(subject=fight.ana, pack=PACK, values=mage))
    fight.post("olga", "hand", fight.wolf, act="place", x="5", y="4")
    fight.begin()
    acts = fight.page("pia").partition('id="b-acts"')[2]
    button = re.search(r'<a class="act"(?:(?!</a>).)*>Numb<.*?</a>', acts, re.S)
    assert button and "1 AP" in button[0] and "Energy" in button[0] and "act__says" in button[0]
    form = text_of(client_of(table, "pia").get(fight.to("act", fight.ana, "numb")))
    assert re.search(r"Energy 2 / \d", form) and "Storm:" not in form and "Flame:" not in form and "Ice:" in form


def test_how_an_attack_came_about_is_told_as_a_sum_to_each_as_far_as_they_know(table: Table, dice: list[int]) -> None:
    """What a foe adds to its die follows from what all see; what its number is made of is the game master's."""
    fight = Fight(table)
    table.send("olga", ApplyCard(subject=fight.wolf, pack=PACK, card="roadman", secret=True))
    fight.post("olga", "hand", fight.wolf, act="place", x="4", y="4")
    fight.begin()
    dice += [11, 10, 5]
    fight.post("pia", "act", fight.ana, "combatant.attack", **{"role-target": fight.bo})
    for who in ("pia", "paul"):
        how = text_of(client_of(table, who).get(fight.to())).partition("How it came about")[2]
        assert "Vigor adds its Rank, 3." in how and "11 on the die and 3 make 14." in how and "twice that is 14." in how
    fight.post("pia", "run_encounter", act="end_turn")
    fight.post("paul", "run_encounter", act="end_turn")
    dice += [12, 5, 4]
    fight.post("olga", "act", fight.wolf, "roadman.cudgel", **{"role-target": fight.ana})
    how = text_of(client_of(table, "pia").get(fight.to())).partition("How it came about")[2]
    assert "12 on the die and 3 make 15." in how and "Tier" not in how
    assert "Its Tier and 2 add 3." in text_of(client_of(table, "olga").get(fight.to()))


def test_the_log_tells_what_happened_and_not_how_it_is_kept(table: Table, dice: list[int]) -> None:
    fight = Fight(table).begin()
    dice += [11, 5, 6]
    fight.post("pia", "act", fight.ana, "combatant.attack", **{"role-target": fight.bo})
    fight.post("pia", "run_encounter", act="end_turn")
    log = text_of(client_of(table, "pia").get(fight.to())).partition("So far")[2]
    assert "Bo: HP 9 → 1" in log
    for noise in ("100000", "acted", "moves", "spare", "AP 3"):
        assert noise not in log


def test_a_mode_is_changed_for_any_other_and_not_for_itself_alone(table: Table) -> None:
    fight = Fight(table)
    table.send("olga", ChangeSheet(subject=fight.ana, pack=PACK, values={"calling": "fighter", "stance": "guard"}))
    form = fight.begin().page("pia", "act", fight.ana, "fighter_kit.switch")
    assert 'value="press"' in form and 'value="guard"' in form


def test_a_page_that_stands_is_sent_the_stale_parts_alone(table: Table) -> None:
    fight = Fight(table).begin()
    for who in ("olga", "pia", "wim"):
        client, page = client_of(table, who), address(table, "encounter", fight.id)
        whole = client.get(page).content.decode()
        parts = re.findall(r'id="(b-[a-z]+)" data-live', whole)
        assert len(parts) == (7 if who == "olga" else 6) and 'id="asked-of-me">' in whole
        some = client.get(page, headers={"X-Live": " ".join(parts)}).content.decode()
        assert re.findall(r'id="(b-[a-z]+)" data-live', some) == parts
        assert "<nav" not in some and len(some) < 0.75 * len(whole)
        log = client.get(page, headers={"X-Live": "b-log"}).content.decode()
        assert re.findall(r'id="(b-[a-z]+)"', log) == ["b-log"] and len(log) < len(some) / 2
        for other in ("1", "b-log nav-list"):
            assert "<nav" in client.get(page, headers={"X-Live": other}).content.decode()
