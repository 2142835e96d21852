"""What an upgrade of a pack does to one subject: what it keeps, what is renamed, what no longer fits, and every number
that will read differently. Nothing is changed by looking; the caller stores what it decides to.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rules.packs.pack import Pack
from rules.packs.values import Misfit, fit
from rules.sheets.plan import KindPlan
from rules.sheets.sheet import ByCard, Sheet
from rules.sheets.subject import Subject


class Lost(Struct, frozen=True):
    """A stored value or held card that the new version has no place for, and why."""

    name: str
    value: Any
    why: str


class Reads(Struct, frozen=True):
    """A stat that reads differently after the upgrade; `before` or `after` is None where the stat does not exist."""

    stat: str
    before: Any
    after: Any


class Upgrade(Struct, frozen=True, kw_only=True):
    """`subject` as the new version keeps it, what is `lost`, and what `reads` differently."""

    subject: Subject
    lost: tuple[Lost, ...]
    reads: tuple[Reads, ...]


def upgrade(old: Pack, new: Pack, subject: Subject) -> Upgrade:
    """Preview of a subject under a new version of its pack."""
    plan = new.kinds.get(new.current_id(subject.kind))
    if plan is None:
        gone = Lost(subject.kind, subject.values, "the kind of subject no longer exists")
        return Upgrade(subject=subject, lost=(gone,), reads=())
    values, lost = carried(new, plan, subject.values)
    known = {card for cards in new.cards.values() for card in cards}
    held = [replace(thing, card=new.current_id(thing.card)) for thing in subject.held]
    lost += [Lost(thing.card, thing.values, "the card no longer exists") for thing in held if thing.card not in known]
    after = replace(subject, kind=plan.id, values=values, held=[thing for thing in held if thing.card in known])
    return Upgrade(subject=after, lost=tuple(lost), reads=tuple(differences(old, new, subject, after)))


def carried(new: Pack, plan: KindPlan, values: dict[str, Any]) -> tuple[dict[str, Any], list[Lost]]:
    """Stored values under their present names; what does not fit any more is lost."""
    kept: dict[str, Any] = {}
    lost: list[Lost] = []
    for name, value in values.items():
        stat = plan.stats.get(new.current_id(name))
        if stat is None or stat.formula is not None:
            lost.append(
                Lost(name, value, "the stat no longer exists" if stat is None else "the stat is now worked out")
            )
            continue
        if stat.keys is not None and isinstance(value, dict):
            value = {new.current_id(key): item for key, item in value.items()}
        try:
            kept[stat.name] = fit(stat.spec, value, new.words)
        except Misfit as exc:
            lost.append(Lost(name, value, exc.message))
    return kept, lost


def differences(old: Pack, new: Pack, before: Subject, after: Subject) -> list[Reads]:
    """Every stat whose reading changes, in the order of the new sheet, then what is gone."""
    one = Sheet(before, old.kinds[before.kind], old.settings)
    two = Sheet(after, new.kinds[after.kind], new.settings)
    renamed = {new.current_id(name): name for name in one.kind.stats}
    out = []
    for name in two.kind.stats:
        was = reading(one, renamed[name]) if name in renamed else None
        if was != reading(two, name):
            out.append(Reads(name, was, reading(two, name)))
    gone = [name for name in one.kind.stats if new.current_id(name) not in two.kind.stats]
    return out + [Reads(name, reading(one, name), None) for name in gone]


def reading(sheet: Sheet, name: str) -> Any:
    value = sheet[name]
    return value.complete() if isinstance(value, ByCard) else value
