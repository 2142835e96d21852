"""Why a value on a sheet is so: base, operands, cards in force; nothing of it through what is hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.packs import keep_shelf
from campaigns.past import as_of, explain
from campaigns.registry import Why
from campaigns.state import State
from campaigns.store import states
from rules.packs import folder
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table

PACK = "{id: tiny, version: 1.0.0, title: Tiny, source: Our own., rights: Our own.}"
RULES = """
kinds:
  hero:
    title: Hero
    stats:
      might: {type: int, min: 0, max: 9, default: 2, title: Might}
      fate: {type: int, min: 0, max: 9, default: 3, title: Fate, seen: gm}
      heart: {type: int, min: 0, max: 9, default: 4, title: Heart, seen: holders}
      reach: {type: int, min: 0, max: 20, formula: might * 2 + heart, title: Reach, seen: all}
      doom: {type: int, formula: might + fate, title: Doom, seen: all}
card_types: {condition: {title: Condition, by_hand: true}}
cards:
  condition:
    strong: {title: Strong, modifiers: [{stat: might, add: 3}]}
"""


@pytest.fixture
def table(transactional_db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    monkeypatch.setattr(folder, "SHELF", tmp_path)
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "pack.yaml").write_text(PACK)
    (tmp_path / "tiny" / "rules.yaml").write_text(RULES)
    keep_shelf()
    return make_table({"tiny": ""})


def why(table: Table, who: str, subject: str, stat: str, state: State | None = None) -> Why:
    if state is None:
        with states.held(table.campaign_id) as state:
            return explain(state, table.viewer(who), subject, f"stat:tiny/{stat}")
    return explain(state, table.viewer(who), subject, f"stat:tiny/{stat}")


def told(found: Why) -> list[tuple[str, object]]:
    return [(part.label, part.value) for part in found.parts]


def test_a_kept_value_and_the_card_that_adds_to_it(table: Table) -> None:
    hero = table.character("pia", "Hal", "hero")
    before = table.send("pia", ChangeSheet(subject=hero, pack="tiny", values={"might": 4})).position
    table.send("olga", ApplyCard(subject=hero, pack="tiny", card="strong"))
    found = why(table, "pia", hero, "might")
    assert (found.label, found.value) == ("Might", 7)
    assert told(found) == [("Written on the sheet", 4), ("Strong", 3)]
    then = why(table, "pia", hero, "might", as_of(table.campaign_id, position=before))
    assert (then.value, told(then)) == (4, [("Written on the sheet", 4)])


def test_a_derived_value_names_its_operands(table: Table) -> None:
    hero = table.character("pia", "Hal", "hero")
    found = why(table, "pia", hero, "reach")
    assert (found.value, found.parts[0].how) == (8, "Might x 2 + Heart")
    assert told(found.parts[0]) == [("Might", 2), ("Heart", 4)]


def test_a_hidden_operand_hides_what_is_made_from_it(table: Table) -> None:
    """Fate is the GM's, so Doom is; Heart is its player's, so Reach is."""
    hero = table.character("pia", "Hal", "hero")
    assert told(why(table, "olga", hero, "doom").parts[0]) == [("Might", 2), ("Fate", 3)]
    assert why(table, "pia", hero, "reach").value == 8
    for who, stat in (("pia", "doom"), ("paul", "doom"), ("paul", "reach")):
        with pytest.raises(Refused) as refused:
            why(table, who, hero, stat)
        assert refused.value.code == "not_found"


@pytest.mark.parametrize(("who", "stat"), [("pia", "fate"), ("paul", "heart"), ("wim", "might"), ("olga", "nothing")])
def test_what_one_may_not_see_is_not_explained(table: Table, who: str, stat: str) -> None:
    hero = table.character("pia", "Hal", "hero")
    with pytest.raises(Refused) as refused:
        why(table, who, hero, stat)
    assert refused.value.code == "not_found"


def test_a_card_that_came_in_secret_is_not_there_for_those_who_may_not_know(table: Table) -> None:
    hero = table.character("pia", "Hal", "hero")
    table.send("olga", ApplyCard(subject=hero, pack="tiny", card="strong", secret=True))
    found = why(table, "pia", hero, "might")
    assert (found.value, told(found)) == (2, [("Written on the sheet", 2)])
    assert told(why(table, "olga", hero, "might"))[1] == ("Strong", 3)
