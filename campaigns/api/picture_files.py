"""Addresses of pictures as files: bringing one as a form with a file, fetching the bytes of one."""

from __future__ import annotations

from typing import IO, Any, cast
from uuid import UUID

import msgspec
from django.http import HttpResponse, QueryDict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.authentication import SessionAuthentication
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import registry
from campaigns.api.access import Address, LinkAuthentication, MayRead, TokenAuthentication, now
from campaigns.api.bodies import refusal_of, require_storable
from campaigns.api.schema import KEY_HEADER, failures
from campaigns.api.sending import Sent, idempotency_key, send_command
from campaigns.commands.pictures import AddPicture
from campaigns.door import opened
from campaigns.picture_files import answer, visible
from campaigns.picture_uploads import read_upload, require_length
from campaigns.picturing import KIND, MOST_BYTES

TEXTS = ("use", "alt", "title", "subject", "audience")
PICTURE_TYPES = "image/webp"
FORM = {
    "type": "object",
    "properties": {
        "file": {"type": "string", "format": "binary", "description": f"{KIND}, at most {MOST_BYTES >> 20} MB"},
        "use": {"type": "string", "enum": ["portrait", "map", "handout"]},
        "alt": {"type": "string", "description": "What is to be seen, in words"},
        "title": {"type": "string"},
        "subject": {"type": "string", "description": "Whose portrait it is"},
        "audience": {"type": "string", "enum": ["", "all", "table", "holders", "gm"]},
        "shown_to": {"type": "array", "items": {"type": "string"}, "description": "Subjects whose players see it"},
    },
    "required": ["file", "use", "alt"],
}


class BoundedForm(MultiPartParser):
    """A form of a browser that says how long it is, and is not longer than a picture and its words may be."""

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        require_length(parser_context["request"].META)
        return super().parse(stream, media_type, parser_context)


class UploadView(Address):
    """Bringing a picture as a file."""

    parser_classes = (BoundedForm,)

    @extend_schema(
        operation_id="upload_picture",
        summary="Bring a picture as a file",
        tags=["commands"],
        parameters=[KEY_HEADER],
        request={"multipart/form-data": FORM},
        responses={200: Sent, **failures(400, 401, 403, 404, 409, 413, 415, 429)},
    )
    def post(self, request: Request, campaign: UUID) -> Response:
        """The command `picture.add` as a form of a browser sends it; the same rights, refusals and answer."""
        user, command_id = self.user, idempotency_key(request)
        kind = registry.commands_by_body[AddPicture]

        def read() -> AddPicture:
            return form_of(request)

        return Response(msgspec.to_builtins(send_command(campaign, kind, user, command_id, read)))


def form_of(request: Request) -> AddPicture:
    """The command that a form with a file asks for."""
    form = cast("QueryDict", request.data)
    texts = {name: str(form[name]) for name in TEXTS if name in form}
    plain = {**texts, "shown_to": form.getlist("shown_to")}
    try:
        command = msgspec.convert({**plain, "data": b""}, AddPicture)
    except msgspec.ValidationError as error:
        raise refusal_of(error, AddPicture, plain) from None
    require_storable(command)
    command.data = read_upload(request.FILES.get("file"))
    return command


class PictureFileView(Address):
    """Fetching a picture."""

    authentication_classes = (TokenAuthentication, LinkAuthentication, SessionAuthentication)
    permission_classes = (MayRead,)

    @extend_schema(
        operation_id="picture_file",
        summary="The bytes of a picture",
        tags=["reads"],
        responses={(200, PICTURE_TYPES): OpenApiTypes.BINARY, **failures(401, 404, 429)},
    )
    def get(self, request: Request, campaign: UUID, picture: str) -> HttpResponse:
        """For those who may see it. The answer's ETag is its digest; ask with If-None-Match for what you have."""
        with opened(campaign, self.who, now()) as (state, viewer):
            found = visible(state, viewer, picture)
        return answer(request._request, campaign, found)
