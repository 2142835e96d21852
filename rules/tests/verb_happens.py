"""The verb `happens`: an instant comes, and what was to last until then ends on every subject taking part."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from rules.packs.schema import Step
from rules.problems import nearest
from rules.sheets.instants import INSTANTS, expire
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Held
from rules.tests.effects import apply_to_sheet
from rules.tests.flow import Closure, Flow, Path
from rules.tests.result import Effect
from rules.tests.runtime import Runtime
from rules.tests.trace import TraceStep
from rules.tests.verbs_held import subject_of


def build_happens(flow: Flow, step: Step, path: Path) -> Closure | None:
    """happens: instant, of: role (whose turn or rest it is; left out where the instant is nobody's)"""
    at = step.happens or ""
    instants = flow.shared.builder.instants
    if at not in instants:
        flow.report((*path, "happens"), f"no instant is called {at!r}", nearest(at, instants))
        return None
    if INSTANTS[at] != (step.of is not None):
        wanted = "is the instant of somebody: say whose with `of`" if INSTANTS[at] else "is nobody's: leave `of` out"
        flow.report((*path, "happens"), f"{at} {wanted}")
        return None
    whose = None if step.of is None else subject_of(flow, step.of, path)
    if step.of is not None and whose is None:
        return None
    flow.shared.effects = flow.shared.answered = True

    def happens(rt: Runtime) -> None:
        of = "" if whose is None else whose.run(rt.frame).id
        if rt.trace is not None:
            rt.trace.append(TraceStep(kind="happens", name=at, depth=rt.depth))
        for role, sheet in taking_part(rt):
            pass_instant(rt, role, sheet, at, of)

    return happens


def taking_part(rt: Runtime) -> list[tuple[str, Sheet]]:
    """Each subject known here once, with the first role it has; and all who are on the board."""
    found: dict[str, tuple[str, Sheet]] = {}
    for role, value in rt.frame.items():
        if isinstance(value, Sheet):
            found.setdefault(value.id, (role, value))
    for sheet in rt.board.everyone():
        found.setdefault(sheet.id, ("", sheet))
    return list(found.values())


def pass_instant(rt: Runtime, role: str, sheet: Sheet, at: str, of: str) -> None:
    """End what ends; what must see the instant more often is put back with one time less to go."""
    before = {held.id: held for held in sheet.held}
    stays, _ = expire(sheet.held, at, of)
    after = {held.id: held for held in stays}
    for key, held in before.items():
        if after.get(key) == held:
            continue
        put(rt, sheet, effect_of("end", role, sheet, held))
        if key in after:
            put(rt, sheet, effect_of("apply", role, sheet, after[key]))


def effect_of(verb: Any, role: str, sheet: Sheet, held: Held) -> Effect:
    whole = Effect(verb=verb, subject=sheet.id, role=role, card=held.card, held=held.id)
    return replace(whole, values=held.values, ends=held.ends, source=held.source)


def put(rt: Runtime, sheet: Sheet, effect: Effect) -> None:
    apply_to_sheet(sheet, effect)
    rt.effects.append(effect)
    if rt.trace is not None:
        rt.trace.append(TraceStep(kind=effect.verb, name=effect.card, seen=effect.seen, depth=rt.depth))


BUILDERS: dict[str, Any] = {"happens": build_happens}
