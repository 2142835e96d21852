"""Versions and ranges of them, such as `>=1.0 <2`."""

from __future__ import annotations

import re

PART = re.compile(r"(>=|<=|==|>|<)\s*(\d{1,4}(?:\.\d{1,4}){0,2})\Z")


def version_of(text: str) -> tuple[int, int, int]:
    """`1.2` as (1, 2, 0)."""
    parts = [int(part) for part in text.split(".")]
    return (*parts, 0, 0)[:3]  # type: ignore[return-value]


def in_range(version: str, wanted: str) -> bool:
    """Whether a version meets every part of a range."""
    have = version_of(version)
    checks = {
        ">=": lambda want: have >= want,
        "<=": lambda want: have <= want,
        "==": lambda want: have == want,
        ">": lambda want: have > want,
        "<": lambda want: have < want,
    }
    for part in wanted.split():
        found = PART.match(part)
        if found is None or not checks[found.group(1)](version_of(found.group(2))):
            return False
    return True


def range_is_written_well(wanted: str) -> bool:
    return bool(wanted.split()) and all(PART.match(part) for part in wanted.split())
