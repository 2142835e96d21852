"""What people read in a fight is in words: refusals, what taking back would change, why something cannot be done."""

from __future__ import annotations

import re

import pytest

from tests.campaigns.tables import Table
from tests.frontend.test_board import Fight, dice, table
from tests.frontend.test_making import text_of
from tests.frontend.test_pages import client_of

__all__ = ["dice", "table"]
pytestmark = pytest.mark.django_db(transaction=True)


def undoing(fight: Fight) -> str:
    """The words of the page that takes the last step back."""
    to = re.findall(r'href="([^"]*/ledger/[^"]+)"', fight.page("olga").partition('id="b-gm"')[2])[0]
    page = text_of(client_of(fight.table, "olga").get(to))
    return re.sub(
        r"\s+",
        " ",
        page.partition("What would change")[2]
        .partition("People have seen this")[0]
        .partition("It stays in the ledger")[0],
    )


def lay(fight: Fight, **more: str) -> None:
    fight.post("olga", "lay_area", **{"card": "cover_here", "shape": "burst", "size": "1", "reason": "Barrels", **more})


def test_taking_back_says_what_would_change_and_nothing_else(table: Table, dice: list[int]) -> None:
    """A cover that lay there before is none of it; who was whole before is told by the number, not by its absence."""
    fight = Fight(table).begin()
    lay(fight, **{"place-at-x": "9", "place-at-y": "2"})
    dice += [11, 5, 6]  # a hit for 8
    fight.post("pia", "act", fight.ana, "combatant.attack", **{"role-target": fight.bo})
    said = undoing(fight)
    assert "HP 1 → 9" in said and "AP 2 → 3" in said
    assert not re.search(r"over|Encounters|shape|scene|as at first|not there", said)


def test_taking_back_a_step_says_from_which_square_to_which(table: Table) -> None:
    fight = Fight(table).begin()
    fight.post("pia", "act", fight.ana, "combatant.walk", **{"place-to-x": "4", "place-to-y": "7"})
    assert "Where Ana stands column 4, row 7 → column 4, row 5" in undoing(fight)


def test_taking_back_an_area_and_a_card_names_them(table: Table) -> None:
    fight = Fight(table).begin()
    lay(fight, **{"place-at-x": "9", "place-at-y": "2"})
    assert "Cover, partial on the ground lies there → does not lie there" in undoing(fight)
    fight.post("olga", "hand", fight.bo, act="give", card="prone", reason="He slips")
    assert "Prone held → not held" in undoing(fight)


def test_the_gms_hand_begins_with_the_number_as_it_stands(table: Table) -> None:
    """A number that nobody has set stands at its most, and is cut to it where it is shown."""
    fight = Fight(table).begin()
    field = fight.page("olga", "hand", fight.bo)
    assert re.search(r'name="value"[^>]*value="9"|value="9"[^>]*name="value"', field)
    assert "100000" not in field


def test_the_gms_hand_gives_conditions_and_no_whole_adversaries(table: Table) -> None:
    fight = Fight(table).begin()
    page = fight.page("olga", "hand", fight.bo)
    given = page.partition('id="hand-card"')[2].partition("</select>")[0]
    assert 'value="prone"' in given and 'value="surprised"' in given
    for none in ("roadman", "elder_drake", "solid_wall", "cover_here"):
        assert f'value="{none}"' not in given
    numbers = page.partition('id="hand-stat"')[2].partition("</select>")[0]
    assert ">HP<" in numbers and ">Movement left<" in numbers and "Last Round" not in numbers


def test_what_bars_the_way_is_offered_first_and_apart_from_what_spells_leave(table: Table) -> None:
    page = Fight(table).begin().page("olga", "lay_area")
    groups = re.findall(r'<optgroup label="([^"]+)">(.*?)</optgroup>', page.partition('id="lay-card"')[2], re.S)
    named = {label: re.findall(r'value="(\w+)"', options) for label, options in groups}
    first, *others = named
    assert named[first][0] == "solid_wall" and "cover_here" in named[first]
    assert all(label.startswith("Left by what somebody does") for label in others)
    left = [card for label in others for card in named[label]]
    assert {"set_spear", "sigil_mark", "sealed_gap"} <= set(left) and "set_spear" not in named[first]


def test_the_ground_needs_no_reason_and_the_log_says_what_lies_where(table: Table) -> None:
    fight = Fight(table).begin()
    at = {"card": "solid_wall", "shape": "line", "size": "2", "place-at-x": "9", "place-at-y": "2"}
    laid = fight.post("olga", "lay_area", **at, **{"place-to-x": "9", "place-to-y": "3"})
    assert laid.status_code in (204, 302)
    assert "Wall at column 9, row 2." in fight.page("pia")
    area = next(iter(fight.found.fight.scene.areas))
    assert fight.post("olga", "lift_area", area).status_code in (204, 302)
    assert "Wall is gone." in fight.page("pia")


def test_while_it_is_prepared_no_change_by_hand_wants_a_reason(table: Table) -> None:
    fight = Fight(table)
    fight.post("olga", "hand", fight.bo, act="set", stat="hp", value="4")
    assert "HP 4 / 9" in text_of(client_of(table, "olga").get(fight.to()))
    assert fight.begin().post("olga", "hand", fight.bo, act="set", stat="hp", value="5").status_code == 422
