"""Pictures as cameras and programs make them."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import Any

from PIL import Image

from campaigns.commands.pictures import AddPicture
from campaigns.commands.subjects import CreateSubject
from tests.campaigns.tables import Table

GPS, ORIENTATION, MAKE = 0x8825, 0x0112, 0x010F


def photo(
    width: int = 40, height: int = 30, kind: str = "JPEG", colour: tuple[int, ...] = (30, 90, 160), **more: Any
) -> bytes:
    """A picture of one colour, its upper left quarter red."""
    mode = "RGBA" if len(colour) == 4 else "RGB"
    image = Image.new(mode, (width, height), colour)
    image.paste((220, 20, 20), (0, 0, width // 2, height // 2))
    target = BytesIO()
    image.save(target, kind, **more)
    return target.getvalue()


def telling(width: int = 40, height: int = 30) -> bytes:
    """A photo that tells where it was taken, by which camera, and that it lies on its side."""
    exif = Image.Exif()
    exif[MAKE] = "CanaryCamera"
    exif[ORIENTATION] = 6
    exif.get_ifd(GPS).update({1: "N", 2: (54.0, 19.0, 33.0), 3: "E", 4: (10.0, 8.0, 5.0)})
    return photo(width, height, exif=exif)


def bomb(width: int = 30_000, height: int = 30_000) -> bytes:
    """A PNG of a few hundred bytes that says it is huge."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def opened(data: bytes) -> Image.Image:
    """The picture, decoded."""
    image: Image.Image = Image.open(BytesIO(data))
    image.load()
    return image


def portrait(subject: str, data: bytes | None = None, **more: Any) -> AddPicture:
    """The command that gives a subject a portrait."""
    return AddPicture(data=data or photo(), use="portrait", alt="A sailor in blue", subject=subject, **more)


def handout(data: bytes | None = None, use: Any = "handout", **more: Any) -> AddPicture:
    """The command that brings a handout, or a map."""
    return AddPicture(data=data or photo(), use=use, **{"alt": "A torn letter", "title": "The letter", **more})


def hidden(table: Table, name: str = "CanaryFoe") -> str:
    """A subject that nobody but the GM knows of; its id."""
    made: Any = table.send("olga", CreateSubject(kind="character", name=name, hidden=True)).events[0].event
    return str(made.subject)
