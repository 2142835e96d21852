"""Sending many small transactions over one connection without waiting for each other's answers (PostgreSQL).

The statements between two synchronisation points of a pipeline are one transaction of their own: all of them or none,
and what becomes of one says nothing of the next. While the server works on one, the next is being made.
"""

from __future__ import annotations

import select
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from itertools import count
from typing import Any, TypeVar
from uuid import UUID
from weakref import WeakKeyDictionary

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg import pq
from psycopg.errors import error_from_result
from psycopg.types.json import Jsonb

from campaigns.store import rows
from campaigns.store.rows import Statement

K = TypeVar("K")
Parameters = tuple[list[bytes | None], list[int]]

# So many statements a connection keeps prepared; others are parsed each time.
PREPARED = 300
_prepared: WeakKeyDictionary[Any, dict[str, bytes]] = WeakKeyDictionary()
_numbers = count()
_DONE = (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK)
TEXT, BINARY = 0, 1
# A record of a transaction that the log on the disk must hold before its commit is answered, and with it all before it.
MARK = "SELECT pg_logical_emit_message(true, 'tidebook', '')"


def can_send() -> bool:
    """Whether transactions can be sent like this here and now: to PostgreSQL itself (a pooler in between may swap
    connections), and no transaction is open."""
    db = connections[DEFAULT_DB_ALIAS]
    prepares = db.settings_dict["OPTIONS"].get("prepare_threshold") is not None
    return rows.on_postgresql() and prepares and not db.in_atomic_block


def send(transactions: Iterable[tuple[K, Sequence[Statement]]]) -> dict[K, Exception | None]:
    """Sends each transaction; says of each what went wrong (None: it is committed, and will survive a power cut).

    ``transactions`` are made while earlier ones are on their way; nothing can be read meanwhile. Their commits do not
    wait for the disk one by one: once all are done, one more waits for all of them.
    """
    db = connections[DEFAULT_DB_ALIAS]
    db.ensure_connection()
    found: dict[K, Exception | None] = {}
    with db.wrap_database_errors:
        db.connection.execute("SET synchronous_commit TO off")
        _forget_lost(db.connection)
        try:
            with _pipeline(db.connection.pgconn) as pipeline, rows.nothing_read():
                for key, statements in transactions:
                    found[key] = None
                    pipeline.send(key, statements)
            found.update(pipeline.wrong)
            db.connection.execute("RESET synchronous_commit")
            db.connection.execute(MARK)
        except BaseException:
            # Whatever state the connection is in, nobody else gets it.
            db.connection.close()
            db.close()
            raise
    return found


def _forget_lost(connection: Any) -> None:
    """Keeps the names of those statements alone that the server still knows: after a rollback, psycopg has it drop all
    that were prepared, ours as well."""
    names = _prepared.get(connection.pgconn)
    if names:
        known = {name.encode() for (name,) in connection.execute("SELECT name FROM pg_prepared_statements")}
        for sql in [sql for sql, name in names.items() if name not in known]:
            del names[sql]


@contextmanager
def _pipeline(pgconn: Any) -> Iterator[_Pipeline]:
    """The connection in pipeline mode; at the end every answer has come. Where that fails it is of no use any more."""
    pgconn.enter_pipeline_mode()
    pipeline = _Pipeline(pgconn)
    try:
        yield pipeline
        pipeline.finish()
        pgconn.exit_pipeline_mode()
    except BaseException:
        pgconn.finish()
        raise


class _Pipeline:
    """What is on its way over one connection."""

    def __init__(self, pgconn: Any) -> None:
        self._pgconn = pgconn
        self._names = _prepared.setdefault(pgconn, {})
        # Of each stretch up to a synchronisation point: whose it is (None: statements were prepared), how many answers.
        self._sent: list[tuple[Any, int]] = []
        self.wrong: dict[Any, Exception | None] = {}

    def send(self, key: Any, statements: Sequence[Statement]) -> None:
        """Sends one transaction and goes on."""
        made = [(rows.numbered(sql), _parameters(parameters)) for sql, parameters in statements]
        self._prepare([sql for sql, _ in made])
        for sql, (values, formats) in made:
            name = self._names.get(sql)
            if name is None:
                self._pgconn.send_query_params(sql.encode(), values, param_formats=formats)
            else:
                self._pgconn.send_query_prepared(name, values, param_formats=formats)
        self._sync(key, len(made))

    def _prepare(self, statements: Sequence[str]) -> None:
        """Prepares statements that are new to this connection, in a stretch of their own."""
        new = [sql for sql in dict.fromkeys(statements) if sql not in self._names][: PREPARED - len(self._names)]
        for sql in new:
            name = self._names[sql] = f"tide_{next(_numbers)}".encode()
            self._pgconn.send_prepare(name, sql.encode())
        if new:
            self._sync(None, len(new))

    def _sync(self, key: Any, answers: int) -> None:
        self._pgconn.pipeline_sync()
        self._pgconn.flush()
        self._sent.append((key, answers))

    def finish(self) -> None:
        """Waits until all is sent and answered."""
        while self._pgconn.flush():
            readable, _, _ = select.select([self._pgconn.socket], [self._pgconn.socket], [])
            if readable:
                self._pgconn.consume_input()
        for key, answers in self._sent:
            error = self._answered(answers)
            if error is not None and key is not None:
                self.wrong[key] = error
            elif error is not None:
                raise error

    def _answered(self, answers: int) -> Exception | None:
        """The first complaint among so many answers, the synchronisation point behind them included."""
        found: Exception | None = None
        for _ in range(answers):
            while (result := self._pgconn.get_result()) is not None:
                if found is None and result.status not in _DONE:
                    found = error_from_result(result)
        synced = self._pgconn.get_result()
        if synced is None or synced.status != pq.ExecStatus.PIPELINE_SYNC:
            raise psycopg.OperationalError("the connection is lost")
        return found


def _parameters(values: Sequence[Any]) -> Parameters:
    """Values as the server reads them, and the format of each."""
    dumped = [_DUMPERS[type(value)](value) for value in values]
    return dumped, [BINARY if type(value) is bytes else TEXT for value in values]


_DUMPERS: dict[type, Callable[[Any], bytes | None]] = {
    type(None): lambda value: None,
    str: str.encode,
    int: lambda value: b"%d" % value,
    bool: lambda value: b"t" if value else b"f",
    bytes: bytes,
    UUID: lambda value: value.hex.encode(),
    datetime: lambda value: value.isoformat().encode(),
    date: lambda value: value.isoformat().encode(),
    Jsonb: lambda value: value.dumps(value.obj).encode(),
}
