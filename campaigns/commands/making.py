"""Making characters by the steps of a pack: beginning, choosing, finishing, giving up; and bringing one as a file."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec
from msgspec.structs import replace

from campaigns.character_files import FORMAT, CharacterFile, SheetFile
from campaigns.commands.seats import seated
from campaigns.commands.subjects import known, require_makeable, require_player
from campaigns.commands.texts import cleaned
from campaigns.context import Context
from campaigns.differing import SEEN_BY, drafts_between
from campaigns.events import ALL, GM_ONLY, HOLDERS, Draft
from campaigns.packs import Packs
from campaigns.parts import making as m
from campaigns.parts import sheets as s
from campaigns.parts.subjects import SubjectCreated, Subjects, SubjectState
from campaigns.parts.table import Table
from campaigns.registry import Command, decides, provided
from campaigns.rolling import subject_of
from campaigns.state import State
from rules.creation import Standing, creation_of, standing
from rules.creation.options import fitted
from rules.packs import Pack
from rules.packs.values import Misfit
from rules.problems import RulesError, nearest
from rules.refusal import Refused
from rules.sheets import Subject
from rules.sheets.seen import own_level
from rules.tests.run import fitted_subject

MOST_DRAFTS = 30


class BeginDraft(Command):
    """Begins to make a character of a kind by a pack's steps; ``ready`` takes the choices of a ready-made one.

    ``subject`` is given where somebody who is there already gets a sheet in this pack too.
    """

    pack: str
    kind: str
    name: str = ""
    ready: str = ""
    subject: str = ""
    choices: dict[str, Any] = {}


class ChooseDraft(Command):
    """Makes choices of a draft, by their ids; null takes one back. ``name`` names the character.

    ``was`` says by their marks (as a read of the draft tells them) from which choices the sender started. What was
    changed since then, on another device, is not overwritten: where the sender changed it too the command is refused,
    and what the sender sends unchanged is left as it stands. Without a mark a choice is made. The name has its
    mark under ``@name``.
    """

    draft: str
    choices: dict[str, Any] = {}
    name: str | None = None
    was: dict[str, str] = {}


class DiscardDraft(Command):
    """Gives a draft up."""

    draft: str


class FinishDraft(Command):
    """Turns a draft that is whole into a character. A GM may say who plays it, and hide it."""

    draft: str
    players: tuple[str, ...] | None = None
    hidden: bool = False


class ImportCharacter(Command):
    """Makes a character from a file, whole or not at all. What play has changed since it was made comes along where a
    GM brings it; a player's starts anew from its choices. ``again``: also where one of that name is here already."""

    character: CharacterFile
    players: tuple[str, ...] | None = None
    hidden: bool = False
    again: bool = False


def known_draft(state: State, draft: str, context: Context) -> m.HalfMade:
    """The draft, if it exists for the sender: its maker's and the game masters'."""
    found = state.part(m.Making).drafts.get(draft)
    if found is None or not (context.is_gm or found.member == context.member):
        raise Refused("no_such_draft", "There is no such draft.", field="draft", value=draft)
    return found


def mark_of(value: Any) -> str:
    """A short mark of one choice as it stands: the same for nothing chosen in whatever form, and in any order."""
    if value in (None, "", [], {}, "none", False):
        return "-"
    if isinstance(value, list | tuple):
        value = sorted(map(str, value))
    return sha256(msgspec.json.encode(value, order="sorted")).hexdigest()[:8]


NAME = "@name"
"""by which ``was`` says from which name the sender started; no choice is called so"""


def _merged(command: ChooseDraft, draft: m.HalfMade) -> dict[str, Any]:
    """What of the sent choices, and of the name, is to be made; refused where one that the sender changes was changed
    meanwhile."""
    made, lost = {}, []
    stand, sent = {**draft.choices, NAME: draft.name}, dict(command.choices)
    if command.name is not None:
        sent[NAME] = cleaned("name", command.name, empty=True)
    for name, value in sent.items():
        now, asked = mark_of(stand.get(name)), mark_of(value)
        filled = command.was.get(name, now)
        if now == filled:
            made[name] = value
        elif asked not in (now, filled):
            lost.append(name)
    if lost:
        message = "This was chosen otherwise on another device meanwhile."
        right = "look at how it stands now, and choose again"
        field = "name" if lost[0] == NAME else f"choices.{lost[0]}"
        raise Refused("changed_meanwhile", message, field=field, value=lost, right=right)
    return made


