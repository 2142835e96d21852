"""What each verb does, by dice laid out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from rules.dice import ChosenDice, RecordedDice, SystemDice
from rules.problems import BudgetExceeded, DiceError, GivenError
from rules.sheets import Actor, Held, Sheet, Subject, explain_stat
from rules.sheets.instants import expire
from rules.tests import TestRun, apply_effects, render, run, undo_effect
from tests.rules.small import one_test, pack, problems

HERO = """
kinds:
  hero:
    title: Hero
    stats:
      might: {type: int, min: -5, max: 5, bounds: clamp, default: 2}
      marks: {type: int, min: 0, max: 1, default: 0}
      secret: {type: int, default: 3, seen: gm}
      rank: {type: name, each: skill, options: [unlearnt, learnt], default: unlearnt}
      words: {type: list, of: {type: record, fields: {text: {type: text}, lasting: {type: flag}}}}
      twice: {formula: might * 2}
      bonus: {each: skill, formula: "2 if rank[skill] == 'learnt' else 0"}
card_types:
  skill: {title: Skill, fields: {trait: {type: name, options: [body, mind]}}}
  condition: {title: Condition}
cards:
  skill:
    climbing: {title: Climbing, values: {trait: body}}
    riddles: {title: Riddles, values: {trait: mind}}
  condition:
    tired: {title: Tired, stacks: count, modifiers: [{stat: might, add: -2}]}
    brave: {title: Brave, modifiers: [{stat: might, add: 1, when: marks == 0}]}
"""


def roll(steps: str, dice: list[int], choices: dict[str, Any] | None = None, **given: Any) -> TestRun:
    inputs = ", ".join(f"{name}: {{type: {'flag' if isinstance(v, bool) else 'int'}}}" for name, v in given.items())
    source = ChosenDice(dice)
    found = run(pack(one_test(steps, inputs)), "it", given, source, choices or {})
    assert source.left == 0
    return found


def act(steps: str, subject: Subject | None = None, **more: Any) -> tuple[TestRun, Subject]:
    """Run steps on a hero; the run, and the hero after its effects."""
    subject = subject or Subject(id="ana", kind="hero")
    text = one_test(steps, more.pop("inputs", ""), "roles: {hero: {kinds: [hero]}}\n")
    found = run(pack(HERO, text), "it", more.pop("given", {}), ChosenDice([]), {}, subjects={"hero": subject}, **more)
    return found, apply_effects(subject, found.effects)


def faces(found: TestRun, name: str = "pool") -> list[int]:
    return [die.face for die in found.rolls[name] if die.kept]


def test_roll_reads() -> None:
    found = roll("- {roll: pool, dice: 3d6}\n- {let: {t: pool.total, c: pool.count, f: 'pool.faces[1]'}}", [4, 1, 6])
    assert (found.values["t"], found.values["c"], found.values["f"]) == (11, 3, 1)


def test_keep_drops_the_rest_and_says_so() -> None:
    found = roll("- {roll: pool, dice: 2d20}\n- {keep: pool, highest: 1}\n- {let: {t: pool.total}}", [7, 15])
    assert found.values["t"] == 15
    assert [(die.face, die.kept, die.why) for die in found.rolls["pool"]] == [(7, False, "dropped"), (15, True, "")]


def test_drop_spares_what_the_condition_spares() -> None:
    """The two lowest, but never a 1: of 3 1 2 9 the 2 and the 3 go."""
    found = roll("- {roll: pool, dice: 4d12}\n- {drop: pool, lowest: 2, where: face != 1}", [3, 1, 2, 9])
    assert faces(found) == [1, 9]


def test_reroll_of_one_of_two_dice_before_the_pick() -> None:
    steps = """
    - {roll: pool, dice: 2d20}
    - {ask: which, roll_of: pool}
    - {reroll: pool, die: which}
    - {keep: pool, highest: 1}
    """
    waiting = roll(steps, [4, 9])
    assert waiting.pending is not None and waiting.pending.kind == "die"
    assert [option.id for option in waiting.pending.options] == ["1", "2"]
    found = roll(steps, [4, 9, 18], {"which": 1})
    assert faces(found) == [18]
    assert found.rolls["pool"][0].before == (4,) and found.rolls["pool"][0].natural == 18


def test_reroll_of_all_that_fit() -> None:
    assert faces(roll("- {roll: pool, dice: 3d6}\n- {reroll: pool, where: face == 1}", [1, 5, 1, 6, 2])) == [6, 5, 2]


def test_cancel_takes_as_many_pairs_as_the_scarcer_face_has() -> None:
    found = roll("- {roll: pool, dice: 4d12}\n- {cancel: pool, where: face == 12, against: face == 1}", [12, 12, 1, 5])
    assert faces(found) == [12, 5]


ADJUST = """
- {roll: pool, dice: 3d6}
- adjust: pool
  by: n
  aim: count(f for f in faces if f >= 5)
  protect: face == 6
  into: moves
