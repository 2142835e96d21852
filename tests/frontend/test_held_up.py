"""While an answer is waited for: what cannot be done meanwhile says whom it waits for and what goes on with it, and the
question says what each answer does and costs. An act whose board has moved on says so."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest

from campaigns.commands.sheets import ApplyCard
from encounters.commands.hand import PlaceInEncounter
from encounters.commands.playing import ActInEncounter, CloseMoment, EndTurn
from encounters.commands.preparing import EndEncounter, JoinEncounter, LeaveEncounter, PauseEncounter, ShowInEncounter
from rules.refusal import Refused
from tests.campaigns.tables import Table
from tests.frontend.test_board import PACK, Fight, dice, table
from tests.frontend.test_making import text_of
from tests.frontend.test_pages import client_of

__all__ = ["dice", "table"]
pytestmark = pytest.mark.django_db(transaction=True)
SAID = "First Bo has to answer"
DIALOG = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "dialog-body"}


def asked(table: Table, dice: list[int], **more: Any) -> Fight:
    """Ana misses critically, which lays her open to Bo."""
    fight = Fight(table, **more).begin()
    dice += [1, 1]
    fight.post("pia", "act", fight.ana, "combatant.attack", **{"role-target": fight.bo})
    return fight


def test_whatever_is_held_up_names_whom_it_waits_for_and_gives_the_ways_on(table: Table, dice: list[int]) -> None:
    fight = asked(table, dice)
    hand = {"act": "set", "stat": "hp", "value": "4", "reason": "A loose stone"}
    ground = {"card": "solid_wall", "shape": "line", "size": "2", "place-at-x": "9", "place-at-y": "2"}
    ground |= {"place-to-x": "9", "place-to-y": "3"}
    tried: tuple[tuple[str, tuple[str, ...], dict[str, str]], ...] = (
        ("end_encounter", (), {}),
        ("hand", (fight.bo,), hand),
        ("lay_area", (), ground),
        ("place_in_encounter", (), {"who": fight.bo, "x": "1", "y": "1"}),
    )
    for name, more, fields in tried:
        refused = fight.post("olga", name, *more, **fields)
        assert refused.status_code == 422, name
        for page in (fight.page("olga", name, *more), refused.content.decode()):
            assert page.count(SAID) == 1, name
            assert "Ana: Attack \N{RIGHTWARDS ARROW} Bo" in page
            ways = page.partition('id="held-up"')[2].partition("</form>\n</div>")[0]
            assert "Answer for Bo" in ways and "Have the rest pass" in ways and "Not done after all" in ways
    assert fight.found.begun and fight.found.fight.waiting is not None


def test_having_the_rest_pass_from_a_refused_form_leaves_the_form_as_it_was(table: Table, dice: list[int]) -> None:
    fight = asked(table, dice)
    press = {"command_id": uuid4(), "act": "close", "stay": "1"}
    came = client_of(table, "olga").post(fight.to("run_encounter"), press, HTTP_HX_REQUEST="true")
    assert came.status_code == 200 and "HX-Trigger" not in came
    assert "The rest pass. Now it can be done." in came.content.decode()
    assert fight.found.fight.waiting is None
    assert fight.post("olga", "end_encounter").status_code == 302


def test_over_the_api_too_a_refusal_names_them(table: Table, dice: list[int]) -> None:
    fight = asked(table, dice)
    act = ActInEncounter(encounter=fight.id, action="combatant.attack", user=fight.ana, roles={"target": fight.bo})
    for who, command, right in (
        ("olga", EndEncounter(encounter=fight.id), "have the rest pass"),
        ("olga", PlaceInEncounter(encounter=fight.id, subject=fight.bo, x=0, y=0), "answer for Bo"),
        ("pia", act, "when Bo answered"),
        ("pia", EndTurn(encounter=fight.id), "when Bo answered"),
    ):
        with pytest.raises(Refused) as refused:
            table.send(who, command)
        assert refused.value.code == "waits" and SAID in refused.value.message
        assert right in (refused.value.right or "") and fight.bo not in str(refused.value)


def test_who_sees_nobody_that_is_waited_for_is_not_told_that_anybody_is(table: Table, dice: list[int]) -> None:
    """Bo is out of sight of all but Paul, and asked."""
    fight = Fight(table).begin()
    table.send("olga", ShowInEncounter(encounter=fight.id, subject=fight.bo, hidden=True))
    dice += [1, 1]
    table.send(
        "olga",
        ActInEncounter(encounter=fight.id, action="combatant.attack", user=fight.ana, roles={"target": fight.bo}),
    )
    assert fight.found.fight.waiting is not None
    with pytest.raises(Refused) as refused:
        table.send("pia", EndTurn(encounter=fight.id))
    assert refused.value.code == "not_now" and "Bo" not in str(refused.value)
    with pytest.raises(Refused) as refused:
        table.send("olga", EndTurn(encounter=fight.id))
    assert SAID in refused.value.message


def question(page: str) -> str:
    """What the panel of a question says."""
    panel = page.partition('id="b-ask"')[2].partition("</section>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", panel))


def test_a_question_says_what_hits_whom_what_each_answer_costs_and_how_long(table: Table, dice: list[int]) -> None:
    fight = asked(table, dice, seconds=30)
    page = fight.page("paul")
    said = question(page)
    assert "Ana: Attack \N{RIGHTWARDS ARROW} Bo" in said and "An opening." in said
    # Three Action Points at the start of a fight, one of which it takes.
    assert "Opportunity Attack 1 AP of 3" in said and "Pass" in said
    assert "Silence passes when the time is up." in said and "data-deadline" in page
    assert not re.search(r"Actor|Target|Against|Favor|Concealment", said)
    gms = fight.page("olga").partition('id="b-ask"')[2]
    assert "data-asks" not in gms and "Answer for Bo" in gms and "Have the rest pass" in gms


def test_what_an_answer_does_is_said_and_what_costs_nothing_says_so(table: Table, dice: list[int]) -> None:
    """A guardian beside Ana may cover her."""
    fight = Fight(table)
    table.send("olga", ApplyCard(subject=fight.bo, pack=PACK, card="cover"))
    with_ana = {"subject": fight.bo, "side": "party", "x": 4, "y": 4}
    table.send("olga", LeaveEncounter(encounter=fight.id, subject=fight.bo))
    table.send("olga", JoinEncounter(encounter=fight.id, **with_ana))
    table.send("olga", ApplyCard(subject=fight.wolf, pack=PACK, card="roadman", secret=True))
    fight.begin()
    for _ in range(2):
        table.send("olga", EndTurn(encounter=fight.id))
    table.send("olga", PlaceInEncounter(encounter=fight.id, subject=fight.wolf, x=3, y=3))
    table.send(
        "olga",
        ActInEncounter(encounter=fight.id, action="roadman.cudgel", user=fight.wolf, roles={"target": fight.ana}),
    )
    said = question(fight.page("paul"))
    assert "Wolf: Cudgel \N{RIGHTWARDS ARROW} Ana" in said and "An attack is declared." in said
    assert "One attack on an ally near you is made against somebody concealed." in said
    assert "Cover costs nothing" in said and "Concealment 0" not in said


def test_a_question_after_it_gives_numbers_and_begins_with_what_is_usual(table: Table, dice: list[int]) -> None:
    """Bo's Vigor and Deft are 14, which is a Rank of 4; nobody is better at Acuity than 10."""
    fight = asked(table, dice)
    fight.post("paul", "answer_in_encounter", subject=fight.bo, answer="combatant.opportunity")
    page = fight.page("paul").partition('id="b-ask"')[2].partition("</form>")[0]
    assert "With which Attribute do they strike?" in page
    options = re.findall(r'<button class="button button--big( button--main)?"[^>]*value="(\w+)">(.*?)</button>', page)
    found = [(key, bool(main), re.sub(r"<[^>]+>", "", text)) for main, key, text in options]
    assert found[0] == ("vigor", True, "Vigor 4")
    assert ("acuity", False, "Acuity 0") in found and len(found) == 4


