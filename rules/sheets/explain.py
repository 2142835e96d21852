"""Why is this number this? The base with its operands, every modifier in force, and the bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rules.formulas.explain import Part
from rules.problems import RulesError, nearest
from rules.sheets.sheet import Sheet

if TYPE_CHECKING:
    from rules.sheets.plan import ModifierPlan


class Counted(Struct, frozen=True, kw_only=True):
    """A modifier in force: the card it comes from, its type, and what it adds."""

    card: str
    title: str
    kind: str
    value: int


class StatExplained(Struct, frozen=True, kw_only=True):
    """`value` = `base` (kept, or `formula` over `parts`) with `modifiers` by `stacking`, within bounds."""

    stat: str
    value: Any
    base: Any
    formula: str = ""
    parts: tuple[Part, ...] = ()
    modifiers: tuple[Counted, ...] = ()
    stacking: str = "sum"


def explain_stat(sheet: Sheet, name: str, key: str | None = None) -> StatExplained:
    """The parts of one number on a sheet; `key` picks one card of a stat that has a value for each."""
    plan = sheet.kind.stats.get(name)
    if plan is None:
        raise RulesError(f"a {sheet.kind.id} has no stat {name!r}", field=name, right=nearest(name, sheet.kind.stats))
    parts: tuple[Part, ...] = ()
    if plan.formula is not None:
        frame = sheet if key is None else {**sheet, plan.key_name: key}
        parts = plan.formula.explain(_Frame(sheet, dict(frame))).parts
    value, base = sheet[name], sheet.base(name)
    return StatExplained(
        stat=name,
        value=value if key is None else value[key],
        base=base if key is None else base[key],
        formula="" if plan.formula is None else plan.formula.text,
        parts=parts,
        modifiers=tuple(counted(modifier, part["value"]) for modifier, part in sheet.in_force(plan, key)),
        stacking=plan.spec.stacking,
    )


def counted(modifier: ModifierPlan, value: int) -> Counted:
    return Counted(card=modifier.card, title=modifier.title, kind=modifier.kind, value=value)


class _Frame(dict[str, Any]):
    """A sheet with a key laid over it."""

    def __init__(self, sheet: Sheet, over: dict[str, Any]) -> None:
        super().__init__(over)
        self.sheet = sheet

    def __missing__(self, name: str) -> Any:
        return self.sheet[name]
