"""Sizing a fight: what adds up, what is warned of, what is refused; and the tables of the large set, by their print."""

from __future__ import annotations

import pytest

from rules.packs import Pack, load_pack
from rules.problems import GivenError, PackError
from rules.sheets import Subject
from rules.sizing import Chosen, Sized, foe_cards, foe_of, size
from tests.rules.small import pack as small

PACK = """
encounter: {kinds: [hero, beast]}
kinds:
  hero: {title: Hero, stats: {level: {type: int, default: 1}, health: {type: int, default: 9}}}
  beast: {title: Beast, stats: {level: {type: int, default: 1}, hp: {type: int, default: 5, min: 1, max: 99}}}
card_types: {breed: {title: Breed, by_hand: true, fields: {level: {type: int}, hp: {type: int}}}}
cards: {breed: {wolf: {title: Wolf, values: {level: 1, hp: 7}}, bear: {title: Bear, values: {level: 3, hp: 30}}}}
sizing:
  party: [hero]
  foes: [breed]
  dials: {rounds: {type: int, min: 1, max: 9, default: 2}}
  figures:
    budget: {value: sum(p.level for p in party) * 10 * rounds}
    used: {value: sum(f.hp for f in foes)}
    lasts: {title: Rounds, parts: 100, value: "near(used * 100 / max(1, sum(p.level for p in party) * 10))"}
    most: {shown: false, value: "max((f.level for f in foes), default=0)"}
  budget: budget
  used: used
  cautions:
    - {when: most > 2, text: "level {most} is much"}
    - {when: "any(has(f, 'bear') for f in foes)", text: a bear}
"""
HEROES = [Subject(id="ana", kind="hero", values={"level": 2}), Subject(id="bo", kind="hero")]


def test_it_adds_up_and_warns() -> None:
    sized = size(small(PACK), HEROES, [Chosen("wolf", 2), Chosen("bear")], {})
    assert (sized.budget, sized.used, sized.left) == (60, 44, 16)
    assert [(one.name, one.says) for one in sized.figures] == [("budget", "60"), ("used", "44"), ("lasts", "1.47")]
    assert sized.cautions == ["level 3 is much", "a bear"]


def test_dials_and_changed_numbers_count() -> None:
    sized = size(small(PACK), HEROES[:1], [Chosen("wolf", 3, {"hp": 9})], {"rounds": 1})
    assert (sized.budget, sized.used, sized.left, sized.cautions) == (20, 27, -7, [])


def test_those_who_are_no_party_do_not_count() -> None:
    assert size(small(PACK), [Subject(id="x", kind="beast")], [], {}).budget == 0


@pytest.mark.parametrize(
    ("foes", "dials", "field"),
    [
        ([Chosen("wulf")], {}, "foes"),
        ([Chosen("wolf", 61)], {}, "foes"),
        ([Chosen("wolf", -1)], {}, "foes"),
        ([Chosen("wolf", 1, {"hp": 0})], {}, "foes"),
        ([Chosen("wolf", 1, {"hq": 3})], {}, "foes"),
        ([], {"rounds": 10}, "rounds"),
        ([], {"round": 1}, "round"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(foes: list[Chosen], dials: dict[str, int], field: str) -> None:
    with pytest.raises(GivenError) as wrong:
        size(small(PACK), HEROES, foes, dials)
    assert wrong.value.field == field


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("budget: budget", "budget: budgets", "no figure is called 'budgets'"),
        ("foes: [breed]", "foes: [brood]", "no card type is called 'brood'"),
        ("party: [hero]", "party: [villain]", "no kind that can take part is called 'villain'"),
        ("most > 2", "mast > 2", "unknown name 'mast'"),
        ("by_hand: true, ", "", "no kind that can take part is made of these"),
        ("{most} is", "{mist} is", "unknown name 'mist'"),
    ],
)
def test_a_slip_in_it_stops_the_pack(was: str, now: str, said: str) -> None:
    assert was in PACK
    with pytest.raises(PackError) as found:
        small(PACK.replace(was, now))
    assert said in str(found.value)


# ---------------------------------------------------------------- the large set, by what is printed

FANTASY = "frontiers-fantasy"


def fantasy(count: int, level: int, foes: list[Chosen], **dials: int | str | bool) -> Sized:
    pack: Pack = load_pack(FANTASY)
    party = [Subject(id=f"p{n}", kind="character", values={"level": level}) for n in range(count)]
    return size(pack, party, foes, dials)


def says(sized: Sized) -> dict[str, str]:
    return {one.name: one.says for one in sized.figures}


def test_the_worked_band_lasts_three_and_a_half_rounds() -> None:
    """Party damage 25 at Level 1; 50 + 3 x 12 = 86 HP; 86 / 25 = 3.44."""
    sized = fantasy(4, 1, [Chosen("roadman_captain"), Chosen("roadman", 3)])
    assert (sized.budget, sized.used, sized.left) == (100, 86, 14)
    assert says(sized)["lasts"] == "3.44" and says(sized)["party_ap"] == "12" and says(sized)["foes_ap"] == "12"


def test_a_lone_elite_acts_twice_and_three_characters_deal_three_quarters() -> None:
    """36 x 3 / 4 = 27 a round at Level 3; 143 HP; a lone Elite spends 6 AP."""
    sized = fantasy(3, 3, [Chosen("ford_troll")])
    assert says(sized)["damage"] == "27" and says(sized)["foes_ap"] == "6" and sized.used == 143
    assert any("two Turns" in one for one in sized.cautions) and any("tuned to four" in one for one in sized.cautions)


def test_tiers_two_off_either_way_lone_averages_and_turned_defenses_are_warned_of() -> None:
    brutal = fantasy(4, 1, [Chosen("hill_ogre")]).cautions
    assert any("brutal" in one for one in brutal) and any("scenery" in one for one in brutal)
    assert any("formality" in one for one in fantasy(4, 3, [Chosen("roadman", 2)]).cautions)
    assert not any("Defense" in one for one in fantasy(4, 1, [Chosen("roadman", 1, {"pd": 11})]).cautions)
    assert any("Defense" in one for one in fantasy(4, 1, [Chosen("roadman", 1, {"pd": 10})]).cautions)


def test_every_adversary_of_the_set_can_be_made_and_holds_its_card() -> None:
    pack = load_pack(FANTASY)
    known = foe_cards(pack)
    assert len(known) == 10 and set(known.values()) == {"adversary"}
    made = foe_of(pack, "roadman", "one")
    assert made.values["hp_max"] == 12 and [held.card for held in made.held] == ["roadman"]
