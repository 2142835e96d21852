"""The list of a campaign's pictures, each with the address of its bytes."""

from __future__ import annotations

from typing import Annotated

import msgspec

from campaigns.api.reading import Ask, register_read
from campaigns.events import GM
from campaigns.parts.pictures import PictureState, seen_pictures


class PictureRead(msgspec.Struct, kw_only=True):
    """A picture that one may see. `digest` is the SHA-256 of its bytes, which `file` answers; `alt` says it in words.

    Who else sees it (`audience`, `shown_to`) is told to game masters. A portrait that another took the place of is
    `replaced`: game masters see it, and whoever brought it.
    """

    picture: str
    use: str
    title: str
    alt: str
    subject: str
    width: int
    height: int
    media_type: str
    size: int
    digest: str
    file: Annotated[str, msgspec.Meta(description="Address of the bytes, behind the site's own")]
    replaced: bool
    audience: str | None = None
    shown_to: list[str] | None = None


class PicturesRead(msgspec.Struct):
    """The pictures one may see, the newest first."""

    pictures: list[PictureRead]


def _read(ask: Ask, picture: str, found: PictureState) -> PictureRead:
    said = {name: getattr(found, name) for name in PictureRead.__struct_fields__ if hasattr(found, name)}
    if ask.viewer.role != GM:
        said |= {"audience": None, "shown_to": None}
    address = f"/api/campaigns/{ask.campaign_id}/pictures/{picture}/file"
    return PictureRead(**said, picture=picture, file=address)


@register_read("pictures", title="Pictures", answer=PicturesRead)
def pictures(ask: Ask) -> PicturesRead:
    """Portraits, maps and handouts."""
    return PicturesRead([_read(ask, picture, found) for picture, found in seen_pictures(ask.state, ask.viewer)])
