"""Active Time of a game without a rule of initiative, from the pages: prepared, begun as typed (TRT-158, 132)."""

from __future__ import annotations

from uuid import uuid4

import pytest

from campaigns.commands.sheets import ChangeSheet
from encounters.commands.hand import AdjustInEncounter
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_making import text_of
from tests.frontend.test_pages import address, client_of

pytestmark = pytest.mark.django_db(transaction=True)
PACK = "trait-tests"


def test_active_time_is_prepared_begun_and_played_from_the_pages() -> None:
    table: Table = make_table({PACK: ""})
    ana, bo = table.character("pia", "Ana"), table.character("paul", "Bo")
    values = {"points_a_turn": 3, "inspired_actions": ["class_flourish"]}
    table.send("olga", ChangeSheet(subject=ana, pack=PACK, values=values))
    gm, pia = client_of(table, "olga"), client_of(table, "pia")
    fields = {"title": "In the Lane", "pack": PACK, "foes": "words", "seconds": "30", "width": "0", "height": "0"}
    to = gm.post(address(table, "new_encounter"), {"command_id": uuid4(), **fields})["Location"]
    encounter = to.rstrip("/").rpartition("/")[2]
    bring = {"command_id": uuid4(), "subject": [ana, bo], "side": "party"}
    gm.post(address(table, "bring_in_encounter", encounter), bring)
    begin = address(table, "begin_encounter", encounter)
    wrong = gm.post(begin, {"command_id": uuid4(), f"initiative-{ana}": "12"})
    assert wrong.status_code == 422 and "initiative" in text_of(wrong).lower()
    seen = {f"seen-{one}": "on" for one in (ana, bo)}
    gm.post(begin, {"command_id": uuid4(), f"initiative-{ana}": "12", f"initiative-{bo}": "7", **seen})
    table.send("olga", AdjustInEncounter(encounter=encounter, reason="Inspired", give={ana: ["inspired"]}))
    page = text_of(pia.get(to))
    assert "Round 1" in page and "An Inspired Action" in page and "Action Points 3" in page
    assert "An Inspired Action" not in text_of(client_of(table, "paul").get(to))
