"""What changed rules would do to each subject of a campaign: shown before, and done as events. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from campaigns.events import HOLDERS, Draft
from campaigns.parts.packs import SheetCarried
from campaigns.parts.sheets import Sheets
from campaigns.parts.subjects import Subjects
from campaigns.rolling import subject_of
from campaigns.state import State
from rules.packs import Pack
from rules.sheets.upgrade import Upgrade, upgrade


@dataclass(frozen=True)
class SubjectPreview:
    """One subject under changed rules: what it loses and which of its numbers read differently."""

    subject: str
    name: str
    upgrade: Upgrade


def preview(state: State, old: Pack, new: Pack) -> list[SubjectPreview]:
    """Every subject that would notice, by name."""
    found = []
    for subject_id, subject in state.part(Subjects).by_id.items():
        if subject.kind in old.kinds:
            after = upgrade(old, new, subject_of(state, subject_id, old.id))
            if after.lost or after.reads:
                found.append(SubjectPreview(subject_id, subject.name, after))
    return sorted(found, key=lambda line: line.name)


def carried(state: State, old: Pack, new: Pack) -> list[Draft]:
    """The events that carry the kept sheets over to the new rules; none for a sheet that stays as it is."""
    drafts = []
    for subject_id, sheets in state.part(Sheets).of.items():
        sheet, subject = sheets.get(old.id), state.part(Subjects).by_id.get(subject_id)
        if sheet is None or subject is None or subject.kind not in old.kinds:
            continue
        after = upgrade(old, new, subject_of(state, subject_id, old.id))
        values = {
            name: value
            for name, value in after.subject.values.items()
            if name in sheet.values or name not in old_names(old, subject.kind)
        }
        if values == sheet.values and after.subject.held == sheet.held:
            continue
        event = SheetCarried(
            subject=subject_id,
            pack=new.id,
            values=values,
            held=tuple(after.subject.held),
            lost=tuple(f"{lost.name}: {lost.why}" for lost in after.lost),
        )
        drafts.append(Draft(event, audience=HOLDERS, holders=(subject_id,)))
    return drafts


def old_names(old: Pack, kind: str) -> frozenset[str]:
    """Names of the stats that a kind has under the old rules; others in a carried sheet are renamed ones."""
    return frozenset(old.kinds[kind].stats)
