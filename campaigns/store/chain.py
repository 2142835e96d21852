"""The hash chain: what an event's digest covers, so that history cannot be changed unseen.

An event's body is hashed leaf by leaf: its envelope, its command, what it is about, each data field, each draw. Every
leaf has a salt of its own, so that an export may leave single leaves or whole bodies out and still verify. Leaves are
the very bytes that the table stores; an event of an old version verifies without being understood.
Source: promise 8 of the design.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

import msgspec

START = b"\x00" * 32
SALT = 16
_encode = msgspec.json.Encoder().encode
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_items = msgspec.json.Decoder(list[msgspec.Raw]).decode
_sha256 = hashlib.sha256

Leaf = tuple[str, bytes]


class Stored(NamedTuple):
    """An event as it lies in the table, its campaign and position apart; JSON columns as text, times in UTC.

    ``recorded_at`` and ``happened_at`` are ISO 8601 texts, UUIDs 32 hex digits, so that a file holds them alike.
    """

    id: str
    type: str
    version: int
    data: str
    actor: str
    command_id: str
    command_seq: int
    command_hash: bytes
    cause: int | None
    recorded_at: str
    happened_at: str | None
    stamp: str
    packs: str
    audience: str
    holders: str
    dice: str
    salt: bytes


def leaves(event: Stored) -> list[Leaf]:
    """The (name, bytes) leaves that the digest of an event covers, in their order.

    Raises msgspec.DecodeError where data or dice are no JSON any more.
    """
    found = [
        (
            "envelope",
            _encode(
                (
                    event.id,
                    event.type,
                    event.version,
                    event.actor,
                    event.recorded_at,
                    event.happened_at,
                    event.stamp,
                    event.packs,
                    event.audience,
                )
            ),
        ),
        ("command", _encode((event.command_id, event.command_seq, event.command_hash.hex()))),
        ("about", _encode((event.cause, event.holders))),
    ]
    found += [("data." + name, bytes(value)) for name, value in _fields(event.data).items()]
    if event.dice != "[]":
        found += [(f"dice.{i}", bytes(value)) for i, value in enumerate(_items(event.dice))]
    return found


def leaf_salts(salt: bytes, count: int) -> list[bytes]:
    """The salts of an event's leaves: one tells nothing of the event's salt nor of another leaf's."""
    stream = hashlib.shake_128(salt).digest(SALT * count)
    return [stream[i : i + SALT] for i in range(0, SALT * count, SALT)]


def leaf_hash(salt: bytes, name: str, value: bytes) -> bytes:
    """Salted hash of one leaf (``salt`` is its own), 32 bytes."""
    return _sha256(salt + _named(name) + value).digest()


@lru_cache(4096)
def _named(name: str) -> bytes:
    return name.encode() + b"\x00"


def leaf_hashes(event_salt: bytes, found: Sequence[Leaf]) -> list[bytes]:
    """The hashes of an event's leaves, in their order."""
    salts = leaf_salts(event_salt, len(found))
    # What :func:`leaf_hash` says, spelled out: of all that appending does this is done most often.
    return [_sha256(salt + _named(name) + value).digest() for salt, (name, value) in zip(salts, found, strict=True)]


def body_hash(hashes: Iterable[bytes]) -> bytes:
    """Hash of a whole body: of its leaves' hashes in their order, 32 bytes."""
    return _sha256(b"".join(hashes)).digest()


def digest(previous: bytes, position: int, body: bytes) -> bytes:
    """Digest of the event at ``position``, over its predecessor's digest and its body's hash, 32 bytes."""
    return _sha256(previous + position.to_bytes(8, "big") + body).digest()


def digest_of(previous: bytes, position: int, event: Stored) -> bytes:
    """Digest of a stored event behind its predecessor's."""
    return digest(previous, position, body_hash(leaf_hashes(event.salt, leaves(event))))


def hex_of(value: UUID) -> str:
    """How :class:`Stored` writes a UUID."""
    return value.hex
