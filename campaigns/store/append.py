"""Append: the one function that writes events."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

import msgspec
from django.db import transaction

from campaigns.events import Draft, Event, Recorded, Stamp, type_of
from campaigns.store import chain, rows
from campaigns.store.chain import Stored
from campaigns.store.ids import RANDOM, milliseconds, uuid7
from rules.refusal import Refused

encode = msgspec.json.Encoder(order="deterministic").encode

TABLE = "campaigns_event"
# A statement holds this many events at most; longer batches take several, in one transaction.
CHUNK = 500
# The body of one event; the longest that a command of people makes are house rules.
MOST_BYTES = 4 << 20

# Columns that differ between the events of one command, with their types on PostgreSQL.
_OWN = {
    "id": "uuid",
    "type": "text",
    "version": "smallint",
    "data": "text",
    "cause": "bigint",
    "happened_at": "timestamptz",
    "stamp": "text",
    "audience": "text",
    "holders": "text",
    "dice": "text",
    "salt": "bytea",
    "digest": "bytea",
}
_SHARED = ("campaign_id", "actor", "command_id", "recorded_at", "packs", "position", "command_seq", "command_hash")


@dataclass(frozen=True)
class Head:
    """The newest position of a stream, its digest and its time."""

    campaign_id: UUID
    position: int
    digest: bytes
    recorded_at: datetime


@dataclass(frozen=True)
class Origin:
    """Who and what a batch of events comes from; the same for all of them."""

    actor: str
    command_id: UUID
    command_hash: bytes
    now: datetime
    packs: str


class MovedOn(Exception):  # noqa: N818
    """The stream's head is not where the caller believed it; nothing was recorded."""


def lock_head(campaign_id: UUID) -> Head | None:
    """Locks a campaign's head row until the transaction ends; None where there is no such campaign.

    The lock lets rows that point at the campaign be written meanwhile: it keeps off other heads only.
    """
    lock = " FOR NO KEY UPDATE" if rows.on_postgresql() else ""
    sql = f"SELECT position, digest, recorded_at FROM campaigns_campaign WHERE id = %s{lock}"
    found = rows.fetch(sql, [rows.adapt(campaign_id)])
    return _head(campaign_id, found[0]) if found else None


def head_of(campaign_id: UUID) -> Head | None:
    """The head of a stream as committed, without a lock; None where there is no such campaign."""
    sql = "SELECT position, digest, recorded_at FROM campaigns_campaign WHERE id = %s"
    found = rows.fetch(sql, [rows.adapt(campaign_id)])
    return _head(campaign_id, found[0]) if found else None


def heads_of(campaign_ids: Sequence[UUID]) -> dict[UUID, Head]:
    """The heads of several streams as committed, without locks; those that are not there are left out."""
    if not campaign_ids:
        return {}
    marks = ", ".join(["%s"] * len(campaign_ids))
    sql = f"SELECT id, position, digest, recorded_at FROM campaigns_campaign WHERE id IN ({marks})"
    found = {rows.read_uuid(row[0]): row[1:] for row in rows.fetch(sql, list(map(rows.adapt, campaign_ids)))}
    return {campaign_id: _head(campaign_id, found[campaign_id]) for campaign_id in campaign_ids if campaign_id in found}


def _head(campaign_id: UUID, row: Sequence[Any]) -> Head:
    return Head(campaign_id, row[0], bytes(row[1]), rows.read_time(row[2]))


def append(head: Head, drafts: Sequence[Draft], origin: Origin, stamps: Sequence[Stamp]) -> tuple[Head, list[Recorded]]:
    """Records events behind ``head`` and advances it: all of them or none.

    Returns the new head and the recorded events, positions head+1 onward. Raises MovedOn, with nothing recorded,
    where the stream's head is not ``head`` any more; who holds :func:`lock_head`'s lock never meets that.
    """
    # A clock set back must not make history run backwards.
    at = max(origin.now.astimezone(UTC), head.recorded_at)
    shared = at.isoformat(), origin.command_id.hex
    recorded: list[Recorded] = []
    values: list[tuple[Stored, bytes]] = []
    digest = head.digest or chain.START
    for seq, (draft, stamp, (event_id, salt)) in enumerate(zip(drafts, stamps, _random(len(drafts)), strict=True)):
        stored = _stored(draft, stamp, origin, shared, seq, (event_id.hex, salt))
        digest = chain.digest_of(digest, head.position + seq + 1, stored)
        values.append((stored, digest))
        recorded.append(_recorded(draft, stamp, origin, stored, head, (event_id, at, digest)))
    new = Head(head.campaign_id, head.position + len(recorded), digest, at)
    write(head, new, values)
    return new, recorded


def _random(count: int) -> Iterator[tuple[UUID, bytes]]:
    """(id, salt) of each of ``count`` events, from one draw of randomness."""
    size = RANDOM + chain.SALT
    random, at = os.urandom(size * count), milliseconds()
    for start in range(0, size * count, size):
        yield uuid7(random[start : start + RANDOM], at), random[start + RANDOM : start + size]


@lru_cache(1024)
def stamp_text(stamp: Stamp) -> str:
    """A stamp as its column holds it."""
    return encode(stamp).decode()


