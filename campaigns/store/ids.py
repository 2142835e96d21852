"""Ids that sort by the time they were made (UUID version 7, RFC 9562)."""

from __future__ import annotations

import time
from uuid import UUID

RANDOM = 10


_VERSION, _VARIANT = 0x7 << 76, 0x2 << 62
_FREE = ~(0xF << 76 | 0x3 << 62)


def milliseconds() -> int:
    """Unix time by the server's clock."""
    return time.time_ns() // 1_000_000


def uuid7(random: bytes, at: int) -> UUID:
    """A new UUIDv7: 48 bits of Unix milliseconds (``at``), then the bits of ``random`` (10 fresh random bytes)."""
    return UUID(int=(at << 80 | int.from_bytes(random, "big")) & _FREE | _VERSION | _VARIANT)
