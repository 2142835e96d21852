"""Entries of the ledger as the pages show them, made from what the audience filter let through."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from django.utils.timezone import localtime

from campaigns.feed import Entry

# First word of an event's type -> (kind that colours it, icon). The page hands this to ledger.js, so that an entry that
# arrives live looks as it will after a reload.
KINDS: dict[str, tuple[str, str]] = {
    "test": ("dice", "die"),
    "roll": ("dice", "die"),
    "invocation": ("dice", "die"),
    "die": ("dice", "die"),
    "mark": ("mark", "mark"),
    "pair": ("mark", "mark"),
    "season": ("time", "season"),
    "week": ("time", "season"),
    "year": ("time", "season"),
    "calendar": ("time", "calendar"),
    "period": ("time", "season"),
    "development": ("time", "season"),
    "member": ("people", "members"),
    "owner": ("people", "crown"),
    "link": ("people", "link"),
    "subject": ("people", "characters"),
    "draft": ("people", "feather"),
    "growth": ("mark", "chart"),
    "sheet": ("note", "characters"),
    "card": ("note", "flag"),
    "affiliation": ("people", "members"),
    "encounter": ("dice", "shield"),
    "container": ("note", "chronicle"),
    "events": ("gm", "undo"),
    "void": ("gm", "undo"),
    "seed": ("gm", "shield"),
    "setting": ("gm", "settings"),
    "notices": ("note", "bell"),
    "hook": ("gm", "bell"),
    "campaign": ("note", "flag"),
    "erasure": ("gm", "trash"),
}
OTHER = ("note", "feather")
GIVEN = "pursuit.given"
# What the table's own page leaves to the whole ledger: housekeeping of seeds, and what is said to watchers of a test
# that the others have seen already. By type, or its first word.
SKIPPED = ("seed", "notices", "draft.chosen", "test.published")


def skipped(watcher: bool) -> tuple[str, ...]:
    """What the table's page leaves out for a seat."""
    return SKIPPED[:3] if watcher else SKIPPED


def is_skipped(view: dict[str, Any], skips: tuple[str, ...]) -> bool:
    """Whether what an event shows is left out: by its type, or because it is bookkeeping."""
    kind = view["type"]
    return kind in skips or kind.partition(".")[0] in skips or is_quiet(view)


def is_quiet(view: dict[str, Any]) -> bool:
    """Whether an event is bookkeeping, of which no ledger speaks."""
    return bool(view["data"].get("quiet"))


@dataclass(frozen=True)
class Line:
    """One line of the ledger: what it says, who did it, when it was written, how it looks. ``happened`` is when it came
    about in play, where that was another day. ``few``: others at the table do not see it. ``more`` are the other
    entries of the same act, in their order."""

    cursor: str
    type: str
    kind: str
    icon: str
    says: str
    by: str
    at: datetime
    happened: datetime | None
    voided: bool
    dice: tuple[tuple[int, int, str], ...] = ()
    data: dict[str, Any] = field(default_factory=dict)
    act: str = ""
    few: bool = False
    more: tuple[Line, ...] = ()


Die = tuple[int, int, str]


def seen_die(die: dict[str, Any]) -> Die:
    """Sides, face and tone of one die of an event."""
    return die["sides"], die["face"], "" if die.get("kept", True) else "dropped"


def rolls_of(data: dict[str, Any]) -> dict[str, tuple[Die, ...]]:
    """The dice of a test's event by roll, as far as the viewer was given them."""
    rolls = data.get("dice_holders") or data.get("dice") or {}
    return {name: tuple(map(seen_die, dice)) for name, dice in rolls.items()} if isinstance(rolls, dict) else {}


def labels_of(data: dict[str, Any]) -> dict[str, str]:
    """What each roll of a test's event was thrown for and against, in words, as far as the viewer was given it."""
    thrown = data.get("thrown_gm") or data.get("thrown_holders") or data.get("thrown") or {}
    return {name: _label(purpose) for name, purpose in thrown.items()}


def _label(purpose: dict[str, Any]) -> str:
    against = f"against {purpose['against']}" if "against" in purpose else ""
    title = purpose.get("title", "").replace("_", " ")
    return " ".join(filter(None, (title[:1].upper() + title[1:], against)))


def line_of(entry: Entry) -> Line:
    """The line of one entry of a viewer's feed."""
    view = entry.view
    written, happened = (localtime(datetime.fromisoformat(view[name])) for name in ("recorded", "at"))
    kind, icon = KINDS.get(view["type"].partition(".")[0], OTHER)
    return Line(
        cursor=entry.cursor,
        type=view["type"],
        kind=kind,
        icon=icon,
        says=view["says"],
        by=view["actor"]["name"],
        at=written,
        happened=happened if happened.date() != written.date() else None,
        voided=view["voided"],
        dice=tuple(die for dice in rolls_of(view["data"]).values() for die in dice),
        data=view["data"],
        act=view["act"],
        few=view["few"],
    )


def grouped(lines: Iterable[Line], echoes: bool = True) -> list[Line]:
    """Lines, the newest first, with those of one act that stand together as one: what came first, and behind it what
    came of it. Without ``echoes`` what another line of the act says in more detail is left out."""
    found: list[Line] = []
    for _, run in groupby(lines, key=lambda line: line.act or line.cursor):
        head, *more = _once(run)
        if not echoes:
            more = [line for line in more if not _echoed(line, more)]
        found.append(replace(head, more=tuple(more)))
    return found


def _once(run: Iterable[Line]) -> list[Line]:
    """The lines of an act in their order, each sentence once: what only some may see has an entry of its own."""
    found: dict[tuple[object, ...], Line] = {}
    for line in reversed(list(run)):
        found.setdefault((line.says, line.dice), line)
    return list(found.values())


def _echoed(line: Line, more: list[Line]) -> bool:
    """Whether what an award brought is said beside it, subject by subject."""
    if line.type != GIVEN or line.data.get("withheld"):
        return False
    return any(one.type.startswith("growth.") for one in more)
