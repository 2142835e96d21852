"""Finding kinds, pairs and sides by name, and plain arithmetic on one pair."""

from typing import Any

import msgspec

from rules.faults import nearest
from rules.pairs.rules import Pair, PairKind, PairRules, Side
from rules.pairs.state import PairsState, SubjectPairs
from rules.refusal import Refused


class SideRef(msgspec.Struct, frozen=True, kw_only=True):
    """A side found: its kind, its pair, and whether it is the first (0) or second (1)."""

    kind: PairKind
    pair: Pair
    index: int

    @property
    def side(self) -> Side:
        """The side itself."""
        return self.pair.sides[self.index]

    @property
    def key(self) -> str:
        """The full key, `kind.side`."""
        return f"{self.kind.id}.{self.side.id}"

    @property
    def opposite(self) -> "SideRef":
        """The other side of the pair."""
        return SideRef(kind=self.kind, pair=self.pair, index=1 - self.index)


def kind_named(rules: PairRules, kind: str) -> PairKind:
    """The kind of pairs with that id. Refused when there is none."""
    for own in rules.kinds:
        if own.id == kind:
            return own
    known = [own.id for own in rules.kinds]
    raise Refused("unknown_kind", f"There are no {kind!r} pairs.", field="kind", value=kind, right=nearest(kind, known))


def kind_of(rules: PairRules, holder: str) -> PairKind:
    """The kind of pairs that a kind of subject has (SPI-001). Refused when it has none."""
    for own in rules.kinds:
        if own.holder == holder:
            return own
    known = [own.holder for own in rules.kinds]
    raise Refused(
        "no_pairs_of_this_kind",
        f"A {holder} has no pairs.",
        field="subject_kind",
        value=holder,
        right=nearest(holder, known),
    )


def pair_named(kind: PairKind, pair: str) -> Pair:
    """A pair of a kind by its id. Refused when the kind has none of that name."""
    for own in kind.pairs:
        if own.id == pair:
            return own
    known = [own.id for own in kind.pairs]
    raise Refused(
        "unknown_pair",
        f"{kind.title} has no pair {pair!r}.",
        field="pair",
        value=pair,
        right=nearest(pair, known) or ", ".join(known),
    )


def side_named(rules: PairRules, kind: PairKind, name: str) -> SideRef:
    """A side of a kind by its full key (`kind.side`) or short name. Refused when the kind has none of that name."""
    prefix, _, short = name.rpartition(".")
    if prefix and prefix != kind.id:
        kind_named(rules, prefix)
        raise Refused(
            "pair_not_of_this_kind",
            f"{name} does not belong to {kind.title}.",
            field="side",
            value=name,
            right=f"a side of {kind.title}",
        )
    for pair in kind.pairs:
        for index, side in enumerate(pair.sides):
            if side.id == short:
                return SideRef(kind=kind, pair=pair, index=index)
    known = [side.id for pair in kind.pairs for side in pair.sides]
    raise Refused(
        "unknown_side",
        f"{kind.title} has no side {short!r}.",
        field="side",
        value=name,
        right=nearest(short, known) or ", ".join(known),
    )


def side_keyed(rules: PairRules, key: str) -> SideRef:
    """A side by its full key."""
    prefix, _, _ = key.partition(".")
    return side_named(rules, kind_named(rules, prefix), key)


def pairs_of(state: PairsState, subject: str) -> SubjectPairs:
    """The pairs of a subject. Refused when it has none yet."""
    if subject not in state.subjects:
        raise Refused("no_pairs_yet", "This subject has no pairs yet.", field="subject", value=subject)
    return state.subjects[subject]


def rating_of(rules: PairRules, own: SubjectPairs, ref: SideRef) -> int:
    """The rating of one side. Refused while the pair has not been placed."""
    if ref.pair.id not in own.ratings:
        raise Refused("pair_not_placed", f"{ref.pair.id} has no ratings yet.", field="pair", value=ref.pair.id)
    first = own.ratings[ref.pair.id]
    return first if ref.index == 0 else rules.total - first


def both_ratings(rules: PairRules, pair: Pair, first: int) -> dict[str, int]:
    """The two ratings of a pair by short side name (SPI-003: the second is what is missing to the total)."""
    return {pair.sides[0].id: first, pair.sides[1].id: rules.total - first}


def stronger_side(rules: PairRules, pair: Pair, first: int) -> str | None:
    """The short name of the side with the higher rating; None when both are equal."""
    second = rules.total - first
    if first == second:
        return None
    return pair.sides[0 if first > second else 1].id


def checked_rating(rules: PairRules, rating: Any, field: str = "rating") -> int:
    """A rating in range (SPI-004). Refused: `rating_not_whole`, `rating_out_of_range`."""
    right = f"a whole number from {rules.low} to {rules.high}"
    if isinstance(rating, bool) or not isinstance(rating, int):
        raise Refused("rating_not_whole", "A rating is a whole number.", field=field, value=rating, right=right)
    if not rules.low <= rating <= rules.high or not rules.low <= rules.total - rating <= rules.high:
        raise Refused("rating_out_of_range", f"{rating} is out of range.", field=field, value=rating, right=right)
    return rating


def set_side(rules: PairRules, ref: SideRef, rating: Any) -> int:
    """The first side's rating once this side has the given one."""
    checked = checked_rating(rules, rating)
    return checked if ref.index == 0 else rules.total - checked


def checked_pair(rules: PairRules, kind: PairKind, ratings: dict[str, Any]) -> tuple[Pair, int]:
    """Both ratings of one pair given together: the pair and its first rating. Refused: `pair_must_total_<total>`,
    `two_sides_of_a_pair`, or as for a single rating."""
    refs = [side_named(rules, kind, name) for name in ratings]
    if len(refs) != 2 or refs[0].pair is not refs[1].pair:
        raise Refused("two_sides_of_a_pair", "Give both sides of one pair.", field="pair", value=ratings)
    values = [checked_rating(rules, rating) for rating in ratings.values()]
    if sum(values) != rules.total:
        raise Refused(
            f"pair_must_total_{rules.total}",
            f"The two ratings add up to {sum(values)}.",
            field="pair",
            value=ratings,
            right=f"a total of {rules.total}",
        )
    return refs[0].pair, values[refs[0].index]


def shifted(rules: PairRules, ref: SideRef, first: int, by: int) -> tuple[int, int]:
    """A pair moved toward a side: the new first rating, and the points lost because the side had reached its end."""
    if isinstance(by, bool) or not isinstance(by, int) or by < 1:
        raise Refused("shift_wrong", "A shift is a whole number.", field="by", value=by, right="1 or more")
    low, high = rules.first_bounds
    wanted = first + by if ref.index == 0 else first - by
    new = min(max(wanted, low), high)
    return new, by - abs(new - first)
