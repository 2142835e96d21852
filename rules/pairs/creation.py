"""How pairs come to their first ratings: entered, or rolled as an array and placed, then moved by the lifepath."""

from collections import Counter
from collections.abc import Callable

from rules.pairs.commands import ApplyLifepath, ConfirmPairs, OpenPairs, PlaceArray, RollArray
from rules.pairs.events import ArrayPlaced, ArrayRolled, LifepathApplied, PairsConfirmed, PairsOpened
from rules.pairs.rules import ArrayStart, EnteredStart, PairKind, PairRules
from rules.pairs.sides import kind_named, kind_of, pairs_of, set_side, shifted, side_named
from rules.pairs.state import Change, PairsState, SubjectPairs
from rules.refusal import Refused


def open_pairs(rules: PairRules, state: PairsState, command: OpenPairs) -> PairsOpened:
    """Give a subject its pairs (SPI-126: entered, what is not entered stands at the default)."""
    if command.subject in state.subjects:
        raise Refused("pairs_exist", "This subject has its pairs already.", field="subject", value=command.subject)
    kind = kind_of(rules, command.subject_kind)
    entered = bool(command.ratings) or isinstance(kind.start, EnteredStart)
    ratings = _entered(rules, kind, command.ratings) if entered else {}
    low, high = rules.first_bounds
    return PairsOpened(subject=command.subject, kind=kind.id, low=low, high=high, ratings=ratings, ready=entered)


def _entered(rules: PairRules, kind: PairKind, given: dict[str, int]) -> dict[str, int]:
    default = kind.start.rating if isinstance(kind.start, EnteredStart) else rules.total // 2
    ratings = {pair.id: default for pair in kind.pairs}
    seen: set[str] = set()
    for name, rating in given.items():
        ref = side_named(rules, kind, name)
        first = set_side(rules, ref, rating)
        if ref.pair.id in seen and ratings[ref.pair.id] != first:
            raise Refused(
                f"pair_must_total_{rules.total}",
                f"The two ratings of {ref.pair.id} do not fit.",
                field="ratings",
                value=given,
                right=f"a total of {rules.total}",
            )
        seen.add(ref.pair.id)
        ratings[ref.pair.id] = first
    return ratings


def roll_array(rules: PairRules, state: PairsState, command: RollArray, die: Callable[[int], int]) -> ArrayRolled:
    """Roll one result for each pair, all before any is placed (SPI-089, SPI-091)."""
    own, kind, start = _in_array_creation(rules, state, command.subject)
    if own.results and start.reroll == "none":
        raise Refused("no_reroll", "The results have been rolled and stand.", right="place them")
    faces = tuple(tuple(die(start.faces) for _ in range(start.dice)) for _ in kind.pairs)
    return ArrayRolled(
        subject=command.subject, faces=faces, results=tuple(sum(rolled) + start.plus for rolled in faces)
    )


def place_array(rules: PairRules, state: PairsState, command: PlaceArray) -> ArrayPlaced:
    """Place results on sides, some or all; nothing is fixed until the subject is confirmed."""
    own, kind, start = _in_array_creation(rules, state, command.subject)
    if not own.results:
        raise Refused("roll_all_first", "All results are rolled before one is placed.", right="roll the array")
    placed: dict[str, int] = {}
    ratings: dict[str, int] = {}
    for name, place in command.placed.items():
        ref = side_named(rules, kind, name)
        if ref.index and start.side == "first":
            raise Refused(
                "first_side_only", "Results go to the first side.", field=name, value=name, right=ref.opposite.key
            )
        _check_place(own, place, name)
        _check_free(rules, kind, own, command.placed, placed, ref.key, place)
        if ref.pair.id in ratings:
            raise Refused("pair_already_set", f"{ref.pair.id} has a result already.", field=name, value=place)
        placed[ref.key] = place
        ratings[ref.pair.id] = set_side(rules, ref, own.results[place - 1])
    ratings, _ = _moved(rules, kind, ratings, own.changes)
    return ArrayPlaced(subject=command.subject, placed=placed, ratings=ratings)


def _check_place(own: SubjectPairs, place: int, name: str) -> None:
    if not 1 <= place <= len(own.results):
        raise Refused(
            "unknown_result", f"There is no result {place}.", field=name, value=place, right=f"1 to {len(own.results)}"
        )


