"""Publishing scene by scene: watchers are told of a test when the GM publishes where it was made (SPI-140)."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns import seeds
from campaigns.commands.calls import CallTest, RollTest
from campaigns.commands.containers import CloseContainer, OpenContainer
from campaigns.commands.publishing import PublishContainer
from campaigns.commands.voiding import VoidAction
from campaigns.feed import cursor_of, newer
from campaigns.parts.containers import LATELY, Containers
from campaigns.store import states
from identity.commands.pairs import EnterPairs
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table

PACK = "spindrift-identity"


@pytest.fixture
def table(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Table:
    """Talyne, Bold 14; every die falls 9 and binds to it."""
    monkeypatch.setattr(seeds, "face", lambda seed, counter, sides: 9)
    made = make_table({PACK: ""})
    made.talyne = made.character("pia", "Talyne")  # type: ignore[attr-defined]
    made.send("olga", EnterPairs(subject=made.talyne, ratings={"bold": 14}))  # type: ignore[attr-defined]
    return made


def opened(table: Table, title: str, **more: Any) -> str:
    command = OpenContainer(**{"kind": "scene", "title": title, **more})
    return str(table.send("olga", command).events[0].event.container)  # type: ignore[attr-defined]


def rolled(table: Table, container: str, decision: str, *, secret: bool = False) -> Any:
    command = CallTest(
        pack=PACK,
        test="identity",
        roles={"holder": table.talyne},  # type: ignore[attr-defined]
        decision=decision,
        given={"pair": "bold_cautious"},
        container=container,
        secret=secret,
    )
    call: Any = table.send("olga", command).events[0].event
    return table.send("pia", RollTest(call=call.call)).events


def publish(table: Table, container: str, published: bool = True) -> int:
    return len(table.send("olga", PublishContainer(container=container, published=published)).events)


def told(table: Table, who: str = "wim") -> list[str]:
    with states.held(table.campaign_id) as state:
        views = [entry.view for entry in newer(state, table.viewer(who), 0, 1000)]
    return [view["data"]["decision"] for view in views if view["type"] == "test.published" and not view["voided"]]


def test_a_watcher_is_told_what_was_and_will_be_tested_in_a_published_scene(table: Table) -> None:
    bridge, market = opened(table, "The bridge"), None
    rolled(table, bridge, "Cross first")
    rolled(table, bridge, "Spare him", secret=True)
    assert told(table) == []
    assert publish(table, bridge) == 2
    assert told(table) == ["Cross first"]
    rolled(table, bridge, "Burn it")
    rolled(table, bridge, "Let one fall", secret=True)
    assert told(table) == ["Cross first", "Burn it"]
    table.send("olga", CloseContainer(container=bridge))
    market = opened(table, "The market")
    rolled(table, market, "Buy the map")
    rolled(table, "", "Sleep")
    assert told(table) == ["Cross first", "Burn it"]
    # Publishing twice changes nothing; publishing no more ends it, and what was told stays told.
    assert publish(table, market) == 2 and publish(table, market) == 0
    publish(table, market, published=False)
    rolled(table, market, "Sell it")
    assert told(table) == ["Cross first", "Burn it", "Buy the map"]
    assert publish(table, market) == 2 and told(table)[-1] == "Sell it"


def test_what_watchers_are_told_has_no_dice_and_no_ratings(table: Table) -> None:
    bridge = opened(table, "The bridge")
    rolled(table, bridge, "Cross first")
    publish(table, bridge)
    with states.held(table.campaign_id) as state:
        views = [entry.view for entry in newer(state, table.viewer("wim"), 0, 1000)]
    (seen,) = [view for view in views if view["type"] == "test.published"]
    assert seen["data"]["facts"] == {"must_express": "bold", "strength": "ordinary"}
    assert seen["says"] == "Talyne (Cross first): Bold decides"
    assert not [view for view in views if view["type"] == "test.resolved"]


def test_what_lies_within_is_published_with_it_and_what_is_over_can_be(table: Table) -> None:
    bridge = opened(table, "The bridge")
    deed = opened(table, "Hold the rail", kind="deed", parent=bridge, participants=(table.talyne,))  # type: ignore[attr-defined]
    rolled(table, deed, "Hold on")
    gone = rolled(table, deed, "Let go")
    resolved = next(event for event in gone if event.type == "test.resolved")
    entry = cursor_of(table.campaign_id, resolved.position)
    table.send("olga", VoidAction(entry=entry, reason="A slip"))
    table.send("olga", CloseContainer(container=bridge))
    publish(table, bridge)
    assert told(table) == ["Hold on"]
    with states.held(table.campaign_id) as state:
        assert len(state.part(Containers).over) == 2


def test_only_the_gm_publishes_and_nothing_hidden_or_long_past(table: Table) -> None:
    scenes = [opened(table, "The bridge")]
    for number in range(LATELY + 1):
        table.send("olga", CloseContainer(container=scenes[-1]))
        scenes.append(opened(table, f"Scene {number}"))
    hidden = opened(table, "Behind the screen", kind="deed", hidden=True)
    for who, container, code in (
        ("pia", scenes[-1], "not_allowed"),
        ("olga", scenes[0], "not_open"),
        ("olga", hidden, "still_hidden"),
    ):
        with pytest.raises(Refused) as refused:
            table.send(who, PublishContainer(container=container))
        assert refused.value.code == code
