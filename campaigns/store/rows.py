"""Statements below the ORM, on PostgreSQL and SQLite alike.

On PostgreSQL they go through psycopg's own cursor: parameters are bound by the server, which then keeps the plans of
statements that come again (where the connection's ``prepare_threshold`` allows it).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

import psycopg
from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

# SQLite takes 32,766 parameters a statement, PostgreSQL 65,535; a chunk stays well below both.
PARAMETERS = 20_000


@lru_cache(1)
def on_postgresql() -> bool:
    """Whether the database is PostgreSQL; else it is SQLite."""
    return connection.vendor == "postgresql"


def adapt(value: Any) -> Any:
    """A Python value as this database's driver wants it."""
    if isinstance(value, UUID):
        return value.hex
    if isinstance(value, datetime) and not on_postgresql():
        return connection.ops.adapt_datetimefield_value(value)
    return value


def _cursor(db: BaseDatabaseWrapper, sql: str) -> tuple[Any, str]:
    """A cursor of a connection that binds on the server where there is one, and the statement as it wants it."""
    if not on_postgresql():
        return db.cursor(), sql
    db.ensure_connection()
    return psycopg.RawCursor(db.connection), numbered(sql)


@lru_cache(1024)
def numbered(sql: str) -> str:
    """The statement with PostgreSQL's own placeholders ($1, $2 ...) for %s: parsed once, not with each call."""
    first, *others = sql.split("%s")
    return "".join([first, *(f"${n}{part}" for n, part in enumerate(others, 1))]).replace("%%", "%")


def run(sql: str, parameters: Sequence[Any]) -> int:
    """Runs a statement; returns how many rows it wrote (inside :func:`together` and :func:`collected` nobody knows yet:
    -1)."""
    if (kept := _collecting()) is not None:
        kept.append((sql, parameters))
        return -1
    db = connections[DEFAULT_DB_ALIAS]
    cursor, text = _cursor(db, sql)
    with db.wrap_database_errors, cursor:
        cursor.execute(text, parameters)
        return int(cursor.rowcount)


def run_exactly(sql: str, parameters: Sequence[Any], count: int, otherwise: Callable[[], Exception]) -> None:
    """Runs a statement that has to write ``count`` rows; raises ``otherwise()`` where it did not, at the latest when
    :func:`together` ends. Inside :func:`collected` whoever sends the statement looks to that."""
    if (kept := _collecting()) is not None:
        kept.append((sql, parameters))
        return
    db = connections[DEFAULT_DB_ALIAS]
    cursor, text = _cursor(db, sql)
    checks: list[Callable[[], None]] | None = getattr(_sent, "checks", None)

    def check() -> None:
        if cursor.rowcount != count:
            raise otherwise()

    with db.wrap_database_errors:
        cursor.execute(text, parameters)
    if checks is None:
        check()
    else:
        checks.append(check)


_sent = threading.local()
Statement = tuple[str, Sequence[Any]]


def _collecting() -> list[Statement] | None:
    """Where this thread's statements are kept instead of being sent, if so."""
    return getattr(_sent, "kept", None)


@contextmanager
def collected() -> Iterator[list[Statement]]:
    """Statements inside are not sent but kept, in their order, for whoever sends them; nothing can be read there."""
    _sent.kept = []
    try:
        yield _sent.kept
    finally:
        _sent.kept = None


@contextmanager
def together() -> Iterator[None]:
    """Statements inside are sent without waiting for each one's answer, where the database can (PostgreSQL's pipeline);
    an error of any of them is raised by the one after it or at the end."""
    db = connections[DEFAULT_DB_ALIAS]
    if not on_postgresql() or getattr(_sent, "checks", None) is not None or _collecting() is not None:
        yield
        return
    db.ensure_connection()
    _sent.checks = []
    try:
        with db.wrap_database_errors, db.connection.pipeline():
            yield
        for check in _sent.checks:
            check()
    finally:
        _sent.checks = None


