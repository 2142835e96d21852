"""The bell and the page of notices, how one is told, and the webhooks of a table."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest

from campaigns import models
from campaigns.commands.calls import CallTest
from campaigns.notices.telling import tell
from identity.commands.pairs import EnterPairs
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_pages import address, client_of, form_id


@pytest.fixture
def table(transactional_db: None) -> Table:
    made = make_table({"spindrift-identity": ""})
    talyne = made.character("pia")
    made.send("olga", EnterPairs(subject=talyne))
    tell(made.campaign_id)
    models.Notice.objects.all().delete()
    call = {"roles": {"holder": talyne}, "given": {"pair": "bold_cautious"}, "decision": "Board the ship?"}
    made.send("olga", CallTest(pack="spindrift-identity", test="identity", **call))
    tell(made.campaign_id)
    return made


def bell(table: Table, who: str) -> str:
    html = client_of(table, who).get(address(table, "bell")).content.decode()
    return "".join(re.findall(r'nav__count">(\d+)', html))


def test_the_bell_rings_for_whom_it_concerns_until_they_have_read(table: Table) -> None:
    assert [bell(table, who) for who in ("pia", "paul", "olga")] == ["1", "", ""]
    pia = client_of(table, "pia")
    page = pia.get(address(table, "notices")).content.decode()
    assert "Identity test for Talyne: Board the ship?" in page and "/tests/" in page
    upto = page.split('name="upto" value="')[1].split('"')[0]
    client_of(table, "paul").post(address(table, "have_read"), {"upto": upto})
    assert bell(table, "pia") == "1"
    pia.post(address(table, "have_read"), {"upto": "x"})
    assert bell(table, "pia") == "1"
    pia.post(address(table, "have_read"), {"upto": upto})
    assert bell(table, "pia") == ""
    assert "Board the ship?" in pia.get(address(table, "notices")).content.decode()
    assert client_of(table, "stan").get(address(table, "bell")).status_code == 404


def test_one_chooses_how_to_be_told_and_nobody_else_hears_of_it(table: Table) -> None:
    pia = client_of(table, "pia")
    page = pia.get(address(table, "notices")).content.decode()
    assert page.count('value="page"') == page.count('value="mail"') > 5
    pia.post(address(table, "choose_notices"), {"command_id": str(uuid4()), "by-test": ["mail"]})
    after = pia.get(address(table, "notices")).content.decode()
    test = after.split('name="by-test"')
    assert "checked" not in test[1].split(">")[0] and "checked" in test[2].split(">")[0]
    assert "chose how to be told" not in client_of(table, "paul").get(address(table, "ledger")).content.decode()


def test_a_webhook_is_added_listed_without_its_address_and_removed(table: Table) -> None:
    olga, where = client_of(table, "olga"), address(table, "new_hook")
    assert client_of(table, "pia").get(where).status_code == 403
    form = {"command_id": form_id(olga.get(where).content.decode()), "name": "Our chat", "reads": "player"}
    secret = "https://chat.example/hooks/CanaryAddress"
    refused = olga.post(where, {**form, "address": "nowhere"})
    assert refused.status_code == 422 and "This is no web address." in refused.content.decode()
    refused = olga.post(where, {**form, "address": secret, "name": ""})
    assert refused.status_code == 422 and "CanaryAddress" not in refused.content.decode()
    assert olga.post(where, {**form, "address": secret, "kinds": ["test", "season"]}).status_code == 302
    settings = olga.get(address(table, "settings")).content.decode()
    assert "Our chat" in settings and "reads as the table" in settings and "CanaryAddress" not in settings
    hook = re.findall(r"/webhooks/([0-9a-f]{32})/remove/", settings)[0]
    olga.post(address(table, "remove_hook", hook), {"command_id": str(uuid4())})
    assert "/remove/" not in olga.get(address(table, "settings")).content.decode()