def _audience(state: State, member: str) -> str:
    seat = state.part(Table).members.get(member)
    return GM_ONLY if seat is None or seat.role == "gm" else f"member:{member}"


def base_of(state: State, draft: m.HalfMade, pack: Pack) -> Subject:
    """What the sheet holds before anything is chosen."""
    if draft.subject in state.part(Subjects).by_id:
        return subject_of(state, draft.subject, pack.id)
    return Subject(id="new", kind=draft.kind, title=draft.name)


def can_be_made(state: State, draft: m.HalfMade) -> bool:
    """Whether the campaign's packs, as they are now, make this kind: house rules may have changed under a draft."""
    packs = Packs(state)
    return draft.pack in packs.ids() and draft.kind in packs.get(draft.pack).creations


def standing_of(state: State, draft: m.HalfMade, pack: Pack) -> Standing:
    """A draft as it stands. Who made which choice was looked at when it was made."""
    return standing(pack, draft.kind, draft.choices, base=base_of(state, draft, pack))


@decides(BeginDraft, "draft.begin", roles=["gm", "player"], title="Beginning a character")
def begin(state: State, command: BeginDraft, context: Context) -> list[Draft]:
    """The draft is kept at once, whatever is still open in it."""
    own = [d for d in state.part(m.Making).drafts.values() if d.member == context.member]
    if len(own) >= MOST_DRAFTS:
        raise Refused("too_many", "Too many characters are half made.", field="draft", right="finish or discard some")
    pack = context.packs.get(command.pack)
    plan = creation_of(pack, command.kind)
    if command.subject:
        _require_new_sheet(state, command, context)
    else:
        require_makeable(context, command.kind)
    choices, name = dict(command.choices), command.name
    if command.ready:
        found = plan.spec.ready.get(command.ready)
        if found is None:
            right = nearest(command.ready, plan.spec.ready) or "one of " + ", ".join(plan.spec.ready)
            raise Refused(
                "no_such_ready", "There is none of this name.", field="ready", value=command.ready, right=right
            )
        choices, name = {**found.choices, **choices}, name or found.name
    blank = m.HalfMade(command.pack, command.kind, context.member, subject=command.subject)
    chosen, _ = _checked(pack, blank, choices, context, trusted=found.choices if command.ready and found else {})
    event = m.DraftBegun(
        draft=context.new_id(),
        pack=pack.id,
        kind=command.kind,
        member=context.member,
        name=cleaned("name", name, empty=True),
        subject=command.subject,
        choices=chosen,
    )
    return [Draft(event, audience=_audience(state, context.member))]


def _require_new_sheet(state: State, command: BeginDraft, context: Context) -> None:
    subject = known(state, command.subject, context)
    require_player(subject, context)
    if subject.kind != command.kind:
        raise Refused("wrong_kind", f"{subject.name} is a {subject.kind}.", field="kind", right=subject.kind)
    if command.pack in state.part(m.Making).made.get(command.subject, {}):
        raise Refused("already_made", f"{subject.name} has been made by this pack.", field="subject")


def _checked(
    pack: Pack, draft: m.HalfMade, given: Mapping[str, Any], context: Context, trusted: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], list[str]]:
    """(choices to keep, choices taken back). Refuses what is no value of its choice, or not the sender's to choose."""
    plans = creation_of(pack, draft.kind).choices
    chosen: dict[str, Any] = {}
    cleared = []
    for name, value in given.items():
        plan, field = plans.get(name), f"choices.{name}"
        if plan is None:
            near = nearest(name, plans) or "one of " + ", ".join(plans)
            raise Refused("unknown_choice", "There is no such choice.", field=field, value=value, right=near)
        own = context.is_gm or plan.spec.by != "gm" or (trusted or {}).get(name) == value
        context.require(own, "gm_only", f"{plan.spec.title}: the game master decides this.", right="a game master")
        if value is None or (value in ("", []) and plan.spec.type != "flag"):
            cleared.append(name)
            continue
        try:
            chosen[name] = fitted(plan, value)
        except Misfit as misfit:
            message, right = f"{plan.spec.title}: {misfit.message}.", misfit.suggestion or None
            raise Refused("wrong_value", message, field=field, value=value, right=right) from None
    return chosen, cleared


