"""What ledgers say of a fight: in the words of its pack, each change once, and of the hidden neither word nor count."""

# ruff: noqa: F401, F811 (fixtures)
from __future__ import annotations

import json
import re
from typing import Any

import pytest

from campaigns.commands.sheets import ApplyCard
from campaigns.commands.subjects import CreateSubject
from encounters.commands.hand import AdjustInEncounter, PlaceInEncounter
from encounters.commands.playing import ActInEncounter, AnswerInEncounter, EndTurn
from encounters.commands.preparing import ShowInEncounter
from rules.refusal import Refused
from tests.campaigns.tables import Table
from tests.encounters.test_encounters import PACK, _with, ana, begun, bo, dice, strike, table, told
from tests.frontend.test_ledger_said import entries
from tests.frontend.test_pages import address, client_of

STRUCK = "Ana: Attack (Bo): A hit. Ana hits Bo with 14. That is the Defense of 14 exactly. Bo takes 9 damage. Bo falls."


def made(table: Table, name: str) -> str:
    ready: Any = table.send("olga", CreateSubject(kind="adversary", name=name)).events[0].event
    return _with(table, ready.subject, {"tier": 1, "pd": 14, "hp_max": 12})


def said(table: Table, who: str, after: int = 0) -> list[str]:
    return [one["says"] for one in told(table, who)[after:]]


def ledger(table: Table, who: str) -> list[str]:
    """The lines of the whole ledger's newest page, newest first, those that came of one act each for itself."""
    page = client_of(table, who).get(address(table, "ledger")).content.decode()
    return [line for entry in entries(page) for line in reversed(entry)]


def test_a_ledger_says_what_changed_as_the_pack_calls_it_and_once(
    table: Table, ana: str, bo: str, dice: list[int]
) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"}, width=9, height=9)
    dice += [11, 5, 7]  # 7 + 2 = 9 of the 9 that Bo has
    table.send("pia", strike(encounter, ana, bo))
    for who in ("olga", "pia", "paul"):
        lines = ledger(table, who)
        first = lines.index(STRUCK)
        hurt = "Bo: HP 9 \N{RIGHTWARDS ARROW} 0, Wounds 0 \N{RIGHTWARDS ARROW} 1"
        assert [line for line in lines[:first] if line.startswith("Bo: HP")] == [hurt]
        # What only meters play stands on the board: Action Points, steps, whoever has acted.
        assert not re.search(r"10000|acted|moves|\bap\b|_", " ".join(lines[: lines.index("At the Ford begins.")]))
    table.send("olga", AdjustInEncounter(encounter=encounter, reason="A draught", set={bo: {"hp": 4}}))
    table.send("olga", PlaceInEncounter(encounter=encounter, subject=bo, x=4, y=4))
    assert said(table, "pia")[-3:] == [
        "The GM's hand on Bo: A draught.",
        "Bo: HP 0 \N{RIGHTWARDS ARROW} 4",
        "The GM moves Bo.",
    ]


def test_bookkeeping_arrives_as_such_so_that_a_page_can_leave_it_out(
    table: Table, ana: str, bo: str, dice: list[int]
) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    dice += [2, 3]  # a miss: what changes is Ana's Action Points alone
    table.send("pia", strike(encounter, ana, bo))
    changes = [one for one in told(table, "pia") if one["type"] == "sheet.changed"]
    assert changes[-1]["data"]["quiet"] is True
    assert [change["stat"] for change in changes[-1]["data"]["changes"]] == ["ap"]


def test_who_may_answer_is_named_and_what_is_asked(table: Table, ana: str, bo: str, dice: list[int]) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    dice += [1, 1]  # a critical miss opens the one who struck
    table.send("pia", strike(encounter, ana, bo))
    missed = "Ana misses Bo with 4, a Critical Miss. That is 10 under the Defense of 14."
    assert said(table, "wim")[-1] == f"Ana: Attack (Bo): An opening. Bo may answer. {missed}"
    table.send("paul", AnswerInEncounter(encounter=encounter, subject=bo, answer=[]))
    assert "Ana: Attack (Bo): A miss." in said(table, "wim")


def test_turns_of_the_hidden_leave_no_word_and_no_count(table: Table, ana: str, bo: str) -> None:
    """The order is Ana, a wolf, an owl, Bo; the table sees neither wolf nor owl."""
    wolf, owl = made(table, "Wolf"), made(table, "Owl")
    sides = {ana: "party", wolf: "beasts", owl: "beasts", bo: "party"}
    encounter = begun(table, [ana, wolf, owl, bo], sides)
    for one in (wolf, owl):
        table.send("olga", ShowInEncounter(encounter=encounter, subject=one, hidden=True))
    before = {who: len(told(table, who)) for who in ("pia", "wim", "olga")}
    for _ in range(4):
        table.send("olga", EndTurn(encounter=encounter))
    steps = ["Bo's turn.", "Round 2. Ana's turn."]
    assert said(table, "wim", before["wim"]) == steps
    assert [one for one in said(table, "pia", before["pia"]) if "turn" in one] == ["Ana's turn is over.", *steps]
    assert "Owl's turn." in said(table, "olga", before["olga"])


