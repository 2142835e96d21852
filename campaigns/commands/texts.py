"""Checks of short texts that people type."""

from __future__ import annotations

import unicodedata

from rules.refusal import Refused

NAME, SENTENCE, STORY = 80, 400, 4000

JOINERS = "\u200c\u200d"
"""they shape letters and pictures beside them"""
FILLERS = "\u115f\u1160\u2800\u3164\uffa0"
"""letters and symbols without a shape"""


def is_unseen(sign: str) -> bool:
    """Whether a sign shows nothing by itself and is no line break."""
    return sign != "\n" and sign not in JOINERS and unicodedata.category(sign) in ("Cc", "Cf")


def as_read(text: str) -> str:
    """What two texts share that look alike but for their case, width and blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def cleaned(field: str, text: str, longest: int = NAME, *, empty: bool = False) -> str:
    """The text without outer blanks, control characters and signs that nobody sees or that turn its direction; refused
    where nothing that can be seen is left, or where it is too long."""
    clean = "".join(c for c in text if not is_unseen(c)).strip()
    if not any(unicodedata.category(c)[0] in "LNPS" and c not in FILLERS for c in clean):
        clean = ""
    if not clean and not empty:
        raise Refused("empty", "This must not be empty.", field=field, value=text, right=f"1 to {longest} characters")
    if len(clean) > longest:
        raise Refused(
            "too_long",
            f"This is {len(clean)} characters long.",
            field=field,
            value=clean[:40] + "...",
            right=f"at most {longest} characters",
        )
    return clean
