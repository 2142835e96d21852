"""What each kind of step can expect. An expectation that nothing would look at is refused: a case is never green for
nothing."""

from __future__ import annotations

from collections.abc import Sequence

from rules.cases.pursuing import is_about_pursuits
from rules.cases.schema import CaseStep, Expected, StateExpected

FIGHT_STEPS = ("act", "answer", "begin", "adjust", "place", "rank", "join", "close", "end_turn", "end_fight")


def in_fight(step: CaseStep) -> int:
    """How many things of a fight a step does (one, if it is well written)."""
    given = (step.act, step.answer, step.begin, step.adjust, step.place, step.rank, step.join)
    return sum(thing is not None for thing in given) + step.close + step.end_turn + step.end_fight


OF_A_RUN = frozenset(
    {
        "outcome",
        "success",
        "facts",
        "values",
        "rolls",
        "title",
        "pending",
        "who",
        "options",
        "narrated",
        "says",
        "account",
        "seen",
    }
)
"""what is read from a run of a test or an action"""
OF_A_BOARD = frozenset({"asked", "turn", "round", "order", "places", "areas"})
RUNS = OF_A_RUN | {"refused", "wrong", "state"}
CAN_EXPECT: dict[str, frozenset[str]] = {
    "test": RUNS,
    "odds": frozenset({"odds"}),
    "formula": frozenset({"value"}),
    "happens": frozenset({"state"}),
    "create": frozenset({"refused", "pending", "wrong", "right", "offers", "state"}),
    "advance": frozenset({"refused", "wrong", "right", "offers", "bought", "due", "state"}),
    "command": frozenset({"refused", "events", "settled", "ratings", "marks"}),
    "ask": frozenset({"refused", "answer", "ratings", "marks"}),
    "command of Pursuits": frozenset({"refused", "events"}),
    "ask of Pursuits": frozenset({"answer"}),
    "fight": RUNS | OF_A_BOARD,
    "fight by hand": OF_A_BOARD | {"refused", "wrong", "state"},
}
BY_HAND = ("adjust", "place", "rank", "join")


def kind_of(step: CaseStep) -> str:
    """The kind of a step, as `CAN_EXPECT` names it."""
    if in_fight(step):
        by_hand = any(getattr(step, name) is not None for name in BY_HAND)
        return "fight by hand" if by_hand else "fight"
    if is_about_pursuits(step):
        return "ask of Pursuits" if step.ask is not None else "command of Pursuits"
    if step.test is not None and step.expect.odds is not None:
        return "odds"
    kinds = ("test", "formula", "happens", "create", "advance", "command", "ask")
    return next(name for name in kinds if getattr(step, name) is not None)


def expected(wanted: Expected) -> list[str]:
    """The names of what is expected, in the order of the format; what says nothing (an empty map) is none."""
    named = [
        name
        for name, usual in zip(Expected.__struct_fields__, Expected.__struct_defaults__, strict=True)
        if getattr(wanted, name) is not None and not (usual is not None and not getattr(wanted, name))
    ]
    if "state" in named and all(one == StateExpected() for one in wanted.state.values()):
        named.remove("state")
    if wanted.odds is not None and not (
        wanted.odds.ways or (wanted.odds.fact and (wanted.odds.values or wanted.odds.mean))
    ):
        named.remove("odds")
    return named


def idle(step: CaseStep) -> list[str]:
    """A difference for what is expected and never looked at."""
    kind = kind_of(step)
    known = CAN_EXPECT[kind]
    names = [name for name in expected(step.expect) if name not in known]
    if not names:
        return []
    right = ", ".join(name for name in Expected.__struct_fields__ if name in known)
    return [f"expect: a step {kind!r} does not tell {', '.join(names)}; it tells {right}"]


def never_came(wanted: Expected, because: str) -> list[str]:
    """A difference for what is expected of a run, where there was none."""
    names = [name for name in expected(wanted) if name in OF_A_RUN]
    return [f"expect: {because}, so there is no {', '.join(names)}"] if names else []


def is_proof(steps: Sequence[CaseStep]) -> bool:
    """Whether anything is expected of these steps. Of what is made it is always expected that it comes out whole."""
    return any(step.create is not None or expected(step.expect) for step in steps)
