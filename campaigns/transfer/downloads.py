"""A campaign as a file to download: written to a temporary file first, so that a failure sends nothing half."""

from __future__ import annotations

import re
import tempfile
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import BinaryIO
from uuid import UUID

from asgiref.sync import sync_to_async
from django.core.cache import cache
from django.core.handlers.asgi import ASGIRequest
from django.http import FileResponse, HttpRequest, StreamingHttpResponse

from campaigns.context import Actor
from campaigns.transfer.exporting import export_seen, export_whole
from campaigns.transfer.lines import Header
from rules.refusal import Refused

MEDIA_TYPE = "application/gzip"
CHUNK = 256 << 10
LONGEST = 15 * 60


def download(request: HttpRequest, campaign_id: UUID, user: int, *, whole: bool) -> StreamingHttpResponse:
    """The answer that carries the file. Refused to those who may not have it, and while one is being written for them
    already."""
    writing = f"exporting:{campaign_id.hex}:{user}"
    if not cache.add(writing, 1, LONGEST):
        raise Refused("being_written", "Your file is being written already.", right="a moment's patience")
    file = tempfile.TemporaryFile()  # noqa: SIM115  (the answer closes it)
    try:
        header = export_whole(campaign_id, file, Actor(user=user)) if whole else export_seen(campaign_id, file, user)
    except BaseException:
        file.close()
        raise
    finally:
        cache.delete(writing)
    size = file.tell()
    file.seek(0)
    return _answer(request, file, name_of(header), size)


def name_of(header: Header) -> str:
    """What the file is called: the campaign, whether whole, the day."""
    words = re.sub(r"[^a-z0-9]+", "-", header.name.lower()).strip("-")[:40] or "campaign"
    return f"{words}-{header.kind}-{datetime.now(UTC):%Y-%m-%d}.tidebook.gz"


def _answer(request: HttpRequest, file: BinaryIO, name: str, size: int) -> StreamingHttpResponse:
    answer: StreamingHttpResponse
    if isinstance(request, ASGIRequest):
        # Under ASGI an iterator that waits would be read whole into memory.
        answer = StreamingHttpResponse(_chunks(file), content_type=MEDIA_TYPE)
        answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    else:
        answer = FileResponse(file, as_attachment=True, filename=name, content_type=MEDIA_TYPE)
    answer.headers["Content-Length"] = str(size)
    answer.headers["Cache-Control"] = "no-store"
    return answer


async def _chunks(file: BinaryIO) -> AsyncIterator[bytes]:
    try:
        while chunk := await sync_to_async(file.read)(CHUNK):
            yield chunk
    finally:
        file.close()
