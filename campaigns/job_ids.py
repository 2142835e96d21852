"""The command ids of jobs: the same for every worker that finds the same thing due, so that it is done once, and none
that a person can send, so that nobody takes a job's id before it."""

from __future__ import annotations

from uuid import UUID, uuid5

from campaigns.parts.voids import Voids
from campaigns.state import State

VERSION = 8  # of UUIDs, "custom" by RFC 9562: people's ids are random ones
_AT = 76


def job_id(campaign_id: UUID, words: str, state: State | None = None) -> UUID:
    """The id of the command for what ``words`` name. With ``state``: another one after every taking back that holds,
    for what a job has to do anew when it was taken back."""
    last = max(state.part(Voids).by.values(), default=0) if state is not None else 0
    plain = uuid5(campaign_id, f"{words} after {last}" if last else words)
    return UUID(int=plain.int & ~(0xF << _AT) | VERSION << _AT)


def is_job_id(command_id: UUID) -> bool:
    """Whether an id is of the kind that jobs alone may send."""
    return (command_id.int >> _AT) & 0xF == VERSION
