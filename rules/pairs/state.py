"""The ratings of a campaign's subjects: one number a pair, that of the first side."""

import msgspec


class Change(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change of a pair by some points toward one side (full key)."""

    toward: str
    by: int


class SubjectPairs(msgspec.Struct, kw_only=True):
    """The pairs of one subject.

    kind      id of its kind of pairs
    low, high bounds of a first side's rating, as they were when the pairs were opened
    ratings   by pair id, the rating of the first side; a pair that has not been placed is missing
    ready     whether creation is over; the rest is used in creation only
    results   what the array rolled, in order
    placed    by full side key, the number of the result (from 1) that stands on it
    changes   what happened to the character before play, in order
    """

    kind: str
    low: int
    high: int
    ratings: dict[str, int]
    ready: bool
    results: list[int] = []
    placed: dict[str, int] = {}
    changes: list[Change] = []


class PairsState(msgspec.Struct, kw_only=True):
    """All subjects that have pairs, by subject id."""

    subjects: dict[str, SubjectPairs] = {}
