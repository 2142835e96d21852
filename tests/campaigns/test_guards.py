"""The database itself refuses to change or delete events, and lets one door open: an erasure under way."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import DatabaseError, connection, models, transaction

from campaigns.commands.starting import AskErasure, WithdrawErasure
from campaigns.erasing import erase, erase_due, grace
from campaigns.models import Campaign, Erasure, Event, Member, Snapshot, Subject
from campaigns.store import guards, states
from tests.campaigns.tables import Table, make_table


def run(sql: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


CHANGES = [
    "UPDATE campaigns_event SET data = '{}'",
    "UPDATE campaigns_event SET position = position + 1000",
    "DELETE FROM campaigns_event",
    "DELETE FROM campaigns_event WHERE position = 1",
]


@pytest.mark.parametrize("sql", CHANGES)
def test_raw_sql_neither_changes_nor_deletes_events(table: Table, sql: str) -> None:
    before = list(Event.objects.order_by("position").values())
    with pytest.raises(DatabaseError, match="never changed or deleted"):
        run(sql)
    assert list(Event.objects.order_by("position").values()) == before


def test_emptying_the_table_is_refused(table: Table) -> None:
    # SQLite knows no TRUNCATE: an unconditional DELETE is its shortest way.
    sql = "TRUNCATE campaigns_event CASCADE" if connection.vendor == "postgresql" else "DELETE FROM campaigns_event"
    with pytest.raises(DatabaseError, match="never changed or deleted"):
        run(sql)
    assert Event.objects.exists()


def test_plain_querysets_of_django_meet_the_database_too(table: Table) -> None:
    plain = models.QuerySet(Event)
    with pytest.raises(DatabaseError), transaction.atomic():
        plain.update(type="x")
    with pytest.raises(DatabaseError), transaction.atomic():
        plain._raw_delete("default")


def test_guards_can_be_installed_again(table: Table) -> None:
    guards.install(connection)
    guards.install(connection)
    with pytest.raises(DatabaseError):
        run(CHANGES[0])


def test_erasure_waits_for_the_end_of_grace(table: Table) -> None:
    table.send("olga", AskErasure(name="The Long Tide"))
    now = datetime.now(UTC)
    assert erase(table.campaign_id, now) is None
    assert list(erase_due(now + grace() - timedelta(minutes=1))) == []
    assert Campaign.objects.filter(id=table.campaign_id).exists()


def test_erasure_taken_back_never_happens(table: Table) -> None:
    table.send("olga", AskErasure(name="The Long Tide"))
    table.send("olga", WithdrawErasure())
    assert list(erase_due(datetime.now(UTC) + grace() * 2)) == []


def test_erasure_takes_one_campaign_whole_and_leaves_its_audit(table: Table) -> None:
    other = make_table()
    table.character("pia")
    table.send("olga", AskErasure(name="The Long Tide"))
    count = Event.objects.filter(campaign_id=table.campaign_id).count()
    kept = Event.objects.filter(campaign_id=other.campaign_id).count()
    erased = list(erase_due(datetime.now(UTC) + grace()))
    assert [(e.campaign, e.name, e.owner, e.user, e.events) for e in erased] == [
        (table.campaign_id, "The Long Tide", "Olga", table.users["olga"], count)
    ]
    for model in (Event, Member, Subject, Snapshot):
        assert not model.objects.filter(campaign_id=table.campaign_id).exists()
    assert not Campaign.objects.filter(id=table.campaign_id).exists()
    assert Event.objects.filter(campaign_id=other.campaign_id).count() == kept
    with pytest.raises(Campaign.DoesNotExist), states.held(table.campaign_id):
        pass


def test_the_audit_stays_and_its_door_is_shut(table: Table) -> None:
    table.send("olga", AskErasure(name="The Long Tide"))
    list(erase_due(datetime.now(UTC) + grace()))
    for sql in ("DELETE FROM campaigns_erasure", "UPDATE campaigns_erasure SET finished_at = NULL"):
        with pytest.raises(DatabaseError, match="audit"):
            run(sql)
    assert Erasure.objects.get().finished_at is not None
    make_table()
    with pytest.raises(DatabaseError, match="never changed or deleted"):
        run("DELETE FROM campaigns_event")
