"""What actions and reactions share: conditions, costs and limits, checked before anything else and paid first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rules.board.board import Board
from rules.formulas import Formula
from rules.formulas.functions import HELD
from rules.formulas.types import Int, Role, Text, below
from rules.packs.schema import Encounter, UseLimit, Uses
from rules.packs.values import Misfit, role_type
from rules.packs.wording import titled
from rules.problems import nearest
from rules.sheets.sheet import Sheet
from rules.tests.flow import Flow, Path
from rules.tests.result import Effect, Refusal
from rules.tests.runtime import RequirementFailed, Runtime
from rules.tests.targets import record, stat_spec
from rules.tests.trace import TraceStep

Frame = dict[str, Any]
SPANS = {"turn": "this turn", "round": "this round", "encounter": "in this fight"}


@dataclass(frozen=True)
class UsePlan:
    """When something may be used and what it costs. `able` is what the pack says of all actions, or all reactions."""

    id: str
    title: str
    card: str
    kinds: frozenset[str]
    able: Formula | None
    when: Formula | None
    cost: tuple[tuple[str, Formula], ...]
    budgets: frozenset[str]
    limit: UseLimit | None

    def hindrance(self, frame: Frame, freely: bool = False) -> Refusal | None:
        """Why the user in the frame cannot use it now; None where they can. `freely`: whatever the pack says of all."""
        found = self.hindered(frame, freely)
        if found is None:
            return None
        reason, what = found
        user: Sheet = frame["user"]
        name = user["title"] if reason in ("not_theirs", "cannot_act") else ""
        texts = {
            "not_theirs": f"{name} does not have {self.title}",
            "cannot_act": f"{name} cannot do that now",
            "used_up": f"{self.title} has been used {SPANS[self.limit.per] if self.limit else 'already'}",
            "not_now": f"{self.title} cannot be used as things stand",
            "cannot_pay": f"Not enough {self.paid_with(user, what)}",
        }
        return Refusal(reason, texts[reason])

    def paid_with(self, user: Sheet, stat: str) -> str:
        """What a cost is paid with, as the pack calls it."""
        return (user.kind.stats[stat].spec.title if stat in user.kind.stats else "") or titled(stat)

    def hindered(self, frame: Frame, freely: bool = False) -> tuple[str, str] | None:
        """The same in a word, and what is missing."""
        user: Sheet = frame["user"]
        board: Board = frame["@board"]
        if user.kind.id not in self.kinds or self.card not in user[HELD]:
            return "not_theirs", ""
        if self.able is not None and not freely and not self.able.run(frame):
            return "cannot_act", ""
        if self.limit is not None and board.scene.used.get(self.counted(frame), 0) >= self.limit.times:
            return "used_up", ""
        if self.when is not None and not self.when.run(frame):
            return "not_now", ""
        for stat, amount in self.cost:
            if not self.free(stat, board) and user[stat] < max(amount.run(frame), 0):
                return "cannot_pay", stat
        return None

    def free(self, stat: str, board: Board) -> bool:
        """Outside a fight, what meters a fight costs nothing."""
        return stat in self.budgets and not board.scene.round

    def counted(self, frame: Frame) -> str:
        """The name under which uses are counted."""
        assert self.limit is not None
        whose = frame.get("moment", frame)
        of = "" if self.limit.of is None else ":" + whose[self.limit.of].id
        return f"{frame['user'].id}:{self.limit.per}:{self.id}{of}"

    def pay(self, rt: Runtime) -> None:
        """Take the cost off the user in the frame, and count the use."""
        user: Sheet = rt.frame["user"]
        # What takes more off a cost than it is makes it nothing; nobody is paid for acting.
        amounts = [(stat, amount.run(rt.frame)) for stat, amount in self.cost if not self.free(stat, rt.board)]
        for stat, amount in amounts:
            if amount > 0:
                before = user.base(stat)
                effect = Effect(
                    verb="set", subject=user.id, role="user", stat=stat, before=before, after=before - amount
                )
                record(rt, user, effect, f"{stat}: {before} -> {before - amount}")
        if self.limit is not None:
            put(rt, Effect(verb="use", subject=user.id, card=self.card, key=self.counted(rt.frame)))


def put(rt: Runtime, effect: Effect, text: str = "") -> None:
    """An effect on the board: at once for later steps, and listed."""
    rt.board.apply(effect)
    rt.effects.append(effect)
    if rt.trace is not None and text:
        about = effect.subject
        rt.trace.append(TraceStep(kind=effect.verb, text=text, seen=effect.seen, depth=rt.depth, about=about))


def refuse(found: Refusal | None) -> None:
    if found is not None:
        raise RequirementFailed(found)


def add_user(flow: Flow, spec: Uses, kind: str, card: str, path: Path) -> frozenset[str]:
    """`user` and `card` in the scope; the kinds of subject that can use it."""
    builder = flow.shared.builder
    rules: Encounter | None = builder.source.sections["encounter"]
    kinds = spec.kinds or (rules.kinds if rules is not None else [])
    try:
        flow.scope.names["user"] = role_type(kinds, builder.words)
    except Misfit as exc:
        where = (*path, "kinds") if spec.kinds else path
        flow.report(where, exc.message if spec.kinds else "say who can use it: `kinds`", exc.suggestion)
        flow.scope.names["user"] = Role(frozenset(), {})
    flow.scope.names["card"] = Text(frozenset({card}), kind)
    return frozenset(kinds)


def build_use(
    flow: Flow, spec: Uses, use_id: str, card: str, able: Formula | None, roles: Mapping[str, Any], path: Path
) -> UsePlan:
    """Check condition, cost and limit of what is used; `roles` are those a limit may count apart."""
    rules: Encounter | None = flow.shared.builder.source.sections["encounter"]
    when = flow.condition(spec.when, (*path, "when"))
    cost = []
    user = flow.scope.names["user"]
    assert isinstance(user, Role)
    for stat, text in spec.cost.items():
        where = (*path, "cost", stat)
        if not isinstance(user.stats.get(stat), Int):
            known = [name for name, kind in user.stats.items() if isinstance(kind, Int)]
            flow.report(where, f"the user has no number {stat!r} to pay with", nearest(stat, known))
            continue
        if any((found := stat_spec(flow, kind, stat)) is None or found.formula is not None for kind in user.kinds):
            flow.report(where, f"{stat} is worked out, not kept: nothing can be paid with it")
            continue
        amount = flow.of_type(text, Int(), where)
        if amount is not None and below(amount.type, 0):
            flow.report(where, "a cost is paid: it cannot be less than nothing")
        if amount is not None:
            cost.append((stat, amount))
            flow.shared.effects = True
    if spec.limit is not None and spec.limit.of is not None and spec.limit.of not in roles:
        hint = nearest(spec.limit.of, roles)
        flow.report((*path, "limit", "of"), f"no role here is called {spec.limit.of!r}", hint)
    return UsePlan(
        id=use_id,
        title=spec.title,
        card=card,
        kinds=frozenset(user.kinds),
        able=None if spec.always else able,
        when=when,
        cost=tuple(cost),
        budgets=frozenset(rules.budgets if rules is not None else ()),
        limit=spec.limit,
    )
