"""Rule files that somebody uploads."""

from __future__ import annotations

from django.http import HttpRequest

from campaigns.rule_files import uploaded
from rules.packs.upload import MAX_UPLOAD
from rules.refusal import Refused


def uploaded_files(request: HttpRequest, right: str) -> dict[str, str]:
    """The files of an upload; refused with every problem of it."""
    given = request.FILES.get("files")
    if given is None:
        raise Refused("missing", "Choose a file.", field="files", right=right)
    if (given.size or 0) > MAX_UPLOAD:
        right = f"at most {MAX_UPLOAD} bytes"
        raise Refused("too_large", "This file is too large.", field="files", value=given.size, right=right)
    return uploaded(str(given.name), given.read())
