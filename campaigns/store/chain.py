"""The hash chain: what an event's digest covers, so that history cannot be changed unseen.

The body is hashed field by field, each with a salt of its own, so that an export may leave fields or whole bodies out
and still verify. Sources: promise 8 of the design.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

START = b"\x00" * 32
_encode = msgspec.json.Encoder(order="deterministic").encode


def field_salt(salt: bytes, name: str) -> bytes:
    """The salt of one field; it tells nothing of the event's salt nor of other fields' salts."""
    return hashlib.sha256(salt + name.encode()).digest()[:16]


def field_hash(salt: bytes, name: str, value: object) -> bytes:
    """Salted hash of one field (``salt`` is :func:`field_salt`'s), 32 bytes."""
    return hashlib.sha256(salt + name.encode() + b"\x00" + _encode(value)).digest()


def body_hash(salt: bytes, body: Mapping[str, object]) -> bytes:
    """Hash of a whole body: of its fields' salted hashes in the order of their names, 32 bytes."""
    whole = hashlib.sha256()
    for name in sorted(body):
        whole.update(field_hash(field_salt(salt, name), name, body[name]))
    return whole.digest()


def digest(previous: bytes, position: int, body: bytes) -> bytes:
    """Digest of the event at ``position``, over its predecessor's digest and its body's hash, 32 bytes."""
    return hashlib.sha256(previous + position.to_bytes(8, "big") + body).digest()
