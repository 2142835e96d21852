"""Marks for conduct, and what a close makes of them. Arithmetic and fold are `rules.development`.

Marks, dice and ratings are their holders' and the GM's; a sealed mark is the GM's alone until it is settled. The other
players learn which sides of a subject rose, watchers where the campaign publishes that (SPI-140).
"""

# Event bodies stand on the frozen structs of the pure rules; only the type checker minds that their base is not frozen.
# mypy: disable-error-code="misc"

from __future__ import annotations

from datetime import datetime

import msgspec

from campaigns import registry
from campaigns.events import EVERY_FIELD, GM, PLAYER, WATCHER, Data, Event, Names, event_type, in_story
from campaigns.parts.calendar import Calendar, CloseTakenBack, PeriodClosed, calendar_rules
from campaigns.parts.subjects import SubjectBroughtBack, SubjectPutAway, Subjects
from campaigns.sections import section
from campaigns.state import State
from identity.parts.pairs import OWN, pair_rules, side_said
from identity.parts.pairs import part as pairs_part
from rules import development as rd
from rules import pairs as rp
from rules.refusal import Refused


class Marks(msgspec.Struct):
    """Part of the state: what `rules.development` keeps; and by rung, the positions of rolls that players (or the job
    in their stead) made after the last close of that rung."""

    kept: rd.MarksState = msgspec.field(default_factory=rd.MarksState)
    rolled: dict[str, list[int]] = {}


part = registry.part("marks", Marks)


def _awarded_said(d: Data, names: Names) -> str:
    told = f"{names(d['subject'])} earned a mark for {d['title']}"
    return f"{told}: {d['note'].rstrip('.')}." if d.get("note") else f"{told}."