def _stored(  # noqa: PLR0913
    draft: Draft, stamp: Stamp, origin: Origin, shared: tuple[str, str], seq: int, made: tuple[str, bytes]
) -> Stored:
    """``shared`` is (time, command id) of the whole batch, ``made`` (id, salt) of this event, as they are stored."""
    kind, happened = type_of(draft.event), draft.happened_at
    return Stored(
        made[0],
        kind.name,
        kind.version,
        _body(draft.event),
        origin.actor,
        shared[1],
        seq,
        origin.command_hash if seq == 0 else b"",
        draft.cause,
        shared[0],
        None if happened is None else happened.astimezone(UTC).isoformat(),
        stamp_text(stamp),
        origin.packs,
        draft.audience,
        encode(draft.holders).decode() if draft.holders else "[]",
        encode(draft.dice).decode() if draft.dice else "[]",
        made[1],
    )


def _body(event: Event) -> str:
    """An event's body as its column holds it; refused where a stream could not hold it."""
    try:
        body = encode(event)
    except OverflowError:
        message, right = "A number in what came of this is beyond measure.", "whole numbers of at most 64 bits"
        raise Refused("too_large", message, right=right) from None
    if len(body) > MOST_BYTES:
        raise Refused("too_large", "What came of this is too long to be kept.", right=f"at most {MOST_BYTES} bytes")
    return body.decode()


def _recorded(  # noqa: PLR0913
    draft: Draft, stamp: Stamp, origin: Origin, stored: Stored, head: Head, made: tuple[UUID, datetime, bytes]
) -> Recorded:
    """``made`` is (id, time, digest) of the event."""
    event_id, at, digest = made
    return Recorded(
        campaign_id=head.campaign_id,
        position=head.position + stored.command_seq + 1,
        id=event_id,
        type=stored.type,
        version=stored.version,
        event=draft.event,
        actor=origin.actor,
        command_id=origin.command_id,
        cause=draft.cause,
        recorded_at=at,
        happened_at=draft.happened_at,
        stamp=stamp,
        packs=origin.packs,
        audience=draft.audience,
        holders=draft.holders,
        dice=draft.dice,
        digest=digest,
    )


def write(old: Head, new: Head, values: Sequence[tuple[Stored, bytes]]) -> None:
    """Inserts events (of one command) with their digests and moves the head from ``old`` to ``new``, or raises MovedOn.

    On PostgreSQL a batch that fits one statement is one statement, its own transaction where there is no other.
    """
    if rows.on_postgresql() and len(values) <= CHUNK:
        statement, parameters = _one_statement(len(values)), _parameters(old, new, values)
        rows.run_exactly(statement, parameters, len(values), lambda: _moved_on(old))
        return
    with transaction.atomic(savepoint=False):
        write_head(old, new)
        insert(new.campaign_id, old.position + 1, values)


def write_head(old: Head, new: Head) -> None:
    """Moves the head from ``old`` to ``new``, or raises MovedOn."""
    sql = "UPDATE campaigns_campaign SET position = %s, digest = %s, recorded_at = %s WHERE id = %s AND position = %s"
    at, campaign = rows.adapt(new.recorded_at), rows.adapt(new.campaign_id)
    rows.run_exactly(sql, [new.position, new.digest, at, campaign, old.position], 1, lambda: _moved_on(old))


def _moved_on(old: Head) -> MovedOn:
    return MovedOn(f"campaign {old.campaign_id} is not at {old.position}")


def insert(campaign_id: UUID, first: int, values: Sequence[tuple[Stored, bytes]]) -> None:
    """Inserts events at positions ``first`` onward, without touching the head."""
    lines = [(campaign_id, first + i, *_insertable(stored), digest) for i, (stored, digest) in enumerate(values)]
    rows.insert(TABLE, ("campaign_id", "position", *Stored._fields, "digest"), lines)


def _insertable(stored: Stored) -> tuple[object, ...]:
    columns: dict[str, object] = stored._asdict()
    columns["command_hash"] = stored.command_hash or None
    columns["recorded_at"] = rows.adapt(rows.read_time(stored.recorded_at))
    columns["happened_at"] = None if stored.happened_at is None else rows.read_time(stored.happened_at)
    return tuple(columns.values())


@lru_cache(CHUNK)
def _one_statement(count: int) -> str:
    """SQL that advances the head and, only if it did, inserts ``count`` events (PostgreSQL)."""
    own = ", ".join(_OWN)
    first = "(0, " + ", ".join(f"%s::{kind}" for kind in _OWN.values()) + ")"
    others = [f"({seq}, " + ", ".join(["%s"] * len(_OWN)) + ")" for seq in range(1, count)]
    return (
        "WITH head AS (UPDATE campaigns_campaign SET position = %s, digest = %s, recorded_at = %s"
        " WHERE id = %s AND position = %s RETURNING id, recorded_at)"
        f" INSERT INTO {TABLE} ({', '.join(_SHARED)}, {own})"
        " SELECT head.id, %s, %s::uuid, head.recorded_at, %s, %s::bigint + seq, seq,"
        f" CASE WHEN seq = 0 THEN %s::bytea END, {own.replace('id', 'e.id', 1)}"
        f" FROM head, (VALUES {', '.join([first, *others])}) AS e (seq, {own})"
    )


def _parameters(old: Head, new: Head, values: Sequence[tuple[Stored, bytes]]) -> list[object]:
    first = values[0][0]
    parameters: list[object] = [new.position, new.digest, new.recorded_at, new.campaign_id, old.position]
    parameters += [first.actor, first.command_id, first.packs, old.position + 1, first.command_hash]
    for stored, digest in values:
        parameters += [stored.id, stored.type, stored.version, stored.data, stored.cause, stored.happened_at]
        parameters += [stored.stamp, stored.audience, stored.holders, stored.dice, stored.salt, digest]
    return parameters


def encoded(event: Event) -> str:
    """An event body as its column holds it: canonical JSON."""
    return encode(event).decode()
