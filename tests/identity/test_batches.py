"""Many campaigns closed together: as one by one, whatever comes in between. PostgreSQL is sent them without waiting."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction

from campaigns import batches, models, tasks
from campaigns.recording import plain
from campaigns.store import many, states
from campaigns.verifying import verify_campaign
from identity.models import Mark, Pair
from tests.campaigns.working import worker
from tests.identity.season import Season, at, make_season, utc
from tests.identity.test_workers import SIX, closed, marked

NOW = utc(2026, 2, 10)
ON_POSTGRESQL = connection.vendor == "postgresql"


@pytest.fixture
def seasons(transactional_db: None) -> list[Season]:
    found = [make_season() for _ in range(3)]
    for season in found:
        marked(season)
    return found


def ids(seasons: list[Season]) -> list[str]:
    return [str(season.table.campaign_id) for season in seasons]


def whole(season: Season) -> None:
    """The stream is gap-free and verifies, and tables and the kept state are what it folds to."""
    campaign = season.table.campaign_id
    head = models.Campaign.objects.get(pk=campaign)
    events = models.Event.objects.filter(campaign_id=campaign).order_by("position")
    assert list(events.values_list("position", flat=True)) == list(range(1, head.position + 1))
    assert verify_campaign(campaign).sound
    with states.held(campaign) as state:
        kept = plain(state)
    assert kept == plain(states.refold(campaign, head.position))
    for pair in Pair.objects.filter(campaign_id=campaign):
        assert pair.first_rating == season.first(pair.pair, pair.subject)


def test_a_batch_closes_what_each_campaign_would_alone(seasons: list[Season], monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[UUID] = []
    monkeypatch.setattr(batches, "announce", lambda campaign, _position: told.append(campaign))
    alone: list[Any] = []
    monkeypatch.setattr(tasks, "do_all", lambda campaign, *_: alone.append(campaign))
    if not ON_POSTGRESQL:
        monkeypatch.undo()
    with at(2026, 2, 10):
        tasks.do_due(ids(seasons))
    for season in seasons:
        assert closed(season) == SIX
        assert len(season.events("development.settled")) == 1
        whole(season)
    assert not Mark.objects.exists() and not alone
    assert told == ([season.table.campaign_id for season in seasons] if ON_POSTGRESQL else [])


def test_what_the_server_was_made_to_forget_is_prepared_anew(
    seasons: list[Season], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever rolls back on the connection has the driver drop every prepared statement, of this module too."""
    alone: list[Any] = []
    if ON_POSTGRESQL:
        monkeypatch.setattr(tasks, "do_all", lambda campaign, *_: alone.append(campaign))
    with at(2026, 1, 20):
        tasks.do_due(ids(seasons))
    # As often as the driver needs before it prepares something of its own, without which it has nothing to drop.
    for _ in range(10):
        models.Campaign.objects.filter(pk=seasons[0].table.campaign_id).exists()
    with pytest.raises(LookupError), transaction.atomic():
        models.Campaign.objects.filter(pk=seasons[0].table.campaign_id).exists()
        raise LookupError
    if ON_POSTGRESQL:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'tide%'")
            assert cursor.fetchone() == (0,)
    with at(2026, 2, 10):
        tasks.do_due(ids(seasons))
    assert [closed(season) for season in seasons] == [SIX] * 3 and not alone


def test_whoever_comes_in_between_is_neither_lost_nor_in_the_way(
    seasons: list[Season], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mark awarded between the look and the writing counts: its campaign is looked at once more."""
    really = many.take

    def take(campaign_ids: Any) -> Any:
        found = really(campaign_ids)
        seasons[1].award("bold", 2026, 1, 14)
        return found

    monkeypatch.setattr(batches.many, "take", take)
    if not ON_POSTGRESQL:
        seasons[1].award("bold", 2026, 1, 14)
    with at(2026, 2, 10):
        tasks.do_due(ids(seasons))
    for season in seasons:
        assert closed(season) == SIX
        whole(season)
    settled: list[Any] = [season.events("development.settled")[0].event for season in seasons]
    assert [len(event.marks) for event in settled] == [4, 5, 4]


def test_a_connection_that_breaks_in_the_middle_leaves_nothing_half_done(
    seasons: list[Season], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server ends the connection while the second campaign is under way; each is closed once all the same."""
    really, seen = tasks.due_in, set()

    def due_in(state: Any, campaign_id: UUID, now: datetime) -> Any:
        if ON_POSTGRESQL and campaign_id == seasons[1].table.campaign_id and not seen:
            seen.add(campaign_id)
            connection.connection.pgconn.finish()
        return really(state, campaign_id, now)

    monkeypatch.setattr(tasks, "due_in", due_in)
    with at(2026, 2, 10):
        tasks.do_due(ids(seasons))
    for season in seasons:
        assert closed(season) == SIX
        whole(season)


@pytest.mark.parametrize("stop", [2, 8])
def test_a_worker_killed_in_the_middle_of_a_batch_leaves_nothing_half_done(seasons: list[Season], stop: int) -> None:
    killed = worker(NOW, stop, "batch:", *ids(seasons))
    assert killed.wait(timeout=120) == -9
    for season in seasons:
        states.forget(season.table.campaign_id)
        done = closed(season)
        assert done == SIX[: len(done)]
        whole(season)
    with at(2026, 2, 10):
        tasks.do_due(ids(seasons))
    for season in seasons:
        assert closed(season) == SIX
        assert len(season.events("development.settled")) == 1
        whole(season)


def test_states_of_many_are_those_of_each(seasons: list[Season]) -> None:
    campaigns = [season.table.campaign_id for season in seasons]
    with at(2026, 2, 10):
        tasks.do_due(ids(seasons[:1]))
    with states.held(campaigns[1]) as state:
        states.snapshot(campaigns[1], state)
    for campaign in campaigns:
        states.forget(campaign)
    found = many.take(campaigns)
    assert list(found) == campaigns
    for campaign, (head, state) in found.items():
        assert state.position == head.position
        assert states.folding.freeze(state) == states.folding.freeze(states.refold(campaign, head.position))
        assert not states.is_kept(campaign)
