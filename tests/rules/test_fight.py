"""The kernel of a fight: turns, instants, what they set off and end."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.dice import ChosenDice
from rules.fight import (
    Instant,
    Order,
    add,
    begin,
    end,
    happen,
    happen_all,
    move,
    next_turn,
    remove,
    whose_turn,
)
from rules.refusal import Refused
from rules.sheets import Ends, Held, Subject
from rules.tests import apply_effects, undo_effect
from tests.rules.small import pack, problems

FOES = """
kinds:
  foe:
    title: Foe
    stats: {hp: {type: int, min: 0, max: 20, bounds: clamp, default: 20}}
card_types:
  condition: {title: Condition, by_hand: true, held: {}}
  zone: {title: Zone, by_hand: true, held: {power: {type: int}}}
cards:
  condition:
    burnt: {title: Burnt}
    knits:
      title: Knits
      text: Two points come back at the start of its turn, unless it was burnt since its last one.
      triggers:
        - {at: turn_start, kinds: [foe], when: "not has(holder, 'burnt')", steps: [{change: {holder.hp: 2}}]}
    vengeful:
      title: Vengeful
      triggers: [{at: turn_end, of: source, kinds: [foe], steps: [{change: {holder.hp: -1}}]}]
  zone:
    embers:
      title: Embers
      stacks: count
      triggers:
        - at: turn_start
          kinds: [foe]
          steps:
            - {roll: heat, count: token.power, sides: 6}
            - {change: {holder.hp: 0 - heat.total}}
