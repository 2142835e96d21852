"""After a test: what an invocation came to, and which waiting dice are used up. Also what a closing container ends."""

from __future__ import annotations

import msgspec

from rules.invocations.eligible import spent_scope
from rules.invocations.events import (
    DecisionTested,
    DieGranted,
    DieLapsed,
    InvocationEvent,
    InvocationSettled,
    InvocationSpent,
)
from rules.invocations.rules import InvocationRules
from rules.invocations.scene import Scene
from rules.invocations.state import InvocationsState


class TestResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a finished test of a pair came to: the side to express (empty: free) and whether a side succeeded."""

    call: str
    holder: str
    pair: str
    decision: str
    side: str
    succeeded: bool


def settle(
    rules: InvocationRules, state: InvocationsState, result: TestResult, scene: Scene | None, new_die: str
) -> list[InvocationEvent]:
    """The events that follow a finished test (SPI-041 to 048, 063 to 067, 075). ``new_die``: id for a granted die."""
    events: list[InvocationEvent] = []
    if result.decision.strip():
        container = "" if scene is None else scene.container
        events.append(DecisionTested(holder=result.holder, decision=result.decision, container=container))
    events += [
        DieLapsed(die=name, holder=die.holder, purpose=die.purpose, used=True)
        for name, die in state.dice.items()
        if scene is not None and _of_test(state, name, result, scene)
    ]
    found = state.open.get(result.call)
    if found is None or scene is None:
        return events
    scope = spent_scope(rules, scene)
    events.append(InvocationSpent(call=result.call, holder=found.holder, container=scope, players=found.players))
    granted = result.succeeded and result.side == found.side
    side = result.side if result.succeeded else ""
    events.append(InvocationSettled(call=result.call, side=side, granted=granted))
    if granted:
        draws = found.use == "draw"
        events.append(
            DieGranted(
                die=new_die,
                purpose="action" if draws else "inspiration",
                holder=found.holder if draws else found.recipient,
                pair=found.pair if draws else found.recipient_pair,
                side=found.side if draws else found.recipient_side,
                container=found.container,
                sides=rules.die,
            )
        )
    return events


def _of_test(state: InvocationsState, name: str, result: TestResult, scene: Scene) -> bool:
    """Whether a waiting die belonged to this test."""
    die = state.dice[name]
    own = die.purpose == "inspiration" and (die.holder, die.pair) == (result.holder, result.pair)
    return own and (die.container == scene.container or die.container in scene.lineage)


def waiting_sides(state: InvocationsState, holder: str, pair: str, scene: Scene | None) -> frozenset[str]:
    """The sides of a pair that have an inspiration die waiting here; several on one side are one die (SPI-072)."""
    if scene is None:
        return frozenset()
    places = {scene.container, *scene.lineage}
    return frozenset(
        die.side
        for die in state.dice.values()
        if die.purpose == "inspiration" and (die.holder, die.pair) == (holder, pair) and die.container in places
    )


def lapse(state: InvocationsState, container: str) -> list[DieLapsed]:
    """The dice that a closing container ends (SPI-054, 075)."""
    return [
        DieLapsed(die=name, holder=die.holder, purpose=die.purpose)
        for name, die in state.dice.items()
        if die.container == container
    ]
