"""Sections of a campaign's packs: calendar, pairs, development, with the campaign's settings in place of the defaults.

A campaign takes each of them from the first of its packs that has one. Everything here is read once a process.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeVar

import msgspec

from campaigns.packs import Settings, settings_of
from campaigns.parts.table import Table
from campaigns.state import State
from rules.bindings import with_settings
from rules.packs import load_pack, pack_ids

T = TypeVar("T", bound=msgspec.Struct)


def section(state: State, name: str, kind: type[T], pack: str = "") -> tuple[str, T] | None:
    """The section ``name`` of the campaign's packs as (pack id, struct), or None; ``pack`` asks for that pack's own."""
    table = state.part(Table)
    for pack_id in [pack] if pack else table.packs:
        found = bound(pack_id, name, kind, settings_of(table, pack_id))
        if found is not None:
            return pack_id, found
    return None


@lru_cache(maxsize=512)
def bound(pack: str, name: str, kind: type[T], settings: Settings) -> T | None:
    """A pack's section under a campaign's settings; None where the pack has none."""
    if pack not in pack_ids():
        return None
    found = load_pack(pack).source.sections[name]
    if not isinstance(found, kind):
        return None
    return with_settings(found, dict(settings))  # type: ignore[type-var]
