"""What taking something back would change, in words: grouped by whom it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.previews import Change
from campaigns.state import State
from rules.packs.wording import card_title, said, titled

_ID = re.compile(r"[0-9a-f]{8,}|[0-9a-f-]{36}")
LONGEST = 60
PARTS = {"calls": "tests", "table": "the table", "containers": "what is running"}
"""what parts of the state are called, where their own name would not do"""


@dataclass(frozen=True)
class ChangeSaid:
    """One value that would be another: where, and from what to what."""

    where: str
    before: str
    after: str


@dataclass(frozen=True)
class Changes:
    """All that would change about one subject or member, or ("" for ``about``) about the campaign."""

    about: str
    changes: tuple[ChangeSaid, ...]


def told(state: State, changes: Iterable[Change]) -> list[Changes]:
    """By whom they are about, what is the campaign's last."""
    groups: dict[str, list[ChangeSaid]] = {}
    for change in changes:
        groups.setdefault(change.about, []).append(_on_sheet(state, change) or _said(change))
    return [Changes(about, tuple(said)) for about, said in sorted(groups.items(), key=lambda one: (not one[0], one[0]))]


def _on_sheet(state: State, change: Change) -> ChangeSaid | None:
    """A kept value of a sheet, by the titles and words of its rules; None for anything else."""
    if change.part != "sheets" or len(change.path) < 5 or change.path[0] != "of" or change.path[3] != "values":
        return None
    _, subject, pack_id, _, stat, *key = change.path
    known = state.part(Subjects).by_id.get(subject)
    if known is None or pack_id not in Packs(state).ids():
        return None
    pack = Packs(state).get(pack_id)
    kind = pack.kinds.get(known.kind)
    plan = kind.stats.get(stat) if kind is not None else None
    if plan is None:
        return None
    spec = replace(plan.spec, each=None) if key else plan.spec
    title = plan.spec.title or titled(stat)
    where = f"{title}, {card_title(pack, key[0], plan.spec.each)}" if key else title
    before, after = (
        said(pack, spec, value) if value is not None else "as at first" for value in (change.before, change.after)
    )
    return ChangeSaid(where, before, after)


def _said(change: Change) -> ChangeSaid:
    steps = [PARTS.get(change.part, change.part), *(step for step in change.path if not _ID.fullmatch(step))]
    where = ", ".join(dict.fromkeys(step.replace("_", " ").strip() for step in steps if step))
    return ChangeSaid(where[:1].upper() + where[1:], _value(change.before), _value(change.after))


def _value(value: Any) -> str:
    """A value in a few words; of what holds much, its name or how much."""
    if value is None:
        return "not there"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        name = value.get("title") or value.get("name") or value.get("note")
        return _value(name) if name else "there"
    if isinstance(value, list | tuple):
        plain = all(isinstance(one, int | str) and not _ID.fullmatch(str(one)) for one in value)
        return (", ".join(map(_value, value)) if plain else f"{len(value)} entries") if value else "none"
    text = str(value).replace("_", " ")
    if _ID.fullmatch(text):
        return "there"
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
