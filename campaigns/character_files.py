"""A character as a file: what was chosen when it was made, and its sheets as they stand. JSON, for people to keep."""

from __future__ import annotations

from typing import Any

import msgspec

from campaigns.packs import Packs
from campaigns.parts.making import Making
from campaigns.parts.sheets import Sheets
from campaigns.parts.subjects import Subjects
from campaigns.registry import provided
from campaigns.state import State
from rules.sheets import Held
from rules.sheets.seen import LEVELS, seen_levels

FORMAT = "tidebook-character"


class SheetFile(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One sheet: the choices that made it, the kept values that differ from the pack's defaults, the cards in force."""

    version: str = ""
    choices: dict[str, Any] | None = None
    values: dict[str, Any] = {}
    held: list[Held] = []


class CharacterFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A character: its name, kind, and its sheets by the id of the pack."""

    format: str = FORMAT
    name: str
    kind: str
    sheets: dict[str, SheetFile]


def export(state: State, subject: str, audience: str) -> CharacterFile:
    """The character as those may know it who see what "all", "holders" or "gm" see."""
    known = state.part(Subjects).by_id[subject]
    packs = [pack for pack in Packs(state).all() if known.kind in pack.kinds]
    sheets = {}
    for pack in packs:
        values, held = state.part(Sheets).sheet(subject, pack.id).known_to(audience)
        levels = seen_levels(pack.kinds[known.kind])
        shown = {n: v for n, v in values.items() if n in levels and LEVELS.index(levels[n]) <= LEVELS.index(audience)}
        taken = {n for n in shown if n in provided(state, subject, pack.id)}
        choices = state.part(Making).made.get(subject, {}).get(pack.id) if audience != "all" else None
        if choices is not None or held or shown:
            sheets[pack.id] = SheetFile(
                version=pack.version,
                choices=choices,
                values={n: v for n, v in shown.items() if n not in taken},
                held=held,
            )
    return CharacterFile(name=known.name, kind=known.kind, sheets=sheets)
