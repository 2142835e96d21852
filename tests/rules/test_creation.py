"""Making somebody and letting them grow: what may be chosen, what is refused and why, what the numbers are then."""

from __future__ import annotations

from typing import Any

import pytest

from rules.creation import Growth, gain_level, offer, standing, take
from rules.creation.ready import ready_problems
from rules.packs import load_pack, pack_ids
from rules.packs.jsonschema import schema
from rules.refusal import Refused
from rules.sheets import Sheet, Subject
from tests.rules.making import GAME
from tests.rules.small import pack, problems

GAME_PACK = pack(GAME)
BRUN = {"folk": "stout", "words": "Digs", "scores": {"might": 12, "wit": 10}, "skills": ["climb", "mine"]}


def reasons(choices: dict[str, Any], seat: str = "gm") -> list[tuple[str, str]]:
    """(choice, reason) of all that is wrong."""
    return [(wrong.choice, wrong.reason) for wrong in standing(GAME_PACK, "hero", choices, seat=seat).wrong]


def test_a_whole_character_has_nothing_wrong_and_its_numbers() -> None:
    found = standing(GAME_PACK, "hero", BRUN)
    assert found.complete
    # 5 + level 1 * base 5, and the last step fills it.
    assert (found.sheet["hp_max"], found.sheet["hp"]) == (10, 10)
    assert [skill for skill in ("climb", "hide", "mine") if found.sheet["rank"][skill]] == ["climb", "mine"]
    assert found.sheet["own_words"] == "Digs"
    assert found.choices["gift"].state == "absent"
    assert found.made()["scores"] == {"might": 12, "wit": 10}


def test_a_half_made_character_says_step_by_step_what_is_open() -> None:
    found = standing(GAME_PACK, "hero", {})
    assert [(w.step, w.choice, w.reason) for w in found.wrong] == [
        ("who", "folk", "missing"),
        ("who", "gift", "waits"),
        ("who", "words", "missing"),
        ("numbers", "scores", "sum"),
        ("learning", "skills", "waits"),
    ]
    assert found.choices["skills"].waits_for == ["folk"]
    assert found.sheet["hp_max"] == 5
    assert standing(GAME_PACK, "hero", {"folk": "stout"}).sheet["hp_max"] == 10


def test_what_is_offered_follows_from_what_was_chosen() -> None:
    fair = standing(GAME_PACK, "hero", {"folk": "fair", "scores": {"wit": 14, "might": 8}})
    assert [option.id for option in fair.choices["skills"].options] == ["climb", "hide", "read"]
    assert (fair.choices["skills"].least, fair.choices["skills"].most) == (4, 4)
    assert fair.choices["gift"].state == "open"
    stout = standing(GAME_PACK, "hero", {"folk": "stout"})
    assert [option.id for option in stout.choices["skills"].options] == ["climb", "hide", "read", "mine"]


@pytest.mark.parametrize(
    ("changed", "wrong", "right"),
    [
        ({"folk": "elf"}, ("folk", "wrong_value"), "one of Stout Folk, Fair Folk"),
        ({"folk": "stuot"}, ("folk", "wrong_value"), "perhaps stout"),
        ({"scores": {"might": 15, "wit": 7}}, ("scores", "out_of_bounds"), "8 to 14"),
        ({"scores": {"might": 11}}, ("scores", "sum"), "a sum of 22; it is 21"),
        ({"scores": {"luck": 11}}, ("scores", "wrong_value"), "8 to 14, a whole number for each of Might, Wit"),
        ({"scores": {"might": "11"}}, ("scores", "wrong_value"), "8 to 14, a whole number for each of Might, Wit"),
        ({"skills": ["climb"]}, ("skills", "too_few"), "2: skills that Stout Folk learn"),
        ({"skills": ["climb", "hide", "read"]}, ("skills", "too_many"), "2: skills that Stout Folk learn"),
        ({"skills": ["climb", "climb"]}, ("skills", "wrong_value"), "2: skills that Stout Folk learn"),
        ({"skills": []}, ("skills", "missing"), "2: skills that Stout Folk learn"),
        ({"gift": "glow"}, ("gift", "not_asked"), "none"),
        ({"words": "x" * 41}, ("words", "wrong_value"), "a text of at most 40 characters"),
        ({"words": "  "}, ("words", "missing"), "a text of at most 40 characters"),
        ({"blessed": 1}, ("blessed", "wrong_value"), "true or false"),
        ({"tools": ["rope", "rope", "chest"]}, ("tools", "too_heavy"), "tools of size 4 at most"),
        ({"tool": ["rope"]}, ("tool", "unknown_choice"), "tools"),
    ],
)
def test_what_is_not_allowed_is_refused_with_what_would_be(
    changed: dict[str, Any], wrong: tuple[str, str], right: str
) -> None:
    found = standing(GAME_PACK, "hero", {**BRUN, **changed})
    assert wrong in [(w.choice, w.reason) for w in found.wrong]
    assert next(w for w in found.wrong if (w.choice, w.reason) == wrong).right == right


