"""Closing under trouble: two workers at once, one killed in the middle, a beat that fires twice, a lost broker."""

import json
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import time_machine
from django.db import connection
from kombu.exceptions import OperationalError

from campaigns import handing, models, tasks
from campaigns.commands.starting import AskErasure, WithdrawErasure
from campaigns.store import states
from identity.commands.marks import AwardMark
from identity.models import Mark
from tests.campaigns.working import worker
from tests.identity.season import Season, at, make_season, make_season_at, utc


@pytest.fixture(autouse=True)
def _no_news(monkeypatch: pytest.MonkeyPatch) -> None:
    """These ticks are about closes; news have their own tests."""
    monkeypatch.setattr(tasks.tell_news, "apply_async", lambda *_, **__: None)


SIX = [*[f"week:{n}" for n in range(1, 5)], "season:1", "week:5"]
NOW = utc(2026, 2, 10)


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """News and messages are handed to nobody here."""
    for job in (tasks.tell_news, tasks.deliver_messages):
        monkeypatch.setattr(job, "apply_async", lambda *_, **__: None)


def closed(season: Season) -> list[str]:
    events = models.Event.objects.filter(campaign_id=season.table.campaign_id, type="period.closed")
    told = [json.loads(event.data) for event in events.order_by("position")]
    return [f"{data['rung']}:{data['number']}" for data in told]


def marked(season: Season) -> None:
    with at(2026, 1, 30):
        for side, day in (("bold", 6), ("patient", 7), ("proud", 8), ("open", 9)):
            season.award(side, 2026, 1, day)


def test_two_workers_at_once_close_each_period_once(transactional_db: None) -> None:
    seasons = [make_season() for _ in range(3)]
    for season in seasons:
        marked(season)
    campaigns = [season.table.campaign_id for season in seasons]
    workers = [worker(NOW, 0, *campaigns), worker(NOW, 0, *campaigns)]
    done = [int(one.communicate(timeout=120)[0]) for one in workers]
    assert sum(done) == 3 * 6
    for season in seasons:
        assert closed(season) == SIX
        assert len(season.events("development.settled")) == 1
    assert not Mark.objects.exists()


@pytest.mark.parametrize("stop", [1, 4])
def test_a_worker_killed_inside_a_close_leaves_nothing_half_done(transactional_db: None, stop: int) -> None:
    """At stop 4 the season's close is cut off with its events written and not committed."""
    season = make_season()
    marked(season)
    killed = worker(NOW, stop, season.table.campaign_id)
    assert killed.wait(timeout=120) == -9
    assert closed(season) == SIX[:stop]
    assert Mark.objects.count() == 4
    positions = models.Event.objects.filter(campaign_id=season.table.campaign_id).order_by("position")
    assert list(positions.values_list("position", flat=True)) == list(range(1, positions.count() + 1))
    states.forget(season.table.campaign_id)
    assert season.run_jobs(2026, 2, 10) == 6 - stop
    assert closed(season) == SIX
    assert not Mark.objects.exists()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What ticks hand out: (campaigns, name of the batch)."""
    found: list[Any] = []
    monkeypatch.setattr(tasks.do_due, "apply_async", lambda arguments, **_: found.append(arguments))
    handing.cache.clear()
    return found


def test_a_beat_that_fires_twice_closes_once(season: Season, sent: list[Any]) -> None:
    marked(season)
    with at(2026, 2, 10) as now:
        tasks.on_tick(now)
        tasks.on_tick(now)
        assert [ids for ids, _ in sent] == [[str(season.table.campaign_id)]]
        tasks.do_due(*sent[0])
        tasks.do_due(*sent[0])
        tasks.on_tick(now)
    assert len(sent) == 1
    assert closed(season) == SIX


def test_a_batch_that_was_lost_is_sent_again(season: Season, sent: list[Any]) -> None:
    """Its message is worked on for so long; then it is gone and so is the hold on what it named."""
    with at(2026, 2, 10) as now:
        tasks.on_tick(now)
        tasks.on_tick(now + timedelta(seconds=handing.PATIENCE - 1))
        assert len(sent) == 1
        handing.release(sent[0][1])
        tasks.on_tick(now)
    assert len(sent) == 2


def test_what_one_worker_has_holds_up_nobody_else(season: Season, sent: list[Any]) -> None:
    """A later tick hands out what has become due since, and only that."""
    with at(2026, 2, 10) as now:
        tasks.on_tick(now)
        other = make_season()
        tasks.on_tick(now)
    assert [ids for ids, _ in sent] == [[str(season.table.campaign_id)], [str(other.table.campaign_id)]]


def test_what_a_killed_worker_had_is_handed_out_again_when_its_lease_is_over(
    transactional_db: None, sent: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker shows that it lives while it works; the moment it does not, its batch is nobody's."""
    season = make_season()
    leases: list[int] = []
    monkeypatch.setattr(handing.cache, "touch", lambda _key, seconds: leases.append(seconds))
    killed: list[str] = []

    def killed_at_once(*_: Any) -> None:
        killed.append("SIGKILL")
        raise SystemExit

    with at(2026, 2, 10) as now:
        tasks.on_tick(now)
        with monkeypatch.context() as patch:
            # As a killed worker does it: it says that it has begun, and never that it is through.
            patch.setattr(tasks, "_done_at_once", killed_at_once)
            patch.setattr(handing.Lease, "__exit__", lambda *_: None)
            with pytest.raises(SystemExit):
                tasks.do_due(*sent[0])
        assert killed and leases == [handing.LEASE]
        tasks.on_tick(now)
        assert len(sent) == 1
        handing.cache.delete(f"campaigns.due.batch.{sent[0][1]}")
        tasks.on_tick(now)
        assert len(sent) == 2 and handing.LEASE <= 20
        tasks.do_due(*sent[1])
    assert closed(season) == SIX


