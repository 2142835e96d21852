"""Writing many rows in one statement, below the ORM, on PostgreSQL and SQLite alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection, models

# SQLite takes 32,766 parameters a statement, PostgreSQL 65,535; a chunk stays well below both.
PARAMETERS = 20_000


def adapt(value: Any) -> Any:
    """A Python value as this database's driver wants it."""
    if connection.vendor == "sqlite":
        if isinstance(value, UUID):
            return value.hex
        if isinstance(value, datetime):
            return connection.ops.adapt_datetimefield_value(value)
    return value


def insert(table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Inserts rows (values in the order of ``columns``), a chunk a statement. Raises IntegrityError on a conflict."""
    size = max(1, PARAMETERS // len(columns))
    one = "(" + ", ".join(["%s"] * len(columns)) + ")"
    head = f"INSERT INTO {table} ({', '.join(columns)}) VALUES "
    with connection.cursor() as cursor:
        for start in range(0, len(rows), size):
            chunk = rows[start : start + size]
            cursor.execute(head + ", ".join([one] * len(chunk)), [adapt(v) for row in chunk for v in row])


def upsert(
    model: type[models.Model],
    campaign_id: UUID,
    key: Sequence[str],
    rows: Mapping[tuple[str, ...], Mapping[str, Any] | None],
) -> None:
    """Makes rows of a projection what they should be: ``{key values: {field: value}, or None for no such row}``.

    ``key`` names the fields that, with the campaign, identify a row; without any, the row is the campaign's own.
    """
    manager = model._default_manager
    if not key:
        for row in rows.values():
            manager.filter(pk=campaign_id).update(**(row or {}))
        return
    wanted = [model(campaign_id=campaign_id, **dict(zip(key, k, strict=True)), **row) for k, row in rows.items() if row]
    for gone in (k for k, row in rows.items() if row is None):
        manager.filter(campaign_id=campaign_id, **dict(zip(key, gone, strict=True))).delete()
    if wanted:
        fields = [f.name for f in model._meta.concrete_fields if not f.primary_key and f.name not in ("campaign", *key)]
        manager.bulk_create(wanted, update_conflicts=True, unique_fields=["campaign", *key], update_fields=fields)


def read_time(value: str | datetime) -> datetime:
    """A time from a raw cursor, aware and in UTC on either database."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def read_uuid(value: Any) -> UUID:
    """A UUID from a raw cursor of either database."""
    return value if isinstance(value, UUID) else UUID(value)
