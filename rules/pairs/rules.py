"""Opposed pairs as pack data: which kind of subject has which pairs, and how they start."""

from typing import Annotated, Literal

import msgspec

from rules.faults import Fault, repeated

Amount = Annotated[int, msgspec.Meta(ge=0, le=1000)]
Few = Annotated[int, msgspec.Meta(ge=1, le=100)]


class Side(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One side of a pair. Its full key carries the kind: `kind.side`."""

    id: str
    title: str
    gist: str = ""


class Pair(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two sides whose ratings add up to the total."""

    id: str
    sides: tuple[Side, Side]


class ArrayStart(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="method", tag="array"
):
    """Starting ratings are rolled, one result a pair, then placed by the player.

    Each result is `dice` dice of `faces` faces plus `plus`. `side`: which side of its pair a result may go to.
    `reroll`: whether the results may be rolled anew.
    """

    dice: Few
    faces: Few
    plus: int = 0
    side: Literal["player_choice", "first"] = "player_choice"
    reroll: Literal["none", "until_confirmed"] = "none"


class EnteredStart(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="method", tag="gm_enters"
):
    """Starting ratings are entered; a pair that is not entered stands at `rating` on its first side."""

    rating: Amount


class PairKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The pairs of one kind of subject (`holder`), which has these and no others."""

    id: str
    title: str
    holder: str
    start: ArrayStart | EnteredStart
    pairs: tuple[Pair, ...]
    gist: str = ""


class PairRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A pack's opposed pairs. Ratings are whole numbers from `low` to `high`, and a pair's two add up to `total`.

    `overflow`: what becomes of the part of a change that would pass an end. `settings` maps value paths to keys of
    pack settings (see `rules.bindings`).
    """

    total: Amount
    low: Amount
    high: Amount
    kinds: tuple[PairKind, ...]
    overflow: Literal["lost"] = "lost"
    settings: dict[str, str] = {}

    @property
    def first_bounds(self) -> tuple[int, int]:
        """The lowest and highest rating that a first side can have, the second side being in bounds too."""
        return max(self.low, self.total - self.high), min(self.high, self.total - self.low)


def check_pairs(rules: PairRules) -> list[Fault]:
    """Everything wrong with a pack's pairs; an empty list when they can be used."""
    problems = []
    if rules.low > rules.high or rules.first_bounds[0] > rules.first_bounds[1]:
        problems.append(
            Fault(
                path="high",
                message=f"no two ratings from {rules.low} to {rules.high} add up to {rules.total}",
                right="low and high that leave room for the total",
            )
        )
    for name in repeated(kind.id for kind in rules.kinds):
        problems.append(Fault(path="kinds", message=f"two kinds are called {name!r}", right="one id for each"))
    for name in repeated(kind.holder for kind in rules.kinds):
        problems.append(Fault(path="kinds", message=f"{name!r} has two kinds of pairs", right="one kind a holder"))
    for place, kind in enumerate(rules.kinds):
        problems += _check_kind(rules, kind, f"kinds.{place}")
    return problems


def _check_kind(rules: PairRules, kind: PairKind, path: str) -> list[Fault]:
    problems = []
    if not kind.pairs:
        problems.append(Fault(path=f"{path}.pairs", message=f"{kind.id} has no pairs", right="at least one pair"))
    for name in repeated(pair.id for pair in kind.pairs):
        problems.append(Fault(path=f"{path}.pairs", message=f"two pairs are called {name!r}", right="one id for each"))
    for name in repeated(side.id for pair in kind.pairs for side in pair.sides):
        problems.append(
            Fault(path=f"{path}.pairs", message=f"two sides are called {name!r}", right="one id a side within a kind")
        )
    low, high = rules.first_bounds
    start = kind.start
    if isinstance(start, EnteredStart) and not low <= start.rating <= high:
        problems.append(Fault(path=f"{path}.start.rating", message="out of range", right=f"{low} to {high}"))
    if isinstance(start, ArrayStart):
        least, most = start.dice + start.plus, start.dice * start.faces + start.plus
        if least < low or most > high:
            problems.append(
                Fault(
                    path=f"{path}.start",
                    message=f"results run from {least} to {most}",
                    right=f"results from {low} to {high}",
                )
            )
    return problems
