"""Commands about pairs: a character's starting array, ratings entered by the GM, corrections by hand."""

from __future__ import annotations

from typing import Any

from campaigns.commands.subjects import known, require_player
from campaigns.commands.texts import SENTENCE, cleaned
from campaigns.context import Context
from campaigns.events import Draft, Event
from campaigns.parts.calendar import typed
from campaigns.registry import Command, decides
from campaigns.state import State
from identity.parts import pairs as p
from rules import pairs as rp
from rules.refusal import Refused


class EnterPairs(Command):
    """Gives a subject its pairs with these ratings (by side); a pair that is left out stands at the pack's default."""

    subject: str
    ratings: dict[str, int] = {}


class RollArray(Command):
    """Rolls all results of a character's starting array, in the open."""

    subject: str


class PlaceArray(Command):
    """Puts results (numbered from 1) on sides; may be changed until the pairs are confirmed."""

    subject: str
    placed: dict[str, int]


class ApplyLifepath(Command):
    """What happened before play moves pairs at once, in turn."""

    subject: str
    changes: tuple[rp.Change, ...]
    cause: str


class ConfirmPairs(Command):
    """Creation is over: the ratings stand."""

    subject: str


class SetRating(Command):
    """A GM gives a side a rating by hand, with a reason; the other side follows."""

    subject: str
    side: str
    rating: int
    reason: str


class ShiftPair(Command):
    """A GM moves a pair toward a side by hand, with a reason."""

    subject: str
    toward: str
    reason: str
    by: int = 1


def _no_die(_sides: int) -> int:
    raise AssertionError("this command rolls nothing")


def _decide(state: State, command: rp.PairCommand, die: rp.Die = _no_die) -> Any:
    return rp.decide(p.pair_rules(state), state.part(rp.PairsState), command, die)[0]


def _own(state: State, event: Event, subject: str) -> Draft:
    return Draft(event, audience=p.audience_of(state, subject), holders=(subject,))


def _opened(state: State, subject: str, kind: str, ratings: dict[str, int]) -> p.PairsOpened:
    command = rp.OpenPairs(subject=subject, subject_kind=kind, ratings=ratings)
    return typed(_decide(state, command), p.PairsOpened)


@decides(EnterPairs, "pairs.enter", roles=["gm"], title="Entering ratings")
def enter(state: State, command: EnterPairs, context: Context) -> list[Draft]:
    """SPI-126: the GM enters the first ratings of what is not rolled; also those of a character brought along."""
    subject = known(state, command.subject, context)
    ratings = command.ratings
    if not ratings:
        # Naming one pair keeps a kind that would be rolled from waiting for its roll.
        rules = p.pair_rules(state)
        kind = rp.kind_of(rules, subject.kind)
        default = kind.start.rating if isinstance(kind.start, rp.EnteredStart) else rules.total // 2
        ratings = {kind.pairs[0].sides[0].id: default}
    return [_own(state, _opened(state, command.subject, subject.kind, ratings), command.subject)]


@decides(RollArray, "pairs.roll_array", roles=["gm", "player"], title="Rolling the array")
def roll_array(state: State, command: RollArray, context: Context) -> list[Draft]:
    """SPI-089, SPI-091: opens the pairs where that was not done yet, then rolls all results from the table's seed."""
    subject = known(state, command.subject, context)
    require_player(subject, context)
    drafts = []
    pairs = state.part(rp.PairsState)
    if command.subject not in pairs.subjects:
        opened = _opened(state, command.subject, subject.kind, {})
        drafts.append(_own(state, opened, command.subject))
        pairs = rp.PairsState()
        rp.evolve(pairs, opened)
    seed = "gm" if subject.hidden else "table"
    rolled = rp.decide(p.pair_rules(state), pairs, rp.RollArray(subject=command.subject), context.dice(seed))[0]
    audience = p.table_audience(state, command.subject)
    event = typed(rolled, p.ArrayRolled)
    return [*drafts, Draft(event, audience=audience, holders=(command.subject,), dice=context.draws())]


@decides(PlaceArray, "pairs.place_array", roles=["gm", "player"], title="Placing the array")
def place_array(state: State, command: PlaceArray, context: Context) -> list[Draft]:
    """By the subject's player (SPI-091)."""
    require_player(known(state, command.subject, context), context)
    event = _decide(state, rp.PlaceArray(subject=command.subject, placed=command.placed))
    return [_own(state, typed(event, p.ArrayPlaced), command.subject)]


@decides(ApplyLifepath, "pairs.lifepath", roles=["gm"], title="Applying the lifepath")
def apply_lifepath(state: State, command: ApplyLifepath, context: Context) -> list[Draft]:
    """SPI-108, SPI-109: during creation only."""
    known(state, command.subject, context)
    cause = cleaned("cause", command.cause, SENTENCE)
    if not command.changes:
        raise Refused("empty", "Nothing changes.", field="changes", right="at least one side and by how much")
    event = _decide(state, rp.ApplyLifepath(subject=command.subject, changes=command.changes, cause=cause))
    return [_own(state, typed(event, p.LifepathApplied), command.subject)]


@decides(ConfirmPairs, "pairs.confirm", roles=["gm", "player"], title="Confirming the pairs")
def confirm(state: State, command: ConfirmPairs, context: Context) -> list[Draft]:
    """By the subject's player or a GM, once every pair has its result."""
    require_player(known(state, command.subject, context), context)
    event = _decide(state, rp.ConfirmPairs(subject=command.subject))
    return [_own(state, typed(event, p.PairsConfirmed), command.subject)]


@decides(SetRating, "pairs.set_rating", roles=["gm"], title="Setting a rating")
def set_rating(state: State, command: SetRating, context: Context) -> list[Draft]:
    """SPI-003, SPI-004. The same rating again changes nothing."""
    known(state, command.subject, context)
    reason = cleaned("reason", command.reason, SENTENCE)
    plain = rp.SetRating(subject=command.subject, side=command.side, rating=command.rating, reason=reason)
    event = _decide(state, plain)
    if event.before == event.after:
        return []
    return [_own(state, typed(event, p.RatingSet, title=_title(state, command.subject, event.side)), command.subject)]


@decides(ShiftPair, "pairs.shift", roles=["gm"], title="Shifting a pair")
def shift_pair(state: State, command: ShiftPair, context: Context) -> list[Draft]:
    """A correction; play moves pairs by marks."""
    known(state, command.subject, context)
    reason = cleaned("reason", command.reason, SENTENCE)
    event = _decide(state, rp.ShiftPair(subject=command.subject, toward=command.toward, by=command.by, reason=reason))
    title = _title(state, command.subject, event.toward)
    return [_own(state, typed(event, p.PairShifted, title=title), command.subject)]


def _title(state: State, subject: str, side: str) -> str:
    rules = p.pair_rules(state)
    kind = rp.kind_named(rules, rp.pairs_of(state.part(rp.PairsState), subject).kind)
    return rp.side_named(rules, kind, side).side.title
