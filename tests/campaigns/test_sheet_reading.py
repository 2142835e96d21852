"""Sheets as each viewer may know them: laid out by the pack, hidden values and cards left out for those who may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from campaigns.character_files import export
from campaigns.commands.making import BeginDraft, FinishDraft
from campaigns.commands.sheets import ApplyCard, ChangeSheet, EndCard
from campaigns.packs import keep_shelf
from campaigns.sheet_reading import sheets_of
from campaigns.store import states
from rules.packs import folder
from tests.campaigns.tables import Table, make_table
from tests.rules.making import GAME

PACK = "{id: tiny, version: 1.0.0, title: Tiny, source: Our own., rights: Our own.}"
CONDITIONS = """
card_types: {condition: {title: Condition, by_hand: true}}
cards:
  condition:
    cursed: {title: Cursed, modifiers: [{stat: hp_max, add: -3}]}
"""


@pytest.fixture
def table(transactional_db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    monkeypatch.setattr(folder, "SHELF", tmp_path)
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "pack.yaml").write_text(PACK)
    (tmp_path / "tiny" / "rules.yaml").write_text(GAME)
    (tmp_path / "tiny" / "more.yaml").write_text(CONDITIONS)
    keep_shelf()
    return make_table({"tiny": ""})


def brun(table: Table) -> str:
    """The ready-made one, played by Pia; the id."""
    draft: Any = table.send("pia", BeginDraft(pack="tiny", kind="hero", ready="brun")).events[0].event
    events = table.send("pia", FinishDraft(draft=draft.draft)).events
    subject: str = events[0].event.subject  # type: ignore[attr-defined]
    return subject


def read(table: Table, who: str, subject: str) -> dict[str, dict[str, str]]:
    """Group title -> value title -> as shown, of the one sheet."""
    with states.held(table.campaign_id) as state:
        sheets = sheets_of(state, table.viewer(who), subject)
    return {
        group.title: {value.title: value.shown for value in group.values}
        | {f"{row.title}, {cell.title}": cell.shown for t in group.tables for row in t.rows for cell in row.cells}
        | {card.title: card.ends or "held" for card in group.cards}
        for sheet in sheets
        for group in sheet.groups
    }


def test_a_sheet_is_laid_out_by_its_pack(table: Table) -> None:
    subject = brun(table)
    assert list(read(table, "pia", subject).items())[:2] == [
        ("Body", {"Hp": "10", "Might": "12", "Wit": "10"}),
        ("What they can", {"Climbing, Rank": "yes", "Mining, Rank": "yes"}),
    ]
    # The rest stands last; what is left out is nowhere, and a hidden stat is the game master's.
    assert read(table, "pia", subject)["Bookkeeping"] == {
        "Folk": "Stout Folk",
        "Folk hp": "5",
        "Skills free": "2",
    }
    table.send("olga", ChangeSheet(subject=subject, pack="tiny", values={"notes": 7}))
    assert read(table, "olga", subject)["Bookkeeping"]["Notes"] == "7"
    for who in ("pia", "paul"):
        assert "Notes" not in str(read(table, who, subject))
    assert read(table, "wim", subject) == {}


def test_a_track_carries_its_most(table: Table) -> None:
    subject = brun(table)
    with states.held(table.campaign_id) as state:
        (sheet,) = sheets_of(state, table.viewer("pia"), subject)
    hp = sheet.groups[0].values[0]
    assert (hp.stat, hp.value, hp.most, sheet.made) == ("hp", 10, 10, True)


def test_a_secret_card_changes_nothing_for_those_who_may_not_know(table: Table) -> None:
    subject = brun(table)
    before = {who: read(table, who, subject) for who in ("pia", "paul")}
    events = table.send("olga", ApplyCard(subject=subject, pack="tiny", card="cursed", secret=True)).events
    assert {who: read(table, who, subject) for who in ("pia", "paul")} == before
    with states.held(table.campaign_id) as state:
        (sheet,) = sheets_of(state, table.viewer("olga"), subject)
        assert sheet.groups[0].values[0].most == 7
        for who in ("all", "holders"):
            assert "cursed" not in msgspec.json.encode(export(state, subject, who)).decode()
    held = events[0].event.held  # type: ignore[attr-defined]
    (ended,) = table.send("olga", EndCard(subject=subject, pack="tiny", held=held)).events
    assert ended.audience == "gm"


def test_a_file_holds_no_more_than_its_reader_may_know(table: Table) -> None:
    subject = brun(table)
    table.send("olga", ChangeSheet(subject=subject, pack="tiny", values={"notes": 7}))
    with states.held(table.campaign_id) as state:
        files = {who: export(state, subject, who) for who in ("all", "holders", "gm")}
    assert [("notes" in file.sheets["tiny"].values) for file in files.values()] == [False, False, True]
    assert files["all"].sheets["tiny"].choices is None
    assert files["holders"].sheets["tiny"].choices is not None
