"""Subjects: making them, naming them, handing them to players, showing hidden ones."""

from __future__ import annotations

from collections.abc import Sequence

from campaigns import registry
from campaigns.commands.seats import seated
from campaigns.commands.texts import SENTENCE, cleaned
from campaigns.context import Context
from campaigns.events import ALL, GM_ONLY, Draft
from campaigns.parts import subjects as s
from campaigns.parts.affiliations import players_for
from campaigns.parts.pictures import Pictures, PictureShown, about
from campaigns.registry import Command, decides, is_made
from campaigns.state import State
from rules.packs import Pack
from rules.refusal import Refused


class CreateSubject(Command):
    """A new character, faction, house or other kind that a pack knows. A player's own character is theirs at once."""

    kind: str
    name: str
    players: tuple[str, ...] = ()
    hidden: bool = False


class RenameSubject(Command):
    """Gives a subject another name."""

    subject: str
    name: str


class HandOverSubject(Command):
    """Gives a subject to other players; none means that the GM plays it."""

    subject: str
    players: tuple[str, ...]


class RevealSubject(Command):
    """Shows a hidden subject to the table."""

    subject: str


class PutAwaySubject(Command):
    """Puts a subject away that was entered by mistake or is gone from the story: it leaves lists, choices and closes,
    and keeps its history. A player may do so with their own before anything was made of it."""

    subject: str
    reason: str = ""


class BringBackSubject(Command):
    """Lets a subject that was put away take part again."""

    subject: str


def known(
    state: State, subject: str, context: Context, field: str = "subject", *, away: bool = False
) -> s.SubjectState:
    """The subject, if it exists for the sender; a hidden one does not exist for players. One that was put away does
    nothing and has nothing done to it, but where the command is about that (``away``)."""
    found = state.part(s.Subjects).by_id.get(subject)
    if found is None or (found.hidden and not context.is_gm and context.member not in found.players):
        raise Refused("no_such_subject", "There is no such subject.", field=field, value=subject)
    if found.away and not away:
        message = f"{found.name} was put away."
        raise Refused("put_away", message, field=field, value=subject, right="bring it back first")
    return found


def require_player(subject: s.SubjectState, context: Context) -> None:
    """Refuses unless the sender plays the subject or is GM."""
    allowed = context.is_gm or context.member in subject.players
    context.require(allowed, "not_yours", f"{subject.name} is not yours to play.", right="its player or a GM")


def require_acting(state: State, subject: str, context: Context, field: str = "subject") -> s.SubjectState:
    """The subject; refused unless the sender acts for it: plays it, or a member of it where nobody does, or is GM."""
    found = known(state, subject, context, field)
    if context.member not in players_for(state, subject):
        require_player(found, context)
    return found


def makeable(packs: Sequence[Pack], *, gm: bool) -> list[str]:
    """The kinds of subjects that somebody may let in, in the order of the packs: a GM all, a player those that a pack
    has made by players."""
    found = dict.fromkeys(kind.id for pack in packs for kind in pack.kinds.values() if gm or kind.made_by == "player")
    return list(found)


def require_makeable(context: Context, kind: str, field: str = "kind") -> str:
    """The kind, if a pack of the campaign knows it and the sender may make one; a campaign without packs may call its
    subjects what it likes."""
    kind, packs = cleaned(field, kind, 40), context.packs.all()
    known_kinds, own = makeable(packs, gm=True), makeable(packs, gm=context.is_gm)
    right = "one of " + ", ".join(own)
    if known_kinds and kind not in known_kinds:
        raise Refused("no_such_kind", "No pack of the campaign knows this kind.", field=field, value=kind, right=right)
    if known_kinds and kind not in own:
        message = "Game masters alone let one of this kind in."
        raise Refused("not_made_by_players", message, field=field, value=kind, right=right)
    return kind


@decides(CreateSubject, "subject.create", roles=["gm", "player"], title="Making a character")
def create(state: State, command: CreateSubject, context: Context) -> list[Draft]:
    """Players make subjects for themselves, GMs for anybody, hidden or not."""
    players = command.players if context.is_gm else (context.member,)
    for player in players:
        seated(state, player, "players")
    hidden = command.hidden and context.is_gm
    subject = context.new_id()
    event = s.SubjectCreated(
        subject=subject,
        kind=require_makeable(context, command.kind),
        name=cleaned("name", command.name),
        players=players,
        hidden=hidden,
    )
    return [Draft(event, audience=GM_ONLY if hidden else ALL, holders=(subject,))]


