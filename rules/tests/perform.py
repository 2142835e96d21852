"""Using an action of a card: check, pay, run its program on a board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from rules.board import Board, Scene, Warm
from rules.dice.sources import DiceSource
from rules.packs.pack import Pack
from rules.packs.wording import titled
from rules.problems import GivenError, RulesError, nearest
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Subject
from rules.tests.acts import ActionPlan
from rules.tests.fuse import run_steps
from rules.tests.result import Refusal, TestRun
from rules.tests.run import finish, fit_inputs, nobody_in, plain, wrong_kind
from rules.tests.runtime import Pending, Policy, RequirementFailed, Runtime
from rules.tests.uses import refuse


class Act(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What somebody does: an action by its id, the subjects in its roles (an id, or a list of them), its inputs."""

    action: str
    user: str
    roles: dict[str, str | list[str]] = {}
    given: dict[str, Any] = {}


class Possible(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An action that somebody has: what hinders it now (None: nothing), its cost, what its steps take besides, who can
    be chosen for its roles."""

    action: str
    card: str
    title: str
    hindrance: Refusal | None
    cost: dict[str, int]
    targets: dict[str, list[str]]
    besides: dict[str, int] = {}


def perform(  # noqa: PLR0913  (the board, and what happens on it)
    pack: Pack,
    scene: Scene,
    subjects: Mapping[str, Subject],
    act: Act,
    dice: DiceSource,
    choices: Mapping[str, Any] | None = None,
    *,
    seat: str = "player",
    policy: Policy | None = None,
    trace: bool = True,
    warm: Warm | None = None,
) -> TestRun:
    """Run an action from its start. Scene and subjects stay as they are; the result lists what follows as effects.

    A run that is pending is taken up again by running it with the faces drawn so far and the answer. GivenError where
    what is given does not fit; a refusal (`result.refused`) where it cannot be done now.
    """
    plan = pack.action(act.action)
    board = Board(pack, scene, subjects, warm=warm)
    rt = Runtime(frame_of(plan, pack, board, act, seat), dice, choices or {}, trace, policy)
    result = TestRun(pack=pack.id, version=pack.version, test=plan.id, status="done", faces=rt.faces)
    try:
        refuse(plan.use.hindrance(rt.frame))
        check_chosen(plan, rt.frame)
        plan.use.pay(rt)
        run_steps(rt, plan.program.steps)
    except Pending as exc:
        result.status, result.pending = "pending", exc.ask
    except RequirementFailed as exc:
        result.status, result.refused = "refused", exc.refusal
    except ZeroDivisionError:
        raise RulesError(f"division by zero in {plan.id}") from None
    finish(plan.program, rt, result, rolls=trace)
    if result.status == "pending":
        result.effects = rt.effects
    if trace:
        known = {*act.given, "setting", "asker", "card"}
        result.values = {n: v for n, v in rt.frame.items() if n not in known and not isinstance(v, Sheet) and plain(v)}
    return result


def frame_of(plan: ActionPlan, pack: Pack, board: Board, act: Act, seat: str) -> dict[str, Any]:
    """Everything that the steps may read: the user, who is in the roles, and what is given."""
    frame: dict[str, Any] = fit_inputs(pack, plan.program, dict(act.given))
    require_squares(plan, board, act.given, frame)
    frame |= {"setting": pack.settings, "asker": seat, "@board": board}
    frame |= {"user": present(board, "user", act.user), "card": plan.card}
    roles = plan.spec.roles
    for name in act.roles:
        if name not in roles:
            said = f"{plan.spec.title} is done with nobody as {titled(name)}."
            raise GivenError(name, f"{plan.id} has no such role", nearest(name, roles), said=said)
    for name, spec in roles.items():
        nobody = spec.many and spec.min == 0
        if name not in act.roles and not nobody:
            raise GivenError(name, f"{plan.id} needs a subject in this role", said=nobody_in(spec, name))
        chosen = act.roles.get(name, [])
        if spec.many != isinstance(chosen, list):
            wanted = "a list of subjects is wanted" if spec.many else "one subject is wanted"
            raise GivenError(name, wanted, said=f"{spec.title or titled(name)}: {wanted}.")
        sheets = [present(board, name, one) for one in (chosen if isinstance(chosen, list) else [chosen])]
        for sheet in sheets:
            if sheet.kind.id not in spec.kinds:
                said = wrong_kind(pack, spec, name, sheet.kind.id)
                raise GivenError(name, f"a {sheet.kind.id} cannot take this role: {', '.join(spec.kinds)}", said=said)
        frame[name] = sheets if spec.many else sheets[0]
    return frame


def require_squares(plan: ActionPlan, board: Board, given: Mapping[str, Any], frame: Mapping[str, Any]) -> None:
    """Refuses a square in a fight without any: a place is where somebody stands there, or nothing would come of it."""
    if not board.scene.round or board.scene.places:
        return
    for name, spec in plan.spec.inputs.items():
        if spec.type == "place" and name in given and "where" not in frame[name]:
            title = spec.title or titled(name)
            raise GivenError(name, "there are no squares", said=f"There are no squares here: say where whom. {title}.")


def present(board: Board, role: str, subject: str) -> Sheet:
    """Somebody who takes part; outside a fight, anybody."""
    if subject not in board.subjects or (board.scene.round and subject not in board.scene.order):
        known = board.scene.order or list(board.subjects)
        said = f"{titled(role)}: nobody of that name takes part."
        raise GivenError(role, f"nobody here is called {subject!r}", nearest(subject, known), said=said)
    return board.sheet(subject)


def check_chosen(plan: ActionPlan, frame: dict[str, Any]) -> None:
    """Whoever is chosen may be chosen, nobody twice, neither too few nor too many. Raises RequirementFailed."""
    for role, spec in plan.spec.roles.items():
        title = spec.title or titled(role)
        sheets: Sequence[Sheet] = frame[role] if spec.many else [frame[role]]
        if spec.many and len({sheet.id for sheet in sheets}) != len(sheets):
            refuse(Refusal("chosen_twice", f"{title}: nobody twice."))
        if spec.many and len(sheets) < spec.min:
            refuse(Refusal("too_few", f"{title}: choose at least {spec.min}."))
        if spec.many and spec.max is not None and len(sheets) > spec.max:
            refuse(Refusal("too_many", f"{title}: choose at most {spec.max}."))
        for sheet in sheets if role in plan.wheres else ():
            if not may_choose(plan, frame, role, sheet):
                refuse(Refusal("cannot_choose", f"{sheet['title']} cannot be chosen: {title}."))


def may_choose(plan: ActionPlan, frame: dict[str, Any], role: str, sheet: Sheet) -> bool:
    """Whether somebody fits the condition of a role."""
    where = plan.wheres.get(role)
    if where is None:
        return True
    frame["option"] = sheet
    try:
        return bool(where.run(frame))
    finally:
        del frame["option"]


def possible(pack: Pack, scene: Scene, subjects: Mapping[str, Subject], user: str) -> list[Possible]:
    """All actions that somebody has and that stand among what they can do, in the order of the pack, for those who show
    or choose them.

    Conditions that read inputs are not judged before these are given: such an action counts as not hindered.
    """
    board = Board(pack, scene, subjects)
    sheet = present(board, "user", user)
    out = []
    for plan in pack.actions.values():
        if plan.card not in sheet.by_card or sheet.kind.id not in plan.use.kinds:
            continue
        frame = {"setting": pack.settings, "asker": "player", "@board": board, "user": sheet, "card": plan.card}
        if plan.stands is not None and not plan.stands.run(frame):
            continue
        out.append(
            Possible(
                action=plan.id,
                card=plan.card,
                title=plan.spec.title,
                hindrance=judged(plan, frame),
                cost=costs(plan, frame),
                targets={role: fitting(plan, frame, role) for role in plan.spec.roles},
                besides={stat: amount.run(frame) for stat, amount in plan.besides},
            )
        )
    return out


def judged(plan: ActionPlan, frame: dict[str, Any]) -> Refusal | None:
    return hindered(plan, frame)


def hindered(plan: ActionPlan, frame: dict[str, Any], freely: bool = False) -> Refusal | None:
    """What hinders it, as far as that is known before its inputs are; `freely` at any time, whoever's turn it is."""
    try:
        return plan.use.hindrance(frame, freely)
    except KeyError:
        return None


def costs(plan: ActionPlan, frame: dict[str, Any]) -> dict[str, int]:
    try:
        return {stat: amount.run(frame) for stat, amount in plan.use.cost}
    except KeyError:
        return {}


def fitting(plan: ActionPlan, frame: dict[str, Any], role: str) -> list[str]:
    """Those who could be chosen for a role."""
    board: Board = frame["@board"]
    kinds = plan.spec.roles[role].kinds
    names = board.scene.order or list(board.subjects)
    try:
        sheets = [board.sheet(name) for name in names if board.subjects[name].kind in kinds]
        return [sheet.id for sheet in sheets if may_choose(plan, frame, role, sheet)]
    except KeyError:
        return names
