"""Pictures as people send them, made into pictures as they are kept: decoded, brought to a sensible size, written anew.

What is kept is what this program wrote: nothing that lay in the file beside the picture (where it was taken, by which
camera, a hidden comment, a second file behind the first) comes along. What a file is called and says of itself does
not matter; it is what the decoder finds it to be.
"""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from collections import OrderedDict
from io import BytesIO
from threading import BoundedSemaphore, Lock
from typing import NamedTuple

from PIL import Image, ImageOps, UnidentifiedImageError

from rules.refusal import Refused

MOST_BYTES = 8 << 20
"""of a file as it is sent"""
MOST_PIXELS = 25_000_000
"""of a picture as it is sent; decoded, that is what memory it takes"""
MOST_KEPT_BYTES = 4 << 20
"""of a picture as it is kept, here or on the server that it comes from"""
LONGEST = {"portrait": 512, "map": 2048, "handout": 2048}
"""pixels of the longer side as it is kept, by what the picture is for"""
MEDIA_TYPES = {"image/webp": "WEBP", "image/png": "PNG", "image/jpeg": "JPEG"}
FORMATS = tuple(MEDIA_TYPES.values())
KIND = "a PNG, JPEG or WebP picture"
QUALITIES, ENOUGH = (85, 70, 50), 1 << 20
MOST_SCANS, MOST_MARKERS = 32, 20_000
"""of a JPEG: how often it is gone over (a handful, where it comes into view step by step), and parts of it in all. Each
scan costs as much as a whole picture, in a few bytes; within the picture's own data no such marker can stand."""
_SCAN, _MARKER = b"\xff\xda", re.compile(rb"\xff[\xc0-\xcf\xd8-\xfe]")
MOST_AT_ONCE = 3
"""people whose pictures are decoded or wait for it"""
_ROOM = 8
_BROKEN = (OSError, SyntaxError, ValueError, TypeError, EOFError, OverflowError, IndexError, struct.error, zlib.error)


class Made(NamedTuple):
    """A picture as it is kept: its bytes, what they are, width and height in pixels."""

    data: bytes
    media_type: str
    width: int
    height: int

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes (hex)."""
        return digest_of(self.data)


def digest_of(data: bytes) -> str:
    """SHA-256 (hex), by which a picture's bytes are found."""
    return hashlib.sha256(data).hexdigest()


_made: OrderedDict[tuple[str, str], Made] = OrderedDict()
# One picture at a time: what they take together in memory is what one takes.
_decoding, _keeping = Lock(), Lock()
_waiting = BoundedSemaphore(MOST_AT_ONCE)


def make(data: bytes, use: str) -> Made:
    """The picture as it is kept, for a use of :data:`LONGEST`; kept for a while, so that who asks again finds it done.

    Raises Refused where the data is no picture, of another kind, or too large, and where too many wait for theirs.
    """
    key = (digest_of(data), use)
    with _keeping:
        found = _made.get(key)
    if found is None:
        found = _in_turn(data, LONGEST[use])
        with _keeping:
            _made[key] = found
            while len(_made) > _ROOM:
                _made.popitem(last=False)
    return found


def _in_turn(data: bytes, longest: int) -> Made:
    if not _waiting.acquire(blocking=False):
        right = "the same again in a moment"
        raise Refused("busy", "Others' pictures are being read just now.", field="data", right=right)
    try:
        with _decoding:
            return _make(data, longest)
    finally:
        _waiting.release()


def _make(data: bytes, longest: int) -> Made:
    if len(data) > MOST_BYTES:
        right = f"at most {MOST_BYTES >> 20} MB"
        raise Refused("too_large", "The picture's file is too large.", field="data", value=len(data), right=right)
    image = _opened(data)
    try:
        # A JPEG is decoded at half, a quarter ... of its size where that is still enough.
        image.draft(None, (longest, longest))
        image.load()
        image = ImageOps.exif_transpose(image)
        image = image.convert("RGBA" if _see_through(image) else "RGB")
        image.thumbnail((longest, longest), Image.Resampling.LANCZOS)
    except _BROKEN as error:
        raise _broken(error) from None
    return Made(_written(image), "image/webp", image.width, image.height)


def _opened(data: bytes) -> Image.Image:
    """The picture before anything of it is decoded but its kind and size. Refused where these are not right."""
    if data.startswith(b"\xff\xd8") and (data.count(_SCAN) > MOST_SCANS or len(_MARKER.findall(data)) > MOST_MARKERS):
        right = "the picture as a camera or a program for pictures writes it"
        raise Refused("too_many_parts", "The picture's file holds too many parts.", field="data", right=right)
    try:
        image = Image.open(BytesIO(data), formats=FORMATS)
    except UnidentifiedImageError:
        raise Refused("no_picture", "This is no picture that can be read.", field="data", right=KIND) from None
    except Image.DecompressionBombError:
        raise _too_many_pixels(None) from None
    except _BROKEN as error:
        raise _broken(error) from None
    if image.width * image.height > MOST_PIXELS:
        raise _too_many_pixels(image)
    return image


def _too_many_pixels(image: Image.Image | None) -> Refused:
    right = f"at most {MOST_PIXELS // 1_000_000} million pixels, such as 5000 by 5000"
    value = f"{image.width} by {image.height}" if image is not None else None
    return Refused("too_many_pixels", "The picture has too many pixels.", field="data", value=value, right=right)


def _broken(error: BaseException) -> Refused:
    what = str(error).partition("\n")[0][:100] or type(error).__name__
    return Refused("broken_picture", f"The picture is damaged: {what}.", field="data", right=KIND)


def _see_through(image: Image.Image) -> bool:
    return "transparency" in image.info or image.getbands()[-1] in ("A", "a")


def _written(image: Image.Image) -> bytes:
    """As WebP, of the best quality that is not overly long. Nothing is handed to the writer but the pixels."""
    plain = image.copy()
    plain.info = {}
    data = b""
    for quality in QUALITIES:
        target = BytesIO()
        plain.save(target, "WEBP", quality=quality, method=4)
        data = target.getvalue()
        if len(data) <= ENOUGH:
            break
    return data


def require_kept(data: bytes, media_type: str, width: int, height: int) -> None:
    """Refuses bytes that come from elsewhere and are not the picture that is said of them, without decoding it."""
    if len(data) > MOST_KEPT_BYTES:
        right = f"at most {MOST_KEPT_BYTES >> 20} MB"
        raise Refused("too_large", "A picture is too large.", field="data", value=len(data), right=right)
    image = _opened(data)
    if (image.format, image.width, image.height) != (MEDIA_TYPES[media_type], width, height):
        value = f"{image.format} of {image.width} by {image.height}"
        right = f"{media_type} of {width} by {height}"
        raise Refused("other_picture", "A picture is not what is said of it.", field="data", value=value, right=right)