@in_story
@event_type("mark.awarded", shows=OWN, says=_awarded_said)
class MarkAwarded(Event, rd.MarkAwarded, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A side was marked; ``title`` names it."""

    title: str


@event_type(
    "mark.proposed",
    shows=OWN,
    says=lambda d, names: f"A mark for {d['title']} was proposed for {names(d['subject'])}.",
)
class MarkProposed(Event, rd.MarkProposed, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A player asked for a mark; ``by`` is the member."""

    title: str
    by: str


@event_type(
    "mark.declined", shows=OWN, says=lambda d, names: f"The mark proposed for {names(d['subject'])} was declined."
)
class ProposalDeclined(Event, rd.ProposalDeclined, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A proposal was answered with no, or withdrawn."""


@in_story
@event_type("mark.voided", shows=OWN, says=lambda d, names: f"A mark of {names(d['subject'])} was taken back.")
class MarkVoided(Event, rd.MarkVoided, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A mark given in error no longer counts."""


def _settled_said(d: Data, names: Names) -> str:
    rose = [side_said(result["toward"]) for result in d["results"] if result["shifted"]]
    waits = any(result["outcome"] == "open" for result in d["results"])
    told = ", ".join(rose) if rose else "rolls wait" if waits else "nothing moved"
    return f"{d['title']} was settled for {names(d['subject'])}: {told}."


# What a close did is taken back with the close, never alone.
STAYS = "it goes with the close of its period, which a GM can take back"


@event_type("development.settled", shows=OWN, says=_settled_said, stays=STAYS)
class SubjectSettled(Event, rd.SubjectSettled, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A close settled one subject. ``title`` names the period; ``marks`` are those that were settled, in full."""

    title: str
    marks: tuple[rd.Mark, ...]


def _rolled_said(d: Data, names: Names) -> str:
    result = d["result"]
    if result["face"] is None:
        came = f"{side_said(result['toward'])} can rise no further" if result["toward"] else "what it was for is gone"
        return f"Nothing was rolled for {names(d['subject'])}: {came}."
    came = "and it rose" if result["shifted"] else "and nothing moved"
    return f"{names(d['subject'])} rolled {result['face']} for {side_said(result['toward'])} {came}."


@in_story
@event_type("development.rolled", shows=OWN, says=_rolled_said, stays=STAYS)
class AdvancementRolled(Event, rd.AdvancementRolled, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A roll that a close had left open was made."""


_SHOWN = ("subject", "rung", "number", "title", "rose")


@in_story
@event_type(
    "development.shown",
    shows={GM: EVERY_FIELD, PLAYER: _SHOWN, WATCHER: _SHOWN},
    says=lambda d, names: f"{names(d['subject'])} has grown more {' and more '.join(d['rose'])}.",
    stays=STAYS,
)
class DevelopmentShown(Event, kw_only=True, frozen=True):
    """What those who may not see marks and ratings learn of a settling: the titles of the sides that rose.

    Where nothing rose there is no such event, so that it does not tell that there were marks.
    """

    subject: str
    rung: str
    number: int
    title: str
    rose: tuple[str, ...]


@part.evolves(MarkAwarded, MarkProposed, ProposalDeclined, MarkVoided, SubjectSettled)
def _evolve(marks: Marks, event: Event, _position: int) -> None:
    rd.evolve(marks.kept, event)


@part.evolves(AdvancementRolled)
def _rolled(marks: Marks, event: AdvancementRolled, position: int) -> None:
    rd.evolve(marks.kept, event)
    marks.rolled.setdefault(event.rung, []).append(position)


@part.evolves(DevelopmentShown)
def _shown(marks: Marks, event: DevelopmentShown, position: int) -> None:
    if event.rung in marks.rolled:
        marks.rolled[event.rung].append(position)


@part.evolves(PeriodClosed, CloseTakenBack)
def _closed(marks: Marks, event: PeriodClosed | CloseTakenBack, _position: int) -> None:
    marks.rolled.pop(event.rung, None)


@pairs_part.evolves(SubjectSettled, AdvancementRolled)
def _moved(pairs: rp.PairsState, event: SubjectSettled | AdvancementRolled, _position: int) -> None:
    """Where the pairs themselves were taken back since, nothing moves."""
    own = pairs.subjects.get(event.subject)
    for result in event.results if isinstance(event, SubjectSettled) else (event.result,):
        if result.change and own is not None and result.pair in own.ratings:
            rp.move(own, result.pair, result.change)


def standing_of(state: State) -> rd.Standing:
    """All that development reads. Refused where the campaign's packs have no development."""
    found, calendar = section(state, "development", rd.DevelopmentRules), calendar_rules(state)
    if found is None or calendar is None:
        raise Refused("no_development", "None of the campaign's packs has development.", right="a pack with one")
    return rd.Standing(
        rules=found[1],
        calendar_rules=calendar,
        pair_rules=pair_rules(state),
        calendar=state.part(Calendar).clock,
        pairs=state.part(rp.PairsState),
        marks=here_of(state),
    )


def here_of(state: State) -> rd.MarksState:
    """What is kept, without that of subjects that were put away: it rests until they are back."""
    kept = state.part(Marks).kept
    gone = {i for i, subject in state.part(Subjects).by_id.items() if subject.away}
    if not gone:
        return kept
    return rd.MarksState(
        marks={i: mark for i, mark in kept.marks.items() if mark.subject not in gone},
        proposals={i: mark for i, mark in kept.proposals.items() if mark.subject not in gone},
        open_rolls={key: roll for key, roll in kept.open_rolls.items() if roll.subject not in gone},
    )


def side_title(rules: rp.PairRules, kind: str, side: str) -> str:
    """How a side is called."""
    return rp.side_named(rules, rp.kind_named(rules, kind), side).side.title


@registry.falls_due(SubjectSettled, AdvancementRolled, SubjectPutAway, SubjectBroughtBack)
def rolls_due_at(state: State) -> datetime | None:
    """When the first open roll is made in its player's stead."""
    return rd.next_roll_due_at(here_of(state))


@registry.follows_close
def later_rolls(state: State, rung: str, _number: int) -> list[int]:
    """Positions of rolls that were made after the last close of a rung and rest on it."""
    return state.part(Marks).rolled.get(rung, [])