def _check_free(
    rules: PairRules,
    kind: PairKind,
    own: SubjectPairs,
    wanted: dict[str, int],
    placed: dict[str, int],
    key: str,
    place: int,
) -> None:
    """Refuses a result that lies on a side already, in the words of who looks at the rolled results."""
    other = next((one for one, taken in placed.items() if taken == place), "")
    if not other:
        return
    sides = " and ".join(_title(rules, kind, one) for one in (other, key))
    free = [str(result) for number, result in enumerate(own.results, 1) if number not in wanted.values()]
    right = f"for one of them a result that is free still ({', '.join(free)})" if free else "each result once"
    message = f"The same {own.results[place - 1]} is put on two sides, {sides}."
    raise Refused("result_already_used", message, field=key, value=place, right=right)


def _title(rules: PairRules, kind: PairKind, key: str) -> str:
    ref = side_named(rules, kind, key)
    return ref.pair.sides[ref.index].title


def apply_lifepath(rules: PairRules, state: PairsState, command: ApplyLifepath) -> LifepathApplied:
    """Changes before play: at once, in turn, what passes an end is lost (SPI-108, SPI-109)."""
    own = pairs_of(state, command.subject)
    if own.ready:
        raise Refused("only_during_creation", "Lifepath changes belong to creation; play develops by marks.")
    kind = kind_named(rules, own.kind)
    changes = [Change(toward=side_named(rules, kind, one.toward).key, by=one.by) for one in command.changes]
    for change in changes:
        pair = side_named(rules, kind, change.toward).pair.id
        if pair not in own.ratings:
            raise Refused(
                "pair_not_placed", f"{pair} has no ratings yet.", field="changes", value=pair, right="place it first"
            )
    ratings, lost = _moved(rules, kind, own.ratings, changes)
    return LifepathApplied(
        subject=command.subject, changes=tuple(changes), lost=tuple(lost), ratings=ratings, cause=command.cause
    )


def confirm(rules: PairRules, state: PairsState, command: ConfirmPairs) -> PairsConfirmed:
    """End creation, when every pair has its ratings."""
    own = pairs_of(state, command.subject)
    if own.ready:
        raise Refused("already_confirmed", "The pairs have been confirmed.")
    missing = [pair.id for pair in kind_named(rules, own.kind).pairs if pair.id not in own.ratings]
    if missing:
        raise Refused(
            "assign_all", f"{len(missing)} pairs have no result yet.", field="placed", right=", ".join(missing)
        )
    return PairsConfirmed(subject=command.subject, ratings=dict(own.ratings))


def array_counts(start: ArrayStart) -> dict[int, int]:
    """By result, in how many of the equally likely faces one result of the array comes up (SPI-090)."""
    sums: Counter[int] = Counter({start.plus: 1})
    for _ in range(start.dice):
        following: Counter[int] = Counter()
        for total, ways in sums.items():
            for face in range(1, start.faces + 1):
                following[total + face] += ways
        sums = following
    return dict(sorted(sums.items()))


def _moved(
    rules: PairRules, kind: PairKind, ratings: dict[str, int], changes: list[Change]
) -> tuple[dict[str, int], list[int]]:
    """The ratings after changes in turn, and the points each lost; a pair without ratings stays without."""
    moved, lost = dict(ratings), []
    for change in changes:
        ref = side_named(rules, kind, change.toward)
        if ref.pair.id not in moved:
            lost.append(0)
            continue
        moved[ref.pair.id], missed = shifted(rules, ref, moved[ref.pair.id], change.by)
        lost.append(missed)
    return moved, lost


def _in_array_creation(rules: PairRules, state: PairsState, subject: str) -> tuple[SubjectPairs, PairKind, ArrayStart]:
    own = pairs_of(state, subject)
    kind = kind_named(rules, own.kind)
    if not isinstance(kind.start, ArrayStart):
        raise Refused(
            "array_not_for_this_kind", f"{kind.title} is entered, not rolled.", field="subject", value=subject
        )
    if own.ready:
        raise Refused("already_confirmed", "The pairs have been confirmed.", field="subject", value=subject)
    return own, kind, kind.start
