"""Whole numbers out of what people type: ASCII digits, few enough for every place that a number goes to."""

from __future__ import annotations

import re

from rules.refusal import Refused

_WRITTEN = re.compile(r"[+-]?[0-9]{1,18}")


def number_or_text(text: str) -> int | str:
    """The number that a text writes, or else the text, for the entrance to refuse by name."""
    return int(text) if _WRITTEN.fullmatch(text.strip()) else text


def number(text: str, field: str, right: str = "a whole number") -> int:
    """The number that a text writes; refused, at its field, where it writes none."""
    found = number_or_text(text)
    if isinstance(found, str):
        raise Refused("wrong_value", "This is no number.", field=field, value=text[:100], right=right)
    return found
