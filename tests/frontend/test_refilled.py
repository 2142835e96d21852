"""A refused form keeps what was typed into it: every kind of field, and of several forms the one that was sent."""

from __future__ import annotations

from uuid import uuid4

import pytest

from campaigns.commands.subjects import CreateSubject
from frontend.refilled import refilled
from identity.commands.pairs import EnterPairs
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_pages import address, client_of

PAGE = (
    '<form method="get"><input name="name" value="q"></form>'
    '<form method="post"><input type="hidden" name="act" value="a"><input name="name" value="old"></form>'
    '<form method="post"><input type="hidden" name="act" value="b"><input type="hidden" name="command_id" value="1">'
    '<input name="name" value="old" required><input type="checkbox" name="some" value="1" checked>'
    '<input type="checkbox" name="some" value="2"><input type="radio" name="one" value="x" checked>'
    '<input type="radio" name="one" value="y"><textarea name="text" rows="3">old</textarea>'
    '<select name="sort"><option value="p" selected>P</option><option value="q">Q</option></select>'
    '<input type="password" name="secret"></form>'
)


def test_every_kind_of_field_is_filled_and_no_other_form() -> None:
    typed = {
        "act": ["b"],
        "command_id": ["2"],
        "name": ['<"new">'],
        "some": ["2"],
        "one": ["y"],
        "text": ["\na < b </textarea>"],
        "sort": ["q"],
        "secret": ["hunter"],
    }
    html = refilled(PAGE, typed, "/here/", "/here/")
    first, second, third = html.split("</form>")[:3]
    assert first + "</form>" + second == PAGE.split("</form>")[0] + "</form>" + PAGE.split("</form>")[1]
    assert 'value="&lt;&quot;new&quot;&gt;"' in third and 'value="old"' not in third and "required" in third
    assert '<input type="checkbox" name="some" value="1">' in third
    assert '<input type="checkbox" name="some" value="2" checked="">' in third
    assert '<input type="radio" name="one" value="x">' in third
    assert '<input type="radio" name="one" value="y" checked="">' in third
    assert '<textarea name="text" rows="3">\na &lt; b &lt;/textarea&gt;</textarea>' in third
    assert '<option value="p">' in third and '<option value="q" selected="">' in third
    assert "hunter" not in html and 'name="command_id" value="1"' in third


def test_a_page_without_the_form_that_was_sent_stays_as_it_is() -> None:
    assert refilled(PAGE, {"act": ["c"], "name": ["new"]}, "/here/", "/here/") == PAGE
    drawn = '<form method="post" data-as-drawn><input name="name" value="old"></form>'
    assert refilled(drawn, {"name": ["new"]}, "/here/", "/here/") == drawn


def test_what_was_said_of_one_thing_stands_in_no_other_ones_form() -> None:
    """Forms that differ by where they are sent, or by the id of what they are about."""
    one, two = (
        f'<form method="post" action="/{name}/?x=1"><svg viewBox="0 0 1 1"></svg><input name="note"></form>'
        for name in ("one", "two")
    )
    html = refilled(one + two, {"note": ["About two"]}, "/here/", "/two/")
    assert html.index("/two/") < html.index("About two") and html.count("About two") == 1 and "viewBox" in html
    assert "About two" not in refilled(one, {"note": ["About two"]}, "/here/", "/two/")
    ids = [uuid4().hex, str(uuid4())]
    told = [
        f'<form method="post"><input type="hidden" name="die" value="{one}"><input name="note"></form>' for one in ids
    ]
    html = refilled("".join(told), {"die": [ids[1]], "note": ["About two"]}, "/here/", "/here/")
    assert html.index(ids[1]) < html.index("About two") and html.count("About two") == 1
    assert "About two" not in refilled(told[0], {"die": [ids[1]], "note": ["About two"]}, "/here/", "/here/")


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({"spindrift-identity": ""})


def test_ticks_and_choices_of_a_refused_page_stay_as_they_were_made(table: Table) -> None:
    """The form of a new subject: who plays it and that it is hidden; that of a membership: who."""
    olga = client_of(table, "olga")
    paul, form = table.member("paul"), {"command_id": str(uuid4()), "kind": "faction", "name": " ", "hidden": "on"}
    html = olga.post(address(table, "new_subject"), {**form, "players": [paul]}).content.decode()
    assert f'name="players" value="{paul}" checked="">' in html and 'name="hidden" value="on" checked="">' in html
    assert '<option value="faction" selected="">' in html or 'value="faction" checked="">' in html
    orla = table.character("pia", "Orla")
    table.character("paul", "Brock")
    house = table.send("olga", CreateSubject(kind="house", name="House Veld")).events[0].event.subject
    table.send("olga", EnterPairs(subject=house, ratings={"dynastic": 15}))
    form = {"command_id": str(uuid4()), "member": orla, "standing": "Heir", "since": "2999-01-01T00:00"}
    html = olga.post(address(table, "new_affiliation", house), form).content.decode()
    assert f'<option value="{orla}" selected="">' in html and html.count(" selected=") == 1
    assert 'value="Heir"' in html and 'value="2999-01-01T00:00"' in html
