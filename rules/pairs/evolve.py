"""How events change the ratings, in place.

Shifts are applied relative to what stands, so that a voided one can be left out of a fold without bringing its point
back through a later event.
"""

from functools import singledispatch
from typing import Any

from rules.pairs.events import (
    ArrayPlaced,
    ArrayRolled,
    LifepathApplied,
    PairsConfirmed,
    PairShifted,
    PairsOpened,
    RatingSet,
)
from rules.pairs.state import PairsState, SubjectPairs


def evolve(state: PairsState, event: Any) -> None:
    """Apply one event about pairs; events of others change nothing."""
    _apply(event, state)


def move(own: SubjectPairs, pair: str, change: int) -> None:
    """Change the first side's rating of a pair by signed points, within the bounds."""
    own.ratings[pair] = min(max(own.ratings[pair] + change, own.low), own.high)


@singledispatch
def _apply(event: Any, state: PairsState) -> None:
    return None


@_apply.register
def _(event: PairsOpened, state: PairsState) -> None:
    state.subjects[event.subject] = SubjectPairs(
        kind=event.kind, low=event.low, high=event.high, ratings=dict(event.ratings), ready=event.ready
    )


@_apply.register
def _(event: ArrayRolled, state: PairsState) -> None:
    own = state.subjects[event.subject]
    own.results, own.placed, own.ratings = list(event.results), {}, {}


@_apply.register
def _(event: ArrayPlaced, state: PairsState) -> None:
    own = state.subjects[event.subject]
    own.placed, own.ratings = dict(event.placed), dict(event.ratings)


@_apply.register
def _(event: LifepathApplied, state: PairsState) -> None:
    own = state.subjects[event.subject]
    own.changes += list(event.changes)
    own.ratings = dict(event.ratings)


@_apply.register
def _(event: PairsConfirmed, state: PairsState) -> None:
    own = state.subjects[event.subject]
    own.ratings, own.ready = dict(event.ratings), True
    own.results, own.placed, own.changes = [], {}, []


@_apply.register
def _(event: RatingSet, state: PairsState) -> None:
    state.subjects[event.subject].ratings[event.pair] = event.after


@_apply.register
def _(event: PairShifted, state: PairsState) -> None:
    move(state.subjects[event.subject], event.pair, event.change)