def test_a_round_that_begins_with_the_hidden_is_told_without_them(table: Table, ana: str) -> None:
    wolf, owl = made(table, "Wolf"), made(table, "Owl")
    encounter = begun(table, [wolf, ana, owl], {wolf: "beasts", ana: "party", owl: "beasts"})
    for one in (wolf, owl):
        table.send("olga", ShowInEncounter(encounter=encounter, subject=one, hidden=True))
    before = len(told(table, "wim"))
    for _ in range(4):
        table.send("olga", EndTurn(encounter=encounter))
    assert said(table, "wim", before) == ["Ana's turn.", "Round 2. Ana's turn."]


def test_whoever_plays_somebody_unseen_is_told_what_they_do_and_nobody_else(
    table: Table, ana: str, bo: str, dice: list[int]
) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    table.send("olga", ShowInEncounter(encounter=encounter, subject=ana, hidden=True))
    before = {who: len(told(table, who)) for who in ("pia", "paul", "wim", "olga")}
    dice += [11, 5, 7]
    table.send("pia", strike(encounter, ana, bo))
    assert said(table, "pia", before["pia"])[0] == said(table, "olga", before["olga"])[0] == STRUCK
    for who in ("paul", "wim"):
        assert not re.search(f"Ana|Attack|{ana}", json.dumps(told(table, who)[before[who] :]))
    # Bo's player is told that it hurt, and nothing else: not by how much it hit either.
    assert said(table, "paul", before["paul"])[0].startswith("Bo: HP 9")
    assert said(table, "wim", before["wim"]) == []


def test_what_was_told_while_it_was_asked_is_not_told_again(table: Table, ana: str, bo: str, dice: list[int]) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    dice += [1, 1, 15, 5, 6]  # a critical miss; Bo strikes back: 15 + 2, 6 of a d8 and 1
    table.send("pia", strike(encounter, ana, bo))
    reaction = "combatant.opportunity"
    table.send("paul", AnswerInEncounter(encounter=encounter, subject=bo, answer=[reaction]))
    table.send("paul", AnswerInEncounter(encounter=encounter, answer="vigor"))
    step = next(one for one in reversed(told(table, "pia")) if one["type"] == "encounter.moved")
    assert step["data"]["told"][0].startswith("Bo hits Ana with ") and "Critical Miss" not in step["says"]


def foe(table: Table, name: str, card: str, values: dict[str, Any]) -> str:
    subject = made(table, name)
    _with(table, subject, values)
    table.send("olga", ApplyCard(subject=subject, pack=PACK, card=card, secret=True))
    return subject


def test_an_adversarys_attack_is_told_in_words_to_each_as_far_as_they_may_know(
    table: Table, ana: str, dice: list[int]
) -> None:
    """The adversary adds 3 (Tier and 2); Ana's Defense is 12, its own 13 and hidden."""
    wolf = foe(table, "Wolf", "roadman", {"pd": 13})
    encounter = begun(table, [wolf, ana], {wolf: "road", ana: "party"}, width=9, height=9)
    for one, x in ((wolf, 3), (ana, 4)):
        table.send("olga", PlaceInEncounter(encounter=encounter, subject=one, x=x, y=3))
    dice += [13, 5, 2]
    cudgel = ActInEncounter(encounter=encounter, action="roadman.cudgel", user=wolf, roles={"target": ana})
    table.send("olga", cudgel)
    hurt = "Wolf: Cudgel (Ana). Wolf hits Ana with 16. That is 4 over the Defense of 12. Ana takes 3 damage."
    for who in ("olga", "pia", "paul", "wim"):
        assert hurt in said(table, who)
    dice += [5, 5]
    table.send("olga", cudgel)
    missed = "Wolf: Cudgel (Ana). Wolf misses Ana with 8. That is 4 under the Defense of 12."
    for who in ("olga", "pia", "paul", "wim"):
        assert missed in said(table, who)
    table.send("olga", EndTurn(encounter=encounter))
    dice += [12, 5, 4]
    table.send("pia", strike(encounter, ana, wolf))
    open_to_all = "Ana: Attack (Wolf): A hit. Ana hits Wolf with 15."
    assert f"{open_to_all} That is 2 over the Defense of 13. Wolf takes 6 damage." in said(table, "olga")
    for who in ("pia", "paul", "wim"):
        assert f"{open_to_all} Wolf takes 6 damage." in said(table, who)
        assert "of 13" not in json.dumps(told(table, who))


