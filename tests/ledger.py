"""Emptying the event table between tests, which the database refuses to everybody else."""

from typing import Any

from django.db.backends.base.operations import BaseDatabaseOperations

from campaigns.store import guards


def let_tests_flush() -> None:
    """Makes Django's flush take the append-only triggers away first; flush brings them back itself (post_migrate)."""
    flush = BaseDatabaseOperations.execute_sql_flush

    def unguarded(self: BaseDatabaseOperations, sql_list: Any) -> None:
        guards.remove(self.connection)
        flush(self, sql_list)

    BaseDatabaseOperations.execute_sql_flush = unguarded  # type: ignore[method-assign]
