"""What waits for somebody's word: proposals of marks, inspirations, claims of waiting dice; as one seat may see it."""

from __future__ import annotations

from dataclasses import dataclass

from campaigns.parts.subjects import Subjects
from campaigns.state import State
from frontend.people import sees_subject
from frontend.seat import Seat
from identity.reads import Waiting, waiting
from identity.reads.marks import Proposal, proposals


@dataclass(frozen=True)
class Words:
    """``proposals`` of marks, and ``waiting``: dice, claims and inspirations."""

    proposals: tuple[Proposal, ...]
    waiting: Waiting

    @property
    def any(self) -> bool:
        """Whether somebody's word is waited for."""
        return bool(self.proposals or self.waiting.claims or self.waiting.inspirations)


def words(state: State, seat: Seat, subject: str = "") -> Words:
    """What waits, of one subject where it is named."""
    found = waiting(state, seat.viewer)
    if subject:
        dice = tuple(die for die in found.dice if die.holder == subject)
        return Words((), Waiting(dice=dice))
    return Words(proposals(state, seat.viewer), found)


def others(state: State, seat: Seat, subject: str) -> list[tuple[str, str, str]]:
    """(id, name, kind) of the subjects beside one that this seat sees."""
    every = state.part(Subjects).by_id.items()
    return [(i, s.name, s.kind) for i, s in every if i != subject and sees_subject(seat, i, s)]
