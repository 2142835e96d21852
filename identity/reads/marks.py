"""Proposed marks that wait for the GM's answer."""

from __future__ import annotations

from datetime import datetime

import msgspec

from campaigns.audience import Viewer, name_finder
from campaigns.events import GM
from campaigns.state import State
from identity.parts import marks as m
from identity.parts.pairs import pair_rules
from identity.reads.pairs import in_words


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """A mark that a player proposed on a side (``title``) of a subject; ``when`` it happened, in words."""

    mark: str
    subject: str
    name: str
    title: str
    note: str
    at: datetime
    when: str


def proposals(state: State, viewer: Viewer) -> tuple[Proposal, ...]:
    """All for GMs, those of their own for players; oldest first."""
    kept, names = m.here_of(state), name_finder(state).seen_by(viewer)
    return tuple(
        Proposal(
            mark=mark.id,
            subject=mark.subject,
            name=names(mark.subject),
            title=m.side_title(pair_rules(state), mark.kind, mark.side),
            note=mark.note,
            at=mark.at,
            when=in_words(state, mark.at),
        )
        for mark in sorted(kept.proposals.values(), key=lambda mark: mark.at)
        if viewer.role == GM or mark.subject in viewer.knows
    )
