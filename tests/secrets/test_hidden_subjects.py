"""A hidden subject in the middle of play: what all see says nothing of it, whatever happens to it."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.commands.calls import CallTest, RollTest
from campaigns.commands.containers import CorrectContainer, OpenContainer
from campaigns.commands.seats import RemoveMember
from campaigns.commands.starting import ChangeSetting
from campaigns.commands.subjects import CreateSubject, RevealSubject
from campaigns.feed import newer
from campaigns.store import states
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_pages import client_of

PACK, NAME = "trait-tests", "Canary of the Deep"


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({PACK: ""})


def hidden(table: Table, *players: str) -> str:
    command = CreateSubject(kind="character", name=NAME, players=players, hidden=True)
    return str(table.send("olga", command).events[0].event.subject)  # type: ignore[attr-defined]


def seen(table: Table, who: str) -> str:
    viewer = table.viewer(who)
    with states.held(table.campaign_id) as state:
        return repr([entry.view for entry in newer(state, viewer, 0, 500)])


def opened(table: Table, **more: Any) -> str:
    made: Any = table.send("olga", OpenContainer(kind="scene", title="The quay", **more)).events[0].event
    return str(made.container)


def test_when_its_player_goes_the_table_is_told_nothing_of_it(table: Table) -> None:
    foe = hidden(table, table.member("paul"))
    table.send("olga", RemoveMember(member=table.member("paul")))
    for who in ("pia", "wim", "link"):
        assert foe not in seen(table, who) and NAME not in seen(table, who)


def test_it_takes_part_in_nothing_that_all_see(table: Table) -> None:
    foe = hidden(table)
    for people in ({"participants": (foe,)}, {"leaders": (foe,)}):
        with pytest.raises(Refused) as caught:
            opened(table, **people)
        assert caught.value.code == "still_hidden"
    scene = opened(table)
    with pytest.raises(Refused):
        table.send("olga", CorrectContainer(container=scene, title="The quay", participants=(foe,)))
    table.send("olga", RevealSubject(subject=foe))
    table.send("olga", CorrectContainer(container=scene, title="The quay", participants=(foe,)))


def test_what_lies_in_something_hidden_is_hidden(table: Table) -> None:
    lair = opened(table, hidden=True)
    with pytest.raises(Refused) as caught:
        opened(table, parent=lair)
    assert (caught.value.code, caught.value.field) == ("still_hidden", "hidden")
    session: Any = table.send("olga", OpenContainer(kind="session", title="Alone", hidden=True)).events[0].event
    opened(table)
    assert session.container not in seen(table, "pia")


@pytest.mark.parametrize("way", ["hidden subject", "secret", "hidden scene"])
def test_what_a_secret_test_does_to_sheets_stays_with_it(table: Table, way: str) -> None:
    """A failed test that is pushed through costs Exhaustion, a value that all may see as such."""
    hero = hidden(table, table.member("pia")) if way == "hidden subject" else table.character("pia")
    table.send("olga", ChangeSetting(setting="typed_dice", value=True))
    more: dict[str, Any] = {"secret": way == "secret"}
    if way == "hidden scene":
        more["container"] = opened(table, hidden=True)
    before = [seen(table, who) for who in ("paul", "wim", "link")]
    given = {"trait": "physique", "goal": 1000}
    call = CallTest(pack=PACK, test="trait_test", roles={"hero": hero}, given=given, **more)
    test: Any = table.send("olga", call).events[0].event
    # Typed in: a 20 or a 1 would be more than a plain failure.
    ask: Any = table.send("pia", RollTest(call=test.call, faces=(10,))).events[-1].event
    pushed = table.send("pia", RollTest(call=test.call, choices={ask.ask["id"]: "exhaustion"}))
    assert "sheet.changed" in [event.type for event in pushed.events]
    assert [seen(table, who) for who in ("paul", "wim", "link")] == before


def test_a_hidden_opponent_has_no_name_for_those_it_is_met_by(table: Table) -> None:
    foe, hero = hidden(table), table.character("pia")
    given = {"trait": "physique", "other_trait": "physique"}
    roles = {"actor": hero, "opponent": foe}
    call: Any = table.send("olga", CallTest(pack=PACK, test="contest", roles=roles, given=given)).events[0].event
    for word in (NAME, foe):
        assert word not in seen(table, "pia") and word in seen(table, "olga")
    html = client_of(table, "pia").get(f"/c/{table.campaign_id}/tests/{call.call}/").content.decode()
    assert "Talyne" in html and NAME not in html and foe not in html
    assert NAME in client_of(table, "olga").get(f"/c/{table.campaign_id}/tests/{call.call}/").content.decode()
