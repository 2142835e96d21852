"""A table that plays by several packs at once: everybody has the sheets they play by."""

from __future__ import annotations

import pytest

from campaigns.commands.sheets import ChangeSheet
from campaigns.parts.pursuits import party_of, pursuit_rules
from campaigns.store import states
from identity.commands.pairs import EnterPairs
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_pages import address, client_of

pytestmark = pytest.mark.django_db(transaction=True)
BY = {"frontiers-fantasy": {"level": 2}, "trait-tests": {"level": 3}}


@pytest.fixture
def table() -> Table:
    return make_table(dict.fromkeys(BY, ""))


def play_by(table: Table, subject: str, pack: str) -> None:
    table.send("olga", ChangeSheet(subject=subject, pack=pack, values=BY[pack]))


def test_the_sheet_one_plays_by_comes_first_and_the_other_is_not_laid_out(table: Table) -> None:
    oda = table.character("pia", "Oda")
    asked = f"/api/campaigns/{table.campaign_id}/subjects/{oda}/sheets"
    client = client_of(table, "pia")
    play_by(table, oda, "trait-tests")
    page = client.get(address(table, "subject", oda)).content.decode()
    assert page.index("Trait Tests</h2>") < page.index("Frontiers Fantasy</h2>")
    assert page.count("Oda does not play by these rules yet.") == 1
    assert [one["begun"] for one in client.get(asked).json()["sheets"]] == [True, False]
    play_by(table, oda, "frontiers-fantasy")
    assert "does not play by these rules" not in client.get(address(table, "subject", oda)).content.decode()


def test_the_party_of_a_pack_is_who_plays_by_it(table: Table) -> None:
    oda, sefa, wren = (table.character("pia", name) for name in ("Oda", "Sefa", "Wren"))
    play_by(table, oda, "trait-tests")
    play_by(table, sefa, "frontiers-fantasy")
    with states.held(table.campaign_id) as state:
        found = pursuit_rules(state)
        assert found is not None
        parties = {kind.id: party_of(state, "frontiers-fantasy", kind) for kind in found[1].kinds}
    assert all(set(party) <= {sefa, wren} for party in parties.values()) and (sefa, wren) in parties.values()


def test_whose_body_stands_on_one_pack_can_be_tested_on_the_pairs_of_another() -> None:
    table = make_table({"frontiers-fantasy": "", "spindrift-identity": ""})
    oda, wren = table.character("pia", "Oda"), table.character("pia", "Wren")
    for subject in (oda, wren):
        play_by(table, subject, "frontiers-fantasy")
    table.send("olga", EnterPairs(subject=oda, ratings={"bold": 14}))
    for who in ("olga", "pia"):
        client = client_of(table, who)
        assert "pair=bold_cautious" in client.get(address(table, "subject", oda)).content.decode()
        page = client.get(address(table, "new_test") + f"?subject={oda}&pair=bold_cautious").content.decode()
        assert f'<option value="{oda}" selected' in page and f'<option value="{wren}"' not in page
