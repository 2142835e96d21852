"""Addresses for whole ledgers: checking one, downloading one, bringing one in."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import IO, Any, cast
from uuid import UUID

import msgspec
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import checks
from campaigns.api.access import Address, now
from campaigns.api.bodies import from_json
from campaigns.api.schema import failures
from campaigns.door import opened
from campaigns.events import GM
from campaigns.transfer.downloads import MEDIA_TYPE, download
from campaigns.transfer.uploads import MOST_BYTES, import_upload
from rules.refusal import Refused


class FindingRead(msgspec.Struct):
    """Something that is not as it was recorded; told to GMs."""

    position: int
    code: str
    says: str


class CheckRead(msgspec.Struct):
    """What a check came to. `dice` were computed anew; `sealed` ones wait until their seed is revealed."""

    sound: bool
    says: str
    dice: int
    sealed: int
    typed: int
    seeds: int
    findings: list[FindingRead]


class CheckView(Address):
    """Checking a ledger."""

    @extend_schema(
        operation_id="check_ledger",
        summary="Check this ledger",
        request=None,
        responses={200: CheckRead, **failures(401, 403, 404, 409, 429)},
    )
    def post(self, request: Request, campaign: UUID) -> Response:
        """Its chain whole, and every die that you may see."""
        with opened(campaign, self.user, now()) as (_, viewer):
            pass
        report = checks.check_ledger(viewer)
        findings = [FindingRead(f.position, f.code, f.says) for f in report.findings] if viewer.role == GM else []
        numbers = (report.dice, report.sealed, report.typed, report.seeds)
        answer = CheckRead(report.sound, checks.said(report, viewer), *numbers, findings)
        return Response(msgspec.to_builtins(answer))


class AskExport(msgspec.Struct, forbid_unknown_fields=True):
    """What you may see, the rest as hashes; or, for its owner, the `whole`, which can be imported."""

    whole: bool = False


class ExportView(Address):
    """Downloading a campaign."""

    @extend_schema(
        operation_id="export_campaign",
        summary="Download this campaign",
        request=AskExport,
        responses={(200, MEDIA_TYPE): OpenApiTypes.BINARY, **failures(400, 401, 403, 404, 409, 413, 415, 429)},
    )
    def post(self, request: Request, campaign: UUID) -> StreamingHttpResponse:
        """One compressed file, which `manage.py verify` checks without this server. A whole export reveals the seeds
        that gave dice."""
        asked = from_json(self.body, AskExport)
        with opened(campaign, self.user, now()):
            pass
        return download(request._request, campaign, self.user, whole=asked.whole)


class RawFile(BaseParser):
    """Leaves a file in a temporary one."""

    media_type = MEDIA_TYPE

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        file = tempfile.NamedTemporaryFile(suffix=".tidebook.gz")  # noqa: SIM115  (the view closes it)
        size = 0
        while chunk := stream.read(1 << 20):
            size += len(chunk)
            if size > MOST_BYTES:
                file.close()
                raise Refused("too_large", "The file is too large.", field="body", right=f"{MOST_BYTES >> 20} MB")
            file.write(chunk)
        file.flush()
        return file


class ImportedRead(msgspec.Struct):
    """A campaign that came in. Its other members take their seats by invitations."""

    campaign: str
    events: int


class ImportView(Address):
    """Bringing a campaign in."""

    parser_classes = (RawFile,)

    @extend_schema(
        operation_id="import_campaign",
        summary="Bring a campaign in",
        request={MEDIA_TYPE: OpenApiTypes.BINARY},
        responses={201: ImportedRead, **failures(400, 401, 403, 413, 415, 429)},
    )
    def post(self, request: Request) -> Response:
        """A whole export of a campaign that is not here yet; its owner's seat is yours. A file that is not as it was
        exported is refused with the place, and nothing is written."""
        if not request.data:
            raise Refused("empty", "Send the file.", field="body", right=f"a whole export, as {MEDIA_TYPE}")
        with cast(IO[bytes], request.data) as file:
            done = import_upload(Path(file.name), self.user)
        return Response(msgspec.to_builtins(ImportedRead(str(done.campaign_id), done.events)), status=201)