"""


def foe(name: str = "troll", hp: int = 10, *held: Held) -> Subject:
    return Subject(id=name, kind="foe", values={"hp": hp}, held=list(held))


def names(instants: list[Instant]) -> list[str]:
    return [f"{instant.at} {instant.of}".strip() for instant in instants]


def test_turns_go_by_initiative_and_rounds_follow() -> None:
    order, came = begin([("wolf", 12), ("ana", 15)])
    assert names(came) == ["round_start", "turn_start ana"]
    order, came = next_turn(order)
    assert names(came) == ["turn_end ana", "turn_start wolf"]
    order, came = next_turn(order)
    assert names(came) == ["turn_end wolf", "round_end", "round_start", "turn_start ana"] and order.round == 2
    assert names(end(order)) == ["turn_end ana", "round_end", "encounter_end"]


def test_turns_of_those_who_left_pass_unseen() -> None:
    order, _ = begin([("ana", 15), ("wolf", 12), ("bo", 5)])
    order, came = remove(order, "wolf")
    assert came == []
    order, came = next_turn(order)
    assert names(came) == ["turn_end ana", "turn_start wolf", "turn_end wolf", "turn_start bo"]
    order, came = add(order, "wolf", 12)
    assert came == [] and [slot.subject for slot in order.slots] == ["ana", "wolf", "bo"]


def test_who_leaves_in_their_own_turn_ends_it() -> None:
    order, _ = begin([("ana", 15), ("wolf", 12)])
    order, came = remove(order, "ana")
    assert names(came) == ["turn_end ana", "turn_start wolf"] and whose_turn(order) == "wolf"
    order, came = remove(order, "wolf")
    assert came == []
    with pytest.raises(Refused, match="Nobody is left"):
        next_turn(order)


def test_joining_does_not_change_whose_turn_it_is() -> None:
    order, _ = begin([("ana", 15), ("wolf", 12)])
    order, _ = next_turn(order)
    order, _ = add(order, "bo", 20)
    assert whose_turn(order) == "wolf" and [slot.subject for slot in order.slots] == ["bo", "ana", "wolf"]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(1, 20), min_size=2, max_size=5),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=25),
)
def test_whatever_happens_turns_nest_and_nobody_has_two_a_round(
    initiatives: list[int], deeds: list[tuple[int, int]]
) -> None:
    order, came = begin([(f"s{number}", value) for number, value in enumerate(initiatives)])
    log = list(came)
    turns: Counter[tuple[int, str]] = Counter({(1, whose_turn(order)): 1})
    for what, who in deeds:
        order, came = try_deed(order, what, f"s{who % len(initiatives)}")
        log += came
        if any(instant.at == "turn_start" for instant in came):
            turns[order.round, whose_turn(order)] += 1
    assert all(count == 1 for count in turns.values())
    open_turn = ""
    for instant in log:
        if instant.at == "turn_start":
            assert open_turn == ""
            open_turn = instant.of
        elif instant.at == "turn_end":
            assert open_turn == instant.of
            open_turn = ""
        else:
            assert open_turn == ""


def try_deed(order: Order, what: int, who: str) -> tuple[Order, list[Instant]]:
    """One deed; what is refused changes nothing."""
    try:
        if what == 0:
            return remove(order, who)
        if what == 1:
            return move(order, who, 7)
        return next_turn(order)
    except Refused:
        return order, []


def test_a_foe_knits_unless_burnt_since_its_last_turn() -> None:
    it = pack(FOES)
    burnt = Held(id="burnt-1", card="burnt", ends=Ends(at="turn_start", of="troll"))
    troll = foe("troll", 10, Held(id="knits-1", card="knits"), burnt)
    first = happen(it, {"troll": troll}, Instant("turn_start", "troll"), ChosenDice([]))
    assert first.subjects["troll"].values["hp"] == 10
    assert [(effect.verb, effect.card) for effect in first.effects] == [("end", "burnt")]
    second = happen(it, first.subjects, Instant("turn_start", "troll"), ChosenDice([]))
    assert second.subjects["troll"].values["hp"] == 12
    other = happen(it, first.subjects, Instant("turn_start", "ana"), ChosenDice([]))
    assert other.subjects["troll"].values["hp"] == 10


def test_a_zone_acts_at_the_start_of_each_turn_in_it_for_three_rounds() -> None:
    it = pack(FOES)
    embers = Held(id="embers-1", card="embers", values={"power": 1}, ends=Ends(at="round_end", count=3))
    state, dice = {"troll": foe("troll", 20, embers)}, ChosenDice([2, 3, 4])
    order, came = begin([("ana", 15), ("troll", 12)])
    hp = []
    for _ in range(5):
        order, more = next_turn(order)
        found = happen_all(it, state, came + more, dice)
        state = found.subjects
        hp.append(state["troll"].values["hp"])
        order, came = next_turn(order)
    assert hp == [18, 15, 11, 11, 11] and dice.left == 0


def test_the_instant_of_the_source_counts_where_the_trigger_says_so() -> None:
    it = pack(FOES)
    state = {"troll": foe("troll", 10, Held(id="vengeful-1", card="vengeful", source="ana"))}
    assert happen(it, state, Instant("turn_end", "troll"), ChosenDice([])).subjects["troll"].values["hp"] == 10
    assert happen(it, state, Instant("turn_end", "ana"), ChosenDice([])).subjects["troll"].values["hp"] == 9


def test_effects_alone_rebuild_and_undo_what_happened() -> None:
    it = pack(FOES)
    embers = Held(id="embers-1", card="embers", values={"power": 2}, ends=Ends(at="turn_start", of="troll", count=2))
    before = foe("troll", 20, embers)
    found = happen(it, {"troll": before}, Instant("turn_start", "troll"), ChosenDice([6, 5]))
    assert found.faces == [6, 5] and found.subjects["troll"].values["hp"] == 9
    assert found.subjects["troll"].held[0].ends == Ends(at="turn_start", of="troll", count=1)
    assert apply_effects(before, found.effects) == found.subjects["troll"]
    back = [undo for effect in reversed(found.effects) if (undo := undo_effect(effect)) is not None]
    assert apply_effects(found.subjects["troll"], back) == before


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("at: turn_start, kinds", "at: turn_strat, kinds", "no instant is called 'turn_strat' (turn_start)"),
        ("token.power", "token.powr", "no field of token is called 'powr'"),
        ("kinds: [foe], when", "kinds: [foo], when", "no kind of subject is called 'foo' (foe)"),
        ("steps: [{change: {holder.hp: 2}}]", "steps: [{ask: a, flag: true}]", "it cannot ask 'a'"),
    ],
)
def test_triggers_are_checked(old: str, new: str, message: str) -> None:
    assert message in "\n".join(problems(FOES.replace(old, new, 1)))
