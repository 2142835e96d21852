"""What lasts a scene, a session or a period of the calendar ends with it. Ledger: TRT-018, TRT-123."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from campaigns import lasting
from campaigns.commands.calls import CallTest, RollTest
from campaigns.commands.containers import CloseContainer, OpenContainer
from campaigns.commands.voiding import VoidAction
from campaigns.feed import cursor_of, newer
from campaigns.packs import Packs
from campaigns.parts.sheets import Sheets
from campaigns.registry import Closing
from campaigns.store import states
from rules.sheets import Ends, Held
from tests.campaigns.tables import Table, make_table

PACK = "trait-tests"


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({PACK: ""})


def card_of(table: Table) -> str:
    with states.held(table.campaign_id) as state:
        return next(iter(Packs(state).get(PACK).cards["scope_change"]))


def changed(table: Table, hero: str, lasts: str) -> None:
    given = {"change": card_of(table), "lasts": lasts}
    command = CallTest(pack=PACK, test="change_scope", roles={"hero": hero}, given=given)
    called: Any = table.send("olga", command).events[0].event
    table.send("olga", RollTest(call=called.call))


def opened(table: Table, kind: str = "scene", **more: Any) -> str:
    event: Any = table.send("olga", OpenContainer(kind=kind, title="The ford", **more)).events[0].event
    return str(event.container)


def held(table: Table, hero: str) -> list[str]:
    with states.held(table.campaign_id) as state:
        return [one.ends.at if one.ends else "" for one in state.part(Sheets).sheet(hero, PACK).held]


def test_a_scene_takes_along_what_lasts_a_scene_and_gives_it_back_with_itself(table: Table) -> None:
    hero = table.character("pia", "Isolde")
    scene = opened(table)
    changed(table, hero, "scene")
    changed(table, hero, "until_ended")
    assert held(table, hero) == ["scene_end", "never"]
    closed = table.send("olga", CloseContainer(container=scene))
    assert held(table, hero) == ["never"]
    with states.held(table.campaign_id) as state:
        told = [entry.view["type"] for entry in newer(state, table.viewer("pia"), 0, 1000)]
    assert told[-2:] == ["card.ended", "container.closed"]
    table.send("olga", VoidAction(entry=cursor_of(table.campaign_id, closed.position), reason="Not yet over"))
    assert held(table, hero) == ["scene_end", "never"]


def test_who_is_in_another_scene_keeps_what_lasts_theirs(table: Table) -> None:
    here, there = table.character("pia", "Isolde"), table.character("paul", "Orrin")
    scene = opened(table, participants=(here,))
    opened(table, participants=(there,))
    changed(table, here, "scene")
    changed(table, there, "scene")
    table.send("olga", CloseContainer(container=scene))
    assert (held(table, here), held(table, there)) == ([], ["scene_end"])


def test_a_session_ends_its_scene_and_what_lasts_it(table: Table) -> None:
    hero = table.character("pia", "Isolde")
    session = opened(table, "session")
    opened(table)
    changed(table, hero, "scene")
    table.send("olga", CloseContainer(container=session))
    assert held(table, hero) == []


@pytest.mark.parametrize(("rung", "left"), [("week", ["season_end"]), ("season", ["week_end"]), ("year", [])])
def test_a_close_ends_what_lasts_its_period(table: Table, rung: str, left: list[str]) -> None:
    hero = table.character("pia", "Isolde")
    closing = Closing(rung=rung, number=1, attempt=1, position=9, happened_at=datetime(2026, 2, 1, 23, 59, tzinfo=UTC))
    with states.held(table.campaign_id) as state:
        sheet = state.part(Sheets).own(hero, PACK)
        for number, at in enumerate(("week_end", "season_end"), 1):
            sheet.held.append(
                Held(id=str(number), card=next(iter(Packs(state).get(PACK).cards["scope_change"])), ends=Ends(at=at))
            )
        drafts = lasting.with_period(state, closing, None)  # type: ignore[arg-type]
        ended: list[Any] = [draft.event for draft in drafts]
        stays = [one.ends.at for one in sheet.held if one.ends and one.id not in [event.held for event in ended]]
    states.forget(table.campaign_id)
    assert stays == (left or ["week_end", "season_end"])
    assert all((draft.cause, draft.happened_at) == (9, closing.happened_at) for draft in drafts)
