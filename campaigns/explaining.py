"""Why a value of a sheet is what it is: base, operands of its formula, cards in force; as far as a viewer may know.

A value goes by ``stat:<pack>/<stat>``, or ``stat:<pack>/<stat>/<card>`` where a stat has one for each card.
"""

from __future__ import annotations

import re
from typing import Any

from campaigns.audience import Viewer, may_see
from campaigns.events import GM, PLAYER
from campaigns.packs import Packs
from campaigns.parts.sheets import CardApplied
from campaigns.parts.subjects import Subjects
from campaigns.registry import Why, explains
from campaigns.rolling import subject_of
from campaigns.state import State
from campaigns.store import read
from rules.problems import RulesError
from rules.refusal import Refused
from rules.sheets import Sheet, StatExplained, explain_stat
from rules.sheets.plan import KindPlan

PREFIX = "stat:"
_LEVELS = ("all", "holders", "gm")
_WORD = re.compile(r"[a-z_][a-z0-9_]*")
_STACKING = {
    "best_per_type": "Of each kind only the best counts.",
    "best_and_worst_per_type": "Of each kind the best and the worst count.",
}


def level_of(viewer: Viewer, subject: str) -> str:
    """The narrowest audience of stats that a viewer belongs to: all, holders or gm; "" for watchers, who see none."""
    if viewer.role == GM:
        return "gm"
    if viewer.role != PLAYER:
        return ""
    return "holders" if subject in viewer.plays else "all"


def sees_stat(viewer: Viewer, subject: str, seen: str) -> bool:
    """Whether a viewer may see a subject's stats of this audience."""
    level = level_of(viewer, subject)
    return bool(level) and _LEVELS.index(seen) <= _LEVELS.index(level)


@explains
def why_stat(state: State, viewer: Viewer, subject: str, name: str) -> Why | None:
    """Of a sheet's value; refused alike where there is none and where it is not the viewer's to know."""
    if not name.startswith(PREFIX):
        return None
    pack_id, _, rest = name.removeprefix(PREFIX).partition("/")
    stat, _, key = rest.partition("/")
    found, packs = state.part(Subjects).by_id.get(subject), Packs(state)
    plan = packs.get(pack_id).kinds.get(found.kind) if found is not None and pack_id in packs.ids() else None
    if plan is None or stat not in plan.stats or not sees_stat(viewer, subject, plan.stats[stat].spec.seen):
        raise Refused("not_found", "There is no such value.", field="name", value=name)
    pack = packs.get(pack_id)
    sheet = Sheet(subject_of(state, subject, pack_id), plan, pack.settings)
    try:
        explained = explain_stat(sheet, stat, key or None)
    except (RulesError, KeyError):
        raise Refused("not_found", "There is no such value.", field="name", value=name) from None
    title = plan.stats[stat].spec.title or _worded(stat)
    if key:
        title = f"{title}: {pack.card(key)[1].title}"
    return _why(state, viewer, subject, plan, explained, title)


def _why(state: State, viewer: Viewer, subject: str, plan: KindPlan, explained: StatExplained, title: str) -> Why:
    if _reads_hidden(viewer, subject, plan, explained.formula):
        return Why(label=title, value=plain(explained.value), how="Why it is so is the game master's to know.")
    parts: list[Why] = []
    if explained.formula:
        operands = tuple(Why(label=_worded(part.source), value=plain(part.value)) for part in explained.parts)
        parts.append(Why(label="Worked out", value=plain(explained.base), how=explained.formula, parts=operands))
    else:
        parts.append(Why(label="Written on the sheet", value=plain(explained.base)))
    known = None if viewer.role == GM else _cards_known(state, viewer, subject)
    for counted in explained.modifiers:
        label = counted.title if known is None or counted.card in known else "Something not known to you"
        parts.append(Why(label=label, value=counted.value, how=_worded(counted.kind) if counted.kind else ""))
    how = _STACKING.get(explained.stacking, "") if explained.modifiers else ""
    return Why(label=title, value=plain(explained.value), how=how or _bounded(plan, explained), parts=tuple(parts))


def _bounded(plan: KindPlan, explained: StatExplained) -> str:
    """Says so where the parts come to more, or less, than the value can be."""
    if not isinstance(explained.base, int) or not isinstance(explained.value, int):
        return ""
    if explained.base + sum(m.value for m in explained.modifiers) == explained.value:
        return ""
    spec = plan.stats[explained.stat].spec
    ends = f"{'' if spec.min is None else spec.min} to {'' if spec.max is None else spec.max}".strip()
    return f"It is held within {ends}."


def _reads_hidden(viewer: Viewer, subject: str, plan: KindPlan, formula: str) -> bool:
    """Whether a formula is made from what the viewer may not see. One hidden operand hides all: the others and the
    value would give it away."""
    return any(
        word in plan.stats and not sees_stat(viewer, subject, plan.stats[word].spec.seen)
        for word in _WORD.findall(formula)
    )


def _cards_known(state: State, viewer: Viewer, subject: str) -> set[str]:
    """Cards whose coming into force the viewer was told."""
    known: set[str] = set()
    for page in read.pages_of_types(viewer.campaign_id, ("card.applied",), state.position):
        for event in page:
            body = event.event
            told = may_see(viewer, event.audience, event.holders)
            if told and isinstance(body, CardApplied) and body.subject == subject:
                known.add(body.card)
    return known


def plain(value: Any) -> bool | int | str | None:
    """A value as it can be written down."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, list | tuple):
        return ", ".join(str(plain(one)) for one in value) or "none"
    return (
        ", ".join(f"{_worded(str(k))} {plain(v)}" for k, v in value.items()) if isinstance(value, dict) else str(value)
    )


def _worded(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]
