"""A picture's bytes as an answer: for those who may see it now, asked each time, and harmless wherever it is opened."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.http import parse_etags

from campaigns.audience import Viewer
from campaigns.parts.pictures import PictureState, sees
from campaigns.pictures import data_of
from campaigns.state import State
from rules.refusal import Refused


def visible(state: State, viewer: Viewer, picture: str) -> PictureState:
    """The picture, if it exists for the viewer; else refused, in the same words whatever the reason."""
    found = sees(state, viewer, picture)
    if found is None:
        raise Refused("not_found", "There is no such picture.", field="picture", value=picture)
    return found


def answer(request: HttpRequest, campaign_id: UUID, found: PictureState) -> HttpResponse:
    """The bytes; 304 where the asker has them. A browser may keep them, and asks before it shows them again, so that
    whoever may see a picture no longer sees it no longer."""
    etag = f'"{found.digest}"'
    given = parse_etags(request.headers.get("If-None-Match", ""))
    if etag in given or f"W/{etag}" in given:
        response: HttpResponse = HttpResponseNotModified()
    else:
        data = data_of(campaign_id, found.digest)
        if data is None:
            raise Refused("not_found", "The bytes of this picture are missing here.", field="picture")
        response = HttpResponse(data, content_type=found.media_type)
        response.headers["Content-Disposition"] = f'inline; filename="{found.digest[:12]}"'
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = "private, no-cache"
    response.headers["Vary"] = "Cookie, Authorization"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    return response
