"""Putting a character away on the pages: gone from lists and choices, found again under Characters, brought back."""

from __future__ import annotations

from uuid import uuid4

import pytest

from campaigns.commands.subjects import CreateSubject, PutAwaySubject
from identity.commands.pairs import EnterPairs
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_pages import address, client_of

AWAY = 'value="away"'


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({"spindrift-identity": ""})


def test_one_entered_by_mistake_is_put_away_by_its_player_and_brought_back(table: Table) -> None:
    brock = table.character("pia", "Brock Tarn")
    pia, olga = client_of(table, "pia"), client_of(table, "olga")
    change, page, every = (
        address(table, n, *a) for n, *a in (("change_subject", brock), ("subject", brock), ("subjects",))
    )
    lists = [address(table, "campaign"), address(table, "new_test"), address(table, "new_running")]
    assert AWAY in pia.get(change).content.decode()
    assert any("Brock Tarn" in olga.get(where).content.decode() for where in lists)
    form = {"command_id": str(uuid4()), "act": "away", "reason": "Typed twice"}
    assert pia.post(change, form).status_code == 302
    for who in (pia, olga):
        told = who.get(every).content.decode()
        assert "Brock Tarn" not in told.split("Put away", 1)[0] and "Brock Tarn" in told.split("Put away", 1)[1]
        for where in lists:
            assert brock not in who.get(where).content.decode(), where
        told = who.get(page).content.decode()
        assert "Brock Tarn was put away." in told and "Bring back" in told and "Call a test" not in told
    watching = client_of(table, "wim").get(every).content.decode()
    assert "Brock Tarn" not in watching
    pia.post(change, {"command_id": str(uuid4()), "act": "back"})
    assert "was put away" not in pia.get(page).content.decode()


def test_one_of_whom_something_was_made_is_the_game_masters_to_put_away(table: Table) -> None:
    talyne = table.character("pia")
    table.send("olga", EnterPairs(subject=talyne, ratings={"bold": 14}))
    pia, olga = client_of(table, "pia"), client_of(table, "olga")
    change = address(table, "change_subject", talyne)
    assert AWAY not in pia.get(change).content.decode() and AWAY in olga.get(change).content.decode()
    refused = pia.post(change, {"command_id": str(uuid4()), "act": "away"})
    assert refused.status_code == 422 and "Right would be: a GM." in refused.content.decode()
    table.send("olga", PutAwaySubject(subject=talyne))
    told = pia.get(address(table, "subject", talyne)).content.decode()
    assert "Talyne was put away." in told and "Bring back" not in told and "pair__rating" in told


def test_the_api_lists_those_that_are_here_and_those_put_away_apart(table: Table) -> None:
    brock = table.character("pia", "Brock Tarn")
    table.send("olga", CreateSubject(kind="character", name="Wraith", hidden=True))
    table.send("pia", PutAwaySubject(subject=brock))
    pia, where = client_of(table, "pia"), f"/api/campaigns/{table.campaign_id}/subjects"
    assert pia.get(where).json()["subjects"] == []
    (one,) = pia.get(where + "?away=true").json()["subjects"]
    assert (one["name"], one["away"]) == ("Brock Tarn", True)
    assert pia.get(f"{where}/{brock}").json()["away"] is True
