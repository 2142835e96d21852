"""Instants that a test makes happen, lists that tell of all cards, updates that read the item, fitted subjects."""

from __future__ import annotations

import pytest

from rules.dice import ChosenDice
from rules.fight import Instant, happen
from rules.packs import load_files, schema
from rules.problems import PackError
from rules.sheets import Ends, Held, Subject
from rules.tests import run, undo_effect
from rules.tests.effects import apply_effects
from rules.tests.seats import may_call
from tests.rules.small import one_test, pack, problems
from tests.rules.test_verbs import HERO, act


def held(card: str, number: int, at: str, of: str = "", count: int = 1) -> Held:
    return Held(id=f"{card}-{number}", card=card, ends=Ends(at=at, of=of, count=count))


def test_an_instant_ends_what_was_to_last_until_then() -> None:
    tired = [held("tired", 1, "turn_end", "ana"), held("tired", 2, "turn_end", "bo"), held("tired", 3, "scene_end")]
    before = Subject(id="ana", kind="hero", held=tired)
    found, after = act("- {happens: turn_end, of: hero}\n- {let: {t: \"held(hero, 'tired')\"}}", before)
    assert [thing.id for thing in after.held] == ["tired-2", "tired-3"]
    assert found.values["t"] == 2


def test_what_must_see_an_instant_twice_is_counted_down_and_can_be_taken_back() -> None:
    before = Subject(id="ana", kind="hero", held=[held("tired", 1, "turn_end", "ana", 2)])
    found, after = act("- {happens: turn_end, of: hero}", before)
    assert after.held == [held("tired", 1, "turn_end", "ana", 1)]
    undone = [undo_effect(effect) for effect in reversed(found.effects)]
    assert apply_effects(after, [effect for effect in undone if effect is not None]).held == before.held


def test_an_instant_reaches_everybody_who_takes_part() -> None:
    roles = "roles: {hero: {kinds: [hero]}, other: {kinds: [hero]}}\n"
    subjects = {
        "hero": Subject(id="ana", kind="hero", held=[held("brave", 1, "scene_end")]),
        "other": Subject(id="bo", kind="hero", held=[held("tired", 1, "scene_end")]),
    }
    text = one_test("- {happens: scene_end}", "", roles)
    found = run(pack(HERO, text), "it", {}, ChosenDice([]), {}, subjects=subjects)
    assert [(effect.subject, effect.verb, effect.card) for effect in found.effects] == [
        ("ana", "end", "brave"),
        ("bo", "end", "tired"),
    ]


def test_instants_are_known_and_somebodys_or_nobodys() -> None:
    roles = "roles: {hero: {kinds: [hero]}}\n"
    for step, message in (
        ("{happens: turn_stop, of: hero}", "no instant is called"),
        ("{happens: turn_end}", "is the instant of somebody"),
        ("{happens: scene_end, of: hero}", "is nobody's"),
    ):
        (said,) = problems(HERO, one_test(f"- {step}", "", roles))
        assert message in said


def test_every_card_of_a_type() -> None:
    found, _ = act("- {let: {n: \"count(every('skill'))\", first: \"every('skill')[0]\"}}")
    assert (found.values["n"], found.values["first"]) == (2, "climbing")
    (said,) = problems(HERO, one_test("- {let: {n: \"count(every('skil'))\"}}"))
    assert "(skill)" in said


def test_an_update_reads_the_item_as_it_was() -> None:
    before = Subject(
        id="ana", kind="hero", values={"words": [{"text": "a", "lasting": True}, {"text": "b", "lasting": False}]}
    )
    _, after = act("- {update: hero.words, where: item.text != '', values: {lasting: not item.lasting}}", before)
    assert after.values["words"] == [{"text": "a", "lasting": False}, {"text": "b", "lasting": True}]