def test_a_worker_shows_that_it_lives_with_each_campaign(monkeypatch: pytest.MonkeyPatch) -> None:
    leases: list[int] = []
    clock = iter([0.0, 0.5, 2.5, 2.6, 5.0])
    monkeypatch.setattr(handing.cache, "touch", lambda _key, seconds: leases.append(seconds))
    # Its own clock alone: a cache over the network looks at the time as well.
    monkeypatch.setattr(handing, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    with handing.lease_of("one") as lease:
        for _ in range(4):
            lease.beat()
    assert leases == [handing.LEASE] * 3


def test_a_broker_that_is_gone_holds_nothing_up_for_long(season: Season, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: Any, **__: Any) -> None:
        raise OperationalError("no broker")

    monkeypatch.setattr(tasks.do_due, "apply_async", gone)
    with at(2026, 2, 10) as now:
        with pytest.raises(OperationalError):
            tasks.on_tick(now)
        sent: list[list[str]] = []
        monkeypatch.setattr(tasks.do_due, "apply_async", lambda arguments, **_: sent.append(arguments[0]))
        tasks.on_tick(now)
    assert len(sent) == 1


def test_one_broken_campaign_does_not_keep_the_others_waiting(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, fine = make_season(), make_season()
    really = tasks.due_in

    def due_in(state: Any, campaign_id: Any, now: datetime) -> Any:
        if campaign_id == broken.table.campaign_id:
            raise RuntimeError("broken")
        return really(state, campaign_id, now)

    monkeypatch.setattr(tasks, "due_in", due_in)
    with at(2026, 2, 10):
        tasks.do_due([str(broken.table.campaign_id), str(fine.table.campaign_id)])
    assert closed(broken) == [] and closed(fine) == SIX


def test_due_campaigns_are_found_by_the_index(season: Season) -> None:
    query = models.Campaign.objects.filter(due_at__lte=NOW).order_by("due_at").values("id")
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # So small a table would be read whole; what is asked is whether the index serves.
            cursor.execute("SET enable_seqscan = off")
        plan = query.explain()
        if connection.vendor == "postgresql":
            cursor.execute("SET enable_seqscan = on")
    assert "campaigns_campaign_due_at" in plan


def test_nothing_falls_due_in_a_campaign_that_is_to_be_erased(season: Season) -> None:
    season.send("olga", AskErasure(name="The Long Tide"))
    assert tasks.due_campaigns(NOW, 10) == []
    season.send("olga", WithdrawErasure())
    assert tasks.due_campaigns(NOW, 10) == [season.table.campaign_id]


def test_a_batch_cut_off_in_the_middle_is_finished_by_two_workers(transactional_db: None) -> None:
    """The first worker dies inside the second campaign's close; two more are given all of them, one of them twice."""
    seasons = [make_season() for _ in range(3)]
    for season in seasons:
        marked(season)
    campaigns = [season.table.campaign_id for season in seasons]
    assert worker(NOW, 8, *campaigns).wait(timeout=120) == -9
    assert [len(closed(season)) for season in seasons] == [6, 2, 0]
    workers = [worker(NOW, 0, *campaigns, campaigns[1]), worker(NOW, 0, *reversed(campaigns))]
    assert sum(int(one.communicate(timeout=120)[0]) for one in workers) == 10
    assert [closed(season) for season in seasons] == [SIX] * 3
    assert [len(season.events("development.settled")) for season in seasons] == [1, 1, 1]
    assert not Mark.objects.exists()


def test_a_batch_as_the_job_takes_it_does_each_once_whatever_is_in_it_twice(transactional_db: None) -> None:
    seasons = [make_season() for _ in range(3)]
    for season in seasons:
        marked(season)
        states.forget(season.table.campaign_id)
    batch = [str(season.table.campaign_id) for season in seasons]
    with at(2026, 2, 10):
        tasks.do_due([*batch, batch[0], "00000000-0000-0000-0000-000000000000"])
        tasks.do_due(batch)
    assert [closed(season) for season in seasons] == [SIX] * 3
    assert not Mark.objects.exists()


@pytest.mark.parametrize(
    ("zone", "starts_on", "ends"),
    [
        # The season ends in the night after the clocks went forward in London, and back in Auckland.
        ("Europe/London", date(2026, 3, 2), "2026-03-29T23:00Z"),
        ("Pacific/Auckland", date(2026, 3, 9), "2026-04-05T12:00Z"),
        # And the other way round: back in London, forward in Auckland.
        ("Europe/London", date(2026, 9, 28), "2026-10-26T00:00Z"),
        ("Pacific/Auckland", date(2026, 8, 31), "2026-09-27T11:00Z"),
    ],
)
def test_a_beat_asleep_for_forty_days_over_a_clock_change_misses_and_doubles_nothing(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, zone: str, starts_on: date, ends: str
) -> None:
    """What was done in the last second of the season counts to it, what was done a second later to the next."""
    monkeypatch.setattr(tasks.do_due, "apply_async", lambda arguments, **_: tasks.do_due(*arguments))
    over = datetime.fromisoformat(ends)
    before, back = over - timedelta(days=20), over + timedelta(days=20)
    with time_machine.travel(datetime(*starts_on.timetuple()[:3], tzinfo=UTC) - timedelta(days=2), tick=False):
        season = make_season_at(zone, starts_on)
    with time_machine.travel(before, tick=False):
        tasks.on_tick(before)
    done_before = len(closed(season))
    with time_machine.travel(over + timedelta(hours=1), tick=False):
        for side, at_ in (("bold", over - timedelta(seconds=1)), ("patient", over)):
            season.send("olga", AwardMark(subject=season.talyne, side=side, at=at_, consequential=True))
    with time_machine.travel(back, tick=False):
        tasks.on_tick(back)
        tasks.on_tick(back)
    weeks = int((back - over).days // 7)
    expected = [*[f"week:{n}" for n in range(1, 5)], "season:1", *[f"week:{n}" for n in range(5, 5 + weeks)]]
    assert closed(season) == expected and done_before == 1
    (settled,) = season.events("development.settled")
    event: Any = settled.event
    assert [result.pair for result in event.results] == ["bold_cautious"]
    assert settled.happened_at == over - timedelta(seconds=1)
    assert [mark.side for mark in Mark.objects.all()] == ["Patient"]
