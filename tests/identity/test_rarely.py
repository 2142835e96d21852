"""What a table does rarely, and a campaign that moved: played, checked, and recorded with the other streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from campaigns.commands import calendar as c
from campaigns.commands.packs import AddPack
from campaigns.commands.subjects import CreateSubject
from campaigns.parts.table import Table as TablePart
from campaigns.store import states
from campaigns.transfer.exporting import export_whole
from campaigns.transfer.importing import import_campaign
from campaigns.verifying import verify_campaign
from identity.commands import pairs as pr
from rules import pairs as rp
from tests.campaigns.test_transfer import wipe
from tests.identity.season import Season, at, make_season

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def season() -> Season:
    return make_season()


def test_a_break_ends_on_the_monday_that_is_said(season: Season) -> None:
    with at(2026, 1, 6, 12):
        season.send("olga", c.PauseCalendar())
    with at(2026, 1, 20, 12):
        season.send("olga", c.ResumeCalendar())
    assert len(season.events("calendar.resumed")) == 1
    # The two weeks of the break do not count: the first week closes as it was, the second begins on the 19th.
    season.run_jobs(2026, 1, 25, 12)
    assert [e.event.number for e in season.events("period.closed")] == [1]  # type: ignore[attr-defined]


def test_periods_go_by_the_tables_own_names(season: Season) -> None:
    names = ("Thaw", "Heat", "Fall", "Frost")
    season.send("olga", c.NamePeriods(rung="season", names=names))
    assert "Year 1, Thaw" in {view["title"] for view in _closed(season)}


def _closed(season: Season) -> list[dict[str, Any]]:
    season.run_jobs(2026, 2, 3, 12)
    return [view["data"] for view in season.feed("olga") if view["type"] == "period.closed"]


def test_what_happened_before_play_moves_pairs_that_are_in_the_making(season: Season) -> None:
    made: Any = season.send("pia", CreateSubject(kind="character", name="Isolde")).events[0].event
    season.send("pia", pr.RollArray(subject=made.subject))
    season.send("pia", pr.PlaceArray(subject=made.subject, placed={"personality.bold": 1}))
    change = rp.Change(toward="personality.bold", by=1)
    season.send("olga", pr.ApplyLifepath(subject=made.subject, changes=(change,), cause="The wreck"))
    first = season.events("pairs.array_rolled")[0].event.results[0]  # type: ignore[attr-defined]
    told: Any = season.events("pairs.lifepath")[0].event
    assert (told.cause, told.ratings["bold_cautious"]) == ("The wreck", min(first + 1, 20))


def test_a_campaign_that_plays_one_more_game_and_moved_to_another_server(season: Season, tmp_path: Path) -> None:
    season.send("olga", AddPack(pack="trait-tests"))
    with (tmp_path / "whole.gz").open("wb") as target:
        export_whole(season.table.campaign_id, target)
    wipe()
    import_campaign(tmp_path / "whole.gz", season.table.users["olga"])
    with states.held(season.table.campaign_id) as state:
        assert set(state.part(TablePart).packs) == {"spindrift-identity", "trait-tests"}
    assert verify_campaign(season.table.campaign_id).sound