def test_what_a_stored_record_or_held_card_leaves_out_has_its_default() -> None:
    hero = """
    kinds:
      hero:
        title: Hero
        stats:
          words: {type: list, of: {type: record, fields: {text: {type: text}, state: {type: text, default: new}}}}
    card_types: {ward: {title: Ward, held: {strength: {type: int, default: 4}}}}
    cards: {ward: {shield: {title: Shield}}}
    """
    steps = '- {let: {w: "hero.words[0].state", s: "sum(t.strength for t in tokens(hero, \'shield\'))"}}'
    subject = Subject(id="ana", kind="hero", values={"words": [{"text": "a"}]}, held=[Held(id="s-1", card="shield")])
    text = one_test(steps, "", "roles: {hero: {kinds: [hero]}}\n")
    found = run(pack(hero, text), "it", {}, ChosenDice([]), {}, subjects={"hero": subject})
    assert (found.values["w"], found.values["s"]) == ("new", 4)


def test_an_empty_list_can_be_left_out() -> None:
    procedure = """
    procedures:
      add:
        takes: {some: {type: list, of: {type: int}, default: []}}
        steps: [{let: {total: sum(some)}}]
        gives: [total]
    """
    text = one_test("- {call: add, into: one}\n- {call: add, with: {some: '[2, 3]'}, into: two}")
    found = run(pack(procedure, text), "it", {}, ChosenDice([]), {})
    assert (found.values["one"], found.values["two"]) == ({"total": 0}, {"total": 5})


def test_seats_call_for_what_is_theirs_and_give_what_is_theirs() -> None:
    spec = schema.Test(
        title="It", steps=[], called_by=("gm", "player"), inputs={"goal": schema.Input(by="gm"), "n": schema.Input()}
    )
    assert may_call(spec, {"goal": 1}, "gm") and may_call(spec, {"n": 1}, "player")
    assert not may_call(spec, {"goal": 1}, "player") and not may_call(spec, {}, "watcher")


PACT = {
    "pack.yaml": b"id: p\nversion: 1.0.0\ntitle: P\nsource: x\nrights: x\n",
    "rules.yaml": b"""
calendar:
  ladder:
    - {id: week, title: Week, unit: iso_monday}
    - {id: moon, title: Moon, of: week, count: 4}
  stamp: "{moon} {week}"
  paused_stamp: "{moon}"
kinds: {hero: {title: Hero, stats: {debt: {type: int, min: 0, max: 99, default: 0}}}}
card_types: {rule: {title: Rule, by_hand: true}}
cards:
  rule:
    lender:
      title: Lender
      triggers: [{at: moon_end, kinds: [hero], steps: [{roll: more, sides: 6}, {change: {holder.debt: more.total}}]}]
    guest:
      title: Guest
      triggers: [{at: moon_end, late: true, kinds: [hero], steps: [{happens: moon_end}, {change: {holder.debt: 1}}]}]
tests:
  moonset:
    title: The moon sets
    roles: {hero: {kinds: [hero]}}
    steps: [{happens: moon_end}, {let: {owed: hero.debt}}]
    facts: {owed: owed}
""",
}


def test_a_step_happens_lets_cards_act_as_an_instant_does() -> None:
    pack = load_files(PACT)
    hero = Subject(id="ana", kind="hero", held=[Held(id="l", card="lender"), Held(id="g", card="guest")])
    found = run(pack, "moonset", {}, ChosenDice([4]), subjects={"hero": hero})
    came = happen(pack, {"ana": hero}, Instant("moon_end"), ChosenDice([4]))
    # The lender's four, then the late guest's one; an instant does not come again while it passes.
    assert found.facts == {"owed": 5} and came.subjects["ana"].values == {"debt": 5}
    assert found.passed == [("moon_end", "")]


def test_a_pack_with_a_calendar_waits_for_its_own_periods() -> None:
    files = {**PACT, "rules.yaml": PACT["rules.yaml"].replace(b"at: moon_end, kinds", b"at: season_end, kinds")}
    with pytest.raises(PackError) as caught:
        load_files(files)
    (problem,) = caught.value.problems
    assert problem.message == "no instant is called 'season_end'" and problem.suggestion == "session_end"
