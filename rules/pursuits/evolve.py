"""How events change what is being pursued, in place. What rests on something taken back changes nothing."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from rules.pursuits import events as e
from rules.pursuits.state import Due, Pursuit, PursuitsState, session_key


def evolve(state: PursuitsState, event: Any, position: int = 0) -> None:
    """One event of :mod:`rules.pursuits.events` (or a struct that stands on one); others change nothing. ``position``
    is where it stands in the stream."""
    if isinstance(event, e.PursuitWritten):
        state.pursuits[event.pursuit] = _written(event)
        return
    found = state.pursuits.get(event.pursuit) if isinstance(event, e.Event) else None
    if found is not None:
        _change(event, state, found)
    if isinstance(event, e.PursuitAdvanced | e.StageCompleted | e.PursuitResolved | e.AwardedWithout) and event.award:
        _awarded(state, found, event, position)


def _written(event: e.PursuitWritten) -> Pursuit:
    return Pursuit(
        kind=event.kind,
        owner=event.owner,
        words=event.words,
        writer=event.writer,
        open=event.open,
        shared=event.shared,
        consents={event.writer: True} if event.writer else {},
        stages=list(event.stages),
        given=dict(event.given),
        weeks=event.weeks,
        since=event.since,
    )


@singledispatch
def _change(event: Any, state: PursuitsState, found: Pursuit) -> None:
    return None


@_change.register
def _(event: e.PursuitAgreed, state: PursuitsState, found: Pursuit) -> None:
    found.consents[event.member] = event.agrees


@_change.register
def _(event: e.PursuitOpened, state: PursuitsState, found: Pursuit) -> None:
    found.open, found.since, found.consents = True, event.since, {}


@_change.register
def _(event: e.PursuitReworded, state: PursuitsState, found: Pursuit) -> None:
    found.words, found.stages = event.words, [*found.stages[: found.done], *event.stages]
    if event.asks:
        found.consents = {event.writer: True}


@_change.register
def _(event: e.PursuitShared, state: PursuitsState, found: Pursuit) -> None:
    found.shared = True


@_change.register
def _(event: e.AdvanceClaimed, state: PursuitsState, found: Pursuit) -> None:
    found.claim = event.note


@_change.register
def _(event: e.AdvanceDeclined, state: PursuitsState, found: Pursuit) -> None:
    found.claim = ""


@_change.register
def _(event: e.PursuitAdvanced, state: PursuitsState, found: Pursuit) -> None:
    found.claim, found.advances = "", found.advances + 1


@_change.register
def _(event: e.StageCompleted, state: PursuitsState, found: Pursuit) -> None:
    found.done = event.number


@_change.register
def _(event: e.PursuitRipened, state: PursuitsState, found: Pursuit) -> None:
    found.ripe = True


@_change.register(e.PursuitResolved)
@_change.register(e.PursuitAbandoned)
def _(event: e.PursuitResolved | e.PursuitAbandoned, state: PursuitsState, found: Pursuit) -> None:
    del state.pursuits[event.pursuit]


def _awarded(state: PursuitsState, found: Pursuit | None, event: Any, position: int) -> None:
    if not event.owner:
        given = dict(found.given) if found is not None else {}
        state.due[event.award] = Due(
            pursuit=event.pursuit, kind=event.kind, reason=event.words, position=position, at=event.at, given=given
        )
    key = session_key(event.kind, event.owner)
    state.session[key] = state.session.get(key, 0) + 1


def session_began(state: PursuitsState) -> None:
    """What was given is counted anew."""
    state.session.clear()


def award_given(state: PursuitsState, award: str) -> None:
    """What was due has been given."""
    state.due.pop(award, None)
