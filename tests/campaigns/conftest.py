"""Fixtures of the campaign tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.packs import folder
from tests.campaigns.crew import Crew, at, make_crew, write
from tests.campaigns.tables import Table, make_table


@pytest.fixture
def table(transactional_db: None) -> Table:
    """A campaign with an owner, two players, a watcher and a stranger."""
    return make_table()


@pytest.fixture
def crew(transactional_db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Crew]:
    """A party with Pursuits, by a pack of its own; its past told."""
    monkeypatch.setattr(folder, "SHELF", tmp_path)
    write(tmp_path)
    with at(2026, 3, 4, 18):
        yield make_crew()