def test_what_somebody_unseen_does_in_between_is_told_to_gms_alone(
    table: Table, ana: str, bo: str, dice: list[int]
) -> None:
    """A blow in answer to an opening, by somebody whom the table does not see: neither who, nor by how much."""
    wolf = foe(table, "Wolf", "roadman", {"pd": 13})
    encounter = begun(table, [ana, bo, wolf], {ana: "party", bo: "party", wolf: "road"}, width=9, height=9)
    for one, x in ((ana, 3), (wolf, 4)):
        table.send("olga", PlaceInEncounter(encounter=encounter, subject=one, x=x, y=3))
    dice += [1, 1, 13, 5, 2]
    table.send("olga", ShowInEncounter(encounter=encounter, subject=wolf, hidden=True))
    before = {who: len(told(table, who)) for who in ("pia", "paul", "wim", "olga")}
    table.send("olga", strike(encounter, ana, wolf))
    table.send("olga", AnswerInEncounter(encounter=encounter, subject=wolf, answer=["roadman.opportunity"]))
    back = "Wolf hits Ana with 16. That is 4 over the Defense of 12. Ana takes 3 damage."
    assert any(back in one for one in said(table, "olga", before["olga"]))
    for who in ("pia", "paul", "wim"):
        heard = " ".join(said(table, who, before[who]))
        assert "Ana takes 3 damage." in heard
        assert not re.search(r"Wolf|16|12|13|Defense|misses|hits", heard)


def test_what_is_done_by_hand_to_several_unseen_is_told_to_their_players_each_of_their_own_and_to_nobody_else(
    table: Table, ana: str, bo: str
) -> None:
    """Ana and Bo are out of sight, Cay is not."""
    cay = _with(table, table.character("paul", "Cay"), {"level": 1})
    encounter = begun(table, [ana, bo, cay], {ana: "party", bo: "party", cay: "party"})
    for one in (ana, bo):
        table.send("olga", ShowInEncounter(encounter=encounter, subject=one, hidden=True))
    before = {who: len(told(table, who)) for who in ("pia", "paul", "wim")}
    table.send("olga", AdjustInEncounter(encounter=encounter, reason="Cold", set={ana: {"hp": 5}, bo: {"hp": 4}}))
    assert said(table, "pia", before["pia"]) == ["By the GM's hand: Cold.", "Ana: HP 9 \N{RIGHTWARDS ARROW} 5"]
    assert said(table, "paul", before["paul"]) == ["By the GM's hand: Cold.", "Bo: HP 9 \N{RIGHTWARDS ARROW} 4"]
    assert said(table, "wim", before["wim"]) == []
    for who, other in (("pia", bo), ("paul", ana)):
        assert other not in json.dumps(told(table, who)[before[who] :])
    table.send("olga", AdjustInEncounter(encounter=encounter, reason="Rain", set={ana: {"hp": 4}, cay: {"hp": 3}}))
    assert said(table, "wim", before["wim"]) == ["By the GM's hand: Rain."]
    assert said(table, "paul", before["paul"])[2:] == ["By the GM's hand: Rain.", "Cay: HP 6 \N{RIGHTWARDS ARROW} 3"]


def test_a_moment_that_asks_only_the_hidden_is_not_told_to_ask_anybody(
    table: Table, ana: str, bo: str, dice: list[int]
) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    table.send("olga", ShowInEncounter(encounter=encounter, subject=bo, hidden=True))
    before = len(told(table, "wim"))
    dice += [1, 1]
    table.send("olga", strike(encounter, ana, bo))
    (step, *_) = said(table, "wim", before)
    assert step.startswith("Ana: Attack (Somebody unseen) …") and "opening" not in step and "may answer" not in step


def test_refusals_of_acts_and_answers_name_nobody_by_an_id(table: Table, ana: str, bo: str, dice: list[int]) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    attack = {"encounter": encounter, "action": "combatant.attack", "user": ana}
    wrong: list[Any] = [
        ActInEncounter(**attack, roles={"target": [bo]}),
        ActInEncounter(**attack, roles={"target": bo, "helper": bo}),
        ActInEncounter(**attack, roles={"target": bo}, given={"wepon": "none"}),
        ActInEncounter(**attack, roles={}),
    ]
    for command in wrong:
        assert_said_by_names(table, command, ana, bo)
    dice += [1, 1]
    table.send("pia", strike(encounter, ana, bo))
    answer = AnswerInEncounter(encounter=encounter, subject=bo, answer=["combatant.oportunity"])
    assert "they can answer with Opportunity Attack, or pass" in assert_said_by_names(table, answer, ana, bo)
    table.send("olga", AnswerInEncounter(encounter=encounter, subject=bo, answer=["combatant.opportunity"]))
    said = assert_said_by_names(table, AnswerInEncounter(encounter=encounter, answer="brawn"), ana, bo)
    assert "one of Vigor, Deft, Acuity, Resolve is wanted" in said


def assert_said_by_names(table: Table, command: Any, *subjects: str) -> str:
    with pytest.raises(Refused) as refused:
        table.send("olga", command)
    message = refused.value.message
    assert not re.search("|".join(("combatant", "_", *subjects)), message), message
    return message
