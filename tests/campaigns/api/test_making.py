"""Making a character, its sheet and its file over the API alone."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.commands.packs import AddPack
from tests.campaigns.api.callers import Caller
from tests.campaigns.tables import Table

People = dict[str, Caller]
PACK = "trait-tests"


@pytest.fixture
def playing(table: Table) -> Table:
    """The table with a pack that makes characters."""
    table.send("olga", AddPack(pack=PACK))
    return table


def sent(caller: Caller, name: str, body: Any) -> Any:
    answer = caller.send(name, body)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_from_what_can_be_made_to_a_sheet_and_a_file(playing: Table, people: People) -> None:
    pia = people["pia"]
    (maker,) = pia.read("making").json()["makers"]
    assert (maker["kind"], maker["steps"][1], maker["ready"]["tracker"]) == ("character", "Traits", "Oda Reed")
    sent(pia, "draft.begin", {"pack": PACK, "kind": "character", "name": "Iva"})
    (line,) = pia.read("drafts").json()["drafts"]
    choices = {"traits": {"physique": 6}, "learnt": ["stealth"]}
    sent(pia, "draft.choose", {"draft": line["draft"], "choices": choices})
    draft = pia.read(f"drafts/{line['draft']}").json()
    assert [(w["choice"], w["reason"], w["right"]) for w in draft["wrong"]] == [("traits", "out_of_bounds", "-2 to 5")]
    mastered = next(one for one in draft["choices"] if one["id"] == "mastered")
    assert [option["id"] for option in mastered["options"]] == ["stealth"]
    refused = pia.send("draft.finish", {"draft": line["draft"]})
    assert (refused.status_code, refused.json()["field"]) == (400, "choices.traits")
    sent(pia, "draft.choose", {"draft": line["draft"], "choices": {"traits": {"physique": 5}}})
    sent(pia, "draft.finish", {"draft": line["draft"]})
    (subject,) = pia.read("subjects").json()["subjects"]
    (sheet,) = people["paul"].read(f"subjects/{subject['subject']}/sheets").json()["sheets"]
    (table_read,) = sheet["groups"][0]["tables"]
    assert table_read["rows"][0]["cells"][0]["value"] == 5
    file = pia.read(f"subjects/{subject['subject']}/file").json()
    assert file["sheets"][PACK]["choices"]["traits"]["physique"] == 5
    sent(pia, "character.import", {"character": file, "again": True})
    assert len(pia.read("subjects").json()["subjects"]) == 2


def test_a_draft_and_a_sheet_are_for_those_who_may_see_them(playing: Table, people: People) -> None:
    sent(people["pia"], "draft.begin", {"pack": PACK, "kind": "character", "ready": "envoy"})
    (line,) = people["olga"].read("drafts").json()["drafts"]
    assert people["paul"].read("drafts").json() == {"drafts": []}
    assert people["paul"].read(f"drafts/{line['draft']}").status_code == 404
    for who in ("wim", "link"):
        for path in ("drafts", "making", f"subjects/{line['draft']}/sheets"):
            assert people[who].read(path).status_code in (403, 404)
