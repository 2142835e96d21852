"""What becomes of a command about pairs in play: the events it makes, or why it is refused."""

from collections.abc import Callable
from typing import Any

from rules.pairs.commands import (
    ApplyLifepath,
    ConfirmPairs,
    OpenPairs,
    PairCommand,
    PlaceArray,
    RollArray,
    SetRating,
    ShiftPair,
)
from rules.pairs.creation import apply_lifepath, confirm, open_pairs, place_array, roll_array
from rules.pairs.events import PairEvent, PairShifted, RatingSet
from rules.pairs.rules import PairRules
from rules.pairs.sides import SideRef, kind_named, pairs_of, rating_of, set_side, shifted, side_named
from rules.pairs.state import PairsState, SubjectPairs
from rules.refusal import Refused

Die = Callable[[int], int]


def decide(rules: PairRules, state: PairsState, command: PairCommand, die: Die) -> list[PairEvent]:
    """The events a command makes; `die(faces)` rolls one die. Changes nothing; raises `Refused`."""
    if isinstance(command, RollArray):
        return [roll_array(rules, state, command, die)]
    deciders: dict[type, Any] = {
        OpenPairs: open_pairs,
        PlaceArray: place_array,
        ApplyLifepath: apply_lifepath,
        ConfirmPairs: confirm,
        SetRating: set_rating,
        ShiftPair: shift_pair,
    }
    return [deciders[type(command)](rules, state, command)]


def set_rating(rules: PairRules, state: PairsState, command: SetRating) -> RatingSet:
    """A rating entered by hand; the other side follows (SPI-003)."""
    own, ref = _in_play(rules, state, command.subject, command.side)
    return RatingSet(
        subject=command.subject,
        pair=ref.pair.id,
        side=ref.key,
        rating=command.rating,
        before=own.ratings[ref.pair.id],
        after=set_side(rules, ref, command.rating),
        reason=command.reason,
    )


def shift_pair(rules: PairRules, state: PairsState, command: ShiftPair) -> PairShifted:
    """A pair moved toward a side. Refused when the side stands at its end already."""
    own, ref = _in_play(rules, state, command.subject, command.toward)
    before = own.ratings[ref.pair.id]
    after, lost = shifted(rules, ref, before, command.by)
    if after == before:
        raise Refused(
            "side_at_end",
            f"{ref.side.title} stands at {rating_of(rules, own, ref)} and can go no further.",
            field="toward",
            value=command.toward,
            right=ref.opposite.key,
        )
    return PairShifted(
        subject=command.subject,
        pair=ref.pair.id,
        toward=ref.key,
        by=command.by - lost,
        lost=lost,
        change=after - before,
        before=before,
        after=after,
        reason=command.reason,
    )


def _in_play(rules: PairRules, state: PairsState, subject: str, side: str) -> tuple[SubjectPairs, SideRef]:
    own = pairs_of(state, subject)
    if not own.ready:
        raise Refused("still_in_creation", "The subject's pairs are still being made.", right="confirm them first")
    return own, side_named(rules, kind_named(rules, own.kind), side)
