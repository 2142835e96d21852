"""What is the game master's to give: a call waits for it where it is hidden, has no default, or a pack says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from campaigns.audience import name_finder, view_event
from campaigns.commands.calls import AgreeTest, CallTest, RollTest
from campaigns.packs import keep_shelf
from campaigns.parts.calls import Calls
from campaigns.store import states
from rules.packs import folder, load_files
from rules.problems import PackError
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table

PACK = "id: cliffs\nversion: 1.0.0\ntitle: Cliffs\nsource: Our own.\nrights: Our own.\n"
RULES = """
kinds: {hero: {title: Hero, stats: {might: {type: int, min: 0, max: 9, default: 2}}}}
tests:
  climb:
    title: Climb
    named: "Climb to {height}"
    roles: {who: {kinds: [hero]}}
    inputs:
      goal: {type: int, min: 1, max: 20, by: gm, seen: gm}
      height: {type: name, options: [ledge, top], by: gm}
      wind: {type: int, min: 0, max: 9, default: 0, by: gm}
    steps: [{outcome: up, when: goal + wind <= 10}, {outcome: down}]
    outcomes: {up: {title: Up}, down: {title: Down}}
  jump:
    title: Jump
    roles: {who: {kinds: [hero]}}
    inputs: {width: {type: int, min: 0, max: 9, default: 3, by: gm}}
    steps: [{outcome: over, when: width < 4}, {outcome: in_it}]
    outcomes: {over: {title: Over}, in_it: {title: In it}}
  swim:
    title: Swim
    roles: {who: {kinds: [hero]}}
    inputs: {cold: {type: int, min: 0, max: 9, default: 3, by: gm, asked: always}}
    steps: [{outcome: over, when: cold < 4}, {outcome: in_it}]
    outcomes: {over: {title: Over}, in_it: {title: In it}}
  listen:
    title: Listen
    roles: {who: {kinds: [hero]}}
    inputs: {noise: {type: int, min: 0, max: 9, default: 3, by: gm, seen: gm, asked: never}}
    steps: [{outcome: over, when: noise < 4}, {outcome: in_it}]
    outcomes: {over: {title: Over}, in_it: {title: In it}}
"""


@pytest.fixture
def table(transactional_db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    monkeypatch.setattr(folder, "SHELF", tmp_path)
    (tmp_path / "cliffs").mkdir()
    (tmp_path / "cliffs" / "pack.yaml").write_text(PACK)
    (tmp_path / "cliffs" / "rules.yaml").write_text(RULES)
    keep_shelf()
    return make_table({"cliffs": ""})


def called(table: Table, who: str, test: str, hero: str) -> tuple[str, str, str]:
    """The call, how it stands and its title."""
    event = table.send(who, CallTest(pack="cliffs", test=test, roles={"who": hero})).events[0].event
    return event.call, event.state, event.title


def test_a_call_waits_for_what_is_the_game_masters_to_say(table: Table) -> None:
    hero = table.character("pia", "Ana", "hero")
    call, state, title = called(table, "pia", "climb", hero)
    assert (state, title) == ("awaiting_gm", "Climb")
    with pytest.raises(Refused) as caught:
        table.send("pia", RollTest(call=call))
    assert caught.value.code == "awaiting_gm"
    with pytest.raises(Refused) as caught:
        table.send("olga", AgreeTest(call=call, given={"goal": 8}))
    assert caught.value.field == "given.height"
    agreed = table.send("olga", AgreeTest(call=call, given={"goal": 8, "height": "top"})).events[0]
    with states.held(table.campaign_id) as now:
        assert now.part(Calls).open[call].given == {"goal": 8, "height": "top"}
        names = name_finder(now)
    seen = view_event(agreed, table.viewer("pia"), names)
    assert seen is not None
    told = {"call": call, "title": "Climb to top", "given": {"height": "top"}, "given_holders": {}}
    assert seen["data"] == told
    done = table.send("pia", RollTest(call=call)).events[0].event
    assert done.outcome == "up"


@pytest.mark.parametrize("test, state", [("jump", "open"), ("swim", "awaiting_gm"), ("listen", "open")])
def test_a_default_is_taken_unless_the_pack_has_it_asked(table: Table, test: str, state: str) -> None:
    hero = table.character("pia", "Ana", "hero")
    assert called(table, "pia", test, hero)[1] == state
    assert called(table, "olga", test, hero)[1] == "open"


def test_agreeing_with_nothing_said_takes_the_default(table: Table) -> None:
    hero = table.character("pia", "Ana", "hero")
    call, _, _ = called(table, "pia", "swim", hero)
    table.send("olga", AgreeTest(call=call))
    assert table.send("pia", RollTest(call=call)).events[0].event.outcome == "over"


@pytest.mark.parametrize("wrong", ["asked: always", "by: gm, asked: never"])
def test_what_is_asked_is_the_game_masters_and_what_is_not_has_a_default(wrong: str) -> None:
    rules = RULES.replace("options: [ledge, top], by: gm", f"options: [ledge, top], {wrong}")
    with pytest.raises(PackError):
        load_files({"pack.yaml": PACK.encode(), "rules.yaml": rules.encode()})
