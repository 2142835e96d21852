"""Sections of a campaign's packs: calendar, pairs, development, with the campaign's settings in place of the defaults.

A campaign takes each of them from the first of its packs that has one. Everything here is read once a process.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeVar

import msgspec

from campaigns.packs import Packs, Settings, settings_of
from campaigns.parts.table import Table
from campaigns.state import State
from rules.bindings import with_settings
from rules.packs import Pack

T = TypeVar("T", bound=msgspec.Struct)


def section(state: State, name: str, kind: type[T], pack: str = "") -> tuple[str, T] | None:
    """The section ``name`` of the campaign's packs as (pack id, struct), or None; ``pack`` asks for that pack's own."""
    found: tuple[str, T] | None = state.once(("section", name, pack), lambda: _section(state, name, kind, pack))
    return found


def _section(state: State, name: str, kind: type[T], pack: str) -> tuple[str, T] | None:
    table, packs = state.part(Table), Packs(state)
    for pack_id in [pack] if pack else table.packs:
        if pack_id not in table.packs:
            continue
        found = bound(packs.played(pack_id), name, kind, settings_of(table, pack_id))
        if found is not None:
            return pack_id, found
    return None


@lru_cache(maxsize=512)
def bound(pack: Pack, name: str, kind: type[T], settings: Settings) -> T | None:
    """A pack's section under a campaign's settings; None where the pack has none."""
    found = pack.source.sections[name]
    if not isinstance(found, kind):
        return None
    return with_settings(found, dict(settings))  # type: ignore[type-var]
