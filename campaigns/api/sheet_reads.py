"""Reads of `campaigns` about sheets: what one may see of them, a character as a file, and characters half made."""

from __future__ import annotations

from typing import Any

import msgspec

from campaigns.api.past_reads import AsOf, state_at
from campaigns.api.reading import Ask, register_read
from campaigns.api.reads import sees_subject
from campaigns.character_files import CharacterFile, export
from campaigns.commands.making import can_be_made, mark_of, standing_of
from campaigns.events import GM, PLAYER
from campaigns.packs import Packs
from campaigns.parts.making import HalfMade, Making
from campaigns.parts.subjects import Subjects
from campaigns.past import require_known
from campaigns.sheet_reading import SheetRead, audience_of, groups_of, sheets_of
from rules.creation import ChoiceStanding
from rules.refusal import Refused

MEMBERS = (GM, PLAYER)


class SheetsRead(msgspec.Struct):
    """A subject's sheets, one a pack."""

    sheets: list[SheetRead]


class WrongRead(msgspec.Struct, kw_only=True):
    """What keeps a character from being finished: at which choice, why, and what would be right."""

    step: str
    choice: str
    reason: str
    message: str
    right: str
    open: bool


class OptionRead(msgspec.Struct, kw_only=True):
    """Something that may be chosen now."""

    id: str
    title: str
    text: str
    says: list[str]


class ChoiceRead(msgspec.Struct, kw_only=True):
    """A choice as it stands. `state`: made, open, waits (for other choices), absent."""

    id: str
    step: str
    title: str
    type: str
    state: str
    value: Any
    mark: str
    least: int | None
    most: int | None
    right: str
    options: list[OptionRead]


class DraftLine(msgspec.Struct, kw_only=True):
    """A character half made: whose, by which pack, of which kind, and how many things are still open or wrong."""

    draft: str
    pack: str
    kind: str
    name: str
    member: str
    subject: str
    left: int


class DraftsRead(msgspec.Struct):
    """The drafts one may see."""

    drafts: list[DraftLine]


class MakerRead(msgspec.Struct, kw_only=True):
    """A kind that a pack makes: its steps in order, and the ids of those who are ready-made, with their names."""

    pack: str
    kind: str
    title: str
    steps: list[str]
    ready: dict[str, str]


class MakersRead(msgspec.Struct):
    """What can be made here."""

    makers: list[MakerRead]


class DraftRead(msgspec.Struct, kw_only=True):
    """A character half made, with every choice and the sheet as it stands. ``name_mark`` is the mark of its name, which
    ``was`` of draft.choose has under ``@name``."""

    draft: DraftLine
    name_mark: str
    choices: list[ChoiceRead]
    wrong: list[WrongRead]
    sheet: list[Any]


def _known(ask: Ask) -> str:
    subject: str = ask.path["subject"]
    found = ask.state.part(Subjects).by_id.get(subject)
    if found is None or not sees_subject(ask.viewer, subject, found):
        raise Refused("not_found", "There is no such subject.", field="subject", value=subject)
    return subject


@register_read(
    "subjects/<str:subject>/sheets", title="A subject's sheets", answer=SheetsRead, query=AsOf, roles=MEMBERS
)
def sheets(ask: Ask) -> SheetsRead:
    """In every pack that has one for its kind; hidden values are not there for those who may not see them. Now, or as
    of then."""
    subject, state = _known(ask), state_at(ask, ask.query)
    require_known(ask.viewer, subject, ask.state, state)
    return SheetsRead(sheets_of(state, ask.viewer, subject))


@register_read("subjects/<str:subject>/file", title="A character as a file", answer=CharacterFile, roles=MEMBERS)
def file(ask: Ask) -> CharacterFile:
    """What `character.import` takes, as far as the asker may know it."""
    subject = _known(ask)
    return export(ask.state, subject, audience_of(ask.viewer, subject))


def drafts_for(ask: Ask) -> dict[str, HalfMade]:
    """The drafts that the asker may see: their own, a GM all."""
    every = ask.state.part(Making).drafts.items()
    own = {i: d for i, d in every if ask.viewer.role == GM or d.member == ask.viewer.member}
    return {i: d for i, d in own.items() if can_be_made(ask.state, d)}


def _line(ask: Ask, draft_id: str, draft: HalfMade) -> DraftLine:
    found = standing_of(ask.state, draft, Packs(ask.state).get(draft.pack))
    return DraftLine(
        draft=draft_id,
        pack=draft.pack,
        kind=draft.kind,
        name=draft.name,
        member=draft.member,
        subject=draft.subject,
        left=len(found.wrong),
    )


@register_read("making", title="What can be made", answer=MakersRead, roles=MEMBERS)
def making(ask: Ask) -> MakersRead:
    """Every kind that a pack of the campaign makes step by step; `draft.begin` begins one."""
    return MakersRead(
        [
            MakerRead(
                pack=pack.id,
                kind=kind,
                title=plan.spec.title or pack.kinds[kind].title,
                steps=[step.spec.title for step in plan.steps],
                ready={name: one.name for name, one in plan.spec.ready.items()},
            )
            for pack in Packs(ask.state).all()
            for kind, plan in pack.creations.items()
        ]
    )


@register_read("drafts", title="Characters half made", answer=DraftsRead, roles=MEMBERS)
def drafts(ask: Ask) -> DraftsRead:
    """One's own; a GM sees everybody's."""
    return DraftsRead([_line(ask, i, d) for i, d in drafts_for(ask).items()])


@register_read("drafts/<str:draft>", title="A character half made", answer=DraftRead, roles=MEMBERS)
def one_draft(ask: Ask) -> DraftRead:
    """What is chosen, what may be chosen, what is wrong, and the numbers as they stand."""
    draft = drafts_for(ask).get(ask.path["draft"])
    if draft is None:
        raise Refused("not_found", "There is no such draft.", field="draft", value=ask.path["draft"])
    pack = Packs(ask.state).get(draft.pack)
    found = standing_of(ask.state, draft, pack)
    steps = {choice.id: step.spec.id for step in pack.creations[draft.kind].steps for choice in step.choices}
    audience = "gm" if ask.viewer.role == GM else "holders"
    return DraftRead(
        draft=_line(ask, ask.path["draft"], draft),
        name_mark=mark_of(draft.name),
        choices=[choice_read(one, steps[name]) for name, one in found.choices.items()],
        wrong=[
            WrongRead(
                step=w.step, choice=w.choice, reason=w.reason, message=w.message, right=w.right, open=w.still_open
            )
            for w in found.wrong
        ],
        sheet=[msgspec.to_builtins(group) for group in groups_of(pack, found.sheet, audience)],
    )


def choice_read(found: ChoiceStanding, step: str) -> ChoiceRead:
    """A choice as the API gives it."""
    spec = found.plan.spec
    return ChoiceRead(
        id=spec.id,
        step=step,
        title=spec.title,
        type=spec.type,
        state=found.state,
        value=found.value,
        mark=mark_of(found.value),
        least=found.least,
        most=found.most,
        right=found.right,
        options=[OptionRead(id=o.id, title=o.title, text=o.text, says=list(o.says)) for o in found.options],
    )
