"""One use of the verb `act`: which action, for whom, with what; then it is paid for and run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from rules.formulas import Formula
from rules.packs.schema import Input
from rules.packs.values import NONE, default_of
from rules.sheets.sheet import Sheet
from rules.tests.acts import ActionPlan
from rules.tests.asks import checked_answer, met
from rules.tests.fuse import run_steps
from rules.tests.perform import check_chosen, costs, fitting, hindered
from rules.tests.result import Ask, Option
from rules.tests.run import fit_inputs, needed
from rules.tests.runtime import Runtime
from rules.tests.trace import TraceStep
from rules.tests.uses import refuse


class Acting:
    """One use of the verb in a run. What is asked is named after `name`: `name.action`, `name.target`."""

    def __init__(  # noqa: PLR0913
        self, rt: Runtime, sheet: Sheet, who: str, name: str, where: Formula | None, only: list[str] | None
    ) -> None:
        self.rt, self.sheet, self.who, self.where, self.only = rt, sheet, who, where, only
        self.prefix = f"{rt.prefix}{name}."
        self.outer = rt.frame

    def run(self) -> str | None:
        """The action that was used; None where there is none, or whoever chooses wants none."""
        plans = {plan.id: plan for plan in self.rt.board.pack.actions.values() if self.can(plan)}
        if not plans:
            return None
        options = [Option(plan.id, plan.spec.title) for plan in plans.values()]
        chosen = self.ask("action", kind="name", title=f"What {self.sheet['title']} does", options=options)
        if chosen == NONE:
            return None
        plan = plans[chosen]
        frame = self.frame(plan)
        for role, spec in plan.spec.roles.items():
            names = [Option(one.id, one["title"]) for one in self.fit(plan, frame, role)]
            many = {"min": min(spec.min, len(names)), "max": min(spec.max or 100, len(names))} if spec.many else {}
            kind = "subjects" if spec.many else "subject"
            frame[role] = self.ask(role, kind=kind, title=spec.title or role, options=names, **many)
        given = {name: self.given(name, spec) for name, spec in plan.spec.inputs.items()}
        self.use(plan, {**fit_inputs(self.rt.board.pack, plan.program, given), **frame})
        return plan.id

    def frame(self, plan: ActionPlan) -> dict[str, Any]:
        outer = self.outer
        return {
            "setting": outer["setting"],
            "asker": outer["asker"],
            "@board": self.rt.board,
            "user": self.sheet,
            "card": plan.card,
        }

    def can(self, plan: ActionPlan) -> bool:
        if plan.card not in self.sheet.by_card or self.sheet.kind.id not in plan.use.kinds:
            return False
        frame = self.frame(plan)
        if hindered(plan, frame, freely=True) is not None or not self.wanted(plan, frame):
            return False
        return all(len(self.fit(plan, frame, role)) >= spec.min for role, spec in plan.spec.roles.items())

    def wanted(self, plan: ActionPlan, frame: dict[str, Any]) -> bool:
        if self.where is None:
            return True
        budgets = dict.fromkeys(self.rt.board.pack.encounter.budgets, 0)
        option = {**budgets, **costs(plan, frame), "id": plan.id, "card": plan.card, "tags": plan.spec.tags}
        return bool(self.where.run({**self.outer, "option": option}))

    def fit(self, plan: ActionPlan, frame: dict[str, Any], role: str) -> Sequence[Sheet]:
        names = fitting(plan, frame, role)
        return [self.rt.board.sheet(name) for name in names if self.only is None or name in self.only]

    def given(self, name: str, spec: Input) -> Any:
        """What an input is given: its default where it has one, else what is answered."""
        value = default_of(spec)
        if value is not None and (spec.default is not None or not needed(spec)):
            return value
        pack, title = self.rt.board.pack, spec.title or name.replace("_", " ")
        if spec.type == "place":
            return self.ask(name, kind="place", title=title)
        if spec.type == "int":
            return self.ask(name, kind="int", title=title, min=spec.min or 0, max=spec.max or 1000)
        words = spec.titles()
        if spec.type == "card":
            words = {card: found.title for card, found in pack.cards[spec.card or ""].items()}
        return self.ask(name, kind="name", title=title, options=[Option(w, text) for w, text in words.items()])

    def ask(self, name: str, **shape: Any) -> Any:
        rt, frame = self.rt, self.outer
        options = list(shape.pop("options", ()))
        if name == "action":
            options.append(Option(NONE, "Nothing"))
        wanted = Ask(id=self.prefix + name, who=self.who, options=options, **shape)
        answers = frame.get("user" if wanted.who == "roller" else wanted.who)
        if isinstance(answers, Sheet):
            wanted = replace(wanted, subject=answers.id)
        answer = checked_answer(wanted, rt.answer(wanted.id, wanted))
        rt.used[wanted.id] = answer
        return met(rt, wanted, answer)

    def use(self, plan: ActionPlan, frame: dict[str, Any]) -> None:
        """Pay and run it. Its outcome is not that of what goes on around it."""
        rt = self.rt
        outcome, facts, prefix = rt.outcome, dict(rt.facts), rt.prefix
        if rt.trace is not None:
            text = f"{self.sheet['title']}: {plan.spec.title}"
            rt.trace.append(TraceStep(kind="act", name=plan.id, text=text, depth=rt.depth))
        rt.tick()
        rt.frame, rt.prefix, rt.depth = frame, self.prefix, rt.depth + 1
        check_chosen(plan, frame)
        refuse(hindered(plan, frame, freely=True))
        plan.use.pay(rt)
        run_steps(rt, plan.program.steps)
        rt.frame, rt.prefix, rt.depth = self.outer, prefix, rt.depth - 1
        rt.outcome, rt.facts = outcome, facts
