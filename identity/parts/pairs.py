"""Opposed pairs of the campaign's subjects. The arithmetic and the fold are `rules.pairs`.

Ratings are their holders' and the GM's (SPI-140); of a starting array, which is rolled in the open (SPI-091), everybody
at the table sees the results, but not where they went.
"""

# Event bodies stand on the frozen structs of the pure rules; only the type checker minds that their base is not frozen.
# mypy: disable-error-code="misc"

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, HOLDER, HOLDERS, PLAYER, TABLE, Data, Event, Names, event_type, in_story
from campaigns.parts.subjects import Subjects
from campaigns.sections import section
from campaigns.state import State
from rules import pairs as rp
from rules.packs.sections import RATING
from rules.refusal import Refused

part = registry.part("pairs", rp.PairsState)
OWN: dict[str, tuple[str, ...]] = {GM: EVERY_FIELD, HOLDER: EVERY_FIELD}


def side_said(side: str) -> str:
    """A side for a sentence, out of its id: these events keep no title of it."""
    return side.replace("_", " ").capitalize()


def _opened_said(d: Data, names: Names) -> str:
    name = names(d["subject"])
    return (
        f"The ratings of {name} are entered." if d["ready"] else f"The pairs of {name} wait for their starting array."
    )


@event_type("pairs.opened", shows=OWN, says=_opened_said)
class PairsOpened(Event, rp.PairsOpened, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A subject has its pairs: with ratings and ready, or waiting for its array."""


@event_type(
    "pairs.array_rolled",
    shows={**OWN, PLAYER: ("subject", "faces", "results")},
    says=lambda d, names: f"{names(d['subject'])} rolled {', '.join(map(str, d['results']))}.",
)
class ArrayRolled(Event, rp.ArrayRolled, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """All results of the starting array were rolled."""


@event_type("pairs.array_placed", shows=OWN, says=lambda d, names: f"{names(d['subject'])} placed results.")
class ArrayPlaced(Event, rp.ArrayPlaced, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Results were put on sides; nothing is fixed before the pairs are confirmed."""


@event_type("pairs.lifepath", shows=OWN, says=lambda d, names: f"{names(d['subject'])} was shaped by {d['cause']}.")
class LifepathApplied(Event, rp.LifepathApplied, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What happened before play moved pairs."""


@in_story
@event_type("pairs.confirmed", shows=OWN, says=lambda d, names: f"{names(d['subject'])} is ready for play.")
class PairsConfirmed(Event, rp.PairsConfirmed, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Creation is over."""


def _set_said(d: Data, names: Names) -> str:
    return f"{names(d['subject'])}: {d['title']} is now {d['rating']}" + (f" ({d['reason']})." if d["reason"] else ".")


@event_type("pairs.rating_set", shows=OWN, says=_set_said)
class RatingSet(Event, rp.RatingSet, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A GM entered a rating by hand; ``title`` names the side."""

    title: str


def _shift_said(d: Data, names: Names) -> str:
    return f"{names(d['subject'])} moved toward {d['title']}" + (f" ({d['reason']})." if d["reason"] else ".")


@event_type("pairs.shifted", shows=OWN, says=_shift_said)
class PairShifted(Event, rp.PairShifted, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A GM moved a pair by hand; ``title`` names the side that rose."""

    title: str


@part.evolves(PairsOpened, ArrayRolled, ArrayPlaced, LifepathApplied, PairsConfirmed, RatingSet, PairShifted)
def _evolve(pairs: rp.PairsState, event: Event, _position: int) -> None:
    """Where an event was taken back on which later ones rest, these change nothing."""
    own = pairs.subjects.get(getattr(event, "subject", ""))
    if own is None and not isinstance(event, PairsOpened):
        return
    if isinstance(event, PairShifted) and (own is None or event.pair not in own.ratings):
        return
    rp.evolve(pairs, event)


def pair_rules(state: State) -> rp.PairRules:
    """The rules of the campaign's pairs. Refused where none of its packs has pairs."""
    found = section(state, "pairs", rp.PairRules)
    if found is None:
        raise Refused("no_pairs", "None of the campaign's packs has opposed pairs.", right="a pack with pairs")
    return found[1]


def audience_of(state: State, subject: str, ordinary: str = HOLDERS) -> str:
    """Who may know of an event about a subject: of a hidden one, its own players and the GM alone."""
    found = state.part(Subjects).by_id.get(subject)
    return HOLDERS if found is None or found.hidden else ordinary


def table_audience(state: State, subject: str) -> str:
    """The audience of what everybody at the table may know of a subject."""
    return audience_of(state, subject, TABLE)


@registry.makes
def _made(state: State, subject: str) -> bool:
    """Whether pairs of a subject were opened."""
    return subject in state.part(rp.PairsState).subjects


@registry.provider
def ratings(state: State, subject: str, pack: str) -> Mapping[str, Any]:
    """The ratings of a subject whose pairs are ready, in the pack that gives the pairs: of each pair's first side."""
    own = state.part(rp.PairsState).subjects.get(subject)
    found = section(state, "pairs", rp.PairRules) if own is not None and own.ready else None
    if own is None or found is None or found[0] != pack:
        return {}
    return {RATING: dict(own.ratings)}
