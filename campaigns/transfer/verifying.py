"""Checking an exported file, without the server that wrote it."""

from __future__ import annotations

from pathlib import Path

from campaigns.store.checking import Report, check
from campaigns.transfer.lines import WHOLE, File


def verify_file(path: Path) -> Report:
    """Checks chain and dice as far as the file shows them. Raises Refused, with the line, where it cannot be read."""
    file = File(path)
    head = (file.header.position, bytes.fromhex(file.header.digest))
    return check(file.shown, head, whole=file.header.kind == WHOLE)
