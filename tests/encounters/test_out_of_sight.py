"""A turn of somebody unseen leaves no gap on the board: it stands as it did before them."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.store import states
from encounters.board_reading import BoardRead, board_of
from encounters.commands.hand import AdjustInEncounter
from encounters.commands.playing import EndTurn
from encounters.commands.preparing import ShowInEncounter
from rules.fight.commands import Laid
from tests.campaigns.tables import Table
from tests.encounters.test_telling import ana, begun, bo, made, said
from tests.frontend.test_board import table

__all__ = ["ana", "bo", "table"]
pytestmark = pytest.mark.django_db(transaction=True)


def read(table: Table, encounter: str, who: str) -> BoardRead:
    with states.held(table.campaign_id) as state:
        return board_of(state, table.viewer(who), encounter)


def turns(table: Table, encounter: str, steps: int) -> list[tuple[Any, ...]]:
    """For so many turns: who acts (for the GM), and for a watcher who does, in which round, and whether it is over."""
    found = []
    for _ in range(steps):
        table.send("olga", EndTurn(encounter=encounter))
        gm, seen = read(table, encounter, "olga"), read(table, encounter, "wim")
        names = {one.subject: one.name for one in gm.fighters}
        found.append((names[gm.turn], names.get(seen.turn, ""), seen.round, seen.over))
    return found


def test_whoever_acted_before_somebody_unseen_stands_there_still(table: Table, ana: str, bo: str) -> None:
    wolf, owl = made(table, "Wolf"), made(table, "Owl")
    sides = {owl: "beasts", ana: "party", wolf: "beasts", bo: "party"}
    encounter = begun(table, [owl, ana, wolf, bo], sides)
    for one in (wolf, owl):
        table.send("olga", ShowInEncounter(encounter=encounter, subject=one, hidden=True))
    assert (read(table, encounter, "wim").turn, read(table, encounter, "wim").over) == ("", False)
    assert turns(table, encounter, 5) == [
        ("Ana", "Ana", 1, False),
        ("Wolf", "Ana", 1, True),
        ("Bo", "Bo", 1, False),
        ("Owl", "Bo", 1, True),  # the round of those who are seen goes on with Ana
        ("Ana", "Ana", 2, False),
    ]
    # Whoever the GM lets act out of sight is not acted for by whoever acted before.
    table.send("olga", EndTurn(encounter=encounter))
    assert read(table, encounter, "pia").over
    board = read(table, encounter, "pia")
    assert next(one for one in board.fighters if one.subject == ana).turn
    assert all(action.hindered for actor in board.actors for action in actor.actions if action.cost)


def test_what_lies_around_somebody_unseen_is_told_to_game_masters_alone(table: Table, ana: str, bo: str) -> None:
    foe = made(table, "Wraith")
    encounter = begun(table, [ana, bo, foe], {ana: "party", bo: "party", foe: "foes"})
    table.send("olga", ShowInEncounter(encounter=encounter, subject=foe, hidden=True))
    before = {who: said(table, who) for who in ("pia", "wim")}
    lay = AdjustInEncounter(encounter=encounter, reason="Its own fog", lay=[Laid(card="cover", on=foe)])
    table.send("olga", lay)
    assert said(table, "olga")[-1] == "Cover around Wraith: Its own fog."
    (found,) = read(table, encounter, "olga").areas
    table.send("olga", AdjustInEncounter(encounter=encounter, reason="It lifts", lift=[found.area]))
    assert {who: said(table, who) for who in ("pia", "wim")} == before
