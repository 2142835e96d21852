"""An instant passes over sheets: first what held cards do by themselves, then what ends with it, then what acts after.

The same wherever an instant comes from: a turn of a fight, the step `happens` of a program, a season that closes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec.structs import replace

from rules.sheets.sheet import Sheet
from rules.sheets.subject import Held
from rules.tests.effects import apply_to_sheet, expiry
from rules.tests.result import Effect
from rules.tests.runtime import Runtime
from rules.tests.trace import TraceStep
from rules.tests.triggers import TriggerPlan


class Acts(Protocol):
    """Lets a card act, for those who want to know what came of each (``prefix`` names what is asked on the way)."""

    def act(self, rt: Runtime, plan: TriggerPlan, sheet: Sheet, held: Held, prefix: str) -> None: ...

    def ended(self, effect: Effect) -> None: ...


def pass_over(
    rt: Runtime,
    at: str,
    of: str,
    sheets: Sequence[Sheet],
    acts: Acts | None = None,
    roles: Mapping[str, str] | None = None,
) -> None:
    """An instant (``of`` somebody, or nobody's) comes for these sheets, outside the order of turns. ``roles`` names the
    roles of subjects, for the record."""
    rt.passing.append((at, of))
    triggered(rt, at, of, sheets, late=False, acts=acts)
    for sheet in ending(sheets, at):
        for effect in expire_on(rt, sheet, at, of, (roles or {}).get(sheet.id, "")):
            if acts is not None:
                acts.ended(effect)
    triggered(rt, at, of, sheets, late=True, acts=acts)
    rt.passing.pop()


def ending(sheets: Sequence[Sheet], at: str) -> list[Sheet]:
    """Those on which something waits for such an instant to end."""
    return [sheet for sheet in sheets if at in sheet["@ends"]]


def expire_on(rt: Runtime, sheet: Sheet, at: str, of: str, role: str = "") -> list[Effect]:
    """End what ends on a sheet; what must see the instant more often is put back with one time less to go."""
    found = [replace(effect, role=role) if role else effect for effect in expiry(sheet.id, sheet.held, at, of)]
    for effect in found:
        apply_to_sheet(sheet, effect)
        rt.effects.append(effect)
        if rt.trace is not None:
            rt.trace.append(
                TraceStep(kind=effect.verb, name=effect.card, seen=effect.seen, depth=rt.depth, about=sheet.id)
            )
    return found


def triggered(  # noqa: PLR0913  (the instant, and over whom)
    rt: Runtime, at: str, of: str, sheets: Sequence[Sheet], late: bool, acts: Acts | None = None
) -> bool:
    """What cards do by themselves. A card that an earlier one took away does nothing any more. Whether anything of
    these listens at all."""
    plans = rt.board.pack.hearing.get((at, late)) if rt.board.pack is not None else None
    if plans is None:
        return False
    anything = False
    every, others = plans
    own, foreign = f"@{at}.{late}.own", f"@{at}.{late}.foreign"
    for sheet in sheets:
        mine = not of or sheet.id == of
        key = own if mine else foreign
        listening = sheet.get(key)
        if listening is None:  # a sheet remembers what hears an instant, until its cards change
            listening = sheet[key] = heard(sheet, every if mine else others, late)
        for held, plan in listening:
            if not plan.hears(held, sheet.id, at, of):
                continue
            anything = True
            if not still(sheet, held):
                continue
            prefix = f"{at}.{sheet.id}.{held.id}."
            if acts is None:
                plan.act(rt, sheet, held, prefix)
            else:
                acts.act(rt, plan, sheet, held, prefix)
    return anything


def heard(sheet: Sheet, plans: Mapping[str, list[TriggerPlan]], late: bool) -> list[tuple[Held, TriggerPlan]]:
    """The triggers on a sheet that are among these, in the order of what is held."""
    reach = plans.keys() & sheet.by_card.keys()
    if not reach:
        return []
    return [
        (held, plan) for held in sheet.cards if held.card in reach for plan in plans[held.card] if plan.late is late
    ]


def still(sheet: Sheet, held: Held) -> bool:
    """Whether a card is still in force."""
    return any(thing.id == held.id for thing in sheet.by_card.get(held.card, ()))