class NotNow(Exception):  # noqa: N818
    """Something was read where statements are only kept, or are on their way."""


@contextmanager
def nothing_read() -> Iterator[None]:
    """Reading inside raises NotNow: the connection is busy with statements that nobody waits for."""

    def refuse(*_: Any) -> Any:
        raise NotNow("the connection is busy")

    _sent.busy = True
    try:
        with connection.execute_wrapper(refuse):
            yield
    finally:
        _sent.busy = False


def fetch(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The rows that a query gives, as the driver reads them."""
    if getattr(_sent, "busy", False) or _collecting() is not None:
        raise NotNow(sql)
    db = connections[DEFAULT_DB_ALIAS]
    cursor, text = _cursor(db, sql)
    with db.wrap_database_errors, cursor:
        cursor.execute(text, parameters)
        return list(cursor.fetchall())


def insert(table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Inserts rows (values in the order of ``columns``), a chunk a statement. Raises IntegrityError on a conflict."""
    size = max(1, PARAMETERS // len(columns))
    for start in range(0, len(rows), size):
        chunk = rows[start : start + size]
        run(_insert_sql(table, tuple(columns), len(chunk)), [adapt(v) for row in chunk for v in row])


@lru_cache(256)
def _insert_sql(table: str, columns: tuple[str, ...], count: int) -> str:
    one = "(" + ", ".join(["%s"] * len(columns)) + ")"
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES " + ", ".join([one] * count)


def _column(model: type[models.Model], name: str) -> Any:
    """The field of that name, which must have a column of its own."""
    return model._meta.get_field(name)


class _Projected:
    """How rows of one projection's table are written: its fields and, by number of rows, the statement."""

    def __init__(self, model: type[models.Model], key: tuple[str, ...]) -> None:
        meta = model._meta
        self.table = meta.db_table
        self.key = [_column(model, name) for name in ("campaign", *key)]
        self.rest = [f for f in meta.concrete_fields if not f.primary_key and f not in self.key]
        self.columns = tuple(f.column for f in (*self.key, *self.rest))
        self.keys = [_preparing(f) for f in self.key[1:]]
        self.fields = [(f.name, f.attname, f.get_default, _preparing(f)) for f in self.rest]
        names = ", ".join(f.column for f in self.key)
        sets = ", ".join(f"{f.column} = excluded.{f.column}" for f in self.rest)
        self.conflict = f" ON CONFLICT ({names}) DO " + (f"UPDATE SET {sets}" if sets else "NOTHING")
        self.one = "(" + ", ".join(["%s"] * len(key)) + ")"
        columns = ", ".join(f.column for f in self.key[1:])
        self.delete = f"DELETE FROM {self.table} WHERE campaign_id = %s AND ({columns}) IN "

    def values(self, campaign: Any, key: tuple[Any, ...], row: Mapping[str, Any]) -> list[Any]:
        """The parameters of one row of a campaign (its id, adapted); fields left out of ``row`` take their default."""
        values = [campaign]
        values += [value if prepare is None else prepare(value) for prepare, value in zip(self.keys, key, strict=True)]
        known = 0
        for name, attname, default, prepare in self.fields:
            if name in row:
                known, value = known + 1, row[name]
            elif attname in row:
                known, value = known + 1, row[attname]
            else:
                value = default()
            values.append(value if prepare is None else prepare(value))
        if known != len(row):
            unknown = row.keys() - {n for name, attname, *_ in self.fields for n in (name, attname)}
            raise TypeError(f"{self.table} has no field {', '.join(sorted(unknown))}")
        return values


# Values of these fields are stored as they are; on PostgreSQL the driver knows some more.
_PLAIN = (models.CharField, models.TextField, models.IntegerField, models.BooleanField)
_KNOWN = (models.UUIDField, models.DateField)


def _preparing(field: Any) -> Callable[[Any], Any] | None:
    """What makes a value fit for a field's column; None where it goes in as it is."""
    if isinstance(field, _PLAIN) or (on_postgresql() and isinstance(field, _KNOWN)):
        return None
    return lambda value: field.get_db_prep_save(value, connections[DEFAULT_DB_ALIAS])


@lru_cache(256)
def _projected(model: type[models.Model], key: tuple[str, ...]) -> _Projected:
    return _Projected(model, key)


def upsert(
    model: type[models.Model],
    campaign_id: UUID,
    key: Sequence[str],
    rows: Mapping[tuple[Any, ...], Mapping[str, Any] | None],
) -> None:
    """Makes rows of a projection what they should be: ``{key values: {field: value}, or None for no such row}``.

    ``key`` names the fields that, with the campaign, identify a row; without any, the row is the campaign's own and
    only the given fields of it change.
    """
    if not key:
        for own in rows.values():
            _update(model, campaign_id, own or {})
        return
    how = _projected(model, tuple(key))
    _drop(how, campaign_id, [k for k, row in rows.items() if row is None])
    _put(how, campaign_id, {k: row for k, row in rows.items() if row is not None}, how.conflict)


def _drop(how: _Projected, campaign_id: UUID, keys: Sequence[tuple[Any, ...]]) -> None:
    """Deletes rows by their keys. The list is filled up to a power of two, so that few statements serve all."""
    size = max(1, PARAMETERS // max(1, len(how.key)))
    for start in range(0, len(keys), size):
        gone = keys[start : start + size]
        gone = [*gone, *[gone[-1]] * ((1 << (len(gone) - 1).bit_length()) - len(gone))]
        sql = how.delete + "(" + ", ".join([how.one] * len(gone)) + ")"
        run(sql, [adapt(campaign_id), *(value for key in gone for value in key)])


def add(
    model: type[models.Model],
    campaign_id: UUID,
    key: Sequence[str],
    rows: Mapping[tuple[Any, ...], Mapping[str, Any]],
) -> None:
    """Inserts rows that are not there yet: like :func:`upsert`, but a row that is there is an IntegrityError."""
    _put(_projected(model, tuple(key)), campaign_id, rows, "")


def _put(how: _Projected, campaign_id: UUID, rows: Mapping[tuple[Any, ...], Mapping[str, Any]], conflict: str) -> None:
    campaign = adapt(campaign_id)
    wanted = [how.values(campaign, key, row) for key, row in rows.items()]
    size = max(1, PARAMETERS // len(how.columns))
    for start in range(0, len(wanted), size):
        chunk = wanted[start : start + size]
        run(_insert_sql(how.table, how.columns, len(chunk)) + conflict, [v for row in chunk for v in row])


def clear(model: type[models.Model], campaign_id: UUID) -> None:
    """Deletes all rows of a campaign from a projection's table."""
    run(f"DELETE FROM {model._meta.db_table} WHERE campaign_id = %s", [adapt(campaign_id)])


def _update(model: type[models.Model], campaign_id: UUID, row: Mapping[str, Any]) -> None:
    if not row:
        return
    sql, preparing = _updated(model, tuple(row))
    values = [
        value if prepare is None else prepare(value) for prepare, value in zip(preparing, row.values(), strict=True)
    ]
    run(sql, [*values, adapt(campaign_id)])


@lru_cache(256)
def _updated(model: type[models.Model], names: tuple[str, ...]) -> tuple[str, list[Callable[[Any], Any] | None]]:
    """The statement that changes these fields of one row, and what makes a value fit for each."""
    fields = [_column(model, name) for name in names]
    sets = ", ".join(f"{field.column} = %s" for field in fields)
    return f"UPDATE {model._meta.db_table} SET {sets} WHERE id = %s", [_preparing(field) for field in fields]


def read_time(value: str | datetime) -> datetime:
    """A time from a raw cursor, aware and in UTC on either database."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def read_uuid(value: Any) -> UUID:
    """A UUID from a raw cursor of either database."""
    return value if isinstance(value, UUID) else UUID(value)
