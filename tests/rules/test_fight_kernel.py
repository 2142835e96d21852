"""The kernel of a fight, command by command."""

from __future__ import annotations

import pytest

from rules.dice import ChosenDice
from rules.fight import FightTable, commands, their_turn
from rules.fight.events import Cancelled, Done, Joined, Left, Waited
from rules.fight.evolve import evolve
from rules.refusal import Refused
from rules.sheets.subject import Held, Subject
from rules.tests.perform import Act, possible
from tests.rules.duel import duel

PACK = duel()
NONE = ChosenDice([])


def fighter(name: str, kind: str = "fighter", *cards: str, **values: int) -> Subject:
    return Subject(id=name, kind=kind, values=values, held=[Held(id=f"{card}-1", card=card) for card in cards])


def table(*, parry: bool = False) -> FightTable:
    cards = ("parrying",) if parry else ()
    made = [fighter("ana", "fighter", *cards), fighter("bo"), fighter("wolf", "beast"), fighter("late", "beast")]
    fight = FightTable(PACK, {subject.id: subject for subject in made})
    for name, side in (("ana", "friends"), ("bo", "friends"), ("wolf", "foes")):
        fight.do(commands.Join(subject=name, side=side), NONE)
    fight.do(commands.Begin(initiative={"wolf": 15, "ana": 12, "bo": 9}), NONE)
    return fight


def strike(*faces: int) -> tuple[commands.Use, ChosenDice]:
    act = Act(action="everybody.strike", user="wolf", roles={"target": "ana"})
    return commands.Use(act=act), ChosenDice(faces)


def refused(fight: FightTable, command: object) -> str:
    with pytest.raises(Refused) as no:
        fight.do(command, NONE)
    return no.value.code


def test_who_comes_late_has_a_turn_from_the_next_round_on() -> None:
    fight = table()
    fight.do(commands.Join(subject="late", side="foes", initiative=20), NONE)
    turns = []
    for _ in range(4):
        fight.do(commands.EndTurn(), NONE)
        turns.append((fight.fight.scene.round, their_turn(fight.fight)))
    assert turns == [(1, "ana"), (1, "bo"), (2, "late"), (2, "wolf")]


def test_who_leaves_in_their_own_turn_passes_it_on() -> None:
    fight = table()
    fight.do(commands.Leave(subject="wolf"), NONE)
    assert their_turn(fight.fight) == "ana"
    assert refused(fight, commands.Leave(subject="wolf")) == "nobody"


def test_somebody_hidden_is_shown_once() -> None:
    fight = table()
    fight.do(commands.Show(subject="wolf", hidden=True), NONE)
    assert fight.fight.members["wolf"].hidden
    assert refused(fight, commands.Show(subject="wolf", hidden=True)) == "as_it_is"


def test_nothing_has_happened_while_a_moment_waits() -> None:
    fight = table(parry=True)
    before = dict(fight.subjects)
    (waited,) = fight.do(*strike(20, 4))
    assert isinstance(waited, Waited) and waited.ask.asked.keys() == {"ana"}
    assert fight.subjects == before
    for command in (
        strike(1)[0],
        commands.EndTurn(),
        commands.End(),
        commands.Adjust(reason="x", set={"ana": {"hp": 1}}),
    ):
        assert refused(fight, command) == "waits"
    assert refused(fight, commands.Answer(subject="bo", answer="pass")) == "not_asked"


def test_the_faces_that_were_rolled_stay_when_the_answer_comes() -> None:
    fight = table(parry=True)
    fight.do(*strike(20, 4))
    (done,) = fight.do(commands.Answer(subject="ana", answer="parrying.parry"), NONE)
    assert isinstance(done, Done) and done.faces == [20, 4]
    assert fight.subjects["ana"].values["hp"] == 20 - (4 + 3) // 2


def test_what_waits_can_be_cancelled_and_costs_nothing() -> None:
    fight = table(parry=True)
    fight.do(*strike(20, 4))
    (gone,) = fight.do(commands.Cancel(), NONE)
    assert isinstance(gone, Cancelled)
    assert fight.subjects["wolf"].values.get("ap", 3) == 3
    assert refused(fight, commands.Close()) == "no_moment"


def test_a_paused_fight_stands_still() -> None:
    fight = table()
    fight.do(commands.Pause(paused=True), NONE)
    assert refused(fight, commands.EndTurn()) == "not_running"
    fight.do(commands.Pause(paused=False), NONE)
    fight.do(commands.EndTurn(), NONE)


