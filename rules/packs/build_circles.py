"""No number on a sheet may need itself, by its formula, its bound or what a card adds to it; nor stand at the end of a
chain so long that reading it would not end."""

from __future__ import annotations

from collections.abc import Mapping

from rules.packs.builder import Builder
from rules.sheets.plan import KindPlan

LONGEST = 40
"""numbers that may be made from one another in a row"""


def check_circles(b: Builder) -> None:
    """Reports each stat that needs itself; once none does, the first at the end of too long a chain."""
    for kind in b.kind_plans.values():
        needs = {name: set(plan.reads) & kind.stats.keys() for name, plan in kind.stats.items()}
        circles = [stat for stat in kind.stats if report_circle(b, kind, stat, needs)]
        if not circles:
            report_chain(b, kind, needs)


def report_circle(b: Builder, kind: KindPlan, first: str, needs: Mapping[str, set[str]]) -> bool:
    """Whether a stat needs itself; reported with the way there."""
    came: dict[str, str] = {}
    todo = [first]
    while todo:
        at = todo.pop()
        for need in sorted(needs[at]):
            if need == first:
                way = [at]
                while way[-1] in came:
                    way.append(came[way[-1]])
                through = [stat for stat in reversed(way) if stat != first]
                said = f", through {', '.join(through)}" if through else ""
                b.source.report(place_of(kind, first), f"{first} needs itself{said}")
                return True
            if need not in came:
                came[need] = at
                todo.append(need)
    return False


def place_of(kind: KindPlan, stat: str) -> tuple[str, ...]:
    plan = kind.stats[stat]
    own = ("kinds", kind.id, "stats", stat)
    if plan.formula is not None:
        return (*own, "formula")
    return (*own, "at_most") if plan.at_most is not None else own


def report_chain(b: Builder, kind: KindPlan, needs: Mapping[str, set[str]]) -> None:
    """There is no circle: the length of each number's chain follows from those it needs."""
    length: dict[str, int] = {}
    for first in needs:
        todo = [first]
        while todo:
            at = todo[-1]
            waiting = [need for need in needs[at] if need not in length]
            if waiting:
                todo += waiting
                continue
            length[at] = 1 + max((length[need] for need in needs[at]), default=0)
            todo.pop()
            if length[at] > LONGEST:
                said = f"{at} ends a chain of more than {LONGEST} numbers, each made from the one before"
                b.source.report(place_of(kind, at), said)
                return
