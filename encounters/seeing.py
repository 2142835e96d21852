"""Whom of an encounter a viewer sees, now or at a moment of the past."""

from __future__ import annotations

from dataclasses import dataclass

from campaigns.audience import Viewer
from campaigns.events import GM
from campaigns.parts.subjects import Subjects
from campaigns.state import State
from encounters.parts.encounters import Encounters


@dataclass(frozen=True)
class Since:
    """What came after a state of the past: the state of ``now``, and the past one as it is ``corrected`` by today."""

    now: State
    corrected: State


def exists(state: State, viewer: Viewer, encounter: str, since: Since | None) -> bool:
    """Whether an encounter exists for the viewer: prepared ones are the GM's, watchers follow what is public."""
    found = state.part(Encounters).open.get(encounter)
    if found is None or viewer.role == GM:
        return found is not None
    known = since is None or exists(since.corrected, viewer, encounter, None)
    return known and found.begun and (found.public or bool(viewer.member))


def sees(state: State, viewer: Viewer, encounter: str, subject: str, since: Since | None) -> bool:
    """Whether the viewer sees somebody there. Of the past: not who is unknown today, or was shown only in error."""
    found = state.part(Encounters).open.get(encounter)
    member = found.fight.members.get(subject) if found is not None else None
    known = state.part(Subjects).by_id.get(subject)
    if member is None or known is None or not member.present:
        return False
    if viewer.role == GM:
        return True
    if since is not None:
        today = since.now.part(Subjects).by_id.get(subject)
        if today is None or (today.hidden and subject not in viewer.plays):
            return False
        if not sees(since.corrected, viewer, encounter, subject, None):
            return False
    return subject in viewer.plays or not (member.hidden or known.hidden)
