"""A subject's values and what it holds, as stored: plain data, no rules."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Ends(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """When something held ends by itself: an instant, whose (a subject id; empty: nobody's), and after how many."""

    at: str
    of: str = ""
    count: int = 1


class Held(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A card in force on a subject: a condition, a token, a mode."""

    id: str
    card: str
    values: dict[str, Any] = {}
    ends: Ends | None = None
    source: str = ""
    """the subject that caused it"""


class Subject(Struct, kw_only=True, omit_defaults=True):
    """Anything with a sheet. `values` holds the kept stats only; a stat that is not there has its default."""

    id: str
    kind: str
    values: dict[str, Any] = {}
    held: list[Held] = []
    title: str = ""


class Actor(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who acts: the seat at the table, and the subjects this member plays."""

    seat: str = "gm"
    plays: frozenset[str] = frozenset()
