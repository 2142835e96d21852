"""Pictures: bringing them, saying what they show, showing and hiding them, withdrawing them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from msgspec import Meta

from campaigns.commands.subjects import known, require_player
from campaigns.commands.texts import SENTENCE, cleaned
from campaigns.context import Context
from campaigns.events import ALL, GM_ONLY, HOLDERS, TABLE, Draft
from campaigns.parts import pictures as p
from campaigns.parts.subjects import Subjects
from campaigns.pictures import budget
from campaigns.picturing import make
from campaigns.registry import Command, decides, readies
from campaigns.state import State
from rules.refusal import Refused

MOST = 500
"""pictures that a campaign has at a time"""


class AddPicture(Command):
    """Brings a picture: PNG, JPEG or WebP, kept at a sensible size and without what else its file holds.

    A `portrait` is of a `subject` and brought by its player or a GM; a `map` for the board of an encounter and a
    `handout` by a GM. `alt` says in words what is to be seen. `audience` is who sees it: everybody, watchers too
    (`all`), the `table`, the players of the subjects in `shown_to` (`holders`), or GMs alone (`gm`); left empty, `all`
    for a portrait and `gm` for the rest. A portrait is seen by nobody who may not know of its subject, and by
    GMs and whoever brought it alone once another takes its place.
    """

    data: Annotated[bytes, Meta(description="The picture's file; in JSON as base 64")]
    use: p.Use
    alt: str
    title: str = ""
    subject: str = ""
    audience: Literal["", "all", "table", "holders", "gm"] = ""
    shown_to: tuple[str, ...] = ()


class ShowPicture(Command):
    """Shows a picture to others than before, or to GMs alone again."""

    picture: str
    audience: p.Audience
    shown_to: tuple[str, ...] = ()


class DescribePicture(Command):
    """Calls a picture otherwise (`title`), or says otherwise in words what is to be seen (`alt`); left empty, each
    stays as it is. By a GM, whoever brought it, or the player whose portrait it is."""

    picture: str
    title: str = ""
    alt: str = ""


class WithdrawPicture(Command):
    """Shows a picture to nobody any more. That it was there stays in the campaign's history, and its bytes with it."""

    picture: str


GROUND = "The ground of a fight"


@readies(AddPicture)
def decode(_state: State, command: AddPicture) -> Callable[[], object]:
    """A large picture takes a second to decode, in which the table plays on."""
    return lambda: make(command.data, command.use)


@decides(AddPicture, "picture.add", roles=["gm", "player"], title="Bringing a picture")
def add(state: State, command: AddPicture, context: Context) -> list[Draft]:
    """A new portrait takes the place of the one before."""
    name = _require_use(state, command, context)
    audience = command.audience or (ALL if command.use == p.PORTRAIT else GM_ONLY)
    shown_to = _shown_to(state, command.use, audience, command.shown_to, context)
    untold = (command.title or GROUND) if command.use == p.MAP else ""  # what a map shows, its board says better
    alt = cleaned("alt", command.alt.strip() or untold, SENTENCE)
    title = cleaned("title", command.title or name or alt[:60])
    pictures, made = state.part(p.Pictures), make(command.data, command.use)
    _require_room(pictures, len(made.data))
    event = p.PictureAdded(
        picture=context.new_id(),
        digest=made.digest,
        media_type="image/webp",
        width=made.width,
        height=made.height,
        size=len(made.data),
        use=command.use,
        title=title,
        alt=alt,
        audience=audience,  # type: ignore[arg-type]
        by=context.member,
        subject=command.subject,
        shown_to=shown_to,
    )
    seen_by, holders = _envelope(state, command.subject, audience, shown_to)
    return [Draft(event, audience=seen_by, holders=holders, brings=made.data)]


def _require_use(state: State, command: AddPicture, context: Context) -> str:
    """Refuses what the sender may not bring, and for whom; returns what the picture is of."""
    if command.use == p.PORTRAIT:
        if not command.subject:
            raise Refused("missing", "Say whose portrait this is.", field="subject", right="the id of a subject")
        subject = known(state, command.subject, context)
        require_player(subject, context)
        if command.audience not in ("", ALL):
            context.require(context.is_gm, "not_allowed", "Who sees a portrait is a GM's to say.", right="a GM")
        return subject.name
    context.require(context.is_gm, "not_allowed", "Maps and handouts are a GM's to bring.", right="a GM, or a portrait")
    if command.subject:
        right = "no subject, or the use `portrait`"
        raise Refused("wrong_value", "This is of nobody.", field="subject", value=command.subject, right=right)
    return ""


def _shown_to(state: State, use: str, audience: str, shown_to: tuple[str, ...], context: Context) -> tuple[str, ...]:
    """The subjects whose players are to see a picture; refused where audience and subjects do not fit each other."""
    shown = tuple(dict.fromkeys(shown_to))
    if audience != HOLDERS:
        if shown:
            right = "the audience `holders`, or nobody named"
            raise Refused("wrong_value", "These see it anyway, or not at all.", field="shown_to", right=right)
        return ()
    if use == p.PORTRAIT:
        right = "`all`, `table` or `gm`"
        raise Refused("wrong_value", "A portrait goes with its subject.", field="audience", value=audience, right=right)
    if not shown:
        right = "ids of subjects whose players are to see it"
        raise Refused("missing", "Say to whom this is shown.", field="shown_to", right=right)
    for subject in shown:
        known(state, subject, context, "shown_to")
    return shown


