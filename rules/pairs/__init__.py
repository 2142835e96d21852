"""Opposed pairs: two sides whose ratings always add up to one total. Kept as one number a pair.

    state = PairsState()
    for event in decide(rules, state, OpenPairs(subject="talyne", subject_kind="character", ratings={"bold": 14}), die):
        evolve(state, event)                                    # in place

    own = pairs_of(state, "talyne")
    kind = kind_named(rules, own.kind)
    both_ratings(rules, kind.pairs[0], own.ratings[kind.pairs[0].id])     # {"bold": 14, "cautious": 6}
    stronger_side(rules, kind.pairs[0], 14)                               # "bold", None when tied
    side_named(rules, kind, "bold").key                                   # "personality.bold": keys carry the kind

A new character instead: OpenPairs without ratings, RollArray, PlaceArray (as often as wished), ApplyLifepath,
ConfirmPairs. Later SetRating and ShiftPair by hand; development moves pairs by its own events. `die(faces)` rolls one
die. Deciders raise `rules.refusal.Refused` and change nothing.
"""

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
from rules.pairs.creation import array_counts
from rules.pairs.decide import Die, decide
from rules.pairs.events import (
    ArrayPlaced,
    ArrayRolled,
    LifepathApplied,
    PairEvent,
    PairsConfirmed,
    PairShifted,
    PairsOpened,
    RatingSet,
)
from rules.pairs.evolve import evolve, move
from rules.pairs.rules import ArrayStart, EnteredStart, Pair, PairKind, PairRules, Side, check_pairs
from rules.pairs.sides import (
    SideRef,
    both_ratings,
    checked_pair,
    checked_rating,
    kind_named,
    kind_of,
    pair_named,
    pairs_of,
    rating_of,
    set_side,
    shifted,
    side_keyed,
    side_named,
    stronger_side,
)
from rules.pairs.state import Change, PairsState, SubjectPairs

__all__ = [
    "ApplyLifepath",
    "ArrayPlaced",
    "ArrayRolled",
    "ArrayStart",
    "Change",
    "ConfirmPairs",
    "Die",
    "EnteredStart",
    "LifepathApplied",
    "OpenPairs",
    "Pair",
    "PairCommand",
    "PairEvent",
    "PairKind",
    "PairRules",
    "PairShifted",
    "PairsConfirmed",
    "PairsOpened",
    "PairsState",
    "PlaceArray",
    "RatingSet",
    "RollArray",
    "SetRating",
    "ShiftPair",
    "Side",
    "SideRef",
    "SubjectPairs",
    "array_counts",
    "both_ratings",
    "check_pairs",
    "checked_pair",
    "checked_rating",
    "decide",
    "evolve",
    "kind_named",
    "kind_of",
    "move",
    "pair_named",
    "pairs_of",
    "rating_of",
    "set_side",
    "shifted",
    "side_keyed",
    "side_named",
    "stronger_side",
]
