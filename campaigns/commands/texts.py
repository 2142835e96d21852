"""Checks of short texts that people type."""

from __future__ import annotations

import unicodedata

from rules.refusal import Refused

NAME, SENTENCE, STORY = 80, 400, 4000


def cleaned(field: str, text: str, longest: int = NAME, *, empty: bool = False) -> str:
    """The text without outer blanks and control characters; refused where it is empty or too long."""
    clean = "".join(c for c in text if c == "\n" or unicodedata.category(c) != "Cc").strip()
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
