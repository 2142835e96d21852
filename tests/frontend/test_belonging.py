"""Members of houses on the pages: taken in and let go by the game master, seen by those who may know."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest

from campaigns.commands.subjects import CreateSubject
from identity.commands.pairs import EnterPairs
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_pages import address, client_of


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({"spindrift-identity": ""})


def test_a_house_takes_somebody_in_and_lets_them_go(table: Table) -> None:
    talyne = table.character("pia")
    house = table.send("olga", CreateSubject(kind="house", name="House Veld")).events[0].event.subject
    table.send("olga", EnterPairs(subject=house, ratings={"dynastic": 15}))
    olga, pia, paul = (client_of(table, who) for who in ("olga", "pia", "paul"))
    where, page = address(table, "new_affiliation", house), address(table, "subject", house)
    assert pia.get(where).status_code == 403
    assert "pair__rating" not in pia.get(page).content.decode()
    form = {"member": talyne, "standing": "Heir", "since": "2025-05-02T20:00"}
    refused = olga.post(where, {"command_id": str(uuid4()), **form, "since": "2999-01-01T00:00"})
    assert refused.status_code == 422 and "That lies in the future." in refused.content.decode()
    assert olga.post(where, {"command_id": str(uuid4()), **form}).status_code == 302
    told = paul.get(page).content.decode()
    assert "Heir" in told and "since 2 May 2025" in told and "pair__rating" not in told
    assert "pair__rating" in pia.get(page).content.decode()
    assert "House Veld" in paul.get(address(table, "subject", talyne)).content.decode().split('id="affiliations"')[1]
    ends = re.findall(r"/belongs/([0-9a-f]{32})/end/", olga.get(page).content.decode())
    form = {"command_id": str(uuid4()), "subject": house, "reason": "Went to sea"}
    assert pia.post(address(table, "end_affiliation", ends[0]), form).status_code == 403
    olga.post(address(table, "end_affiliation", ends[0]), form)
    assert "pair__rating" not in pia.get(page).content.decode()
    assert "2 May 2025 to" in paul.get(page).content.decode()
    assert "Heir" not in client_of(table, "wim").get(page).content.decode()
