"""Packs of a campaign: pinned by content, upgraded by an event, overlaid with house rules, taken along by exports."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from django.db import connection

from campaigns import enclosing
from campaigns import packs as packs_module
from campaigns.commands.packs import AddPack, LayOverlay, RemoveOverlay, UpgradePack
from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.models import PackContent
from campaigns.packs import Packs, keep_shelf
from campaigns.parts.packs import PacksState
from campaigns.parts.sheets import Sheets
from campaigns.parts.subjects import Subjects
from campaigns.store import states
from campaigns.upgrading import preview
from rules.packs import Pack, folder, load_pack
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table

PACK = """
id: tiny
version: {version}
title: Tiny
source: Our own.
rights: Our own.
renamed: {renamed}
settings:
  luck: {{type: int, min: 0, max: 5, default: 1, text: Added to every test.}}
"""
RULES = """
kinds:
  hero:
    title: Hero
    stats:
      {stat}: {{type: int, min: 0, max: {high}, default: 2, title: Grit}}
      twice: {{type: int, formula: {stat} * 2, title: Twice}}
tests:
  attempt:
    title: A try
    roles: {{hero: {{kinds: [hero]}}}}
    steps:
      - {{roll: d6, dice: 1d6, sides: 6}}
      - {{outcome: done, when: "d6.total + hero.{stat} + setting.luck >= 4"}}
      - {{outcome: undone}}
    outcomes: {{done: {{title: Done, success: true}}, undone: {{title: Undone, success: false}}}}
"""
OVERLAY = {
    "overlay.yaml": "{on: tiny, version: 1.0.0, title: Kinder dice, settings: {luck: 3}}",
}


def write(shelf: Path, version: str, stat: str = "grit", renamed: str = "{}", high: int = 9) -> None:
    """Puts a version of the pack on the shelf."""
    home = shelf / "tiny"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    (home / "pack.yaml").write_text(PACK.format(version=version, renamed=renamed))
    (home / "rules.yaml").write_text(RULES.format(stat=stat, high=high).replace("dice: 1d6, ", ""))


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(folder, "SHELF", tmp_path)
    write(tmp_path, "1.0.0")
    return tmp_path


@pytest.fixture
def table(transactional_db: None, shelf: Path) -> Table:
    keep_shelf()
    return make_table({"tiny": ""})


def hero(table: Table, grit: int) -> str:
    subject = table.character("pia", "Hal", "hero")
    table.send("pia", ChangeSheet(subject=subject, pack="tiny", values={"grit": grit}))
    return subject


def kept_values(table: Table, subject: str) -> dict[str, object]:
    with states.held(table.campaign_id) as state:
        return dict(state.part(Sheets).sheet(subject, "tiny").values)


def test_a_campaign_stays_with_the_content_it_was_pinned_to(table: Table, shelf: Path) -> None:
    digest = load_pack("tiny").digest
    write(shelf, "1.1.0", high=4)
    states.forget(table.campaign_id)
    with states.held(table.campaign_id) as state:
        assert (Packs(state).get("tiny").version, Packs(state).get("tiny").digest) == ("1.0.0", digest)
    hero(table, 9)


def test_an_upgrade_is_previewed_and_carries_sheets_over(table: Table, shelf: Path) -> None:
    strong, weak = hero(table, 9), hero(table, 3)
    write(shelf, "2.0.0", stat="spirit", renamed="{grit: spirit}", high=5)
    keep_shelf()
    with states.held(table.campaign_id) as state:
        before = Packs(state).plain("tiny")
        (lossy,) = [line for line in preview(state, before, load_pack("tiny")) if line.upgrade.lost]
        assert (lossy.subject, lossy.upgrade.lost[0].value) == (strong, 9)
    events = table.send("olga", UpgradePack(pack="tiny", version="2.0.0")).events
    assert [e.type for e in events] == ["pack.upgraded", "sheet.carried", "sheet.carried"]
    assert kept_values(table, weak) == {"spirit": 3} and kept_values(table, strong) == {}
    assert table.send("olga", UpgradePack(pack="tiny", version="2.0.0")).events == ()


def test_an_upgrade_to_what_was_not_previewed_is_refused(table: Table, shelf: Path) -> None:
    write(shelf, "2.0.0")
    with pytest.raises(Refused) as caught:
        table.send("olga", UpgradePack(pack="tiny", version="1.5.0"))
    assert (caught.value.code, caught.value.right) == ("unknown_version", "2.0.0")


def test_house_rules_are_laid_checked_and_taken_off(table: Table) -> None:
    table.send("olga", LayOverlay(pack="tiny", files=OVERLAY))
    with states.held(table.campaign_id) as state:
        assert Packs(state).get("tiny").setting_values["luck"] == 3
        assert state.part(PacksState).overlays["tiny"].title == "Kinder dice"
    assert table.send("olga", LayOverlay(pack="tiny", files=OVERLAY)).events == ()
    table.send("olga", RemoveOverlay(pack="tiny"))
    with states.held(table.campaign_id) as state:
        assert Packs(state).get("tiny").setting_values["luck"] == 1


def test_house_rules_are_compiled_once_and_while_the_table_plays_on(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the middle of the compiling somebody else's command of the same campaign goes through."""
    compiled: list[bool] = []
    load = packs_module.load_overlay

    def slow(base: Pack, files: dict[str, bytes]) -> Pack:
        compiled.append(states.is_held_here(table.campaign_id))
        other = threading.Thread(target=_in_thread, args=(table,))
        other.start()
        other.join(20)
        assert not other.is_alive(), "the campaign was locked"
        return load(base, files)

    monkeypatch.setattr(packs_module, "load_overlay", slow)
    files = {"overlay.yaml": OVERLAY["overlay.yaml"] + "\n# Of this test alone.\n"}
    table.send("olga", LayOverlay(pack="tiny", files=files))
    with states.held(table.campaign_id) as state:
        assert Packs(state).get("tiny").setting_values["luck"] == 3
        assert [one.name for one in state.part(Subjects).by_id.values()] == ["Meanwhile"]
    assert compiled == [False]