def test_nothing_ticked_is_no_silent_pass(table: Table, dice: list[int]) -> None:
    fight = asked(table, dice)
    fight.post("paul", "answer_in_encounter", subject=fight.bo)
    assert fight.found.fight.waiting is not None
    fight.post("paul", "answer_in_encounter", subject=fight.bo, **{"pass": "1"})
    assert fight.found.fight.waiting is None


def test_an_act_that_the_board_left_behind_says_what_happened_and_leads_back(table: Table, dice: list[int]) -> None:
    fight = asked(table, dice)
    pia = client_of(table, "pia")
    walk = fight.to("act", fight.ana, "combatant.walk")
    held = pia.get(walk)
    assert held.status_code == 200 and SAID in text_of(held) and "Have the rest pass" not in text_of(held)
    table.send("olga", CloseMoment(encounter=fight.id))
    table.send("olga", PauseEncounter(encounter=fight.id, paused=True))
    assert "The fight is paused." in text_of(pia.get(walk))
    table.send("olga", PauseEncounter(encounter=fight.id, paused=False))
    table.send("pia", EndTurn(encounter=fight.id))
    gms = client_of(table, "olga").get(walk)
    assert "it is Bo's turn now" in text_of(gms).replace("&#x27;", "'") and fight.to() in gms.content.decode()
    table.send("olga", LeaveEncounter(encounter=fight.id, subject=fight.ana))
    assert "They take part in this fight no more." in text_of(pia.get(walk))
    # A press in a dialog is answered there; who does not play them still finds nothing.
    pressed = client_of(table, "olga").post(walk, {"command_id": uuid4()}, **DIALOG)
    assert pressed.status_code == 422 and "Back to the fight" in pressed.content.decode()
    for who in ("paul", "wim", "stan"):
        assert client_of(table, who).get(walk).status_code == 404
    table.send("olga", EndEncounter(encounter=fight.id))
    assert pia.get(walk)["Location"] == fight.to("ended_encounter")
    assert pia.get(walk, **DIALOG)["HX-Redirect"] == fight.to("ended_encounter")
