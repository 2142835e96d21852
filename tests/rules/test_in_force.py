"""Which cards are in force on a sheet, what they do to its numbers, and numbers with a top that is worked out."""

from __future__ import annotations

from typing import Any

from rules.dice import ChosenDice
from rules.sheets import Held, Sheet, Subject, explain_stat
from rules.tests import TestRun, apply_effects, run
from tests.rules.small import one_test, pack, problems

GAME = """
kinds:
  hero:
    title: Hero
    stats:
      level: {type: int, min: 1, max: 9, default: 1}
      people: {type: card, card: people, optional: true, holds: true}
      arts: {type: list, of: {type: card, card: art}, holds: true}
      rate: {type: int, formula: "1"}
      top: {type: int, formula: 5 + level * rate}
      breath: {type: int, min: 0, default: 999, at_most: top}
      weight: {type: int, formula: "0"}
      ease: {type: int, each: art, formula: "0"}
      skilled: {type: flag, each: art, formula: "has(self, art)"}
card_types:
  people: {title: People, fields: {sturdy: {type: int}}, modifiers: [{stat: rate, add: card.sturdy}]}
  art: {title: Art}
  gift: {title: Gift}
  thing:
    title: Thing
    fields: {heavy: {type: int}}
    held: {worn: {type: flag}}
    modifiers: [{stat: weight, add: card.heavy, when: not token.worn}]
cards:
  people:
    hillfolk: {title: Hillfolk, values: {sturdy: 2}, grants: [lungs, weaving]}
    reedfolk: {title: Reedfolk, values: {sturdy: 1}, grants: [{card: lungs, when: level >= 3}]}
  art:
    weaving: {title: Weaving}
    singing: {title: Singing}
  gift:
    lungs: {title: Lungs, modifiers: [{stat: top, add: 10}, {stat: ease, key: singing, add: 1}]}
  thing:
    pack: {title: Pack, stacks: count, values: {heavy: 4}}
"""


def sheet(held: list[Held] | None = None, **values: Any) -> Sheet:
    game = pack(GAME)
    return Sheet(Subject(id="ana", kind="hero", values=values, held=held or []), game.kinds["hero"], game.settings)


def act(steps: str, subject: Subject) -> tuple[TestRun, Subject]:
    text = one_test(steps, "", "roles: {hero: {kinds: [hero]}}\n")
    found = run(pack(GAME, text), "it", {}, ChosenDice([]), {}, subjects={"hero": subject})
    return found, apply_effects(subject, found.effects)


def packs(*worn: bool) -> list[Held]:
    return [Held(id=f"pack-{n}", card="pack", values={"worn": one}) for n, one in enumerate(worn, 1)]


def test_a_card_that_a_stat_names_is_in_force_with_all_that_comes_with_it() -> None:
    ana = sheet(people="hillfolk")
    assert [held.card for held in ana.cards] == ["hillfolk", "lungs", "weaving"]
    assert (ana["rate"], ana["top"], ana["skilled"]["weaving"], ana["skilled"]["singing"]) == (3, 18, True, False)
    assert ana.held == [] and ana.subject().held == []


def test_what_is_there_once_is_there_once() -> None:
    ana = sheet(people="hillfolk", arts=["weaving", "singing"], held=[Held(id="lungs-1", card="lungs")])
    assert sorted(held.card for held in ana.cards) == ["hillfolk", "lungs", "singing", "weaving"]
    assert ana["top"] == 5 + 3 + 10


def test_a_grant_waits_for_its_condition() -> None:
    assert sheet(people="reedfolk", level=2)["top"] == 5 + 2 * 2
    assert sheet(people="reedfolk", level=3)["top"] == 5 + 3 * 2 + 10


def test_a_condition_sees_what_others_bring_whatever_their_order() -> None:
    game = GAME.replace(
        "gift:\n    lungs:",
        "gift:\n    loom: {title: Loom, grants: [{card: lungs, when: \"has(self, 'weaving')\"}]}\n    lungs:",
    )
    plan = pack(game)
    for held in ([Held(id="loom-1", card="loom")], []):
        ana = Subject(id="ana", kind="hero", values={"people": "none", "arts": ["weaving"]}, held=held)
        sheet_of = Sheet(ana, plan.kinds["hero"], plan.settings)
        assert (sheet_of.count_held("lungs") == 1) is bool(held) and sheet_of["top"] == (16 if held else 6)


def test_a_modifier_of_a_type_reads_the_card_and_what_it_carries() -> None:
    ana = sheet(held=packs(True, False, False))
    assert ana["weight"] == 8
    assert [(part.card, part.value) for part in explain_stat(ana, "weight").modifiers] == [("pack", 4), ("pack", 4)]


def test_a_modifier_reaches_one_value_of_many() -> None:
    ana = sheet(people="hillfolk")
    assert (ana["ease"]["singing"], ana["ease"]["weaving"]) == (1, 0)
    assert [part.card for part in explain_stat(ana, "ease", "singing").modifiers] == ["lungs"]
    assert explain_stat(ana, "ease", "weaving").modifiers == ()


def test_a_number_with_a_top_reads_below_it_and_is_cut_for_good_when_the_top_falls() -> None:
    assert sheet(people="hillfolk")["breath"] == 18
    ana = Subject(id="ana", kind="hero", values={"people": "hillfolk", "breath": 12})
    _, without = act("- {set: {hero.people: \"'none'\"}}", ana)
    assert without.values["breath"] == 6
    _, again = act("- {set: {hero.people: \"'hillfolk'\"}}", without)
    assert again.values["breath"] == 6


def test_a_top_that_rises_lifts_nothing() -> None:
    found, ana = act("- {change: {hero.level: 1}}", Subject(id="ana", kind="hero"))
    assert (ana.values["level"], ana.values["breath"]) == (2, 6)
    assert [(effect.stat, effect.after) for effect in found.effects] == [("breath", 6), ("level", 2)]


def test_what_held_cards_carry_can_change() -> None:
    step = "- {update: pack, of: hero, where: not item.worn, values: {worn: true}}"
    found, ana = act(step, Subject(id="ana", kind="hero", held=packs(True, False)))
    assert [(held.id, held.values) for held in ana.held] == [("pack-1", {"worn": True}), ("pack-2", {"worn": True})]
    assert [effect.verb for effect in found.effects if effect.stat == ""] == ["end", "apply"]


def test_what_a_loader_refuses() -> None:
    first = problems(GAME.replace("at_most: top}", "at_most: top, formula: top}"))
    assert any("bound that is worked out" in line for line in first), first
    said = problems(GAME.replace("key: singing", "key: sining").replace("grants: [lungs, weaving]", "grants: [longs]"))
    assert len(said) == 2 and all("lungs" in line or "singing" in line for line in said), said


def test_a_condition_tells_what_a_name_is_not() -> None:
    text = one_test(
        "- {require: \"art != 'none'\", reason: wanted}\n- {insert: hero.arts, value: art}",
        "art: {type: card, card: art, optional: true}",
        "roles: {hero: {kinds: [hero]}}\n",
    )
    hero = Subject(id="ana", kind="hero")
    refused = run(pack(GAME, text), "it", {}, ChosenDice([]), {}, subjects={"hero": hero})
    assert refused.refused is not None and refused.refused.reason == "wanted"
    found = run(pack(GAME, text), "it", {"art": "singing"}, ChosenDice([]), {}, subjects={"hero": hero})
    assert apply_effects(hero, found.effects).values["arts"] == ["singing"]
