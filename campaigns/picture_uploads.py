"""Pictures as files of a form: no more is read than a picture may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from campaigns.picturing import KIND, MOST_BYTES
from rules.refusal import Refused

WORDS = 64 << 10
"""bytes of a form beside its file"""


def require_length(meta: Mapping[str, Any]) -> None:
    """Refuses a request, by its headers, that is longer than a picture with its words: before it is read."""
    try:
        length = int(meta.get("CONTENT_LENGTH") or 0)
    except ValueError:
        length = 0
    if length > MOST_BYTES + WORDS:
        raise _too_large("file", length)


def read_upload(file: Any, field: str = "file") -> bytes:
    """The bytes of an uploaded file. Refused where there is none, or where it is too large to be read at all."""
    if file is None:
        raise Refused("missing", "Choose a picture.", field=field, right=KIND)
    if file.size > MOST_BYTES:
        raise _too_large(field, file.size)
    return bytes(file.read())


def _too_large(field: str, value: int) -> Refused:
    right = f"at most {MOST_BYTES >> 20} MB"
    return Refused("too_large", "The picture's file is too large.", field=field, value=value, right=right)
