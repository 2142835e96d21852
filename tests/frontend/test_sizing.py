"""The page that puts a fight together: whose it is, what it shows as it is filled in, what its one button prepares."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.commands.sheets import ChangeSheet
from campaigns.parts.subjects import Subjects
from campaigns.rolling import subject_of
from campaigns.store import states
from encounters.parts.encounters import Encounters
from tests.campaigns.tables import Table, make_table

PACK = "frontiers-fantasy"


@pytest.fixture
def table(transactional_db: None) -> Table:
    table = make_table({PACK: ""})
    for who, name in (("pia", "Ana"), ("paul", "Bo")):
        subject = table.character(who, name)
        table.send("olga", ChangeSheet(subject=subject, pack=PACK, values={"level": 2}))
    return table


def browser(table: Table, who: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(pk=table.users[who]))
    return client


def ask(table: Table, who: str, **fields: Any) -> Any:
    given = {"command_id": str(uuid4()), "pack": PACK, **fields}
    return browser(table, who).post(f"/c/{table.campaign_id}/encounters/size/", given)


def party(table: Table) -> list[str]:
    with states.held(table.campaign_id) as state:
        return [one for one, found in state.part(Subjects).by_id.items() if found.players]


def test_it_is_the_game_masters_alone(table: Table) -> None:
    codes = {
        who: browser(table, who).get(f"/c/{table.campaign_id}/encounters/size/").status_code
        for who in ("olga", "pia", "wim", "stan")
    }
    assert codes == {"olga": 200, "pia": 403, "wim": 403, "stan": 404}
    shown = {
        who: "Put a fight together" in browser(table, who).get(f"/c/{table.campaign_id}/encounters/").content.decode()
        for who in ("olga", "pia", "wim")
    }
    assert shown == {"olga": True, "pia": False, "wim": False}


def test_it_adds_up_with_the_party_that_is_played(table: Table) -> None:
    """Two of Level 2 deal 30 x 2 / 4 = 15 a round: 60 in four; two roadmen have 24."""
    first = browser(table, "olga").get(f"/c/{table.campaign_id}/encounters/size/").content.decode()
    assert first.count(" checked") == 2 and '<span data-number="budget">60</span>' in first
    said = ask(table, "olga", **{"party": party(table), "count-roadman": "2"}).content.decode()
    assert '<strong data-number="used">24</strong>' in said and '<span data-number="left">36</span>' in said
    one = ask(table, "olga", **{"party": party(table)[:1], "count-roadman": "2", "given-rounds": "2"}).content.decode()
    assert '<span data-number="budget">16</span>' in one and "8 too much" in one


def test_what_does_not_fit_is_said_in_place(table: Table) -> None:
    said = ask(table, "olga", **{"count-roadman": "many"})
    assert said.status_code == 200 and "This is no number." in said.content.decode()
    assert "Choose some foes first" in ask(table, "olga", act="prepare", title="X").content.decode()


def test_one_button_prepares_it_once_with_party_and_unseen_foes(table: Table) -> None:
    fields = {
        "act": "prepare",
        "title": "At the Ford",
        "party": party(table),
        "count-roadman": "2",
        "count-roadman_captain": "1",
        "number-roadman-hp_max": "15",
        "command_id": str(uuid4()),
    }
    for _ in range(2):
        assert ask(table, "olga", **fields).status_code == 302
    with states.held(table.campaign_id) as state:
        (found,) = state.part(Encounters).open.values()
        members = found.fight.members
        assert (found.title, found.begun, len(members)) == ("At the Ford", False, 5)
        assert sorted(m.side for m in members.values()) == ["foes"] * 3 + ["party"] * 2
        assert all(m.hidden == (m.side == "foes") for m in members.values())
        assert len({tuple(cell) for cell in found.fight.scene.places.values()}) == 5
        names = {state.part(Subjects).by_id[one].name: one for one in members}
        assert set(names) == {"Ana", "Bo", "Roadman 1", "Roadman 2", "Roadman Captain"}
        assert subject_of(state, names["Roadman 1"], PACK).values["hp_max"] == 15
    page = browser(table, "pia").get(f"/c/{table.campaign_id}/encounters/").content.decode()
    assert "At the Ford" not in page


def test_the_api_answers_game_masters_with_the_same_numbers(table: Table) -> None:
    path = f"/api/campaigns/{table.campaign_id}/sizing?foes=roadman:2&dials=rounds:2"
    answer = browser(table, "olga").get(path)
    assert answer.status_code == 200, answer.content
    sized = answer.json()["sized"]
    assert (sized["budget"], sized["used"], sized["left"]) == (30, 24, 6)
    assert {one["card"] for one in answer.json()["made_of"]} >= {"roadman", "ford_troll"}
    assert browser(table, "pia").get(path).status_code in (403, 404)
    assert browser(table, "olga").get(path.replace("roadman", "rodman")).json()["right"] == "roadman"
