"""Who is in an encounter is not put away by a game master; a player learns nothing of one that is being prepared."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.commands.subjects import CreateSubject, PutAwaySubject
from campaigns.commands.voiding import VoidAction
from campaigns.feed import cursor_of
from encounters.commands.preparing import BeginEncounter, JoinEncounter, LeaveEncounter, PrepareEncounter
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table

PACK = "frontiers-fantasy"


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({PACK: ""})


def prepared(table: Table, subject: str) -> str:
    made: Any = table.send("olga", PrepareEncounter(title="The ford", pack=PACK)).events[0].event
    table.send("olga", JoinEncounter(encounter=made.encounter, subject=subject, side="party"))
    return str(made.encounter)


def test_a_game_master_takes_them_out_first(table: Table) -> None:
    brock = table.character("pia", "Brock Tarn")
    encounter = prepared(table, brock)
    with pytest.raises(Refused) as refused:
        table.send("olga", PutAwaySubject(subject=brock))
    assert refused.value.code == "in_the_middle" and "The ford" in refused.value.message
    table.send("olga", LeaveEncounter(encounter=encounter, subject=brock))
    assert table.send("olga", PutAwaySubject(subject=brock)).events


def test_who_is_in_it_was_there_after_all(table: Table) -> None:
    """A fight cannot go on without somebody who takes part, nor their making be taken back."""
    made: Any = table.send("olga", CreateSubject(kind="adversary", name="Mistake"))
    foe, entry = made.events[0].event.subject, cursor_of(table.campaign_id, made.events[0].position)
    encounter = prepared(table, foe)
    with pytest.raises(Refused) as refused:
        table.send("olga", VoidAction(entry=entry, reason="A mistake"))
    assert (refused.value.code, refused.value.message) == ("in_the_middle", "Mistake is in the middle of The ford.")
    table.send("olga", LeaveEncounter(encounter=encounter, subject=foe))
    assert table.send("olga", VoidAction(entry=entry, reason="A mistake")).events


def test_a_player_is_not_told_of_what_is_prepared_and_nobody_is_stuck_in_it(table: Table) -> None:
    brock = table.character("pia", "Brock Tarn")
    encounter = prepared(table, brock)
    assert table.send("pia", PutAwaySubject(subject=brock)).events
    with pytest.raises(Refused) as refused:
        table.send("olga", BeginEncounter(encounter=encounter))
    assert (refused.value.code, refused.value.message) == ("put_away", "Brock Tarn was put away.")
    table.send("olga", LeaveEncounter(encounter=encounter, subject=brock))
