"""Dice of an open test that only some may see come from a seed of their own and reach nobody else by a side door."""

from __future__ import annotations

from pathlib import Path

import pytest

from campaigns.commands.calls import CallTest, RollTest
from campaigns.commands.seeds import RenewSeeds
from campaigns.commands.starting import ChangeSetting
from campaigns.dice_seeds import draws_seen, seeds_seen
from campaigns.dice_statistics import tallies
from campaigns.events import Recorded
from campaigns.models import Campaign
from campaigns.packs import keep_shelf
from campaigns.transfer.exporting import export_seen
from campaigns.transfer.verifying import verify_file
from campaigns.verifying import verify_campaign
from rules.packs import folder
from tests.campaigns.tables import Table, make_table

PACK = "{id: tiny, version: 1.0.0, title: Tiny, source: Our own., rights: Our own.}"
RULES = """
kinds: {hero: {title: Hero, stats: {}}}
tests:
  attempt:
    title: A try
    roles: {hero: {kinds: [hero]}}
    steps:
      - {roll: first, dice: d20}
      - {roll: veiled, dice: 2d12, seen: gm}
      - {reroll: veiled, where: face > 6}
      - {roll: own, dice: d8, seen: holders}
      - {roll: last, dice: d20}
      - {outcome: done, seen: all, when: first.total + last.total + own.total + veiled.total > 30}
      - {outcome: undone, seen: all}
    outcomes: {done: {title: Done}, undone: {title: Undone}}
"""


@pytest.fixture
def table(transactional_db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    monkeypatch.setattr(folder, "SHELF", tmp_path)
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "pack.yaml").write_text(PACK)
    (tmp_path / "tiny" / "rules.yaml").write_text(RULES)
    keep_shelf()
    return make_table({"tiny": ""})


def rolled(table: Table, faces: tuple[int, ...] = ()) -> Recorded:
    """Pia rolls for her hero; the event that tells of it."""
    hero = table.character("pia", "Hal", "hero")
    call = table.send("olga", CallTest(pack="tiny", test="attempt", roles={"hero": hero})).events[0].event.call
    return next(e for e in table.send("pia", RollTest(call=call, faces=faces)).events if e.type == "test.resolved")


def sides(table: Table, who: str) -> set[int]:
    return {tally.sides for tally in tallies(table.campaign_id, table.viewer(who))}


def test_each_die_comes_from_the_seed_of_those_who_may_see_it(table: Table) -> None:
    event = rolled(table)
    by_audience = {draw.audience: draw.sides for draw in event.dice}
    assert by_audience[f"member:{table.member('pia')}"] == (8,)
    assert set(by_audience["gm"]) == {12}
    assert sum(len(draw.faces) for draw in event.dice if draw.audience == "table") == 2
    assert verify_campaign(table.campaign_id).sound


def test_statistics_seeds_and_exports_show_no_die_that_was_not_seen(table: Table, tmp_path: Path) -> None:
    rolled(table)
    assert (sides(table, "olga"), sides(table, "pia"), sides(table, "paul")) == ({8, 12, 20}, {8, 20}, {20})
    table.send("olga", RenewSeeds())
    head = Campaign.objects.get().position
    for who, seen in (("pia", {8, 20}), ("paul", {20})):
        viewer = table.viewer(who)
        told = [draw for seed in seeds_seen(viewer, head) for draw in draws_seen(viewer, seed)]
        assert {side for draw in told for side in draw.sides} == seen
        with (tmp_path / who).open("wb") as target:
            export_seen(table.campaign_id, target, table.users[who])
        assert verify_file(tmp_path / who).dice == (3 if who == "pia" else 2)


def test_typed_dice_are_told_to_those_who_may_see_them(table: Table) -> None:
    table.send("olga", ChangeSetting(setting="typed_dice", value=True))
    event = rolled(table, (20, 3, 4, 8, 1))
    assert [(draw.audience, draw.faces) for draw in event.dice] == [
        ("table", (20,)),
        ("gm", (3, 4)),
        (f"member:{table.member('pia')}", (8,)),
        ("table", (1,)),
    ]
    assert sides(table, "paul") == {20}
