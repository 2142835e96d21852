"""Sheets changed by hand: values of cards are fitted, and what is the GM's does not exist for a player."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.commands.packs import LayOverlay
from campaigns.commands.sheets import ApplyCard, ChangeSheet
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table

PACK = "trait-tests"
SECRET = (
    "kinds:\n  shade:\n    title: Shade\n    stats:\n      doom: {type: int, min: 0, max: 9, default: 3, seen: gm}\n"
)


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({PACK: ""})


@pytest.mark.parametrize(
    "values, code",
    [({"in_rest": "x"}, "wrong_value"), ({"in_rest": 10**30}, "wrong_value"), ({"in_ret": True}, "unknown_value")],
)
def test_a_card_in_force_carries_what_its_type_declares(table: Table, values: dict[str, Any], code: str) -> None:
    hero = table.character("pia")
    with pytest.raises(Refused) as caught:
        table.send("olga", ApplyCard(subject=hero, pack=PACK, card="mark_of_fate", values=values))
    assert (caught.value.code, caught.value.field) == (code, f"values.{next(iter(values))}")
    table.send("olga", ApplyCard(subject=hero, pack=PACK, card="mark_of_fate", values={"in_rest": True}))


def test_a_player_finds_out_no_value_of_the_gm_by_setting_it(table: Table) -> None:
    head = f"on: {PACK}\ntitle: Doom\nversion: 1.0.0\n"
    table.send("olga", LayOverlay(pack=PACK, files={"overlay.yaml": head, "doom.yaml": SECRET}))
    shade = table.character("pia", kind="shade")
    answers = set()
    for value in range(10):
        with pytest.raises(Refused) as caught:
            table.send("pia", ChangeSheet(subject=shade, pack=PACK, values={"doom": value}))
        answers.add((caught.value.code, caught.value.right))
    assert len(answers) == 1 and "doom" not in repr(answers)
    table.send("olga", ChangeSheet(subject=shade, pack=PACK, values={"doom": 4}))
