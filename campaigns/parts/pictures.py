"""Pictures of a campaign: portraits, maps, handouts; what is known of them, and who may see which.

An event holds a picture's digest and what is said of it; the bytes lie beside the stream (:mod:`campaigns.pictures`).
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from campaigns import registry
from campaigns.audience import Viewer, may_see
from campaigns.events import EVERY_FIELD, GM, PLAYER, WATCHER, Data, Event, Names, event_type
from campaigns.parts.subjects import Subjects
from campaigns.state import State

PORTRAIT, MAP, HANDOUT = "portrait", "map", "handout"
Use = Literal["portrait", "map", "handout"]
Audience = Literal["all", "table", "holders", "gm"]
MediaType = Literal["image/webp", "image/png", "image/jpeg"]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Pixels = Annotated[int, Meta(ge=1, le=1 << 15)]
MOST_SIZE = 4 << 20


class PictureState(msgspec.Struct):
    """One picture that was not withdrawn. ``shown_to`` are the subjects whose players see it, where ``audience`` is
    "holders"; ``by`` the member who brought it. A portrait that another took the place of is ``replaced``: GMs
    see it, and whoever brought it."""

    digest: str
    media_type: str
    width: int
    height: int
    size: int
    use: str
    subject: str
    title: str
    alt: str
    audience: str
    shown_to: list[str]
    by: str
    replaced: bool = False


class Pictures(msgspec.Struct):
    """Part of the state: pictures by id, each subject's portrait, and how many bytes were ever brought."""

    by_id: dict[str, PictureState] = {}
    portraits: dict[str, str] = {}
    size: int = 0


part = registry.part("pictures", Pictures)
_SHOWN = ("picture", "digest", "media_type", "width", "height", "size", "use", "subject", "title", "alt")


def _brought(data: Data, names: Names) -> str:
    if data["use"] == PORTRAIT:
        return f"{names(data['subject'])} has a new portrait."
    return f"A picture was brought: {data['title']}."


@event_type(
    "picture.added",
    shows={GM: EVERY_FIELD, PLAYER: (*_SHOWN, "by"), WATCHER: _SHOWN},
    says=_brought,
    stays="A picture is withdrawn, not taken back.",
)
class PictureAdded(Event):
    """Somebody brought a picture. ``digest`` is the SHA-256 (hex) of its bytes, ``size`` how many they are; ``width``
    and ``height`` are pixels, ``alt`` says it in words."""

    picture: str
    digest: Digest
    media_type: MediaType
    width: Pixels
    height: Pixels
    size: Annotated[int, Meta(ge=1, le=MOST_SIZE)]
    use: Use
    title: str
    alt: str
    audience: Audience
    by: str
    subject: str = ""
    shown_to: tuple[str, ...] = ()


@event_type(
    "picture.shown",
    reveals=True,
    shows={GM: EVERY_FIELD, PLAYER: _SHOWN, WATCHER: _SHOWN},
    says=lambda d, names: f"A picture was shown: {d['title']}.",
)
class PictureShown(Event):
    """A picture is for another audience now, which learns of it what there is to know."""

    picture: str
    digest: Digest
    media_type: MediaType
    width: Pixels
    height: Pixels
    size: Annotated[int, Meta(ge=1, le=MOST_SIZE)]
    use: Use
    title: str
    alt: str
    audience: Audience
    subject: str = ""
    shown_to: tuple[str, ...] = ()


@event_type(
    "picture.hidden",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: EVERY_FIELD},
    says=lambda d, names: f"A picture was put away: {d['title']}.",
)
class PictureHidden(Event):
    """A picture is the game master's alone again; told to those who saw it."""

    picture: str
    title: str


@event_type(
    "picture.withdrawn",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: EVERY_FIELD},
    says=lambda d, names: f"A picture was withdrawn: {d['title']}.",
    stays="A picture that was withdrawn is brought anew.",
)
class PictureWithdrawn(Event):
    """A picture is shown to nobody any more. Its bytes stay with the campaign, as the entry that brought it does."""

    picture: str
    title: str


@event_type(
    "picture.described",
    shows={GM: EVERY_FIELD, PLAYER: EVERY_FIELD, WATCHER: EVERY_FIELD},
    says=lambda d, names: f"A picture is called {d['title']} now, and described anew.",
)
class PictureDescribed(Event):
    """A picture is called otherwise, or said otherwise in words; told to those who see it."""

    picture: str
    title: str
    alt: str


@part.evolves(PictureAdded)
def _added(pictures: Pictures, event: PictureAdded, _position: int) -> None:
    known = {name: getattr(event, name) for name in (*_SHOWN[1:], "audience", "by")}
    pictures.by_id[event.picture] = PictureState(**known, shown_to=list(event.shown_to))
    pictures.size += event.size
    if event.use == PORTRAIT:
        before = pictures.by_id.get(pictures.portraits.get(event.subject, ""))
        if before is not None:
            before.replaced = True
        pictures.portraits[event.subject] = event.picture


@part.evolves(PictureShown)
def _shown(pictures: Pictures, event: PictureShown, _position: int) -> None:
    if event.picture in pictures.by_id:
        found = pictures.by_id[event.picture]
        found.audience, found.shown_to = event.audience, list(event.shown_to)


@part.evolves(PictureHidden)
def _hidden(pictures: Pictures, event: PictureHidden, _position: int) -> None:
    if event.picture in pictures.by_id:
        found = pictures.by_id[event.picture]
        found.audience, found.shown_to = "gm", []


@part.evolves(PictureDescribed)
def _described(pictures: Pictures, event: PictureDescribed, _position: int) -> None:
    if event.picture in pictures.by_id:
        found = pictures.by_id[event.picture]
        found.title, found.alt = event.title, event.alt


@part.evolves(PictureWithdrawn)
def _withdrawn(pictures: Pictures, event: PictureWithdrawn, _position: int) -> None:
    gone = pictures.by_id.pop(event.picture, None)
    if gone is not None and pictures.portraits.get(gone.subject) == event.picture:
        del pictures.portraits[gone.subject]


def sees(state: State, viewer: Viewer, picture: str) -> PictureState | None:
    """What this viewer may see of a picture: it whole, or that there is none (None). A portrait is known to nobody who
    may not know of its subject, and once another took its place, to GMs and whoever brought it alone."""
    found = state.part(Pictures).by_id.get(picture)
    if found is None or not may_see(viewer, found.audience, tuple(found.shown_to)):
        return None
    if found.replaced and viewer.role != GM and (not viewer.member or viewer.member != found.by):
        return None
    if found.subject and viewer.role != GM:
        subject = state.part(Subjects).by_id.get(found.subject)
        if subject is None or (subject.hidden and found.subject not in viewer.knows):
            return None
    return found


def seen_pictures(state: State, viewer: Viewer) -> list[tuple[str, PictureState]]:
    """(id, picture) of all that a viewer may see, the newest first."""
    known = state.part(Pictures).by_id.items()
    return [(picture, found) for picture, found in reversed(known) if sees(state, viewer, picture) is not None]


def portrait_of(state: State, viewer: Viewer, subject: str, now: State | None = None) -> str:
    """The id of a subject's portrait, where this viewer may see one; else empty. ``state`` may be one of the past: it
    is seen where it may be ``now``."""
    picture = state.part(Pictures).portraits.get(subject, "")
    return picture if picture and sees(now or state, viewer, picture) is not None else ""


def about(picture: str, found: PictureState) -> dict[str, object]:
    """What an event that shows a picture says of it."""
    return {"picture": picture, **{name: getattr(found, name) for name in _SHOWN[1:]}}