def _in_thread(table: Table) -> None:
    table.character("pia", "Meanwhile", "hero")
    connection.close()


@pytest.mark.parametrize(
    "files, said",
    [
        ({}, "overlay.yaml"),
        ({"overlay.yaml": "{on: tiny, version: 0.9.0}"}, "0.9.0"),
        ({"overlay.yaml": "{on: tiny, version: 1.0.0, settings: {lukc: 2}}"}, "luck"),
        ({"overlay.yaml": "{on: tiny, version: 1.0.0}", "more.yaml": "tests: {attempt: {}}"}, "more.yaml:1"),
        ({"overlay.yaml": "{on: tiny"}, "overlay.yaml:2:1"),
    ],
)
def test_wrong_house_rules_say_file_place_and_what_is_wrong(table: Table, files: dict[str, str], said: str) -> None:
    with pytest.raises(Refused) as caught:
        table.send("olga", LayOverlay(pack="tiny", files=files))
    assert caught.value.code == "pack_problems" and said in caught.value.message


def test_players_change_no_rules(table: Table) -> None:
    for command in (AddPack(pack="tiny"), LayOverlay(pack="tiny", files=OVERLAY), RemoveOverlay(pack="tiny")):
        with pytest.raises(Refused) as caught:
            table.send("pia", command)
        assert caught.value.code == "not_allowed"


def test_unknown_packs_and_cards_are_named_with_the_nearest(table: Table) -> None:
    with pytest.raises(Refused) as caught:
        table.send("olga", AddPack(pack="tinny"))
    assert caught.value.right == "tiny"
    with pytest.raises(Refused):
        table.send("olga", ApplyCard(subject=hero(table, 3), pack="tiny", card="nothing"))


def test_what_is_kept_of_the_shelf_is_not_compiled_when_the_site_starts_again(
    table: Table, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[str] = []
    monkeypatch.setattr(packs_module, "load_pack", lambda name: compiled.append(name) or load_pack(name))
    keep_shelf()
    assert compiled == []
    write(shelf, "9.0.0")
    keep_shelf()
    assert compiled == ["tiny"]
    assert sorted(PackContent.objects.filter(pack="tiny").values_list("version", flat=True)) == ["1.0.0", "9.0.0"]


def test_exports_take_the_content_along(table: Table, shelf: Path) -> None:
    with states.held(table.campaign_id) as state:
        items = list(enclosing.write(table.campaign_id, state))
    PackContent.objects.all().delete()
    write(shelf, "9.0.0")
    enclosing.read(table.campaign_id, items)
    assert [content.version for content in PackContent.objects.all()] == ["1.0.0"]
    items[0]["digest"] = "0" * 64
    with pytest.raises(Refused) as caught:
        enclosing.read(table.campaign_id, items)
    assert caught.value.code == "pack_changed"