def test_a_fair_one_cannot_learn_what_only_the_stout_do() -> None:
    found = standing(GAME_PACK, "hero", {**BRUN, "folk": "fair", "gift": "hush"})
    assert [(w.choice, w.reason) for w in found.wrong] == [("skills", "not_offered"), ("skills", "too_few")]
    assert found.wrong[0].message == "Mining cannot be chosen here."
    assert [held.card for held in found.sheet.held] == ["hush"]
    assert not found.sheet["rank"]["mine"]


def test_only_a_game_master_makes_a_game_masters_choice() -> None:
    assert reasons({**BRUN, "blessed": True}, seat="player") == [("blessed", "gm_only")]
    assert reasons({**BRUN, "blessed": False}, seat="player") == []
    assert standing(GAME_PACK, "hero", {**BRUN, "blessed": True}).sheet["hp_max"] == 11


def test_two_of_one_card_only_where_the_choice_says_again() -> None:
    assert reasons({**BRUN, "tools": ["rope", "chest"]}) == []
    assert reasons({**BRUN, "tools": ["rope"] * 4}) == []


def hero(**values: Any) -> Subject:
    return Subject(id="ana", kind="hero", values={"folk": "stout", **values})


def test_buying_costs_and_stops_at_its_limit() -> None:
    subject, growth = hero(marks=3), Growth()
    for times in (1, 2):
        subject, growth, _ = take(GAME_PACK, subject, growth, "tougher", {})
        assert (subject.values["marks"], subject.values["bonus_hp"]) == (3 - times, 2 * times)
    with pytest.raises(Refused) as no:
        take(GAME_PACK, subject, growth, "tougher", {})
    assert (no.value.code, no.value.right) == ("bought_out", "at most 2")
    assert growth.bought == {"tougher": 2}


def test_the_price_may_rise_and_must_be_there() -> None:
    subject, growth, _ = take(GAME_PACK, hero(marks=2), Growth(), "sharper", {"score": "wit"})
    assert subject.values["wit"] == 11
    with pytest.raises(Refused) as no:
        take(GAME_PACK, subject, growth, "sharper", {"score": "wit"})
    assert (no.value.code, no.value.right) == ("cannot_pay", "2 or more")


def test_a_purchase_is_refused_whole() -> None:
    subject = hero(marks=5, wit=13)
    for choices, code in (({}, "missing"), ({"score": "luck"}, "wrong_value"), ({"score": "wit"}, "ceiling")):
        with pytest.raises(Refused) as no:
            take(GAME_PACK, subject, Growth(), "sharper", choices)
        assert no.value.code == code
    assert subject.values["marks"] == 5


def test_an_award_is_a_game_masters_and_keeps_its_limit() -> None:
    with pytest.raises(Refused) as no:
        take(GAME_PACK, hero(), Growth(), "mark", {}, seat="player")
    assert no.value.code == "gm_only"
    subject, growth, _ = take(GAME_PACK, hero(marks=1), Growth(), "mark", {})
    assert (subject.values["marks"], growth.bought) == (2, {"mark": 1})
    with pytest.raises(Refused) as no:
        take(GAME_PACK, subject, growth, "mark", {})
    assert (no.value.code, no.value.right) == ("spend_first", "two marks unspent at most")


