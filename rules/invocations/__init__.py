"""Invocations: calling on what a subject stands for, within a container, to support an action or to inspire another.

    scene = Scene(container="deed1", kind="deed", lineage=("deed1",), ties={"on_behalf_of": ("merrow",)}, ...)
    eligible(rules, "personality", "talyne", scene)                       # None, or a Refused that says why not
    [stated] = decide(rules, state, StateDraw(...), scene)                # before the test is called
    events = settle(rules, state, call, result)                           # after the test: spent, and perhaps a die
    [claimed] = decide(rules, state, ClaimDie(...), scene)                # before the dice of an action fall
    evolve(state, event)                                                  # in place

Nothing here rolls: the test is one of the pack's tests. Ledger: SPI-022 to 028, 040 to 075.
"""

from rules.invocations.commands import (
    ClaimDie,
    ConfirmInspiration,
    InvocationCommand,
    RecastInspiration,
    StateDraw,
    StateInspiration,
)
from rules.invocations.decide import Holders, decide
from rules.invocations.eligible import eligible, invocations_left, lends_name, may_test, spent_scope
from rules.invocations.events import (
    DecisionTested,
    DieClaimed,
    DieGranted,
    DieLapsed,
    InspirationConfirmed,
    InspirationRecast,
    InvocationEvent,
    InvocationSettled,
    InvocationSpent,
    InvocationStated,
    InvocationWithdrawn,
)
from rules.invocations.evolve import evolve, forget_container, take_back
from rules.invocations.rules import ContainerKind, Eligibility, InvocationRules, check_invocations
from rules.invocations.scene import Scene
from rules.invocations.settle import TestResult, lapse, settle, waiting_sides
from rules.invocations.state import Die, Invocation, InvocationsState

__all__ = [
    "ClaimDie",
    "ConfirmInspiration",
    "ContainerKind",
    "DecisionTested",
    "Die",
    "DieClaimed",
    "DieGranted",
    "DieLapsed",
    "Eligibility",
    "Holders",
    "InspirationConfirmed",
    "InspirationRecast",
    "Invocation",
    "InvocationCommand",
    "InvocationEvent",
    "InvocationRules",
    "InvocationSettled",
    "InvocationSpent",
    "InvocationStated",
    "InvocationWithdrawn",
    "InvocationsState",
    "RecastInspiration",
    "Scene",
    "StateDraw",
    "StateInspiration",
    "TestResult",
    "check_invocations",
    "decide",
    "eligible",
    "lends_name",
    "evolve",
    "forget_container",
    "invocations_left",
    "lapse",
    "may_test",
    "settle",
    "take_back",
    "spent_scope",
    "waiting_sides",
]
