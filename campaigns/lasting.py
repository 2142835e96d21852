"""What lasts until a scene, a session or a period of the calendar ends with it: cards in force whose packs say so.

A card ends at `scene_end` when a scene is closed, at `session_end` when a session is, at `week_end` and so on when the
calendar closes one; a close that is taken back puts its cards into force again.
"""

from __future__ import annotations

from collections.abc import Iterable

from campaigns.context import Context
from campaigns.events import Draft
from campaigns.packs import Packs
from campaigns.parts.containers import SESSION, ContainerClosed, Containers
from campaigns.parts.sheets import Sheets
from campaigns.parts.subjects import Subjects
from campaigns.registry import Closing, closes, closes_container
from campaigns.rolling import as_secret_as_its_card, told_effect
from campaigns.state import State
from rules.sheets.instants import INSTANTS
from rules.tests.effects import expiry


@closes_container
def with_container(state: State, closed: ContainerClosed) -> list[Draft]:
    """With a session all that lasts a session, with a scene what lasts a scene; not for those who are in another scene
    that is still open."""
    opened = state.part(Containers).open
    elsewhere = {
        subject
        for container, one in opened.items()
        if container != closed.container and one.kind == closed.kind and closed.kind != SESSION
        for subject in one.participants
    }
    subjects = [subject for subject in state.part(Subjects).by_id if subject not in elsewhere]
    return _ended(state, subjects, closed.kind, closed.title)


@closes
def with_period(state: State, closing: Closing, _context: Context) -> list[Draft]:
    """With a week, a season, a year."""
    drafts = _ended(state, state.part(Subjects).by_id, closing.rung, closing.rung.capitalize())
    return [
        Draft(d.event, audience=d.audience, holders=d.holders, happened_at=closing.happened_at, cause=closing.position)
        for d in drafts
    ]


def _ended(state: State, subjects: Iterable[str], what: str, reason: str) -> list[Draft]:
    instant = f"{what}_end"
    if instant not in INSTANTS:
        return []
    packs, sheets, drafts = Packs(state), state.part(Sheets).of, []
    played = packs.ids()
    for subject in subjects:
        for pack_id, sheet in sheets.get(subject, {}).items():
            effects = expiry(subject, sheet.held, instant) if sheet.held and pack_id in played else []
            for effect in effects:
                pack = packs.get(pack_id)
                told = told_effect(pack, as_secret_as_its_card(state, pack, effect), reason)
                if told is not None:
                    event, audience, holders = told
                    drafts.append(Draft(event, audience=audience, holders=holders))
    return drafts
