"""What waits for somebody's word: proposals of marks, steps of Pursuits, inspirations, claims of waiting dice; as one
seat may see it."""

from __future__ import annotations

from dataclasses import dataclass

from campaigns import feed
from campaigns.parts.pursuits import running_of
from campaigns.parts.subjects import Subjects
from campaigns.state import State
from frontend.calls import Result
from frontend.people import sees_subject
from frontend.seat import Seat
from identity.parts.invocations import DieGranted
from identity.reads import Waiting, WaitingDie, die_named, waiting
from identity.reads.marks import Proposal, proposals


@dataclass(frozen=True)
class Step:
    """That a Pursuit came closer, as its player says it: whose it is ("" the party's), its words, what did it,
    and how often it had moved on."""

    pursuit: str
    name: str
    words: str
    claim: str
    moves: int


@dataclass(frozen=True)
class Words:
    """``proposals`` of marks, ``waiting``: dice, claims and inspirations, and for GMs ``steps`` of Pursuits."""

    proposals: tuple[Proposal, ...]
    waiting: Waiting
    steps: tuple[Step, ...] = ()

    @property
    def any(self) -> bool:
        """Whether somebody's word is waited for."""
        return bool(self.proposals or self.steps or self.waiting.claims or self.waiting.inspirations)


def words(state: State, seat: Seat, subject: str = "") -> Words:
    """What waits, of one subject where it is named."""
    found = waiting(state, seat.viewer)
    if subject:
        dice = tuple(die for die in found.dice if die.holder == subject)
        return Words((), Waiting(dice=dice))
    return Words(proposals(state, seat.viewer), found, _steps(state) if seat.is_gm else ())


def _steps(state: State) -> tuple[Step, ...]:
    known = state.part(Subjects).by_id
    return tuple(
        Step(pursuit, known[one.owner].name if one.owner in known else "", one.words, one.claim, one.moves)
        for pursuit, one in running_of(state).pursuits.items()
        if one.claim
    )


# So many lines of the ledger behind a test are what followed from it.
FOLLOWS = 12


@dataclass(frozen=True)
class Earned:
    """What an invocation came to: whether its test earned a die, and the die, while it waits and is this seat's."""

    granted: bool
    die: WaitingDie | None
    given: WaitingDie | None = None
    """a die that waits for another, told to whoever plays the one that earned it"""


def earned(state: State, seat: Seat, result: Result) -> Earned | None:
    """What the invocation earned that was stated along with a finished test; None where none was."""
    after = feed.position_of(seat.campaign_id, result.cursor)
    told = [entry.view for entry in feed.newer(state, seat.viewer, after, FOLLOWS)]
    settled = [
        place
        for place, view in enumerate(told)
        if view["type"] == "invocation.settled" and view["data"]["call"] == result.call and not view.get("voided")
    ]
    if not settled:
        return None
    ids = [view["data"]["die"] for view in told[settled[0] + 1 : settled[0] + 2] if view["type"] == "die.granted"]
    granted = bool(told[settled[0]]["data"]["granted"])
    die = next((die for die in waiting(state, seat.viewer).dice if die.die in ids), None)
    return Earned(granted, die, None if die else _given(state, seat, result, after))


def _given(state: State, seat: Seat, result: Result, after: int) -> WaitingDie | None:
    """The die that a test earned for somebody else, while it waits."""
    if not any(subject in seat.viewer.knows for subject, _ in result.subjects):
        return None
    resolved, *behind = feed.events_after(state, seat.campaign_id, after - 1, FOLLOWS)
    dice = [e.event for e in behind if isinstance(e.event, DieGranted) and e.command_id == resolved.command_id]
    return die_named(state, seat.viewer, dice[0].die) if dice else None


# What is told elsewhere on the page of a result, or is nobody's news.
TOLD_APART = ("invocation", "die", "decision", "test", "seed")


def told_apart(kind: str) -> bool:
    """Whether an event's type is no news under a result. A die that was put on the roll is."""
    return kind != "die.rolled" and kind.partition(".")[0] in TOLD_APART


def followed(state: State, seat: Seat, result: Result) -> list[str]:
    """What changed with a finished test, in the words of the ledger, as far as this seat may know it."""
    at = feed.position_of(seat.campaign_id, result.cursor)
    resolved, *behind = feed.events_after(state, seat.campaign_id, at - 1, FOLLOWS)
    own = {event.position for event in behind if event.command_id == resolved.command_id}
    return [
        entry.view["says"]
        for entry in feed.newer(state, seat.viewer, at, FOLLOWS)
        if entry.position in own and not told_apart(entry.view["type"])
    ]


def others(state: State, seat: Seat, subject: str) -> list[tuple[str, str, str]]:
    """(id, name, kind) of the subjects beside one that this seat sees."""
    every = state.part(Subjects).here().items()
    return [(i, s.name, s.kind) for i, s in every if i != subject and sees_subject(seat, i, s)]
