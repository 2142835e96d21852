"""What changed on a sheet in the words of its pack, for ledgers. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from campaigns.parts.sheets import Change
from rules.packs import Pack
from rules.packs.wording import ARROW, card_title, changed, plainly, said, titled
from rules.sheets.plan import StatPlan
from rules.tests.result import Effect

_told: WeakKeyDictionary[Pack, frozenset[str]] = WeakKeyDictionary()


def worth_telling(pack: Pack) -> frozenset[str]:
    """The stats that some sheet shows in a group of its own, or as a bar: all others are the pack's bookkeeping."""
    found = _told.get(pack)
    if found is None:
        sheets = [kind.sheet for kind in pack.source.sections["kinds"].values()]
        grouped = {name for sheet in sheets for group in sheet.groups for name in (*group.stats, *group.cards)}
        found = _told[pack] = frozenset(grouped | {name for sheet in sheets for name in sheet.tracks})
    return found


def plan_of(pack: Pack, stat: str) -> StatPlan | None:
    """How a stat is kept, by the first kind that has it."""
    return next((kind.stats[stat] for kind in pack.kinds.values() if stat in kind.stats), None)


def is_bookkeeping(pack: Pack, stat: str) -> bool:
    """Whether a stat only meters play: a budget of fights, which the board shows, or in no group of any sheet."""
    worth = worth_telling(pack)
    return bool(worth) and (stat not in worth or stat in pack.encounter.budgets)


def is_cut(pack: Pack, effect: Effect) -> bool:
    """Whether an effect only brings a number that nothing has touched yet to its most: it read so before."""
    plan = plan_of(pack, effect.stat)
    if plan is None or plan.at_most is None or effect.role or effect.before != plan.default:
        return False
    return isinstance(effect.after, int) and effect.after < effect.before


def word(pack: Pack, value: Any) -> str:
    """A value by what the pack calls it."""
    if isinstance(value, list | tuple):
        return ", ".join(word(pack, one) for one in value) or "nothing"
    if not isinstance(value, str):
        return plainly(value)
    return card_title(pack, value)


def change_said(pack: Pack, change: Change) -> str:
    """One change: "HP 16 → 8", "Stance: Press"."""
    plan = plan_of(pack, change.stat)
    title = (plan.spec.title if plan is not None else "") or change.stat.replace("_", " ")
    named = f"{title} ({word(pack, change.key)})" if change.key else title
    if plan is not None and not isinstance(change.after, int):
        return changed(pack, change.stat, plan.spec, change.key, change.before, change.after)
    if not isinstance(change.after, int) or isinstance(change.after, bool):
        return f"{named}: {word(pack, change.after)}"
    if not isinstance(change.before, int) or (plan is not None and _is_unbounded(plan, change)):
        return f"{named} {change.after}"
    return f"{named} {change.before} {ARROW} {change.after}"


def _is_unbounded(plan: StatPlan, change: Change) -> bool:
    """Whether what it was before is the pack's stand-in for "as much as can be"."""
    return plan.at_most is not None and bool(change.before == plan.default) and change.after < change.before


def changes_said(pack: Pack, changes: Iterable[Change]) -> str:
    """All of them in one line."""
    return ", ".join(change_said(pack, one) for one in changes)


def joined(pack: Pack, effects: Sequence[Effect]) -> tuple[tuple[Change, ...], str, bool]:
    """The changes that effects on one subject come to, one for each value; what is said of them; whether they are
    bookkeeping alone, of which a ledger need not speak."""
    first: dict[tuple[str, str], Any] = {}
    seen: dict[tuple[str, str], Any] = {}
    last: dict[tuple[str, str], Any] = {}
    for effect in effects:
        at = (effect.stat, effect.key)
        first.setdefault(at, effect.before)
        last[at] = effect.after
        if not is_cut(pack, effect):
            seen.setdefault(at, effect.before)
    changes = tuple(Change(stat=s, key=k, before=first[s, k], after=after) for (s, k), after in last.items())
    told = [
        Change(stat=stat, key=key, before=before, after=last[stat, key])
        for (stat, key), before in seen.items()
        if before != last[stat, key] and not is_bookkeeping(pack, stat)
    ]
    return changes, changes_said(pack, told or changes), not told


def is_update(before: Effect, after: Effect | None) -> bool:
    """Whether a card ends only to be there again with other values."""
    if after is None or (before.verb, after.verb) != ("end", "apply"):
        return False
    return (before.subject, before.card, before.held) == (after.subject, after.card, after.held)


def update_said(pack: Pack, before: Effect, after: Effect) -> str:
    """What a held card says now that it did not say before: "Rope: in the pack → in hand"."""
    kind, card = pack.card(after.card)
    specs = pack.card_types[kind].held
    parts = []
    for name, spec in specs.items():
        was, will = before.values.get(name), after.values.get(name)
        if was != will:
            title = "" if len(specs) == 1 else f"{(spec.title or titled(name)).lower()} "
            parts.append(f"{title}{said(pack, spec, was)} {ARROW} {said(pack, spec, will)}")
    return f"{card.title}: {', '.join(parts)}" if parts else f"{card.title} lasts otherwise"
