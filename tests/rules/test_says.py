"""What cards say of themselves to those who choose: the sayings of their type, or their fields one by one."""

import pytest

from rules.creation.standing import standing
from rules.packs import load_pack, pack_ids
from rules.packs.folder import load_files
from rules.problems import PackError

HEAD = b"id: t\nversion: 1.0.0\ntitle: T\nsource: s\nrights: r\n"
TOOLS = """
card_types:
  tool:
    title: Tool
    fields:
      weight: {type: int, min: 0}
      edges: {type: int, min: 0, default: 0, title: Edges}
      fits: {type: list, of: {type: card, card: hand}}
    %s
  hand: {title: Hand}
kinds: {smith: {title: Smith, stats: {strength: {type: int, default: 1}}}}
cards:
  hand: {left: {title: Left}, right: {title: Right}}
  tool:
    hammer: {title: Hammer, values: {weight: 3, fits: [left, right]}, grants: [left]}
    axe: {title: Axe, values: {weight: 2, edges: 2, fits: []}}
"""
SAYS = """says:
      - {text: "weighs {card.weight}"}
      - {text: "cuts on {card.edges} sides", when: card.edges > 0}
      - {text: "for {card.fits}", when: count(card.fits) > 0}"""


def tools(says: str):
    return load_files({"pack.yaml": HEAD, "r.yaml": (TOOLS % says).encode()})


def test_a_card_says_what_holds_for_it() -> None:
    says = tools(SAYS).says
    assert says["hammer"] == ("weighs 3", "for Left, Right", "brings Left")
    assert says["axe"] == ("weighs 2", "cuts on 2 sides")


def test_without_sayings_the_fields_speak_where_they_differ_from_their_defaults() -> None:
    says = tools("").says
    assert says["axe"] == ("Weight 2", "Edges 2")
    assert says["left"] == ()


def test_a_saying_that_reads_what_is_not_there_is_refused_with_its_place() -> None:
    with pytest.raises(PackError) as refused:
        tools('says: [{text: "weighs {card.wait}"}]')
    (problem,) = [one for one in refused.value.problems if one.level == "error"]
    assert problem.file == "r.yaml" and problem.line == 9
    assert "wait" in problem.message


def test_every_option_of_the_large_set_says_something() -> None:
    """Somebody who makes a character meets no bare name: each option of each choice of a card has a fact or a text."""
    pack = load_pack("frontiers-fantasy")
    bare = [
        (choice.spec.id, name)
        for step in pack.creations["character"].steps
        for choice in step.choices
        if choice.spec.card and choice.spec.card != "training"
        for name in choice.titles
        if not pack.says[name] and not choice.texts.get(name)
    ]
    assert bare == []


def test_an_option_on_offer_carries_it() -> None:
    found = standing(load_pack("frontiers-fantasy"), "character", {})
    folk = {one.id: one for one in found.choices["folk"].options}
    assert "2 HP a Level" in folk["highfolk"].says
    assert "brings Long Sight, Meditation, Light Step" in folk["highfolk"].says


@pytest.mark.parametrize("pack_id", pack_ids())
def test_what_cards_say_stands_beside_each_other_without_ids(pack_id: str) -> None:
    """No full stop before what follows, and no card by its id."""
    pack = load_pack(pack_id)
    ids = {name for cards in pack.cards.values() for name, card in cards.items() if "_" in name}
    for card, said in pack.says.items():
        assert not any(one.endswith(".") for one in said[:-1]), card
        assert not ids & {word.strip(",.") for one in said for word in one.split()}, card


def test_a_list_of_cards_reads_by_their_titles() -> None:
    assert "leans to Deft, Acuity" in load_pack("frontiers-fantasy").says["highfolk"]
