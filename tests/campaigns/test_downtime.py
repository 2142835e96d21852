"""Trait tests: milestones, levels and learning over weeks as Pursuits of the pack, through commands and the job."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine

from campaigns.commands import pursuits as pc
from campaigns.commands.calendar import PauseCalendar, StartCalendar
from campaigns.commands.growth import TakeGrowth
from campaigns.parts.sheets import Sheets
from campaigns.registry import choices_of
from campaigns.store import states
from campaigns.tasks import do_all
from tests.campaigns.tables import Table, make_table

PACK = "trait-tests"


def kept(table: Table, subject: str) -> dict[str, Any]:
    with states.held(table.campaign_id) as state:
        return dict(state.part(Sheets).sheet(subject, PACK).values)


def jobs(table: Table, *now: int) -> int:
    moment = datetime(*now, tzinfo=UTC)  # type: ignore[misc,arg-type]
    with time_machine.travel(moment, tick=False):
        return do_all(table.campaign_id, moment)


@pytest.fixture
def table(transactional_db: None) -> Table:
    with time_machine.travel(datetime(2026, 3, 4, 18, tzinfo=UTC), tick=False):
        # The calendar is another pack's: this one has none.
        return make_table({PACK: "", "spindrift-identity": ""})


def test_a_milestone_and_a_level_come_to_everybody_by_the_job(table: Table) -> None:
    with time_machine.travel(datetime(2026, 3, 4, 18, tzinfo=UTC), tick=False):
        heroes = [table.character(who, who.title()) for who in ("pia", "paul")]
        for kind in ("milestone", "level"):
            made: Any = table.send("olga", pc.WritePursuit(kind=kind, words="The gate is open")).events[0].event
            table.send("olga", pc.ResolvePursuit(pursuit=made.pursuit))
    assert jobs(table, 2026, 3, 4, 18) == 2
    assert jobs(table, 2026, 3, 4, 18) == 0
    for hero in heroes:
        assert kept(table, hero)["level"] == 2
        assert kept(table, hero)["retrain_moves"] == 1
    # Each player is left a shift to choose, and called to mind of it until it is made (TRT-071, 073).
    with states.held(table.campaign_id) as state:
        left = {one.subject: one.title for one in choices_of(state)}
    assert left == dict.fromkeys(heroes, "Shifts of Traits open: 1 to spend")
    with time_machine.travel(datetime(2026, 3, 4, 19, tzinfo=UTC), tick=False):
        shift = {"falls": "physique", "rises": "agility", "by": 1}
        table.send("pia", TakeGrowth(subject=heroes[0], pack=PACK, offer="shift", choices=shift))
    assert kept(table, heroes[0])["base_trait"] == {"physique": -1, "agility": 1}
    with states.held(table.campaign_id) as state:
        assert [one.subject for one in choices_of(state)] == heroes[1:]


def test_a_skill_is_learnt_when_its_counted_weeks_are_over(table: Table) -> None:
    """Taken up on Wednesday 4 March; the weeks of 9 and 23 March count, that of the 16th is paused. London goes to
    summer time on the 29th, so that the 30th begins there at 23:00 UTC."""
    with time_machine.travel(datetime(2026, 3, 2, 0, tzinfo=UTC), tick=False):
        table.send("olga", StartCalendar(zone="Europe/London", starts_on=date(2026, 3, 2)))
    with time_machine.travel(datetime(2026, 3, 4, 18, tzinfo=UTC), tick=False):
        hero = table.character("pia")
        write = pc.WritePursuit(
            kind="learning",
            owner=hero,
            words="To know what grows here",
            weeks=2,
            given={"skill": "nature", "degree": "learnt"},
        )
        made: Any = table.send("pia", write).events[0].event
        table.send("olga", pc.AgreePursuit(pursuit=made.pursuit))
        table.send("olga", PauseCalendar(from_date=date(2026, 3, 16), weeks=1))
    jobs(table, 2026, 3, 29, 22)
    assert "skill_degree" not in kept(table, hero)
    jobs(table, 2026, 3, 29, 23)
    assert kept(table, hero)["skill_degree"] == {"nature": "learnt"}
    assert jobs(table, 2026, 3, 29, 23) == 0
