"""What has happened to a subject's pairs. `ratings` map pair ids to the first side's rating, complete as it stood."""

import msgspec

from rules.pairs.state import Change


class PairsOpened(msgspec.Struct, frozen=True, kw_only=True):
    """A subject has pairs of a kind: with ratings and ready for play, or waiting for its array."""

    subject: str
    kind: str
    low: int
    high: int
    ratings: dict[str, int]
    ready: bool


class ArrayRolled(msgspec.Struct, frozen=True, kw_only=True):
    """The faces of each result, and the results."""

    subject: str
    faces: tuple[tuple[int, ...], ...]
    results: tuple[int, ...]


class ArrayPlaced(msgspec.Struct, frozen=True, kw_only=True):
    """By full side key the number of its result; and the ratings that follow, lifepath included."""

    subject: str
    placed: dict[str, int]
    ratings: dict[str, int]


class LifepathApplied(msgspec.Struct, frozen=True, kw_only=True):
    """Changes before play, in turn; `lost` are the points that did not fit, by place in `changes`."""

    subject: str
    changes: tuple[Change, ...]
    lost: tuple[int, ...]
    ratings: dict[str, int]
    cause: str


class PairsConfirmed(msgspec.Struct, frozen=True, kw_only=True):
    """The subject is ready for play with these ratings."""

    subject: str
    ratings: dict[str, int]


class RatingSet(msgspec.Struct, frozen=True, kw_only=True):
    """A side (full key) was given a rating by hand. `before` and `after` are those of the pair's first side."""

    subject: str
    pair: str
    side: str
    rating: int
    before: int
    after: int
    reason: str


class PairShifted(msgspec.Struct, frozen=True, kw_only=True):
    """A pair moved toward a side (full key) by `by` points, `lost` more did not fit. `change` is the signed change of
    the first side's rating."""

    subject: str
    pair: str
    toward: str
    by: int
    lost: int
    change: int
    before: int
    after: int
    reason: str


PairEvent = PairsOpened | ArrayRolled | ArrayPlaced | LifepathApplied | PairsConfirmed | RatingSet | PairShifted
