"""Levelling under trouble: a worker killed in the middle of a batch, two at once, the same batch twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from campaigns import models, tasks
from campaigns.commands import pursuits as pc
from campaigns.store import states
from rules.packs import folder
from tests.campaigns.crew import START, Crew, at, make_crew, write
from tests.campaigns.working import worker


@pytest.fixture
def crews(transactional_db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Crew]]:
    """Four parties that have each resolved what they were after."""
    monkeypatch.setattr(folder, "SHELF", tmp_path)
    write(tmp_path)
    with at(2026, 3, 4, 18):
        crews = [make_crew() for _ in range(4)]
        for crew in crews:
            crew.send("olga", pc.ResolvePursuit(pursuit=crew.joint()))
        yield crews


def levelled(crews: list[Crew]) -> list[tuple[int, int]]:
    for crew in crews:
        states.forget(crew.table.campaign_id)
    return [crew.tiers() for crew in crews]


def test_a_batch_cut_off_in_the_middle_is_finished_by_two_workers(crews: list[Crew]) -> None:
    """The first worker dies while the third party rises, its events written and not committed."""
    campaigns = [crew.table.campaign_id for crew in crews]
    assert worker(START, 2, *campaigns).wait(timeout=120) == -9
    assert levelled(crews) == [(2, 2), (2, 2), (1, 1), (1, 1)]
    workers = [worker(START, 0, *campaigns, campaigns[2]), worker(START, 0, *reversed(campaigns))]
    assert sum(int(one.communicate(timeout=120)[0]) for one in workers) == 2
    assert levelled(crews) == [(2, 2)] * 4
    assert [len(crew.events("pursuit.given")) for crew in crews] == [1] * 4
    for campaign in campaigns:
        positions = models.Event.objects.filter(campaign_id=campaign).order_by("position")
        assert list(positions.values_list("position", flat=True)) == list(range(1, positions.count() + 1))


def test_a_batch_as_the_job_takes_it_does_each_once(crews: list[Crew]) -> None:
    batch = [str(crew.table.campaign_id) for crew in crews]
    for crew in crews:
        states.forget(crew.table.campaign_id)
    tasks.do_due([*batch, *batch])
    tasks.do_due(batch)
    assert levelled(crews) == [(2, 2)] * 4
    assert tasks.due_campaigns(START, 10) == []


def test_a_gm_and_the_job_at_once_give_it_once(crews: list[Crew]) -> None:
    crew = crews[0]
    award, due = next(iter(crew.kept().due.items()))
    command = pc.GiveAward(pursuit=due.pursuit, attempt=due.position)
    assert award == f"{due.pursuit}:{due.position}"
    crew.send("olga", command)
    assert crew.run_jobs() == 0
    assert crew.send("olga", command).events == ()
    assert levelled([crew]) == [(2, 2)]
