"""What is being pursued, and what is still to be given for it."""

from __future__ import annotations

import datetime as dt
from typing import Any

import msgspec


class Pursuit(msgspec.Struct, kw_only=True):
    """One that is proposed or open; a closed one is no part of the state.

    ``owner`` is a subject, or empty for the party's. ``consents`` holds who said yes (True) or no (False) while it is
    proposed. ``done`` counts the stages done. ``claim`` is what its player says has advanced, waiting for the GM.
    ``given`` are the inputs of its gift; ``since``, ``weeks`` and ``ripe`` (they are over) are for what the calendar
    resolves.
    """

    kind: str
    owner: str
    words: str
    writer: str
    open: bool = False
    shared: bool = False
    consents: dict[str, bool] = {}
    stages: list[str] = []
    done: int = 0
    advances: int = 0
    claim: str = ""
    given: dict[str, Any] = {}
    weeks: int = 0
    since: dt.datetime | None = None
    ripe: bool = False

    @property
    def moves(self) -> int:
        """How often it has moved on."""
        return self.advances + self.done


class Due(msgspec.Struct, kw_only=True):
    """Something that a job is to give to the whole party: for which Pursuit, of which kind, why (its words), with which
    inputs; ``position`` and ``at`` say where and when it was earned."""

    pursuit: str
    kind: str
    reason: str
    position: int
    at: dt.datetime
    given: dict[str, Any] = {}


class PursuitsState(msgspec.Struct, kw_only=True):
    """Pursuits by id; what is due by award id, oldest first. ``session`` counts by kind and owner what was given since
    the last session began."""

    pursuits: dict[str, Pursuit] = {}
    due: dict[str, Due] = {}
    session: dict[str, int] = {}


def award_key(pursuit: str, attempt: int) -> str:
    """The name of an award within its campaign: the Pursuit, and the attempt, which is the place in the stream of what
    it is given for. So what was taken back and done again is another award, and what stands again is the same."""
    return f"{pursuit}:{attempt}"


def session_key(kind: str, owner: str) -> str:
    """Under which name what was given in a session is counted."""
    return f"{kind} {owner}"