def test_a_level_brings_what_it_brings_and_choices_wait() -> None:
    subject, growth, level = gain_level(GAME_PACK, hero(), Growth())
    assert (level, subject.values["level"], Sheet(subject, GAME_PACK.kinds["hero"], {})["hp_max"]) == (2, 2, 15)
    subject, growth, level = gain_level(GAME_PACK, subject, growth)
    assert ([d.level for d in growth.due], subject.values["marks"], subject.values["hp"]) == ([2, 3], 1, 2)
    with pytest.raises(Refused) as no:
        gain_level(GAME_PACK, subject, growth)
    assert no.value.code == "highest_level"
    subject, growth, made = take(GAME_PACK, subject, growth, "new_gift", {"gift": "glow"})
    assert (made, [d.level for d in growth.due]) == ({"gift": "glow"}, [3])
    found = offer(GAME_PACK, subject, growth, "new_gift", {})
    assert [option.id for option in found.standing.choices["gift"].options] == ["hush"]
    subject, growth, _ = take(GAME_PACK, subject, growth, "new_gift", {"gift": "hush"})
    with pytest.raises(Refused) as no:
        take(GAME_PACK, subject, growth, "new_gift", {"gift": "hush"})
    assert no.value.code == "not_due"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("card: folk, sets: folk}", "card: flok, sets: folk}", "no card type is called 'flok' (folk)"),
        ("sets: own_words", "sets: own_word", "no stat is called 'own_word'"),
        ("when: folk == 'fair'", "when: folk == 'fiar'", "'fiar' is none of"),
        ("when: folk == 'fair'", "when: skills == 'fair'", "unknown name 'skills'"),
        ("over: [might, wit]", "over: [might, wits]", "has no stat 'wits' (wit)"),
        ("over: [might, wit]", "over: [might, hp_max]", "hp_max is no number that is kept"),
        ("holder.might.base + holder.wit.base == 22", "holder.mihgt.base == 22", "'mihgt'"),
        ("count: holder.skills_free", "count: holder.skill_free", "'skill_free'"),
        ("right: skills that {folk.title} learn", "right: skills that {flok.title} learn", "unknown name 'flok'"),
        ("            right: skills that {folk.title} learn\n", "", "say in `right` what is allowed"),
        ("shows: [hp_max]\n    steps", "shows: [hp_mx]\n    steps", "has no stat 'hp_mx' (hp_max)"),
        ("{change: {holder.bonus_hp: 1}, when: blessed}", "{roll: d, dice: 1d6}", "no dice are rolled here"),
        ("{change: {holder.bonus_hp: 1}, when: blessed}", "{ask: sure, flag: true}", "not an ask"),
        ("cost: {marks: 1}", "cost: {makrs: 1}", "has no stat 'makrs' (marks)"),
        ("bought['sharper']", "bought['shraper']", "shraper"),
        ("      stat: level", "      stat: hp_max", "hp_max is no number that is kept"),
        ("      mark:\n", "      tougher:\n", "'tougher' means something else already"),
        ("id: gift\n", "id: folk\n", "two choices are called 'folk'"),
        ("id: gift\n", "id: option\n", "'option' is no id for a choice"),
        ("tracks: {hp: hp_max}", "tracks: {hp: hp_mx}", "no stat is called 'hp_mx' (hp_max)"),
        ("tracks: {hp: hp_max}", "tracks: {hp: rank}", "rank is no plain number"),
        ("stats: [hp, might, wit]", "stats: [hp, might, wiz]", "no stat is called 'wiz' (wit)"),
        ("cards: [gift]", "cards: [gfit]", "no card type is called 'gfit' (gift)"),
        ("type: flag, by: gm", "type: flg, by: gm", "did you mean"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_section_is_found_when_the_pack_is_loaded(old: str, new: str, said: str) -> None:
    assert old in GAME
    found = problems(GAME.replace(old, new, 1))
    assert any(said in problem for problem in found) or (said == "did you mean" and found), found


def test_the_published_schema_knows_both_sections() -> None:
    parts = schema("file")
    assert parts["$defs"]["PackFile"]["properties"].keys() >= {"creation", "advancement"}
    assert parts["$defs"]["Choice"]["required"] == ["id", "title", "type"]


@pytest.mark.parametrize("name", pack_ids())
def test_who_is_ready_in_a_pack_of_the_shelf_is(name: str) -> None:
    assert ready_problems(load_pack(name)) == []


def test_one_who_is_not_ready_is_told_at_their_place() -> None:
    (problem,) = ready_problems(pack(GAME.replace("skills: [climb, mine]}", "skills: [climb]}")))
    assert (
        problem.line == GAME.splitlines().index(next(x for x in GAME.splitlines() if "skills: [climb, mine]" in x)) + 1
    )
    assert problem.message == "Skills: 1 is chosen. (too_few); right would be: 2: skills that Stout Folk learn"
