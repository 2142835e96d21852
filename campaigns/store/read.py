"""Reading a stream: typed events for people and projections, bare bodies for folding, rows as stored for checking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

import msgspec

from campaigns.events import Draw, Recorded, Stamp, decode
from campaigns.store import rows
from campaigns.store.chain import Stored

PAGE = 1000
FOLD_PAGE = 5000
_stamp = msgspec.json.Decoder(Stamp)
_holders = msgspec.json.Decoder(tuple[str, ...])
_dice = msgspec.json.Decoder(tuple[Draw, ...])

_COLUMNS = (
    "campaign_id, position, id, type, version, data, actor, command_id, cause, recorded_at, happened_at, stamp, packs,"
    " audience, holders, dice, digest"
)
Body = tuple[int, str, int, str, str | None]


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
    sql = f"SELECT {_COLUMNS} FROM campaigns_event WHERE {where} ORDER BY position {order} LIMIT %s"
    return [_recorded(row) for row in rows.fetch(sql, [*(rows.adapt(p) for p in parameters), limit])]


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


def events_at(campaign_id: UUID, positions: Sequence[int]) -> list[Recorded]:
    """The events at these positions, oldest first."""
    found: list[Recorded] = []
    for start in range(0, len(positions), PAGE):
        part = sorted(positions)[start : start + PAGE]
        marks = ", ".join(["%s"] * len(part))
        found += _fetch(f"campaign_id = %s AND position IN ({marks})", [campaign_id, *part], "ASC", len(part))
    return found


def command_of(campaign_id: UUID, command_id: UUID) -> tuple[int, bytes] | None:
    """(position of its first event, digest of the command) of the command sent under this id; None where none was."""
    found = rows.fetch(
        "SELECT position, command_hash FROM campaigns_event"
        " WHERE campaign_id = %s AND command_id = %s AND command_seq = 0",
        [rows.adapt(campaign_id), rows.adapt(command_id)],
    )
    return (found[0][0], bytes(found[0][1])) if found else None


def events_of_command(campaign_id: UUID, command_id: UUID) -> list[Recorded]:
    """What a command recorded, oldest first; empty where it recorded nothing.

    A command's events lie side by side, so they are read by position from its first one on.
    """
    first = command_of(campaign_id, command_id)
    if first is None:
        return []
    found: list[Recorded] = []
    after = first[0] - 1
    while page := events_after(campaign_id, after, 64):
        own = [event for event in page if event.command_id == command_id]
        found += own
        if len(own) < len(page):
            break
        after = page[-1].position
    return found


def end_of_command(campaign_id: UUID, position: int) -> int:
    """The position of the last event that came of the same command as the one at ``position``."""
    following = "campaign_id = %s AND position > %s"
    behind = rows.fetch(
        f"SELECT position FROM campaigns_event WHERE {following} AND command_seq = 0 ORDER BY position LIMIT 1",
        [rows.adapt(campaign_id), position],
    )
    if behind:
        return int(behind[0][0]) - 1
    last = rows.fetch(
        f"SELECT position FROM campaigns_event WHERE {following} ORDER BY position DESC LIMIT 1",
        [rows.adapt(campaign_id), position],
    )
    return int(last[0][0]) if last else position


def bodies(campaign_id: UUID, after: int, upto: int) -> Iterator[list[Body]]:
    """Pages of (position, type, version, data, dice) of the events behind ``after`` up to and with ``upto``.

    ``dice`` is None where none were drawn. A page is all that is ever in memory.
    """
    sql = (
        "SELECT position, type, version, data, NULLIF(dice, '[]') FROM campaigns_event"
        " WHERE campaign_id = %s AND position > %s AND position <= %s ORDER BY position"
    )
    while after < upto:
        page: list[Any] = rows.fetch(sql, [rows.adapt(campaign_id), after, min(upto, after + FOLD_PAGE)])
        if not page:
            return
        yield page
        after = page[-1][0]


def tails(wanted: Mapping[UUID, tuple[int, int]]) -> Iterator[tuple[UUID, list[Body]]]:
    """(campaign id, bodies of its events) of several campaigns in one query; ``wanted`` says behind which position and
    up to which. A campaign without any is left out."""
    if not wanted:
        return
    one = "(campaign_id = %s AND position > %s AND position <= %s)"
    sql = (
        "SELECT campaign_id, position, type, version, data, NULLIF(dice, '[]') FROM campaigns_event"
        f" WHERE {' OR '.join([one] * len(wanted))} ORDER BY campaign_id, position"
    )
    found = rows.fetch(sql, [value for i, (after, upto) in wanted.items() for value in (rows.adapt(i), after, upto)])
    for campaign, lines in groupby(found, key=itemgetter(0)):
        yield rows.read_uuid(campaign), [line[1:] for line in lines]


def bodies_of_types(
    campaign_id: UUID, after: int, upto: int, types: tuple[str, ...]
) -> list[tuple[int, str, int, str]]:
    """(position, type, version, data) of the few events of these types between two positions, oldest first."""
    marks = ", ".join(["%s"] * len(types))
    found: list[Any] = rows.fetch(
        "SELECT position, type, version, data FROM campaigns_event"
        f" WHERE campaign_id = %s AND position > %s AND position <= %s AND type IN ({marks}) ORDER BY position",
        [rows.adapt(campaign_id), after, upto, *types],
    )
    return found


def causes(campaign_id: UUID, after: int, upto: int) -> Iterator[tuple[int, UUID]]:
    """(cause, command id) of the events between two positions that name a cause, oldest first."""
    found = rows.fetch(
        "SELECT cause, command_id FROM campaigns_event"
        " WHERE campaign_id = %s AND position > %s AND position <= %s AND cause IS NOT NULL ORDER BY position",
        [rows.adapt(campaign_id), after, upto],
    )
    return ((cause, rows.read_uuid(command_id)) for cause, command_id in found)


def draws(campaign_id: UUID, after: int, upto: int) -> Iterator[tuple[int, str, str, str, str]]:
    """(position, type, audience, holders, dice) of the events behind ``after`` up to ``upto`` that drew dice, oldest
    first, a page in memory at a time."""
    sql = (
        "SELECT position, type, audience, holders, dice FROM campaigns_event"
        " WHERE campaign_id = %s AND position > %s AND position <= %s AND dice <> '[]' ORDER BY position LIMIT %s"
    )
    while page := rows.fetch(sql, [rows.adapt(campaign_id), after, upto, PAGE]):
        yield from page
        after = page[-1][0]


def stored(campaign_id: UUID, after: int, upto: int, kind: str = "") -> Iterator[tuple[int, Stored, bytes]]:
    """(position, event as stored, digest) behind ``after`` up to ``upto``, oldest first, a page in memory at a time;
    with ``kind`` those of one type only."""
    sql = (
        f"SELECT position, {', '.join(Stored._fields)}, digest FROM campaigns_event"
        f" WHERE campaign_id = %s AND position > %s AND position <= %s{' AND type = %s' if kind else ''}"
        " ORDER BY position LIMIT %s"
    )
    while after < upto:
        page = rows.fetch(sql, [rows.adapt(campaign_id), after, upto, *([kind] if kind else []), PAGE])
        if not page:
            return
        for row in page:
            yield row[0], _as_stored(row[1:-1]), bytes(row[-1])
        after = page[-1][0]


def _as_stored(row: tuple[Any, ...]) -> Stored:
    raw = Stored(*row)
    return raw._replace(
        id=rows.read_uuid(raw.id).hex,
        command_id=rows.read_uuid(raw.command_id).hex,
        command_hash=bytes(raw.command_hash or b""),
        recorded_at=_iso(raw.recorded_at),
        happened_at=None if raw.happened_at is None else _iso(raw.happened_at),
        salt=bytes(raw.salt),
    )


def _iso(value: str | datetime) -> str:
    return rows.read_time(value).isoformat()


def position_when(campaign_id: UUID, instant: datetime, upto: int) -> int:
    """The newest position recorded at or before ``instant`` (0: none yet), among the first ``upto``.

    Recording times never run backwards in a stream, so halving finds it in some twenty reads however long that is.
    """
    low, high = 0, upto
    while low < high:
        middle = (low + high + 1) // 2
        event = event_at(campaign_id, middle)
        if event is not None and event.recorded_at <= instant:
            low = middle
        else:
            high = middle - 1
    return low


def position_of_stamp(campaign_id: UUID, stamp: tuple[int, ...], upto: int) -> int:
    """The newest position whose calendar stamp (year, season[, week]) is not past ``stamp``, among the first ``upto``.

    Events told later than they happened carry an older stamp; only those recorded at their time count.
    """
    low, high = 0, upto
    while low < high:
        middle = (low + high + 1) // 2
        found = _fetch(
            "campaign_id = %s AND position >= %s AND position <= %s AND happened_at IS NULL",
            [campaign_id, middle, high],
            "ASC",
            1,
        )
        at = found[0].stamp if found else None
        if found and at is not None and (at.year, at.season, at.week)[: len(stamp)] <= stamp:
            low = found[0].position
        else:
            high = middle - 1
    after = _fetch("campaign_id = %s AND position > %s AND happened_at IS NULL", [campaign_id, low], "ASC", 1)
    return min(after[0].position - 1 if after else upto, upto)


def pages_of_types(campaign_id: UUID, types: tuple[str, ...], upto: int, after: int = 0) -> Iterator[list[Recorded]]:
    """The events of these types behind ``after`` up to and with ``upto``, oldest first, in pages."""
    marks = ", ".join(["%s"] * len(types))
    where = f"campaign_id = %s AND position > %s AND position <= %s AND type IN ({marks})"
    while page := _fetch(where, [campaign_id, after, upto, *types], "ASC", PAGE):
        yield page
        after = page[-1].position
