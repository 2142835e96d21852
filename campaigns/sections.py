"""Sections of a campaign's packs: calendar, pairs, development, with the campaign's settings in place of the defaults.

A campaign takes each of them from the first of its packs that has one. Everything here is read once a process.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from ruamel.yaml import YAML

import rules
from campaigns.parts.table import Table
from campaigns.state import State
from rules.bindings import with_settings

PACKS = Path(rules.__file__).parent / "packs"
T = TypeVar("T", bound=msgspec.Struct)
Settings = tuple[tuple[str, bool | int | str], ...]


def section(state: State, name: str, kind: type[T], pack: str = "") -> tuple[str, T] | None:
    """The section ``name`` of the campaign's packs as (pack id, struct), or None; ``pack`` asks for that pack's own."""
    table = state.part(Table)
    settings = tuple(sorted(table.settings.items()))
    for pack_id in [pack] if pack else table.packs:
        found = bound(pack_id, name, kind, settings)
        if found is not None:
            return pack_id, found
    return None


@lru_cache(maxsize=512)
def bound(pack: str, name: str, kind: type[T], settings: Settings) -> T | None:
    """A pack's section under a campaign's settings; None where the pack has none."""
    plain = _plain(pack, name)
    if plain is None:
        return None
    return with_settings(msgspec.convert(plain, kind), dict(settings))  # type: ignore[type-var]


@lru_cache(maxsize=64)
def _plain(pack: str, name: str) -> Any:
    file = PACKS / pack / f"{name}.yaml"
    return YAML(typ="safe", pure=True).load(file) if file.is_file() else None