@decides(ChooseDraft, "draft.choose", roles=["gm", "player"], title="Choosing for a character")
def choose(state: State, command: ChooseDraft, context: Context) -> list[Draft]:
    """What is not legal (yet) is kept and said; what the other choices leave no place for is taken back."""
    draft = known_draft(state, command.draft, context)
    pack = context.packs.get(draft.pack)
    sent = _merged(command, draft)
    called: str | None = sent.pop(NAME, None)
    chosen, cleared = _checked(pack, draft, sent, context)
    after = {name: value for name, value in {**draft.choices, **chosen}.items() if name not in cleared}
    found = standing_of(state, replace(draft, choices=after), pack)
    lost = [name for name in after if name in found.choices and found.choices[name].state == "absent"]
    chosen = {n: v for n, v in chosen.items() if n not in lost and draft.choices.get(n) != v}
    cleared = [name for name in [*cleared, *lost] if name in draft.choices]
    if not chosen and not cleared and called in (None, draft.name):
        return []
    event = m.DraftChosen(draft=command.draft, choices=chosen, cleared=tuple(cleared), name=called)
    return [Draft(event, audience=_audience(state, draft.member))]


@decides(DiscardDraft, "draft.discard", roles=["gm", "player"], title="Giving a draft up")
def discard(state: State, command: DiscardDraft, context: Context) -> list[Draft]:
    """By its maker or a GM."""
    draft = known_draft(state, command.draft, context)
    return [Draft(m.DraftDiscarded(draft=command.draft, name=draft.name), audience=_audience(state, draft.member))]


@decides(FinishDraft, "draft.finish", roles=["gm", "player"], title="Finishing a character")
def finish(state: State, command: FinishDraft, context: Context) -> list[Draft]:
    """Refused with the first thing that is open or not allowed."""
    draft = known_draft(state, command.draft, context)
    pack = context.packs.get(draft.pack)
    found = standing_of(state, draft, pack)
    if found.wrong:
        raise found.wrong[0].refusal()
    drafts: list[Draft] = []
    if draft.subject:
        subject, subject_id = known(state, draft.subject, context), draft.subject
    else:
        players = command.players if context.is_gm else None
        subject_id, subject, drafts = _new_subject(
            state, context, draft.kind, draft.name, _players(state, draft.member, players), command.hidden
        )
    before = base_of(state, draft, pack)
    return [
        *drafts,
        _finished(command.draft, subject_id, subject, pack, found.made()),
        *made_sheet(state, pack, subject_id, subject, before, found.sheet.subject()),
    ]


def _players(state: State, maker: str, chosen: tuple[str, ...] | None) -> tuple[str, ...]:
    """Who plays it: as the GM says, else whoever made it; a GM's own is played by the GM."""
    if chosen is not None:
        for player in chosen:
            seated(state, player, "players")
        return chosen
    seat = state.part(Table).members.get(maker)
    return (maker,) if seat is not None and seat.role == "player" else ()


def _new_subject(
    state: State, context: Context, kind: str, name: str, players: tuple[str, ...], hidden: bool
) -> tuple[str, SubjectState, list[Draft]]:
    hidden = hidden and context.is_gm
    subject_id = context.new_id()
    name = cleaned("name", name)
    event = SubjectCreated(subject=subject_id, kind=kind, name=name, players=players, hidden=hidden)
    subject = SubjectState(kind, name, list(players), hidden)
    return subject_id, subject, [Draft(event, audience=GM_ONLY if hidden else ALL, holders=(subject_id,))]


def _finished(draft: str, subject_id: str, subject: SubjectState, pack: Pack, choices: dict[str, Any]) -> Draft:
    event = m.DraftFinished(draft=draft, subject=subject_id, pack=pack.id, choices=choices)
    return Draft(event, audience=GM_ONLY if subject.hidden else HOLDERS, holders=(subject_id,))


