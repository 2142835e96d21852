"""The database's own refusal to change or delete events and the bytes of pictures, whoever asks: triggers on PostgreSQL
and on SQLite.

One door: those of a campaign whose erasure is under way (a row of ``campaigns_erasure`` without
``finished_at``) may be deleted. Those rows are themselves written once, finished once, and never deleted.
:func:`install` may run again at any time, and does after every migration: SQLite loses a table's triggers when a
migration rebuilds it.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

_UNDER_WAY = "SELECT 1 FROM campaigns_erasure WHERE campaign = OLD.campaign_id AND finished_at IS NULL"
_EVENTS = "events are never changed or deleted"
_PICTURES = "the bytes of pictures are never changed or deleted"
_AUDIT = "the audit of erasures is never changed or deleted"

_SQLITE = {
    "campaigns_event_update": f"BEFORE UPDATE ON campaigns_event BEGIN SELECT RAISE(ABORT, '{_EVENTS}'); END",
    "campaigns_event_delete": (
        f"BEFORE DELETE ON campaigns_event WHEN NOT EXISTS ({_UNDER_WAY}) BEGIN SELECT RAISE(ABORT, '{_EVENTS}'); END"
    ),
    "campaigns_picture_update": f"BEFORE UPDATE ON campaigns_picture BEGIN SELECT RAISE(ABORT, '{_PICTURES}'); END",
    "campaigns_picture_delete": (
        f"BEFORE DELETE ON campaigns_picture WHEN NOT EXISTS ({_UNDER_WAY})"
        f" BEGIN SELECT RAISE(ABORT, '{_PICTURES}'); END"
    ),
    "campaigns_erasure_update": (
        "BEFORE UPDATE ON campaigns_erasure WHEN OLD.finished_at IS NOT NULL"
        f" BEGIN SELECT RAISE(ABORT, '{_AUDIT}'); END"
    ),
    "campaigns_erasure_delete": (f"BEFORE DELETE ON campaigns_erasure BEGIN SELECT RAISE(ABORT, '{_AUDIT}'); END"),
}

_POSTGRESQL_FUNCTIONS = f"""
CREATE OR REPLACE FUNCTION campaigns_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE FUNCTION campaigns_event_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS ({_UNDER_WAY}) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE FUNCTION campaigns_erasure_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.finished_at IS NULL THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '{_AUDIT}' USING ERRCODE = 'restrict_violation';
END $$;
"""
_STATEMENT = "FOR EACH STATEMENT EXECUTE FUNCTION campaigns_refuse"
_POSTGRESQL = {
    "campaigns_event_update": f"BEFORE UPDATE OR TRUNCATE ON campaigns_event {_STATEMENT}('{_EVENTS}')",
    "campaigns_event_delete": (
        f"BEFORE DELETE ON campaigns_event FOR EACH ROW EXECUTE FUNCTION campaigns_event_delete('{_EVENTS}')"
    ),
    "campaigns_picture_update": f"BEFORE UPDATE OR TRUNCATE ON campaigns_picture {_STATEMENT}('{_PICTURES}')",
    "campaigns_picture_delete": (
        f"BEFORE DELETE ON campaigns_picture FOR EACH ROW EXECUTE FUNCTION campaigns_event_delete('{_PICTURES}')"
    ),
    "campaigns_erasure_update": (
        "BEFORE UPDATE ON campaigns_erasure FOR EACH ROW EXECUTE FUNCTION campaigns_erasure_update()"
    ),
    "campaigns_erasure_delete": f"BEFORE DELETE OR TRUNCATE ON campaigns_erasure {_STATEMENT}('{_AUDIT}')",
}


def install(connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    """Makes the triggers what they should be, on the tables that are there: a migration may be the first of many."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_POSTGRESQL_FUNCTIONS)
        there = set(connection.introspection.table_names(cursor))
        for name, what in _of(connection).items():
            if name.rpartition("_")[0] not in there:
                continue
            create = "CREATE TRIGGER IF NOT EXISTS" if connection.vendor == "sqlite" else "CREATE OR REPLACE TRIGGER"
            cursor.execute(f"{create} {name} {what}")


def remove(connection: BaseDatabaseWrapper) -> None:
    """Takes the triggers away: for the tests, which empty their tables, and for a migration undone."""
    with connection.cursor() as cursor:
        for name in _of(connection):
            on = f" ON {name.rpartition('_')[0]}" if connection.vendor == "postgresql" else ""
            cursor.execute(f"DROP TRIGGER IF EXISTS {name}{on}")


def _of(connection: BaseDatabaseWrapper) -> dict[str, str]:
    return _POSTGRESQL if connection.vendor == "postgresql" else _SQLITE


def after_migration(using: str, **_signal: Any) -> None:
    """Receiver of Django's post_migrate."""
    from django.db import connections

    if "campaigns_erasure" in connections[using].introspection.table_names():
        install(connections[using])
