"""An instant comes: first what held cards do by themselves, then what ends with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from rules.dice.sources import DiceSource
from rules.fight.order import Instant
from rules.packs.pack import Pack
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Subject
from rules.tests.effects import apply_effects, expiry
from rules.tests.result import Effect
from rules.tests.trace import TraceStep


class Happened(Struct, kw_only=True):
    """Subjects as they stand after it, the effects in order, the faces that were rolled, and what can be read of it."""

    subjects: dict[str, Subject]
    effects: list[Effect]
    faces: list[int]
    trace: list[TraceStep]


def happen(pack: Pack, subjects: Mapping[str, Subject], instant: Instant, dice: DiceSource) -> Happened:
    """Triggers act in the order of the subjects and of what each holds; all of them before anything ends."""
    out = Happened(subjects=dict(subjects), effects=[], faces=[], trace=[])
    for name in subjects:
        out.subjects[name] = triggered(pack, out.subjects[name], instant, dice, out)
    for name, subject in out.subjects.items():
        out.subjects[name] = ended(subject, instant, out)
    return out


def triggered(pack: Pack, subject: Subject, instant: Instant, dice: DiceSource, out: Happened) -> Subject:
    """What a subject's own cards do. A card that an earlier one took away does nothing any more."""
    if subject.kind not in pack.kinds or not pack.triggers:
        return subject
    sheet = Sheet(subject, pack.kinds[subject.kind], pack.settings)
    for held in [thing for thing in sheet.cards if thing.card in pack.triggers]:
        for plan in pack.triggers[held.card]:
            still_held = any(thing.id == held.id for thing in sheet.cards)
            if not still_held or not plan.hears(held, subject.id, instant.at, instant.of):
                continue
            rt = plan.act(sheet, held, dice, pack.settings)
            if rt is not None:
                out.effects += rt.effects
                out.faces += rt.faces
                out.trace += rt.trace or []
    return sheet.subject()


def ended(subject: Subject, instant: Instant, out: Happened) -> Subject:
    """What ends, ends; what must see the instant more often is put back with one time less to go."""
    effects = expiry(subject.id, subject.held, instant.at, instant.of)
    out.effects += effects
    return apply_effects(subject, effects)


def happen_all(pack: Pack, subjects: Mapping[str, Subject], instants: Iterable[Instant], dice: DiceSource) -> Happened:
    """Several instants, one after the other."""
    out = Happened(subjects=dict(subjects), effects=[], faces=[], trace=[])
    for instant in instants:
        found = happen(pack, out.subjects, instant, dice)
        out.subjects = found.subjects
        out.effects += found.effects
        out.faces += found.faces
        out.trace += found.trace
    return out
