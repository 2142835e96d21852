"""Checking an exported file, without the server that wrote it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from campaigns.store.checking import Report, Shown, check
from campaigns.transfer.lines import WHOLE, File
from campaigns.transfer.pictures import Heard, check_pictures


def verify_file(path: Path) -> Report:
    """Checks chain, dice and pictures as far as the file shows them. Raises Refused, with the line, where it cannot be
    read."""
    return check_file(File(path))


def check_file(file: File) -> Report:
    """The same of a file that is open."""
    heard = Heard()

    def stream() -> Iterator[Shown]:
        return heard.hear(file.shown())

    head = (file.header.position, bytes.fromhex(file.header.digest))
    report = check(stream, head, whole=file.header.kind == WHOLE)
    check_pictures(file, heard, report)
    return report
