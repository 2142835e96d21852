"""Triggers of cards: what a held card does by itself when an instant comes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rules.formulas import Formula
from rules.formulas.calls import token_type
from rules.formulas.check import Checker
from rules.packs.schema import Trigger
from rules.packs.values import Misfit, role_type
from rules.problems import nearest
from rules.sheets.instants import CROSSINGS, INSTANTS
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Held
from rules.tests.build import SEATS, build_steps
from rules.tests.flow import Closure, Flow, Path, Shared
from rules.tests.fuse import run_steps
from rules.tests.runtime import Runtime

if TYPE_CHECKING:
    from rules.packs.builder import Builder


IN_FIGHTS = frozenset(
    {"encounter_start", "turn_start", "turn_end", "round_start", "round_end", "encounter_end", *CROSSINGS}
)
"""instants that come in fights, where what is asked can be waited for"""


@dataclass(frozen=True)
class TriggerPlan:
    """A trigger ready to run; `of` says whose instant it waits for."""

    card: str
    at: str
    of: str
    late: bool
    kinds: frozenset[str]
    when: Formula | None
    steps: list[Closure]

    def hears(self, held: Held, holder: str, at: str, of: str) -> bool:
        """Whether an instant (`of` somebody, or nobody's) is the one this waits for."""
        if self.at != at:
            return False
        if not INSTANTS.get(at, False):
            return True
        return (holder if self.of == "holder" else held.source if self.of == "source" else of) == of

    def frame(self, outer: dict[str, Any], sheet: Sheet, held: Held) -> dict[str, Any]:
        """What its condition and its steps read."""
        return {
            "holder": sheet,
            "token": {"id": held.id, "source": held.source, **held.values},
            "setting": outer["setting"],
            "asker": "server",
            "@board": outer["@board"],
        }

    def would_act(self, outer: dict[str, Any], sheet: Sheet, held: Held) -> bool:
        """Whether it would do anything now."""
        if sheet.kind.id not in self.kinds:
            return False
        return self.when is None or bool(self.when(self.frame(outer, sheet, held)))

    def act(self, rt: Runtime, sheet: Sheet, held: Held, prefix: str) -> None:
        """Run its steps on the holder, whose sheet changes; `prefix` names what is asked on the way."""
        if sheet.kind.id not in self.kinds:
            return
        outer, before = rt.frame, rt.prefix
        frame = self.frame(outer, sheet, held)
        if self.when is not None and not self.when(frame):
            return
        rt.tick()
        rt.frame, rt.prefix, rt.depth = frame, before + prefix, rt.depth + 1
        run_steps(rt, self.steps)
        rt.frame, rt.prefix, rt.depth = outer, before, rt.depth - 1


def build_triggers(builder: Builder) -> None:
    """Check and compile the triggers of every card of a pack."""
    for kind, cards in builder.source.sections["cards"].items():
        for name, card in cards.items():
            for at, trigger in enumerate(card.triggers):
                plan = build_trigger(builder, name, trigger, ("cards", kind, name, "triggers", at))
                if plan is not None:
                    builder.triggers.setdefault(name, []).append(plan)


def build_trigger(builder: Builder, card: str, trigger: Trigger, path: Path) -> TriggerPlan | None:
    known = (*builder.instants, *CROSSINGS)
    if trigger.at not in known:
        builder.source.report((*path, "at"), f"no instant is called {trigger.at!r}", nearest(trigger.at, known))
        return None
    try:
        holder = role_type(trigger.kinds, builder.words)
    except Misfit as exc:
        builder.source.report((*path, "kinds"), exc.message, exc.suggestion)
        return None
    flow = Flow(Shared(builder, path, ("holder",)), builder.scope.child())
    flow.scope.names |= {
        "asker": SEATS,
        "holder": holder,
        "token": token_type(Checker(flow.scope), frozenset({card})),
    }
    flow.fixed = set(flow.scope.names)
    when = flow.condition(trigger.when, (*path, "when"))
    steps = build_steps(flow, trigger.steps, (*path, "steps"))
    waits = trigger.at in IN_FIGHTS and builder.source.sections["encounter"] is not None
    for ask in () if waits else flow.shared.asks:
        builder.source.report(path, f"a trigger acts by itself: it cannot ask {ask!r} where no fight waits for it")
    return TriggerPlan(card, trigger.at, trigger.of, trigger.late, frozenset(trigger.kinds), when, steps)
