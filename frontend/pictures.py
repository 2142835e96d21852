"""Pictures as pages show them, and the commands that their forms ask for."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from campaigns.commands.pictures import AddPicture
from campaigns.parts.pictures import MAP, PORTRAIT, PictureState, portrait_of, seen_pictures, sees
from campaigns.parts.subjects import Subjects
from campaigns.picture_uploads import read_upload, require_length
from campaigns.state import State
from frontend.seat import Seat

SHOWN = (("gm", "nobody yet"), ("table", "the table"), ("all", "the table and watchers"), ("holders", "only some"))
ACCEPTED = "image/png,image/jpeg,image/webp"


@dataclass(frozen=True)
class PictureView:
    """A picture on a page: where its bytes are, its size in pixels, who sees it (for game masters) and by what name."""

    id: str
    source: str
    title: str
    alt: str
    width: int
    height: int
    use: str
    audience: str
    shown_to: tuple[str, ...]
    names: tuple[str, ...]


def view_of(state: State, seat: Seat, picture: str, found: PictureState) -> PictureView:
    """A picture that this seat sees."""
    known = state.part(Subjects).by_id
    return PictureView(
        id=picture,
        source=reverse("picture_bytes", args=[seat.campaign_id, picture]),
        title=found.title,
        alt=found.alt,
        width=found.width,
        height=found.height,
        use=found.use,
        audience=found.audience if seat.is_gm else "",
        shown_to=tuple(found.shown_to) if seat.is_gm else (),
        names=tuple(known[one].name for one in found.shown_to if one in known) if seat.is_gm else (),
    )


def shown(state: State, seat: Seat) -> list[PictureView]:
    """Handouts and maps that this seat sees, the newest first; portraits stand with their subjects."""
    seen = seen_pictures(state, seat.viewer)
    return [view_of(state, seat, picture, found) for picture, found in seen if found.use != PORTRAIT]


def maps(state: State, seat: Seat) -> list[PictureView]:
    """The maps that may lie under a board."""
    return [one for one in shown(state, seat) if one.use == MAP]


def portrait(state: State, seat: Seat, subject: str, now: State | None = None) -> PictureView | None:
    """A subject's portrait as this seat may see it; ``state`` may be one of the past."""
    picture = portrait_of(state, seat.viewer, subject, now)
    found = sees(now or state, seat.viewer, picture) if picture else None
    return view_of(state, seat, picture, found) if found is not None else None


def read_form(request: HttpRequest, use: str, subject: str = "") -> AddPicture:
    """The command that an upload's form asks for. Refused where there is no file, or one that is too large."""
    require_length(request.META)
    post = request.POST
    audience, shown_to = audience_of(request)
    return AddPicture(
        data=read_upload(request.FILES.get("file")),
        use=use,  # type: ignore[arg-type]
        alt=post.get("alt", ""),
        title=post.get("title", ""),
        subject=subject,
        audience=audience,  # type: ignore[arg-type]
        shown_to=shown_to,
    )


def audience_of(request: HttpRequest) -> tuple[str, tuple[str, ...]]:
    """Who is to see a picture, as a form says it; empty where it does not ask."""
    audience = request.POST.get("audience", "")
    audience = audience if audience in dict(SHOWN) else ""
    return audience, tuple(request.POST.getlist("shown_to")) if audience == "holders" else ()