def made_sheet(
    state: State, pack: Pack, subject_id: str, subject: SubjectState, before: Subject, after: Subject
) -> list[Draft]:
    """The events that put what creation made on the sheet, one for each audience."""
    elsewhere = provided(state, subject_id, pack.id) if subject_id in state.part(Subjects).by_id else {}
    kind = pack.kinds[after.kind]
    values: dict[str, dict[str, Any]] = {"all": {}}
    for stat, value in after.values.items():
        if stat not in elsewhere and value != before.values.get(stat):
            values.setdefault(own_level(kind, stat), {})[stat] = value
    known_cards = {held.id for held in before.held}
    held = tuple(h for h in after.held if h.id not in known_cards)
    title = pack.manifest.title
    return [
        Draft(
            s.SheetMade(
                subject=subject_id, pack=pack.id, title=title, values=found, held=held if seen == "all" else ()
            ),
            audience=GM_ONLY if subject.hidden else SEEN_BY[seen],
            holders=(subject_id,),
        )
        for seen, found in values.items()
    ]


@decides(ImportCharacter, "character.import", roles=["gm", "player"], title="Bringing a character")
def bring(state: State, command: ImportCharacter, context: Context) -> list[Draft]:
    """Every sheet of the file must be legal; the refusal names the first choice that is not."""
    file = command.character
    if file.format != FORMAT:
        message = "This is no file of a character."
        raise Refused("wrong_value", message, field="character.format", value=file.format, right=FORMAT)
    if not file.sheets:
        raise Refused("missing", "The file has no sheet.", field="character.sheets", right="a sheet by a pack's id")
    require_makeable(context, file.kind, "character.kind")
    if not command.again:
        _require_new_name(state, file.name, context)
    players = _players(state, context.member, command.players if context.is_gm else None)
    subject_id, subject, drafts = _new_subject(state, context, file.kind, file.name, players, command.hidden)
    for pack_id, sheet in file.sheets.items():
        drafts += _brought(state, context, subject_id, subject, context.packs.get(pack_id), sheet)
    return drafts


def _require_new_name(state: State, name: str, context: Context) -> None:
    """Refuses a second one of a name that the sender knows here, until they say that they mean it."""
    for one, subject in state.part(Subjects).here().items():
        sees = not subject.hidden or context.is_gm or context.member in subject.players
        if sees and subject.name.casefold() == name.strip().casefold():
            raise Refused(
                "same_name",
                f"{subject.name} is here already; the file would bring a second {subject.name}.",
                field="character.name",
                value=one,
                right="another name in the file, or a second one on purpose (again)",
            )


def _brought(
    state: State, context: Context, subject_id: str, subject: SubjectState, pack: Pack, sheet: SheetFile
) -> list[Draft]:
    """One sheet of a file."""
    field = f"character.sheets.{pack.id}"
    base = Subject(id=subject_id, kind=subject.kind, title=subject.name)
    if subject.kind not in pack.kinds:
        raise Refused("wrong_kind", f"{pack.manifest.title} has no {subject.kind}.", field=field, right="no such sheet")
    drafts: list[Draft] = []
    after = base
    if sheet.choices is not None and subject.kind in pack.creations:
        found = standing(pack, subject.kind, sheet.choices, seat="gm" if context.is_gm else "player", base=base)
        if found.wrong:
            wrong = found.wrong[0]
            where = f"{field}.choices.{wrong.choice}" if wrong.choice else f"{field}.choices"
            raise Refused(wrong.reason, wrong.message, field=where, right=wrong.right or None)
        after = found.sheet.subject()
        drafts.append(_finished("", subject_id, subject, pack, found.made()))
    elif not context.is_gm:
        raise Refused("gm_only", "A sheet without choices is a game master's to bring.", field=field, right="choices")
    drafts += made_sheet(state, pack, subject_id, subject, base, after)
    if context.is_gm and (sheet.values or sheet.held):
        drafts += drafts_between(pack, subject, after, _as_it_stood(pack, after, sheet, field), "as the file has it")
    return drafts


def _as_it_stood(pack: Pack, made: Subject, sheet: SheetFile, field: str) -> Subject:
    """The sheet with what play had made of it. Refused where a value or card does not fit the pack."""
    try:
        held = [held for held in sheet.held if pack.card(held.card)]
        subject = fitted_subject(pack, replace(made, values={**made.values, **sheet.values}, held=held))
    except RulesError as error:
        where = f"{field}.values.{error.field}" if error.field else field
        raise Refused("wrong_value", error.message, field=where, right=error.right) from None
    same = {(held.id, held.card): held for held in made.held}
    return replace(subject, held=[same.get((held.id, held.card), held) for held in subject.held])
