"""The verb `happens`: an instant comes for every subject taking part, as it would at the table: cards act by
themselves, and what was to last until then ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rules.packs.schema import Step
from rules.problems import nearest
from rules.sheets.sheet import Sheet
from rules.tests.flow import Closure, Flow, Path
from rules.tests.runtime import Runtime
from rules.tests.trace import TraceStep
from rules.tests.verbs_held import subject_of

if TYPE_CHECKING:
    from rules.board import Board


def build_happens(flow: Flow, step: Step, path: Path) -> Closure | None:
    """happens: instant, of: role (whose turn or rest it is; left out where the instant is nobody's).

    An instant does not come again while it passes."""
    at, known = step.happens or "", flow.shared.builder.instants
    if at not in known:
        flow.report((*path, "happens"), f"no instant is called {at!r}", nearest(at, known))
        return None
    if known[at] != (step.of is not None):
        wanted = "is the instant of somebody: say whose with `of`" if known[at] else "is nobody's: leave `of` out"
        flow.report((*path, "happens"), f"{at} {wanted}")
        return None
    whose = None if step.of is None else subject_of(flow, step.of, path)
    if step.of is not None and whose is None:
        return None
    flow.shared.effects = flow.shared.answered = True

    def happens(rt: Runtime) -> None:
        from rules.tests.passing import pass_over  # triggers are built of steps

        of = "" if whose is None else whose.run(rt.frame).id
        if (at, of) in rt.passing:
            return
        if rt.trace is not None:
            rt.trace.append(TraceStep(kind="happens", name=at, depth=rt.depth))
        rt.tick()
        roles, sheets = taking_part(rt)
        pass_over(rt, at, of, sheets, roles=roles)
        rt.passed.append((at, of))

    return happens


def taking_part(rt: Runtime) -> tuple[dict[str, str], list[Sheet]]:
    """Each subject known here once, with the first role it has; and all who are on the board."""
    board: Board = rt.board
    roles: dict[str, str] = {}
    sheets: dict[str, Sheet] = {}
    for role, value in rt.frame.items():
        if isinstance(value, Sheet):
            roles.setdefault(value.id, role)
            sheets.setdefault(value.id, value)
    for sheet in (*board.sheets.values(), *board.everyone()):
        sheets.setdefault(sheet.id, sheet)
    return roles, list(sheets.values())


BUILDERS: dict[str, Any] = {"happens": build_happens}
