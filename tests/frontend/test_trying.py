"""A pack of the table's own on the pages: mistakes told by the file's own name, tried by hand, begun on a sheet."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from campaigns.commands.own_packs import BringPack
from campaigns.commands.sheets import ChangeSheet
from campaigns.parts.packs import PacksState
from campaigns.parts.sheets import Sheets
from campaigns.store import states
from frontend.rulebooks import changes_said
from frontend.templatetags.tide import words
from rules.packs import load_files
from tests.campaigns.tables import Table, make_table
from tests.campaigns.test_own_packs import RULES, whole
from tests.frontend.test_pages import address, client_of

SINGLE = "id: glass\nversion: 1.0.0\ntitle: Glass\nsource: Ours\nrights: Ours\n" + RULES


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({"trait-tests": ""})


def bring(table: Table, name: str, text: str) -> str:
    upload = {"act": "bring", "command_id": uuid4(), "files": SimpleUploadedFile(name, text.encode())}
    return client_of(table, "olga").post(address(table, "rules"), upload, follow=True).content.decode()


def test_every_mistake_is_told_by_the_name_of_the_file_that_was_sent(table: Table) -> None:
    wrong = (
        SINGLE.replace("rights: Ours\n", "").replace("type: int", "typ: int").replace("title: A try", "titel: A try")
    )
    said = bring(table, "my glass.yaml", wrong)
    for one in (
        "field &#x27;rights&#x27; is missing",
        "unknown field &#x27;typ&#x27;",
        "unknown field &#x27;titel&#x27;",
    ):
        assert one in said, one
    assert "my glass.yaml:" in said and "pack.yaml" not in said
    assert "my glass.yaml:" in bring(table, "my glass.yaml", "id: [")
    bring(table, "my glass.yaml", SINGLE)
    with states.held(table.campaign_id) as state:
        assert set(state.part(PacksState).own) == {"glass"}


def test_a_brought_pack_is_tried_by_anybody_of_its_kinds_or_somebody_new(table: Table) -> None:
    table.send("olga", BringPack(files=whole()))
    gm, to = client_of(table, "olga"), address(table, "try_test", "glass", "attempt")
    hal = table.character("pia", "Hal", "hero")
    page = gm.get(to).content.decode()
    assert f'<option value="{hal}" selected>Hal</option>' in page and "Somebody new" in page
    assert "first=left" not in page
    asked = {"role-hero": "new", "given-how": "fast", "faces": "3", "go": "run"}
    waits = gm.get(to, asked).content.decode()
    assert "It waits: Again, after a 3?" in waits and 'name="choose-again"' in waits and ">Yes</option>" in waits
    # 3 and a grit of 2, as everybody begins with, is 5 of the 4 that are needed.
    done = gm.get(to, {**asked, "choose-again": "false"}).content.decode()
    assert "<h2>Done</h2>" in done and "Again: No. <a" in done
    odds = gm.get(to, {**asked, "go": "odds"}).content.decode()
    assert "The odds hang on this answer." in odds
    # Of six faces those from 2 on are enough.
    odds = gm.get(to, {**asked, "go": "odds", "choose-again": "true"}).content.decode()
    assert "<td>Done</td><td>83.333 %</td><td>5</td>" in odds


def test_what_changes_is_read_by_titles(table: Table) -> None:
    def pack(rules: str, version: str = "1.0.0"):  # type: ignore[no-untyped-def]
        files = whole(version, rules)
        return load_files({name: files[name].encode() for name in ("pack.yaml", "rules.yaml")})

    said = changes_said(pack(RULES), pack(RULES.replace("sides: 6", "sides: 8").replace("max: 9", "max: 12")))
    assert said == (
        "Kind Hero: changed. Stats, grit, max: 9 becomes 12",
        "Test A try: changed. Step 1, sides: 6 becomes 8",
    )


def test_who_does_not_play_by_rules_yet_begins_with_one_press(table: Table) -> None:
    hal = table.character("pia", "Hal", "character")
    kinds = "kinds:\n  character:" + RULES.split("kinds:\n  hero:")[1].replace("[hero]", "[character]")
    table.send("pia", ChangeSheet(subject=hal, pack="trait-tests", values={"level": 2}))
    table.send("olga", BringPack(files=whole(rules=kinds)))
    page = client_of(table, "pia").get(address(table, "subject", hal)).content.decode()
    assert "Hal does not play by these rules yet." in page and "Play by these rules" in page
    to = re.search(r'action="([^"]+/sheet/glass/)"', page)
    assert to is not None
    assert client_of(table, "paul").post(to[1], {"act": "begin", "command_id": uuid4()}).status_code != 200
    sent = {"act": "begin", "command_id": uuid4()}
    page = client_of(table, "pia").post(to[1], sent, follow=True).content.decode()
    assert "does not play by these rules yet" not in page and ">Grit<" in page
    with states.held(table.campaign_id) as state:
        assert state.part(Sheets).begun(hal, "glass")
    ledger = client_of(table, "paul").get(address(table, "ledger")).content.decode()
    assert "Hal: plays by the rules of Glass now" in ledger


def test_words_of_an_option_stay_as_they_were_written() -> None:
    assert words("Push for a Degree of Exhaustion") == "Push for a Degree of Exhaustion"
    assert words("before_roll") == "Before roll" and words("the GM agrees") == "The GM agrees"