def test_what_is_changed_by_hand_fits_the_pack_and_has_a_reason() -> None:
    fight = table()
    assert refused(fight, commands.Adjust(reason=" ", set={"ana": {"hp": 3}})) == "no_reason"
    assert refused(fight, commands.Adjust(reason="x", set={"ana": {"hpp": 3}})) == "no_such_stat"
    assert refused(fight, commands.Adjust(reason="x", set={"ana": {"hp": 100}})) == "does_not_fit"
    assert refused(fight, commands.Adjust(reason="x", end={"ana": ["down"]})) == "not_held"
    fight.do(commands.Adjust(reason="a fall", set={"ana": {"hp": 3}}, give={"ana": ["down"]}), NONE)
    assert fight.subjects["ana"].values["hp"] == 3
    assert [held.card for held in fight.subjects["ana"].held] == ["down"]


def test_what_somebody_can_do_says_what_hinders_it_and_whom_it_reaches() -> None:
    fight = table()
    scene = fight.fight.scene
    mine = {one.action: one for one in possible(PACK, scene, fight.subjects, "wolf")}
    assert mine["everybody.strike"].hindrance is None
    assert mine["everybody.strike"].targets == {"target": ["ana", "bo"]}
    assert mine["everybody.strike"].cost == {"ap": 1}
    other = {one.action: one for one in possible(PACK, scene, fight.subjects, "ana")}
    hindrance = other["everybody.strike"].hindrance
    assert hindrance is not None and hindrance.reason == "cannot_act"
    assert "burning_hand" not in other


def test_a_fight_ends_and_meters_nothing_any_more() -> None:
    fight = table()
    fight.do(commands.End(), NONE)
    assert (fight.fight.status, fight.fight.scene.round, fight.fight.scene.order) == ("ended", 0, [])
    assert refused(fight, commands.Begin()) == "has_begun"


def test_who_came_or_went_while_the_beginning_was_taken_back_stands_right_in_the_order() -> None:
    """What was done meanwhile knew of no order; once the beginning stands again, it is folded behind one."""
    fight = table().fight
    evolve(Left(subject="bo"), fight)
    evolve(Joined(subject="late", side="foes", initiative=10), fight)
    assert fight.order is not None
    assert {slot.subject for slot in fight.order.slots if slot.present} == {"wolf", "ana", "late"}
    assert fight.scene.order == ["wolf", "ana", "late"]


SPREADING = """\
cards:
  kit:
    early: {title: Early, triggers: [{at: round_start, kinds: [fighter], steps: [{change: {holder.fear: 10}}]}]}
    beacon:
      title: Beacon
      triggers:
        - at: round_start
          kinds: [fighter]
          steps:
            - {each: everyone(), as: one, steps: [{apply: lit, of: one}]}
            - {end: quick, of: holder}
    steady: {title: Steady, triggers: [{at: round_start, kinds: [fighter], steps: [{change: {holder.fear: 20}}]}]}
    quick: {title: Quick, triggers: [{at: round_start, kinds: [fighter], steps: [{change: {holder.fear: 50}}]}]}
  condition:
    lit: {title: Lit, triggers: [{at: round_start, kinds: [fighter, beast], steps: [{change: {holder.fear: 1}}]}]}
"""


def test_cards_that_change_while_an_instant_comes_are_heard_by_those_behind() -> None:
    """What the beacon ends acts no more, its holder's other cards do; who stands behind it acts on what it gave them,
    who stands before it has been told already. In the next round everybody is."""
    pack = duel(SPREADING)
    made = [fighter("bo"), fighter("ana", "fighter", "early", "beacon", "quick", "steady"), fighter("wolf", "beast")]
    fight = FightTable(pack, {subject.id: subject for subject in made})
    for one in made:
        fight.do(commands.Join(subject=one.id, side="friends"), NONE)
    fight.do(commands.Begin(initiative={"bo": 15, "ana": 12, "wolf": 9}), NONE)
    fear = {name: subject.values.get("fear", 0) for name, subject in fight.subjects.items()}
    assert fear == {"bo": 0, "ana": 30, "wolf": 1}
    for _ in range(3):
        fight.do(commands.EndTurn(), NONE)
    fear = {name: subject.values.get("fear", 0) for name, subject in fight.subjects.items()}
    # each holds the condition once, from the first round on
    assert fear == {"bo": 1, "ana": 61, "wolf": 2}
