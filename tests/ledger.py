"""Emptying the database between tests, which the database refuses to everybody else where it keeps events.

Django's flush empties every table and then has every receiver of `post_migrate` fill some of them again: six times as
much work as most tests are. So it runs once a process; what is there then is how a test finds the database, and after
each further test only the tables that hold something else are emptied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.operations import BaseDatabaseOperations
from django.test import TransactionTestCase

from campaigns.store import guards

Rows = list[tuple[Any, ...]]
_beginnings: dict[str, dict[str, Rows]] = {}
"""by database: the rows of every table as a test finds them"""


def let_tests_flush() -> None:
    """Makes Django's flush take the append-only triggers away first, which it brings back itself (post_migrate), and
    spares it wherever emptying what was filled is enough."""
    flush = BaseDatabaseOperations.execute_sql_flush
    teardown: Callable[[TransactionTestCase], None] = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]

    def unguarded(self: BaseDatabaseOperations, sql_list: Any) -> None:
        guards.remove(self.connection)
        flush(self, sql_list)

    def emptied(self: TransactionTestCase) -> None:
        names = self._databases_names(include_mirrors=False)  # type: ignore[attr-defined]
        if all(_emptied(connections[name]) for name in names):
            return
        teardown(self)
        for name in names:
            _beginnings[name] = _rows(connections[name])

    BaseDatabaseOperations.execute_sql_flush = unguarded  # type: ignore[method-assign]
    TransactionTestCase._fixture_teardown = emptied  # type: ignore[attr-defined]


def _rows(connection: BaseDatabaseWrapper) -> dict[str, Rows]:
    tables = sorted(connection.introspection.django_table_names(only_existing=True, include_views=False))
    return {table: _all(connection, table) for table in tables}


def _all(connection: BaseDatabaseWrapper, table: str) -> Rows:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} ORDER BY 1")
        return list(cursor.fetchall())


def _emptied(connection: BaseDatabaseWrapper) -> bool:
    """Empties what the test filled; False, and nothing is done, where only a whole flush makes all as it was."""
    beginning = _beginnings.get(connection.alias)
    if beginning is None or not _may_lift(connection):
        return False
    if any(rows and _all(connection, table) != rows for table, rows in beginning.items()):
        return False
    filled = _filled(connection, [table for table, rows in beginning.items() if not rows])
    if filled:
        _delete(connection, filled)
    return True


def _filled(connection: BaseDatabaseWrapper, tables: list[str]) -> list[str]:
    parts = (f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {connection.ops.quote_name(table)})" for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts))
        return [row[0] for row in cursor.fetchall()]


def _delete(connection: BaseDatabaseWrapper, tables: list[str]) -> None:
    """Every row of these tables, no trigger asked."""
    postgresql = connection.vendor == "postgresql"
    with connection.constraint_checks_disabled(), transaction.atomic(using=connection.alias), connection.cursor() as c:
        if postgresql:
            c.execute("SET LOCAL session_replication_role = replica")
        else:
            guards.remove(connection)
        for table in tables:
            c.execute(f"DELETE FROM {connection.ops.quote_name(table)}")
        if not postgresql:
            guards.install(connection)


def _may_lift(connection: BaseDatabaseWrapper) -> bool:
    """Whether this user may set triggers aside: on PostgreSQL those who rule the server, as ours in tests does."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('is_superuser')")
        return bool(cursor.fetchone()[0] == "on")