def _require_room(pictures: p.Pictures, size: int) -> None:
    if len(pictures.by_id) >= MOST:
        right = f"at most {MOST} at a time: withdraw some"
        raise Refused("too_many", "The campaign has pictures enough.", field="data", right=right)
    most = budget()
    if pictures.size + size > most:
        # How much of it is used tells of pictures that not everybody sees.
        right = f"at most {most >> 20} MB of all pictures that were ever brought"
        raise Refused("no_room", "The campaign's room for pictures is used up.", field="data", value=size, right=right)


def _envelope_of(state: State, found: p.PictureState) -> tuple[str, tuple[str, ...]]:
    """The same for a picture that is here: whoever brought it alone sees a portrait that was replaced."""
    if found.replaced:
        return f"member:{found.by}", ()
    return _envelope(state, found.subject, found.audience, tuple(found.shown_to))


def _envelope(state: State, subject: str, audience: str, shown_to: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """(audience, holders) of an event about a picture: no more people than may see it."""
    about = state.part(Subjects).by_id.get(subject)
    if about is not None and about.hidden and audience in (ALL, TABLE):
        return HOLDERS, (subject,)
    return audience, shown_to or ((subject,) if subject else ())


@decides(ShowPicture, "picture.show", roles=["gm"], title="Showing a picture")
def show(state: State, command: ShowPicture, context: Context) -> list[Draft]:
    """Where somebody is to see it no longer, those who saw it are told that it was put away."""
    found = _known(state, command.picture)
    if found.replaced:
        right = "the portrait that took its place, or this one brought anew"
        message = "Another portrait took the place of this one."
        raise Refused("replaced", message, field="picture", value=command.picture, right=right)
    shown_to = _shown_to(state, found.use, command.audience, command.shown_to, context)
    if (command.audience, list(shown_to)) == (found.audience, found.shown_to):
        return []
    drafts = []
    if not _is_more(found, command.audience, shown_to):
        hidden = p.PictureHidden(picture=command.picture, title=found.title)
        seen_by, holders = _envelope_of(state, found)
        drafts.append(Draft(hidden, audience=seen_by, holders=holders))
    if command.audience != GM_ONLY:
        about = p.about(command.picture, found)
        shown = p.PictureShown(**about, audience=command.audience, shown_to=shown_to)  # type: ignore[arg-type]
        seen_by, holders = _envelope(state, found.subject, command.audience, shown_to)
        drafts.append(Draft(shown, audience=seen_by, holders=holders))
    return drafts


def _is_more(found: p.PictureState, audience: str, shown_to: tuple[str, ...]) -> bool:
    """Whether everybody who sees a picture still sees it."""
    order = [GM_ONLY, HOLDERS, TABLE, ALL]
    if audience == found.audience == HOLDERS:
        return set(found.shown_to) <= set(shown_to)
    return order.index(audience) > order.index(found.audience)


@decides(DescribePicture, "picture.describe", roles=["gm", "player"], title="Describing a picture")
def describe(state: State, command: DescribePicture, context: Context) -> list[Draft]:
    """Entries of before keep the words of before."""
    found = _own(state, command.picture, context)
    title = cleaned("title", command.title) if command.title else found.title
    alt = cleaned("alt", command.alt, SENTENCE) if command.alt else found.alt
    if (title, alt) == (found.title, found.alt):
        return []
    seen_by, holders = _envelope_of(state, found)
    return [Draft(p.PictureDescribed(picture=command.picture, title=title, alt=alt), audience=seen_by, holders=holders)]


@decides(WithdrawPicture, "picture.withdraw", roles=["gm", "player"], title="Withdrawing a picture")
def withdraw(state: State, command: WithdrawPicture, context: Context) -> list[Draft]:
    """By a GM, whoever brought it, or the player whose portrait it is."""
    found = _own(state, command.picture, context)
    event = p.PictureWithdrawn(picture=command.picture, title=found.title)
    seen_by, holders = _envelope_of(state, found)
    return [Draft(event, audience=seen_by, holders=holders)]


def _known(state: State, picture: str) -> p.PictureState:
    found = state.part(p.Pictures).by_id.get(picture)
    if found is None:
        raise _no_such(picture)
    return found


def _own(state: State, picture: str, context: Context) -> p.PictureState:
    """A picture that is the sender's to describe or withdraw; refused as unknown where it is not."""
    found = _known(state, picture)
    subject = state.part(Subjects).by_id.get(found.subject)
    own = context.member == found.by or (subject is not None and context.member in subject.players)
    if not context.is_gm and not own:
        raise _no_such(picture)
    return found


def _no_such(picture: str) -> Refused:
    """The same answer for what is not there and for what is not the sender's."""
    right = "a picture that you brought, or your character's"
    return Refused("no_such_picture", "There is no such picture for you.", field="picture", value=picture, right=right)
