"""How events change marks, and how a settling moves the pairs; both in place."""

from functools import singledispatch
from typing import Any

from rules.development.events import (
    AdvancementRolled,
    MarkAwarded,
    MarkProposed,
    MarkVoided,
    ProposalDeclined,
    SubjectSettled,
)
from rules.development.state import Mark, MarksState, OpenRoll
from rules.pairs import PairsState, move


def evolve(state: MarksState, event: Any) -> None:
    """Apply one event to the marks; events of others change nothing."""
    _apply(event, state)


def evolve_pairs(state: PairsState, event: Any) -> None:
    """Apply what an event of development did to the pairs; other events change nothing."""
    if isinstance(event, SubjectSettled):
        results = event.results
    elif isinstance(event, AdvancementRolled):
        results = (event.result,)
    else:
        return
    for result in results:
        if result.change:
            move(state.subjects[event.subject], result.pair, result.change)


@singledispatch
def _apply(event: Any, state: MarksState) -> None:
    return None


@_apply.register
def _(event: MarkAwarded, state: MarksState) -> None:
    state.marks[event.mark] = Mark(
        id=event.mark,
        subject=event.subject,
        kind=event.kind,
        pair=event.pair,
        side=event.side,
        at=event.at,
        sealed=event.sealed,
        source=event.source,
        note=event.note,
    )
    if event.proposal is not None:
        state.proposals.pop(event.proposal, None)


@_apply.register
def _(event: MarkProposed, state: MarksState) -> None:
    state.proposals[event.proposal] = Mark(
        id=event.proposal,
        subject=event.subject,
        kind=event.kind,
        pair=event.pair,
        side=event.side,
        at=event.at,
        source=event.source,
        note=event.note,
    )


@_apply.register
def _(event: ProposalDeclined, state: MarksState) -> None:
    state.proposals.pop(event.proposal, None)


@_apply.register
def _(event: MarkVoided, state: MarksState) -> None:
    state.marks.pop(event.mark, None)


@_apply.register
def _(event: SubjectSettled, state: MarksState) -> None:
    for result in event.results:
        for mark in (*(mark for side in result.marks.values() for mark in side), *result.surplus):
            state.marks.pop(mark, None)
        if result.outcome == "open" and result.toward is not None and event.roll_until is not None:
            opened = OpenRoll(
                subject=event.subject,
                kind=event.kind,
                pair=result.pair,
                rung=event.rung,
                number=event.number,
                attempt=event.attempt,
                toward=result.toward,
                remaining=result.remaining,
                until=event.roll_until,
            )
            state.open_rolls[opened.key] = opened
    for proposal in event.lapsed:
        state.proposals.pop(proposal, None)


@_apply.register
def _(event: AdvancementRolled, state: MarksState) -> None:
    state.open_rolls.pop(event.roll, None)
