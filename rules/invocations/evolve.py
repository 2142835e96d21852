"""Folding invocation events into the state, in place. What rests on an event that was taken back changes nothing."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from rules.invocations import events as e
from rules.invocations.state import Die, Invocation, InvocationsState, Spent

REMEMBERED = 200


def evolve(state: InvocationsState, event: Any) -> None:
    """One event of :mod:`rules.invocations.events` (or a struct that stands on one); others change nothing."""
    match event:
        case e.InvocationStated():
            state.open[event.call] = _stated(event)
        case e.InspirationConfirmed() if event.alignment == "none":
            state.open.pop(event.call, None)
        case e.InspirationConfirmed() if event.call in state.open:
            state.open[event.call].alignment = event.alignment
        case e.InvocationWithdrawn():
            state.open.pop(event.call, None)
        case e.InvocationSpent():
            spent = Spent(holder=event.holder, container=event.container, players=event.players)
            if spent not in state.spent:
                state.spent.append(spent)
        case e.InvocationSettled():
            _landed(state, event.call, event.side)
        case e.InspirationRecast() | e.DieGranted() | e.DieClaimed() | e.DieLapsed():
            _dice(state, event)
        case e.DecisionTested():
            state.tested = [*state.tested[-REMEMBERED + 1 :], (event.holder, event.decision, event.container)]


def _stated(event: e.InvocationStated) -> Invocation:
    return Invocation(
        use=event.use,
        holder=event.holder,
        container=event.container,
        pair=event.pair,
        side=event.side,
        players=event.players,
        recipient=event.recipient,
        recipient_pair=event.recipient_pair,
        recipient_side=event.recipient_side,
        text=event.text,
        alignment=event.alignment,
    )


def _dice(state: InvocationsState, event: Any) -> None:
    match event:
        case e.InspirationRecast():
            state.open.pop(event.call, None)
        case e.DieGranted():
            state.dice[event.die] = Die(
                purpose=cast(Any, event.purpose),
                holder=event.holder,
                pair=event.pair,
                side=event.side,
                container=event.container,
                sides=event.sides,
            )
        case e.DieClaimed():
            found = state.dice.pop(event.die, None)
            state.claimed[event.roll] = event.die
            if found is not None:
                state.lying[event.roll] = found
        case e.DieLapsed():
            state.dice.pop(event.die, None)


def _landed(state: InvocationsState, call: str, side: str) -> None:
    """The test of an invocation is over; an inspiration that landed elsewhere stays open to be recast."""
    found = state.open.get(call)
    if found is None:
        return
    if found.use == "inspire" and side and side != found.side:
        found.settled, found.landed = True, side
    else:
        del state.open[call]


def take_back(state: InvocationsState, roll: str) -> None:
    """A claimed die whose roll did not come about waits again, unless what it was earned in is over."""
    die, found = state.claimed.get(roll), state.lying.pop(roll, None)
    if die is not None and found is not None:
        del state.claimed[roll]
        if found.container:
            state.dice[die] = found


def forget_container(state: InvocationsState, container: str) -> None:
    """A container is closed: what was spent, waits or was tested in it is forgotten. A die that lies on a roll falls
    with it; it belongs to no container any more."""
    state.open = {call: i for call, i in state.open.items() if i.container != container}
    state.spent = [s for s in state.spent if s.container != container]
    state.dice = {name: die for name, die in state.dice.items() if die.container != container}
    state.tested = [t for t in state.tested if t[2] != container]
    for roll, die in state.lying.items():
        if die.container == container:
            state.lying[roll] = msgspec.structs.replace(die, container="")
