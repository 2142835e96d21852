"""What taking something back would change, in words: grouped by whom it is about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.previews import Change
from campaigns.sheet_reading import known_subject
from campaigns.state import State
from frontend.fights.undoing import fight_changes
from frontend.undone import elsewhere
from rules.packs import Pack
from rules.packs.wording import card_title, said, titled
from rules.sheets import Sheet
from rules.sheets.plan import KindPlan, StatPlan

NOW_AND_THEN = ("as it is now", "otherwise")
"""of what changes in a way that no few words say"""


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
    """By whom they are about, what is the campaign's last. What only the program keeps count of is not told."""
    groups: dict[str, list[ChangeSaid]] = {}
    for change in changes:
        for said_ in _of_fight(state, change) if change.part == "encounters" else _elsewhere(state, change):
            if said_.before == said_.after:
                said_ = ChangeSaid(said_.where, *NOW_AND_THEN)
            known = groups.setdefault(change.about, [])
            if said_ not in known:
                known.append(said_)
    return [Changes(about, tuple(said)) for about, said in sorted(groups.items(), key=lambda one: (not one[0], one[0]))]


def _of_fight(state: State, change: Change) -> list[ChangeSaid]:
    return [ChangeSaid(*said_) for said_ in fight_changes(state, change)]


def _elsewhere(state: State, change: Change) -> list[ChangeSaid]:
    if change.part == "sheets" and change.path[3:4] in (("unseen",), ("veiled",)):
        return []
    found = _on_sheet(state, change)
    return _held(state, change) or ([found] if found else [ChangeSaid(*said_) for said_ in elsewhere(state, change)])


def _pack_of(state: State, change: Change) -> tuple[Pack, KindPlan] | None:
    """Of a change of somebody's sheet, the rules it is kept by; None for anything else."""
    if change.part != "sheets" or len(change.path) < 4 or change.path[0] != "of":
        return None
    known = state.part(Subjects).by_id.get(change.path[1])
    if known is None or change.path[2] not in Packs(state).ids():
        return None
    pack = Packs(state).get(change.path[2])
    kind = pack.kinds.get(known.kind)
    return None if kind is None else (pack, kind)


def _held(state: State, change: Change) -> list[ChangeSaid]:
    """Cards that come, go or say otherwise, each by its title."""
    found = _pack_of(state, change)
    if found is None or change.path[3:] != ("held",):
        return []
    pack, _ = found
    before, after = ({one["id"]: one for one in cards or ()} for cards in (change.before, change.after))
    out = []
    for held in dict.fromkeys([*before, *after]):
        was, will = before.get(held), after.get(held)
        if was != will:
            title = card_title(pack, (was or will or {})["card"])
            out.append(ChangeSaid(title, _card_said(pack, was, will), _card_said(pack, will, was)))
    return out or [ChangeSaid("The order of what they hold", "as now", "as before")]


def _card_said(pack: Pack, held: Any, other: Any) -> str:
    """A held card in a few words: that it is there, or what it says that the other does not."""
    if held is None:
        return "not held"
    kind, _ = pack.card(held["card"])
    specs, values, others = pack.card_types[kind].held, held.get("values", {}), (other or {}).get("values", {})
    told_ = [said(pack, specs[n], v) for n, v in values.items() if n in specs and other and others.get(n) != v]
    return ", ".join(told_) or ("held" if other is None else "as it is")


def _on_sheet(state: State, change: Change) -> ChangeSaid | None:
    """A kept value of a sheet, by the titles and words of its rules; None for anything else."""
    found = _pack_of(state, change)
    if found is None or len(change.path) < 5 or change.path[3] != "values":
        return None
    pack, kind = found
    _, subject, pack_id, _, stat, *key = change.path
    plan = kind.stats.get(stat)
    if plan is None:
        return None
    spec = replace(plan.spec, each=None) if key else plan.spec
    title = plan.spec.title or titled(stat)
    where = f"{title}, {card_title(pack, key[0], plan.spec.each)}" if key else title
    untouched = _untouched(state, pack, kind, subject, plan)
    before, after = (said(pack, spec, untouched if v is None else v) for v in (change.before, change.after))
    return ChangeSaid(where, before, after)


def _untouched(state: State, pack: Pack, kind: KindPlan, subject: str, plan: StatPlan) -> Any:
    """What a value reads while nobody has set it."""
    if plan.at_most is None:
        return plan.default
    known = known_subject(state, subject, pack.id, "gm")
    values = {name: value for name, value in known.values.items() if name != plan.name}
    return Sheet(replace(known, values=values), kind, pack.settings).standing(plan.name)
