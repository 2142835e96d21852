"""The chronicle: by season and session, each viewer's own, with what was taken back struck through."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from campaigns.chronicle import StorySection, _is_bookkeeping, chapters, sections
from campaigns.commands.affiliations import BeginAffiliation
from campaigns.commands.calendar import ChangeZone, EndEarly, PauseCalendar, TakeBackClose
from campaigns.commands.calls import CallTest, RollTest
from campaigns.commands.containers import CloseContainer, OpenContainer
from campaigns.commands.subjects import CreateSubject, RenameSubject
from campaigns.commands.voiding import VoidAction
from campaigns.feed import cursor_of
from campaigns.projecting import project_all
from campaigns.store import states
from tests.campaigns.tables import Table, make_table
from tests.identity.season import Season, at, make_season, utc


@pytest.fixture
def season(transactional_db: None) -> Season:
    return make_season()


def told(table: Table, who: str, year: int, place: int, subject: str = "") -> list[StorySection]:
    viewer = table.viewer(who)
    with states.held(table.campaign_id) as state:
        chosen = next(c for c in chapters(state, utc(2026, 12, 1)) if (c.year, c.season) == (year, place))
        return sections(state, viewer, chosen, subject)


def says(found: list[StorySection]) -> list[str]:
    return [entry.says for section in found for entry in section.entries]


def test_chapters_are_the_seasons_and_what_lies_before(season: Season) -> None:
    with states.held(season.table.campaign_id) as state:
        found = chapters(state, utc(2026, 5, 1))
    assert [(c.title, c.year, c.season) for c in found] == [
        ("Before the calendar", 0, 0),
        ("Year 1, Spring", 1, 1),
        ("Year 1, Summer", 1, 2),
        ("Year 1, Autumn", 1, 3),
        ("Year 1, Winter", 1, 4),
        ("Year 2, Spring", 2, 1),
    ]
    assert "Talyne entered the story." in says(told(season.table, "wim", 0, 0))


def test_without_a_calendar_it_is_one_chapter(transactional_db: None) -> None:
    table = make_table()
    table.character("pia")
    with states.held(table.campaign_id) as state:
        (only,) = chapters(state, utc(2026, 5, 1))
        assert only.title == "The story so far"
        assert "Talyne entered the story." in says(sections(state, table.viewer("pia"), only))


def test_sessions_hold_what_happened_in_them_and_the_season_ends_with_its_close(season: Season) -> None:
    with at(2026, 1, 7, 18):
        season.table.character("paul", "Orrin")
    with at(2026, 1, 7, 19):
        opened: Any = season.send("olga", OpenContainer(kind="session", title="High Water")).events[0].event
    with at(2026, 1, 7, 20):
        season.table.character("paul", "The Stranger")
    with at(2026, 1, 7, 23):
        season.send("olga", CloseContainer(container=opened.container))
    season.run_jobs(2026, 2, 3)
    found = told(season.table, "pia", 1, 1)
    assert [section.title for section in found] == ["", "Session 1: High Water", ""]
    before, during, after = ([e.says for e in section.entries] for section in found)
    assert before == ["Orrin entered the story."] and during == ["The Stranger entered the story."]
    assert after[-1] == "Year 1, Spring has ended."
    last = found[-1].entries[-1]
    assert (last.rung, last.number) == ("season", 1)
    assert told(season.table, "pia", 1, 2) == []


def test_what_was_taken_back_is_told_as_such_also_when_rows_are_made_anew(season: Season) -> None:
    with at(2026, 1, 8):
        where = season.send("pia", RenameSubject(subject=season.talyne, name="Slip")).position
        entry = cursor_of(season.table.campaign_id, where)
        season.send("olga", VoidAction(entry=entry, reason="A slip of the pen"))
    for _ in range(2):
        entries = [e for s in told(season.table, "wim", 1, 1) for e in s.entries]
        assert [(e.says, e.voided) for e in entries] == [("Talyne is now called Slip.", True)]
        with states.held(season.table.campaign_id) as state:
            project_all(season.table.campaign_id, state)


def test_one_page_a_character_holds_theirs_alone(season: Season) -> None:
    with at(2026, 1, 8):
        orrin = season.table.character("paul", "Orrin")
        season.send("pia", RenameSubject(subject=season.talyne, name="Talyne of the Reeds"))
        season.send("olga", OpenContainer(kind="scene", title="The quay", participants=(orrin,)))
    assert says(told(season.table, "pia", 1, 1, orrin)) == ["Orrin entered the story.", "Scene 1 began: The quay."]
    assert says(told(season.table, "pia", 1, 1, season.talyne)) == ["Talyne is now called Talyne of the Reeds."]


def test_nobody_reads_what_is_hidden_from_them(season: Season) -> None:
    with at(2026, 1, 8):
        season.send("olga", CreateSubject(kind="character", name="CanaryFoe", hidden=True))
        season.send("olga", OpenContainer(kind="scene", title="CanaryScene", hidden=True))
    # Who is hidden has not entered the story, as their game master would tell it either.
    assert says(told(season.table, "olga", 1, 1)) == ["Scene began: CanaryScene."]
    for who in ("pia", "wim", "link"):
        assert told(season.table, who, 1, 1) == []


def test_a_chapter_costs_three_queries_however_long_it_is(season: Season, django_assert_max_num_queries: Any) -> None:
    with at(2026, 1, 8):
        for number in range(60):
            season.table.character("pia", f"Figure {number}")
    viewer = season.table.viewer("pia")
    with states.held(season.table.campaign_id) as state:
        chosen = chapters(state, utc(2026, 2, 1))[1]
        with django_assert_max_num_queries(3):
            assert len(says(sections(state, viewer, chosen))) == 60


def test_what_is_recorded_later_is_told_where_it_happened(season: Season) -> None:
    """Taken in on 8 January, written down on 10 February, which is another season."""
    with at(2026, 1, 9):
        season.table.character("paul", "Orrin")
    with at(2026, 2, 10):
        season.send("olga", BeginAffiliation(subject=season.talyne, body=season.house, since=utc(2026, 1, 8)))
    belongs = "Talyne belongs to House Veld since 8 January 2026."
    assert says(told(season.table, "pia", 1, 1)) == [belongs, "Orrin entered the story."]
    assert told(season.table, "pia", 1, 2) == []


def by_season(season: Season, who: str = "pia") -> dict[str, list[str]]:
    """What is told of each of the first two seasons, without the ends of weeks."""
    found = {name: says(told(season.table, who, 1, place)) for place, name in ((1, "spring"), (2, "summer"))}
    return {name: [line for line in lines if "eek " not in line] for name, lines in found.items()}


def test_a_season_ended_early_leaves_its_last_days_to_the_next(season: Season) -> None:
    """Spring (5 January to 1 February) is ended on Wednesday the 21st as of Monday the 19th: what was written down on
    Tuesday, under Spring as it was then, is told of Summer, as the calendar has it now; so it stays whoever looks."""
    with at(2026, 1, 18, 22):
        season.table.character("paul", "Sunday")
    with at(2026, 1, 20, 12):
        season.table.character("paul", "Tuesday")
    assert by_season(season)["spring"][-1] == "Tuesday entered the story."
    with at(2026, 1, 21, 12):
        season.send("olga", EndEarly(ends_on=date(2026, 1, 19)))
    season.run_jobs(2026, 1, 21, 13)
    found = by_season(season)
    assert found["spring"] == ["Sunday entered the story.", "Year 1, Spring has ended."]
    assert found["summer"] == ["Tuesday entered the story."]
    with at(2026, 1, 21, 14):
        season.send("olga", TakeBackClose(rung="season", number=1))
    viewer = season.table.viewer("pia")
    with states.held(season.table.campaign_id) as state:
        project_all(season.table.campaign_id, state)
        lines = [e for s in sections(state, viewer, chapters(state, utc(2026, 1, 22))[1]) for e in s.entries]
    assert [(e.says, e.voided) for e in lines if "eek " not in e.says] == [
        ("Sunday entered the story.", False),
        ("Year 1, Spring has ended.", True),
    ]
    assert by_season(season)["summer"] == ["Tuesday entered the story."]


def test_a_season_begins_at_the_midnight_of_its_own_zone(season: Season) -> None:
    """London's calendar moves to Auckland (13 hours ahead in February): Summer begins there on 2 February at 00:00,
    which is 11:00 UTC of the 1st. At noon UTC on the 1st it is Spring by London's Sunday, and Summer by Auckland's."""
    with at(2026, 1, 20):
        season.send("olga", ChangeZone(zone="Pacific/Auckland"))
    for hour, name in ((10, "Before"), (11, "Then")):
        with at(2026, 2, 1, hour):
            season.table.character("paul", name)
    assert by_season(season) == {"spring": ["Before entered the story."], "summer": ["Then entered the story."]}


def test_a_pause_told_late_moves_what_was_written_down_before_it(season: Season) -> None:
    """The week that runs can be paused while it runs: Spring then lasts a week longer, to 8 February."""
    with at(2026, 1, 27):
        season.send("olga", PauseCalendar(from_date=date(2026, 1, 26), weeks=1))
    with at(2026, 2, 3):
        season.table.character("paul", "Late")
    assert by_season(season) == {
        "spring": ["The calendar pauses from 26 January 2026 until 2 February 2026.", "Late entered the story."],
        "summer": [],
    }


def test_a_test_is_told_with_what_was_at_stake_and_an_act_that_came_to_nothing_not_at_all(season: Season) -> None:
    with at(2026, 1, 8):
        call = CallTest(
            pack="spindrift-identity",
            test="identity",
            roles={"holder": season.talyne},
            decision="Does Talyne open the gate?",
            given={"pair": "bold_cautious"},
        )
        made: Any = season.send("olga", call).events[0].event
        season.send("pia", RollTest(call=made.call))
    (line,) = says(told(season.table, "pia", 1, 1))
    assert line.startswith("Talyne, Identity test: ") and line.endswith(" (Does Talyne open the gate?)")
    act = {"type": "test.resolved", "data": {"success": None, "decision": ""}}
    assert [_is_bookkeeping({**act, "data": data}) for data in (act["data"], {"success": False, "decision": ""})] == [
        True,
        False,
    ]
