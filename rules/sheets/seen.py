"""Who may see which stat: what is hidden hides everything that is worked out from it."""

from __future__ import annotations

from collections.abc import Iterator

from rules.formulas import Formula
from rules.sheets.plan import KindPlan, StatPlan

LEVELS = ("all", "holders", "gm")


def seen_levels(kind: KindPlan) -> dict[str, str]:
    """Stat -> who may see it: "all", "holders" (who plays the subject) or "gm"."""
    if not kind.levels:
        found: dict[str, int] = {}
        for name in kind.stats:
            level_of(kind, name, found)
        kind.levels.update({name: LEVELS[level] for name, level in found.items()})
    return kind.levels


def own_level(kind: KindPlan, name: str) -> str:
    """Who may see a stat by itself: as its pack says. Of somebody whom game masters let in, that is whoever plays them
    where it does not say that everybody may."""
    level = kind.stats[name].spec.seen
    closed = kind.made_by == "gm" and level == "all" and name not in kind.open
    return "holders" if closed else level


def level_of(kind: KindPlan, name: str, found: dict[str, int]) -> int:
    if name not in found:
        plan = kind.stats[name]
        found[name] = LEVELS.index(own_level(kind, name))  # a circle through modifiers ends here
        below = [level_of(kind, other, found) for other in read_by(kind, plan)]
        found[name] = max([found[name], *below])
    return found[name]


def read_by(kind: KindPlan, plan: StatPlan) -> Iterator[str]:
    """The other stats that a stat's value depends on."""
    formulas: list[Formula | None] = [plan.formula, plan.at_most]
    for modifier in plan.modifiers:
        formulas += [modifier.add, modifier.when]
    for formula in formulas:
        for name in () if formula is None else formula.reads:
            first, _, rest = name.partition(".")
            stat = rest.partition(".")[0] if first == "self" else first
            if stat in kind.stats and stat != plan.name:
                yield stat
