"""The verb `act`: somebody uses an action of a card of theirs at once, in the middle of what another one does.

Whoever chooses for them is asked which, then for whom and with what. Its cost, its conditions and its limits count as
ever; whose turn it is does not.
"""

from __future__ import annotations

from typing import Any

from rules.formulas import Formula
from rules.formulas.types import Bool, Int, List, Record, Role, Text, Type
from rules.packs.schema import Encounter, Step
from rules.packs.values import NONE
from rules.sheets.sheet import Sheet
from rules.tests.asks import checked_who, note_ask, who_asked
from rules.tests.flow import Closure, Flow, Path
from rules.tests.runtime import Runtime
from rules.tests.verbs_held import subject_of

DONE = Record("deed", {"done": Bool(), "action": Text()})


def build_act(flow: Flow, step: Step, path: Path) -> Closure | None:
    """act: whose action, who: chooses it, where: condition on `option`, among: who can be chosen in it, into: name."""
    if flow.scope.board is None:
        flow.report(path, "nobody acts here: the pack has no section `encounter`")
        return None
    whom, who = subject_of(flow, step.act, path), checked_who(flow, step, path)
    where = None if step.where is None else action_condition(flow, step, path)
    among = None if step.among is None else flow.formula(step.among, (*path, "among"))
    if among is not None and not (isinstance(among.type, List) and isinstance(among.type.of, Role)):
        flow.report((*path, "among"), f"a list of subjects is wanted here, not {among.type.show()}")
        return None
    missing = (step.where is not None and where is None) or (step.among is not None and among is None)
    if whom is None or missing:
        return None
    flow.shared.effects = True
    if step.into is not None:
        flow.define(step.into, DONE, (*path, "into"))
    name = step.into or "act"
    note_ask(flow, f"{name}.action", who, "name", "Action", step)
    asked = who_asked(flow, who)

    def act(rt: Runtime) -> None:
        from rules.tests.acting import Acting  # it runs programs, which are built of this

        sheet: Sheet = whom.run(rt.frame)
        only = None if among is None else [one.id for one in among.run(rt.frame)]
        done = Acting(rt, sheet, asked(rt), name, where, only).run()
        if step.into is not None:
            rt.frame[step.into] = {"done": done is not None, "action": done or NONE}

    return act


def action_condition(flow: Flow, step: Step, path: Path) -> Formula | None:
    """Over `option`, one of the actions: its `id`, `card`, `tags`, and what it costs of each budget."""
    rules: Encounter | None = flow.shared.builder.source.sections["encounter"]
    budgets = {stat: Int(0) for stat in (rules.budgets if rules is not None else ())}
    inner = flow.fork()
    fields: dict[str, Type] = {"id": Text(), "card": Text(), "tags": List(Text()), **budgets}
    inner.scope.names["option"] = Record("action", fields)
    return inner.condition(step.where, (*path, "where")) if step.where is not None else None


BUILDERS: dict[str, Any] = {"act": build_act}
