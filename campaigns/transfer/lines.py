"""The file of an exported campaign: gzip-compressed JSON lines, written and read one line at a time.

The first line is the header, the last the end mark, between them members, what packs enclose, the events in their
order, and the pictures that they speak of, one a line. An event is written as stored (a whole export) or leaf by leaf
(what one member sees, other leaves as hashes). Format 2 brought the pictures; files of format 1 are read as ever.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from campaigns.store import chain
from campaigns.store.chain import Stored
from campaigns.store.checking import Shown, shown
from campaigns.transfer import columns
from rules.refusal import Refused

FORMAT = 2
WHOLE, SEEN = "whole", "seen"
LONGEST_LINE = 64 << 20
# Exports are full of digests, which do not compress: theirs come to a tenth of this. What comes to more is made to.
MOST_TIMES, SMALL = 60, 8 << 20
NO_EVENT = (ValueError, TypeError, IndexError, OverflowError, RecursionError, msgspec.MsgspecError)
_encode = msgspec.json.Encoder().encode


class Header(msgspec.Struct, kw_only=True):
    """What a file says of itself. ``position`` and ``digest`` (hex) are those of its last event."""

    tidebook: int
    kind: str
    campaign: columns.Hex32
    name: str
    exported_at: str
    position: columns.Position
    digest: columns.Hex64
    viewer: str = ""


class Line(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One line behind the header; exactly one of its kinds.

    ``event`` is [position, *stored columns (bytes as hex), digest]. ``leaves`` are, for the event at ``position``,
    [name, salt, value] of a leaf that is shown or [hash] of one left out; ``body`` stands for a body wholly left out.
    ``picture`` is the digest (hex) of a picture's bytes, ``data`` these (base 64).
    """

    event: list[Any] | None = None
    position: int = 0
    digest: str = ""
    leaves: list[list[str]] | None = None
    body: str = ""
    member: dict[str, str] | None = None
    enclosed: str = ""
    item: Any = None
    picture: str = ""
    data: bytes = b""
    end: str = ""


NOTHING = Line()
_header = msgspec.json.Decoder(Header)
_line = msgspec.json.Decoder(Line)


class Writer:
    """Writes lines and, at :meth:`close`, the end mark: the SHA-256 of all lines before it."""

    def __init__(self, target: BinaryIO) -> None:
        # No file name and no time inside: the same export is the same bytes.
        self._gzip = gzip.GzipFile(filename="", fileobj=target, mode="wb", compresslevel=6, mtime=0)
        self._sum = hashlib.sha256()

    def write(self, line: Header | Line) -> None:
        """Writes one line."""
        text = _encode(line) + b"\n"
        self._sum.update(text)
        self._gzip.write(text)

    def close(self) -> None:
        """Writes the end mark and closes the compressed stream (not the target)."""
        self._gzip.write(_encode(Line(end=self._sum.hexdigest())) + b"\n")
        self._gzip.close()


def event_line(position: int, event: Stored, digest: bytes) -> Line:
    """The line of an event with nothing left out."""
    values = [value.hex() if isinstance(value, bytes) else value for value in event]
    return Line(event=[position, *values, digest.hex()])


def stored_of(line: Line) -> tuple[int, Stored, bytes]:
    """(position, event, digest) of such a line. Raises one of NO_EVENT where it is none."""
    assert line.event is not None
    return columns.read(line.event)


def refuse_at(number: int, says: str, right: str = "an export as Tidebook wrote it") -> Refused:
    """The refusal of a file, with the place."""
    return Refused("broken_file", f"Line {number}: {says}", field="file", value=f"line {number}", right=right)


class File:
    """An exported campaign on disk; may be walked any number of times. ``most``: bytes that its lines may come to."""

    def __init__(self, path: Path, *, most: int = 1 << 62) -> None:
        self.path = path
        self.most = min(most, max(SMALL, MOST_TIMES * path.stat().st_size))
        first = next(self._texts(), None)
        if first is None:
            raise refuse_at(1, "the file is empty.")
        self.header = self._header_of(first[1])

    @staticmethod
    def _header_of(text: bytes) -> Header:
        try:
            plain = msgspec.json.decode(text)
            version = plain["tidebook"]
        except (msgspec.MsgspecError, RecursionError, KeyError, TypeError):
            raise refuse_at(1, "this is no exported campaign.") from None
        if not isinstance(version, int) or version > FORMAT:
            raise Refused(
                "newer_file",
                f"Line 1: the file was written by a newer Tidebook (format {version}).",
                field="file",
                value="line 1",
                right=f"a file of format {FORMAT} or older, or a newer Tidebook here",
            )
        try:
            return _header.decode(text)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise refuse_at(1, f"the header is not as it should be: {error}.") from None

    def _texts(self) -> Iterator[tuple[int, bytes]]:
        number = size = 0
        try:
            with gzip.open(self.path, "rb") as source:
                while text := source.readline(LONGEST_LINE + 1):
                    number += 1
                    size += len(text)
                    if len(text) > LONGEST_LINE or size > self.most:
                        raise refuse_at(
                            number, "the line is too long." if size <= self.most else "the file is too long."
                        )
                    if not text.endswith(b"\n"):
                        raise refuse_at(number, "the file ends in the middle of a line.")
                    yield number, text
        except EOFError:
            raise refuse_at(number + 1, "the file ends before its end mark.") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise refuse_at(number + 1, f"the compressed data is damaged ({error}).") from None

    def lines(self) -> Iterator[tuple[int, Line]]:
        """(line number, line) behind the header up to the end mark, whose sum is checked when it is reached."""
        total, ended = hashlib.sha256(), False
        for number, text in self._texts():
            if ended:
                raise refuse_at(number, "something follows the end mark.")
            if number == 1:
                total.update(text)
                continue
            try:
                line = _line.decode(text)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                raise refuse_at(number, f"this is no line of an export: {error}.") from None
            if line.end:
                ended = True
                if line.end != total.hexdigest():
                    raise refuse_at(number, "the lines before the end mark are not those that were written.")
                continue
            if line == NOTHING:
                raise refuse_at(number, "there is nothing in this line.")
            total.update(text)
            yield number, line
        if not ended:
            raise refuse_at(number + 1, "the file ends before its end mark.")

    def shown(self) -> Iterator[Shown]:
        """The events as far as the file shows them, for checking. Its pictures are passed over."""
        for number, line in self.lines():
            if line.event is None and not line.position:
                continue
            try:
                yield shown(*stored_of(line)) if line.event is not None else partly(line)
            except NO_EVENT as error:
                raise refuse_at(number, f"this is no event: {error}.") from None


def partly(line: Line) -> Shown:
    """An event as such a line shows it."""
    digest = bytes.fromhex(line.digest)
    if line.leaves is None:
        return Shown(line.position, digest, bytes.fromhex(line.body), {})
    hashes, leaves = [], {}
    for leaf in line.leaves:
        if len(leaf) == 1:
            hashes.append(bytes.fromhex(leaf[0]))
            continue
        name, salt, value = leaf
        leaves[name] = value.encode()
        hashes.append(chain.leaf_hash(bytes.fromhex(salt), name, leaves[name]))
    return Shown(line.position, digest, chain.body_hash(hashes), leaves)