@decides(RenameSubject, "subject.rename", roles=["gm", "player"], title="Renaming a character")
def rename(state: State, command: RenameSubject, context: Context) -> list[Draft]:
    """By its player or a GM."""
    subject = known(state, command.subject, context)
    require_player(subject, context)
    name = cleaned("name", command.name)
    if name == subject.name:
        return []
    event = s.SubjectRenamed(subject=command.subject, name=name, old_name=subject.name)
    return [Draft(event, audience=GM_ONLY if subject.hidden else ALL, holders=(command.subject,))]


@decides(HandOverSubject, "subject.hand_over", roles=["gm", "player"], title="Handing over a character")
def hand_over(state: State, command: HandOverSubject, context: Context) -> list[Draft]:
    """By its player or a GM, to members of the table."""
    subject = known(state, command.subject, context)
    require_player(subject, context)
    for player in command.players:
        seated(state, player, "players")
    players = tuple(dict.fromkeys(command.players))
    if list(players) == subject.players:
        return []
    event = s.SubjectPlayersChanged(subject=command.subject, players=players)
    return [Draft(event, audience=GM_ONLY if subject.hidden else "table", holders=(command.subject,))]


@decides(RevealSubject, "subject.reveal", roles=["gm"], title="Revealing a subject")
def reveal(state: State, command: RevealSubject, context: Context) -> list[Draft]:
    """Revealing what is open already does nothing. A portrait is shown along with its subject."""
    subject = known(state, command.subject, context)
    if not subject.hidden:
        return []
    event = s.SubjectRevealed(
        subject=command.subject, kind=subject.kind, name=subject.name, players=tuple(subject.players)
    )
    return [Draft(event, audience=ALL, holders=(command.subject,)), *_portrait_shown(state, command.subject)]


def _portrait_shown(state: State, subject: str) -> list[Draft]:
    pictures = state.part(Pictures)
    picture = pictures.portraits.get(subject, "")
    found = pictures.by_id.get(picture)
    if found is None or found.audience == GM_ONLY:
        return []
    event = PictureShown(**about(picture, found), audience=found.audience)  # type: ignore[arg-type]
    return [Draft(event, audience=found.audience, holders=(subject,))]


def may_put_away(state: State, subject: str, *, gm: bool, member: str) -> bool:
    """A GM any subject; its player one of which nothing was made yet."""
    found = state.part(s.Subjects).by_id[subject]
    return gm or (member in found.players and not is_made(state, subject))


def _require_putting(state: State, subject: str, context: Context) -> s.SubjectState:
    found = known(state, subject, context, away=True)
    require_player(found, context)
    allowed = may_put_away(state, subject, gm=context.is_gm, member=context.member)
    message = f"Something was made of {found.name} already."
    context.require(allowed, "gm_only", message, right="a GM")
    return found


@decides(PutAwaySubject, "subject.put_away", roles=["gm", "player"], title="Putting a character away")
def put_away(state: State, command: PutAwaySubject, context: Context) -> list[Draft]:
    """Not while it is in the middle of something: a test that waits, an encounter."""
    subject = _require_putting(state, command.subject, context)
    if subject.away:
        return []
    refused = ("subject", command.subject, "end or withdraw that first")
    registry.require_not_busy(state, command.subject, subject.name, refused, gm=context.is_gm)
    reason = cleaned("reason", command.reason, SENTENCE, empty=True)
    event = s.SubjectPutAway(subject=command.subject, reason=reason)
    return [Draft(event, audience=GM_ONLY if subject.hidden else ALL, holders=(command.subject,))]


@decides(BringBackSubject, "subject.bring_back", roles=["gm", "player"], title="Bringing a character back")
def bring_back(state: State, command: BringBackSubject, context: Context) -> list[Draft]:
    """By whoever may put it away."""
    subject = _require_putting(state, command.subject, context)
    if not subject.away:
        return []
    event = s.SubjectBroughtBack(subject=command.subject)
    return [Draft(event, audience=GM_ONLY if subject.hidden else ALL, holders=(command.subject,))]
