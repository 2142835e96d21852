"""Reading a stream: typed events for people and projections, bare bodies for folding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec
from django.db import connection

from campaigns.events import Draw, Recorded, Stamp, decode
from campaigns.store import rows

PAGE = 1000
_stamp = msgspec.json.Decoder(Stamp)
_holders = msgspec.json.Decoder(tuple[str, ...])
_dice = msgspec.json.Decoder(tuple[Draw, ...])

_COLUMNS = (
    "campaign_id, position, id, type, version, data, actor, command_id, cause, recorded_at, happened_at, stamp, packs,"
    " audience, holders, dice, digest"
)


def _recorded(row: tuple[Any, ...]) -> Recorded:
    return Recorded(
        campaign_id=rows.read_uuid(row[0]),
        position=row[1],
        id=rows.read_uuid(row[2]),
        type=row[3],
        version=row[4],
        event=decode(row[3], row[4], row[5]),
        actor=row[6],
        command_id=rows.read_uuid(row[7]),
        cause=row[8],
        recorded_at=rows.read_time(row[9]),
        happened_at=None if row[10] is None else rows.read_time(row[10]),
        stamp=_stamp.decode(row[11]),
        packs=row[12],
        audience=row[13],
        holders=_holders.decode(row[14]),
        dice=_dice.decode(row[15]),
        digest=bytes(row[16]),
    )


def _fetch(where: str, parameters: list[Any], order: str, limit: int) -> list[Recorded]:
    sql = f"SELECT {_COLUMNS} FROM campaigns_event WHERE {where} ORDER BY position {order} LIMIT {int(limit)}"
    with connection.cursor() as cursor:
        cursor.execute(sql, [rows.adapt(p) for p in parameters])
        return [_recorded(row) for row in cursor.fetchall()]


def events_after(campaign_id: UUID, position: int, limit: int = PAGE) -> list[Recorded]:
    """Up to ``limit`` events behind ``position``, oldest first."""
    return _fetch("campaign_id = %s AND position > %s", [campaign_id, position], "ASC", limit)


def events_before(campaign_id: UUID, position: int, limit: int = PAGE) -> list[Recorded]:
    """Up to ``limit`` events before ``position``, newest first."""
    return _fetch("campaign_id = %s AND position < %s", [campaign_id, position], "DESC", limit)


def event_at(campaign_id: UUID, position: int) -> Recorded | None:
    """The event at a position, or None."""
    found = _fetch("campaign_id = %s AND position = %s", [campaign_id, position], "ASC", 1)
    return found[0] if found else None


def events_of_command(campaign_id: UUID, command_id: UUID) -> list[Recorded]:
    """What a command recorded, oldest first; empty where it recorded nothing."""
    return _fetch("campaign_id = %s AND command_id = %s", [campaign_id, command_id], "ASC", PAGE)


def command_hash_of(campaign_id: UUID, command_id: UUID) -> bytes:
    """Digest of the command that was sent under this id; empty where none was."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT command_hash FROM campaigns_event WHERE campaign_id = %s AND command_id = %s AND command_seq = 0",
            [rows.adapt(campaign_id), rows.adapt(command_id)],
        )
        row = cursor.fetchone()
    return bytes(row[0]) if row else b""


def bodies(campaign_id: UUID, after: int, upto: int) -> Iterator[tuple[int, str, int, str, str]]:
    """(position, type, version, data, dice) of the events behind ``after`` up to and with ``upto``, in pages."""
    while after < upto:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT position, type, version, data, dice FROM campaigns_event"
                " WHERE campaign_id = %s AND position > %s AND position <= %s ORDER BY position LIMIT %s",
                [rows.adapt(campaign_id), after, upto, PAGE],
            )
            page = cursor.fetchall()
        if not page:
            return
        yield from page
        after = page[-1][0]


def bodies_of_types(
    campaign_id: UUID, after: int, upto: int, types: tuple[str, ...]
) -> list[tuple[int, str, int, str]]:
    """(position, type, version, data) of the few events of these types between two positions, oldest first."""
    marks = ", ".join(["%s"] * len(types))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT position, type, version, data FROM campaigns_event"
            f" WHERE campaign_id = %s AND position > %s AND position <= %s AND type IN ({marks}) ORDER BY position",
            [rows.adapt(campaign_id), after, upto, *types],
        )
        return list(cursor.fetchall())


def pages_of_types(campaign_id: UUID, types: tuple[str, ...], upto: int) -> Iterator[list[Recorded]]:
    """The events of these types up to and with ``upto``, oldest first, in pages."""
    after, marks = 0, ", ".join(["%s"] * len(types))
    where = f"campaign_id = %s AND position > %s AND position <= %s AND type IN ({marks})"
    while page := _fetch(where, [campaign_id, after, upto, *types], "ASC", PAGE):
        yield page
        after = page[-1].position
