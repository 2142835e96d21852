"""Ids that sort by the time they were made (UUID version 7, RFC 9562)."""

from __future__ import annotations

import time
from uuid import UUID

RANDOM = 10


def uuid7(random: bytes) -> UUID:
    """A new UUIDv7: 48 bits of Unix milliseconds, then the bits of ``random`` (10 fresh random bytes)."""
    value = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(random, "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return UUID(int=value)
