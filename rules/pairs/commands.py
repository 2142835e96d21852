"""What can be asked about a subject's pairs. Sides are named by full key (`kind.side`) or, where clear, short."""

import msgspec

from rules.pairs.state import Change


class OpenPairs(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Give a subject the pairs of its kind. With `ratings` (by side) they are entered and stand at once; without, a
    kind that starts by an array waits for its roll."""

    subject: str
    subject_kind: str
    ratings: dict[str, int] = {}


class RollArray(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Roll all results of the starting array."""

    subject: str


class PlaceArray(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Put results on sides: by side, the number of a result from 1. Replaces what was placed before."""

    subject: str
    placed: dict[str, int]


class ApplyLifepath(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What happened before play moves the pairs at once, in turn, without marks or rolls."""

    subject: str
    changes: tuple[Change, ...]
    cause: str = ""


class ConfirmPairs(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Creation is over; placement and lifepath are fixed."""

    subject: str


class SetRating(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Enter the rating of a side (a correction by hand); the other side follows."""

    subject: str
    side: str
    rating: int
    reason: str = ""


class ShiftPair(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Move a pair toward a side by some points."""

    subject: str
    toward: str
    by: int = 1
    reason: str = ""


PairCommand = OpenPairs | RollArray | PlaceArray | ApplyLifepath | ConfirmPairs | SetRating | ShiftPair