- {let: {used: moves.used, reached: moves.value}}
"""


def test_adjust_at_its_best_uses_the_fewest_steps() -> None:
    """4 2 6 up by 3: the 4 to 5 takes one step; the 2 would need three, and only two are left."""
    found = roll(ADJUST, [4, 2, 6], {"moves": "best"}, n=3)
    assert (found.values["used"], found.values["reached"]) == (1, 2)
    assert faces(found) == [5, 2, 6]


def test_adjust_down_makes_the_aim_low_and_spares_protected_dice() -> None:
    """5 6 6 down by 2: only the 5 may move."""
    found = roll(ADJUST, [5, 6, 6], {"moves": "best"}, n=-2)
    assert found.values["reached"] == 2 and faces(found) == [4, 6, 6]


def test_adjust_as_chosen() -> None:
    found = roll(ADJUST, [4, 2, 6], {"moves": [{"die": 2, "to": 4}]}, n=3)
    assert (found.values["used"], faces(found)) == (2, [4, 4, 6])
    waiting = roll(ADJUST, [4, 2, 6], n=3)
    assert waiting.pending is not None
    assert (waiting.pending.movable, waiting.pending.steps, waiting.pending.direction) == ([1, 2], 3, "up")


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ([{"die": 3, "to": 5}], "die 3 cannot be adjusted"),
        ([{"die": 1, "to": 3}], "only be turned up"),
        ([{"die": 1, "to": 7}], "no face 7"),
        ([{"die": 2, "to": 6}], "4 steps are more than 3"),
        ([{"die": 1, "to": 5}, {"die": 1, "to": 6}], "named once"),
        ([{"die": 1}], "a move is a die"),
        ("worst", "a list of moves is wanted"),
    ],
)
def test_adjustments_out_of_the_rules_are_refused(moves: Any, message: str) -> None:
    with pytest.raises(GivenError, match=message):
        roll(ADJUST, [4, 2, 6], {"moves": moves}, n=3)


def test_a_roll_under_a_condition_is_no_dice_otherwise() -> None:
    steps = "- {roll: extra, dice: d4, when: more}\n- {let: {t: extra.total}}"
    assert roll(steps, [], more=False).values["t"] == 0
    assert roll(steps, [3], more=True).values["t"] == 3


def test_pick_takes_the_first_that_fits() -> None:
    steps = "- {pick: band, from: [{is: high, when: n >= 7}, {is: some, when: n >= 3}, {is: low}]}"
    assert [roll(steps, [], n=n).values["band"] for n in (7, 6, 3, 2)] == ["high", "some", "some", "low"]


def test_do_and_else() -> None:
    steps = "- {do: [{let: {x: 1}}], when: n > 0, else: [{let: {x: 2}}]}\n- {let: {y: x}}"
    assert [roll(steps, [], n=n).values["y"] for n in (1, 0)] == [1, 2]


def test_repeat_names_the_rolls_and_choices_of_each_turn() -> None:
    steps = """
    - {let: {sum: 0}}
    - repeat: 2
      as: turn
      steps:
        - {roll: die, dice: d6}
        - {ask: double, flag: true}
        - {let: {sum: "sum + die.total * (2 if double else 1)"}}
    """
    waiting = roll(steps, [3, 5], {"1.double": True})
    assert waiting.pending is not None and waiting.pending.id == "2.double"
    found = roll(steps, [3, 5], {"1.double": True, "2.double": False})
    assert found.values["sum"] == 11 and sorted(found.rolls) == ["1.die", "2.die"]


def test_a_waiting_run_goes_on_from_its_faces_and_choices_alone() -> None:
    steps = """
    - {roll: a, dice: 2d6}
    - {ask: again, flag: true}
    - {roll: b, dice: d6, when: again}
    - {let: {t: a.total + b.total}}
    """
    it = pack(one_test(steps))
    first = run(it, "it", {}, ChosenDice([2, 5]), {})
    assert first.status == "pending" and first.effects == [] and first.facts == {}
    dice = RecordedDice(first.faces, ChosenDice([6]))
    second = run(it, "it", {}, dice, {**first.choices, "again": True})
    assert second.status == "done" and second.values["t"] == 13 and second.faces == [2, 5, 6] == dice.faces


def test_procedures_see_only_what_they_take() -> None:
    text = one_test("- {call: add, with: {a: n, b: 2}, into: one}\n- {let: {x: one.sum}}", "n: {type: int}")
    procedures = "procedures:\n  add: {takes: {a: int_, b: int_}, steps: [{let: {sum: a + b}}], gives: [sum]}\n"
    it = pack(text, procedures.replace("int_", "{type: int}"))
    assert run(it, "it", {"n": 5}, ChosenDice([]), {}).values["x"] == 7


def test_require_refuses_and_changes_nothing() -> None:
    found, after = act(
        "- {change: {hero.marks: 1}}\n- {require: hero.marks == 0, reason: full, text: '{hero.marks} held'}"
    )
    assert found.status == "refused" and found.refused is not None
    assert (found.refused.reason, found.refused.text, found.effects) == ("full", "1 held", [])
    assert after.values == {}


def test_changes_are_seen_by_later_steps_and_recorded() -> None:
    found, after = act("- {change: {hero.marks: 1}}\n- {let: {m: hero.marks}}\n- {set: {hero.might: 4}}")
    assert found.values["m"] == 1
    assert [(e.stat, e.before, e.after) for e in found.effects] == [("marks", 0, 1), ("might", 2, 4)]
    assert after.values == {"marks": 1, "might": 4}


def test_bounds_clamp_or_refuse_as_the_stat_says() -> None:
    assert act("- {change: {hero.might: 9}}")[1].values == {"might": 5}
    found, after = act("- {change: {hero.marks: 2}}")
    assert found.refused is not None and found.refused.reason == "out_of_bounds" and after.values == {}


def test_values_by_card() -> None:
    found, after = act(
        "- {set: {'hero.rank[skill]': \"'learnt'\"}}\n- {let: {b: 'hero.bonus[skill]', t: skill.trait}}",
        inputs="skill: {type: card, card: skill}",
        given={"skill": "riddles"},
    )
    assert (found.values["b"], found.values["t"]) == (2, "mind")
    assert after.values == {"rank": {"riddles": "learnt"}}


def test_lists_of_records() -> None:
    _, after = act(
        """
        - {insert: hero.words, values: {text: "'kind'", lasting: true}}
        - {insert: hero.words, values: {text: "'cold'", lasting: true}}
        - {update: hero.words, where: item.text == 'cold', values: {lasting: false}}
        - {remove: hero.words, where: item.lasting}
        """
    )
    assert after.values == {"words": [{"text": "cold", "lasting": False}]}


def test_cards_in_force_change_stats_and_end_by_themselves() -> None:
    found, after = act(
        """
        - {apply: tired, of: hero, until: {at: turn_end, of: hero, count: 2}}
        - {apply: tired, of: hero}
        - {apply: brave, of: hero}
        - {apply: brave, of: hero}
        - {let: {m: hero.might, b: hero.might.base, t: "held(hero, 'tired')", d: hero.twice}}
        """
    )
    assert (found.values["m"], found.values["b"], found.values["t"], found.values["d"]) == (-1, 2, 2, -2)
    assert [thing.id for thing in after.held] == ["tired-1", "tired-2", "brave-1"]
    stays, ends = expire(after.held, "turn_end", "somebody else")
    assert not ends
    stays, ends = expire(stays, "turn_end", "ana")
    assert not ends
    stays, ends = expire(stays, "turn_end", "ana")
    assert [thing.id for thing in ends] == ["tired-1"] and [thing.id for thing in stays] == ["tired-2", "brave-1"]


def test_an_effect_can_be_taken_back() -> None:
    before = Subject(id="ana", kind="hero", held=[Held(id="tired-1", card="tired", values={"x": 1}, source="bo")])
    found, after = act("- {end: tired, of: hero}\n- {change: {hero.marks: 1}}", before)
    assert after.held == []
    back = [undo for effect in reversed(found.effects) if (undo := undo_effect(effect)) is not None]
    assert apply_effects(after, back).held == before.held


def test_why_is_this_number_this() -> None:
    it = pack(HERO)
    ana = Subject(id="ana", kind="hero", held=[Held(id="tired-1", card="tired"), Held(id="brave-1", card="brave")])
    sheet = Sheet(ana, it.kinds["hero"], it.settings)
    why = explain_stat(sheet, "might")
    assert (why.value, why.base) == (1, 2)
    assert [(part.card, part.value) for part in why.modifiers] == [("tired", -2), ("brave", 1)]
    derived = explain_stat(sheet, "twice")
    assert (derived.value, derived.formula) == (2, "might * 2")
    assert [(part.source, part.value) for part in derived.parts] == [("might", 1)]


def test_who_acts_can_be_read() -> None:
    steps = "- {require: asker == 'player' and hero.mine, reason: not_yours}"
    player = Actor(seat="player", plays=frozenset({"ana"}))
    assert act(steps, actor=player)[0].status == "done"
    assert act(steps, actor=Actor(seat="player"))[0].status == "refused"
    assert act(steps, actor=Actor(seat="gm", plays=frozenset({"ana"})))[0].status == "refused"


def test_what_is_hidden_stays_hidden_in_trace_facts_and_effects() -> None:
    text = one_test(
        """
        - {roll: check, dice: d20}
        - {let: {total: check.total + hero.secret, margin: total - goal}}
        - {pick: verdict, from: [{is: yes_, when: total >= goal}, {is: no_}], seen: all}
        - {outcome: done, facts: {verdict: verdict, margin: margin, face: check.total}}
        """.replace("yes_", "success").replace("no_", "failure"),
        "goal: {type: int, seen: gm}",
        "roles: {hero: {kinds: [hero]}}\noutcomes: {done: {title: Done}}\n",
    )
    found = run(
        pack(HERO, text), "it", {"goal": 12}, ChosenDice([9]), {}, subjects={"hero": Subject(id="a", kind="hero")}
    )
    assert found.facts == {"verdict": "success", "margin": 0, "face": 9}
    assert found.facts_seen == {"margin": "gm"}
    assert {step.name: step.seen for step in found.trace if step.name and step.kind != "why"} == {
        "check": "all",
        "total": "gm",
        "margin": "gm",
        "verdict": "all",
        "done": "all",
    }


def test_a_value_that_is_revealed_does_not_betray_its_operands() -> None:
    text = one_test(
        """
        - {roll: check, dice: d20}
        - {let: {enough: check.total >= goal}, seen: all, text: "{enough}"}
        - {pick: verdict, from: [{is: good, when: check.total >= goal}, {is: bad}], seen: all}
        """,
        "goal: {type: int, seen: gm}",
    )
    found = run(pack(text), "it", {"goal": 7}, ChosenDice([9]), {})
    for_all = [step for step in found.trace if step.seen == "all"]
    assert [step.name for step in for_all if step.kind in ("let", "pick")] == ["enough", "verdict"]
    assert all(part.value != 7 for step in for_all for part in step.parts)
    assert {step.seen for step in found.trace if any(part.value == 7 for part in step.parts)} == {"gm"}


@pytest.mark.parametrize(
    ("given", "field"),
    [({}, "n"), ({"n": 11}, "n"), ({"n": "x"}, "n"), ({"n": True}, "n"), ({"n": 1, "m": 2}, "m")],
)
def test_what_is_given_must_fit(given: dict[str, Any], field: str) -> None:
    it = pack(one_test("- {narrate: x}", "n: {type: int, max: 10}"))
    with pytest.raises(GivenError) as caught:
        run(it, "it", given, SystemDice(), {})
    assert caught.value.field == field


def test_budgets() -> None:
    it = pack(one_test("- {roll: pool, count: n, sides: 6}", "n: {type: int}"))
    with pytest.raises(BudgetExceeded, match="at most 500 dice"):
        run(it, "it", {"n": 501}, SystemDice(), {})
    with pytest.raises(DiceError):
        run(it, "it", {"n": 2}, ChosenDice([3]), {})


def test_the_trace_reads_as_lines() -> None:
    found = roll("- {roll: pool, dice: 2d6}\n- {let: {t: pool.total + n}, text: '{t} in all'}", [2, 5], n=3)
    assert render(found.trace).splitlines() == [
        "roll pool: d6:2 d6:5",
        "let t = 10 [pool.total + n; pool.total 7, n 3]",
        "10 in all",
    ]


def test_a_question_says_what_its_braces_hold() -> None:
    steps = """
    - {roll: pool, dice: 3d6}
    - {let: {hits: "sum(1 for f in pool.faces if f >= 5)"}}
    - {ask: push, flag: true, title: "Push? {hits} hits so far"}
    - {adjust: pool, by: 1, aim: sum(faces), title: "One up, from {pool.total}"}
    """
    small = pack(one_test(steps))
    found = run(small, "it", {}, ChosenDice([5, 1, 6]), {})
    assert found.pending is not None and found.pending.title == "Push? 2 hits so far"
    found = run(small, "it", {}, ChosenDice([5, 1, 6]), {"push": True})
    assert found.pending is not None and found.pending.title == "One up, from 12"


def test_a_question_tells_nobody_a_secret() -> None:
    steps = """
    - {roll: d20, sides: 20}
    - {ask: sure, flag: true, title: "Sure? It was against {goal}"}
    """
    assert "everybody at the table reads a question" in problems(one_test(steps, "goal: {type: int, seen: gm}"))[0]
    assert "unknown name 'gaol'" in problems(one_test(steps.replace("goal", "gaol")))[0]


def test_options_of_a_question_stand_in_order_with_what_is_said_behind_them() -> None:
    steps = """- {ask: by, card: skill, who: roller, first: "option == 'riddles'", beside: "+{hero.bonus[option]}"}"""
    asked, _ = act(steps)
    assert asked.pending is not None
    found = [(one.id, one.title, one.note, one.first) for one in asked.pending.options]
    assert found == [("riddles", "Riddles", "+0", True), ("climbing", "Climbing", "+0", False)]


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("{ask: sure, flag: true, beside: x}", "`beside` goes with `options` or `card`"),
        ('{ask: by, options: [a, b], beside: "{hero.secret}"}', "what only gm may see cannot stand in it"),
        ("{ask: by, options: [a, b], first: option == 'c'}", "'c'"),
    ],
)
def test_what_would_say_nothing_or_too_much_beside_an_option_is_refused(step: str, said: str) -> None:
    text = (
        HERO
        + f"""
tests:
  it:
    title: It
    roles: {{hero: {{kinds: [hero]}}}}
    steps:
      - {step}
"""
    )
    assert any(said in one for one in map(str, problems(text)))
