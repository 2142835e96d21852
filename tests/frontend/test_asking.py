"""Fields of forms for what a test is given."""

from __future__ import annotations

import pytest
from django.urls import reverse

from campaigns.commands.calls import CallTest
from campaigns.store import states
from frontend.asking import field_of
from rules.packs import Pack, load_pack, pack_ids
from tests.campaigns.tables import make_table
from tests.frontend.test_pages import client_of

PACKS = {name: load_pack(name) for name in pack_ids()}
INPUTS = [
    (pack, test, name)
    for pack in PACKS.values()
    for test, program in pack.tests.items()
    for name, spec in program.spec.inputs.items()
    if spec.type in ("card", "name") and spec.optional
]


def test_there_are_some() -> None:
    assert any(pack.id == "frontiers-fantasy" and (test, name) == ("rest", "domain") for pack, test, name in INPUTS)


@pytest.mark.parametrize(("pack", "test", "name"), INPUTS, ids=[f"{p.id}-{t}-{n}" for p, t, n in INPUTS])
def test_what_may_be_left_open_is_left_open_first(pack: Pack, test: str, name: str) -> None:
    """Who has none of them must not send the first one that there is."""
    field = field_of(pack, name, pack.test(test).spec.inputs[name], "", None)
    assert field.groups[0][1][0] == ("none", "none")


def test_what_was_given_stands_in_the_order_of_the_tests_inputs_also_from_the_record(transactional_db: None) -> None:
    """Canonical JSON has keys by the alphabet (ap, demand, use); the test asks for the use first."""
    table = make_table({"frontiers-fantasy": ""})
    hero = table.character("pia")
    given = {"demand": 3, "use": "reaction", "ap": 2}
    roles = {"hero": hero, "party": table.character("olga", "The Four", "party")}
    done = CallTest(pack="frontiers-fantasy", test="do_something", roles=roles, given=given)
    call = table.send("olga", done).events[0].event.call
    page = reverse("test", args=[table.campaign_id, call])

    def told() -> str:
        return client_of(table, "pia").get(page).content.decode().split('<p class="folio">')[1].split("</p>")[0]

    first = told()
    assert first.endswith(" · Reaction · 2 · 3")
    states._states.clear()
    assert told() == first


def test_what_a_test_calls_itself_by_is_not_told_twice(transactional_db: None) -> None:
    table = make_table({"frontiers-fantasy": ""})
    hero = table.character("pia")
    given = {"then": "goes_on", "minutes": 60, "doing": "working"}
    rest = CallTest(pack="frontiers-fantasy", test="rest", roles={"hero": hero}, given=given)
    call = table.send("olga", rest).events[0].event.call
    page = client_of(table, "pia").get(reverse("test", args=[table.campaign_id, call])).content.decode()
    assert '<p class="folio">Talyne rests for 1:00 hours · working · the rest goes on</p>' in page
