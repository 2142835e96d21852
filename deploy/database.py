"""Database settings from DATABASE_URL: SQLite for one machine, PostgreSQL for a host."""

from typing import Any

import environ

SCHEMES = ("sqlite", "postgres", "postgresql")


def configure(url: str, pool: int, statement_seconds: int) -> dict[str, Any]:
    """Django's settings of one database. `pool` 0 turns pooling off; `statement_seconds` 0 is without limit."""
    settings: dict[str, Any] = environ.Env.db_url_config(url)
    settings.setdefault("OPTIONS", {})
    if settings["ENGINE"].endswith("sqlite3"):
        settings["OPTIONS"] |= _sqlite()
        # Opening a connection costs more than most queries; the threads that serve pages stay.
        settings["CONN_MAX_AGE"] = 60
    else:
        settings["OPTIONS"] |= _postgresql(pool, statement_seconds)
        # The pool keeps connections; Django must not keep them a second time.
        settings["CONN_MAX_AGE"] = 0 if pool else 60
        settings["CONN_HEALTH_CHECKS"] = True
    return settings


def _sqlite() -> dict[str, Any]:
    # IMMEDIATE: a writer takes its lock when its transaction begins, so two writers queue instead of failing half-way.
    return {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
    }


def _postgresql(pool: int, statement_seconds: int) -> dict[str, Any]:
    """Time-outs on both sides: a stuck statement, lock or peer ends by itself instead of holding a campaign's row."""
    server = {
        "statement_timeout": statement_seconds * 1000,
        "lock_timeout": statement_seconds * 1000,
        "idle_in_transaction_session_timeout": 60_000,
    }
    options: dict[str, Any] = {
        "connect_timeout": 5,
        "tcp_user_timeout": 30_000,
        "keepalives_idle": 30,
        "application_name": "tidebook",
        "options": " ".join(f"-c {name}={value}" for name, value in server.items()),
    }
    if pool:
        # The event store's statements are planned once a connection. Not behind a pooler that swaps connections.
        options["prepare_threshold"] = 2
        options["pool"] = {"min_size": 1, "max_size": pool, "timeout": 10, "max_idle": 120}
    return options
