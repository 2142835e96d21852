"""Append: the one function that writes events."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

import msgspec
from django.db import connection

from campaigns.events import Draft, Recorded, Stamp, type_of
from campaigns.store import chain, rows
from campaigns.store.ids import uuid7

_json = msgspec.json.Encoder(order="deterministic")

COLUMNS = (
    "id",
    "campaign_id",
    "position",
    "type",
    "version",
    "data",
    "actor",
    "command_id",
    "command_seq",
    "command_hash",
    "cause",
    "recorded_at",
    "happened_at",
    "stamp",
    "packs",
    "audience",
    "holders",
    "dice",
    "salt",
    "digest",
)
TABLE = "campaigns_event"


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


def lock_head(campaign_id: UUID) -> Head | None:
    """Locks a campaign's head row until the transaction ends; None where there is no such campaign."""
    lock = " FOR UPDATE" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT position, digest, recorded_at FROM campaigns_campaign WHERE id = %s{lock}",
            [rows.adapt(campaign_id)],
        )
        row = cursor.fetchone()
    if row is None:
        return None
    return Head(campaign_id, row[0], bytes(row[1]), rows.read_time(row[2]))


def envelope(draft: Draft, head: Head, offset: int, origin: Origin, stamp: Stamp) -> Recorded:
    """The draft as it will lie in the stream, its digest still missing."""
    kind = type_of(draft.event)
    return Recorded(
        campaign_id=head.campaign_id,
        position=head.position + offset,
        id=uuid7(),
        type=kind.name,
        version=kind.version,
        event=draft.event,
        actor=origin.actor,
        command_id=origin.command_id,
        cause=draft.cause,
        # A clock set back must not make history run backwards.
        recorded_at=max(origin.now, head.recorded_at),
        happened_at=draft.happened_at,
        stamp=stamp,
        packs=origin.packs,
        audience=draft.audience,
        holders=draft.holders,
        dice=draft.dice,
    )


def body_of(event: Recorded) -> dict[str, object]:
    """All that the digest covers of an event, by field; its data fields stand as ``data.<name>``."""
    body: dict[str, object] = {f"data.{n}": getattr(event.event, n) for n in event.event.__struct_fields__}
    body.update(
        id=event.id,
        type=[event.type, event.version],
        actor=event.actor,
        command=event.command_id,
        cause=event.cause,
        times=[event.recorded_at, event.happened_at],
        stamp=event.stamp,
        packs=event.packs,
        audience=[event.audience, event.holders],
        dice=event.dice,
    )
    return body


def append(head: Head, drafts: Sequence[Draft], origin: Origin, stamps: Sequence[Stamp]) -> tuple[Head, list[Recorded]]:
    """Records events behind ``head``, whose row the caller has locked, and advances it.

    Returns the new head and the recorded events, positions head+1 onward. Must run inside a transaction.
    """
    recorded: list[Recorded] = []
    values: list[list[object]] = []
    digest = head.digest or chain.START
    for seq, (draft, stamp) in enumerate(zip(drafts, stamps, strict=True)):
        event = envelope(draft, head, seq + 1, origin, stamp)
        salt = secrets.token_bytes(16)
        digest = chain.digest(digest, event.position, chain.body_hash(salt, body_of(event)))
        event = replace(event, digest=digest)
        recorded.append(event)
        values.append(_row(event, seq, origin, salt))
    rows.insert(TABLE, COLUMNS, values)
    new_head = Head(head.campaign_id, head.position + len(recorded), digest, recorded[-1].recorded_at)
    _advance(head, new_head)
    return new_head, recorded


def _row(event: Recorded, seq: int, origin: Origin, salt: bytes) -> list[object]:
    return [
        event.id,
        event.campaign_id,
        event.position,
        event.type,
        event.version,
        _json.encode(event.event).decode(),
        event.actor,
        event.command_id,
        seq,
        origin.command_hash if seq == 0 else None,
        event.cause,
        event.recorded_at,
        event.happened_at,
        _json.encode(event.stamp).decode(),
        event.packs,
        event.audience,
        _json.encode(event.holders).decode(),
        _json.encode(event.dice).decode(),
        salt,
        event.digest,
    ]


def _advance(old: Head, new: Head) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE campaigns_campaign SET position = %s, digest = %s, recorded_at = %s"
            " WHERE id = %s AND position = %s",
            [new.position, new.digest, rows.adapt(new.recorded_at), rows.adapt(new.campaign_id), old.position],
        )
        if cursor.rowcount != 1:
            raise RuntimeError(f"campaign {new.campaign_id} moved on from {old.position} without its lock")
