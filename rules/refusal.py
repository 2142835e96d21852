"""The one way in which anything in Tidebook says no to what somebody asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import date, time
from enum import Enum
from typing import Any


class Refused(Exception):  # noqa: N818  (the vocabulary's word; it is an answer, not a fault of the program)
    """A command, value or file that is not accepted, said so that the asker can put it right.

    ``code`` is a stable lower_snake word for machines, ``message`` a sentence for people. ``field`` names the input
    that is wrong, ``value`` what was given there and ``right`` what would have been accepted.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        field: str | None = None,
        value: object = None,
        right: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.value = value
        self.right = right

    @property
    def hint(self) -> str | None:
        """``right`` for people, where the message does not say it already."""
        return None if self.right and self.right.casefold() in self.message.casefold() else self.right

    def __str__(self) -> str:
        parts = [self.message]
        if self.field is not None and self.value is not None:
            parts.append(f"({self.field}: {said(self.value)})")
        if self.right:
            parts.append(f"Right would be: {self.right}.")
        return " ".join(parts)


def plain(value: object) -> Any:
    """A value as JSON has it: dates and times as ISO text, what is no plain value as text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | AbstractSet):
        return [plain(one) for one in (sorted(value, key=str) if isinstance(value, AbstractSet) else value)]
    return str(value)


def said(value: object) -> str:
    """A value in a sentence, as JSON writes it."""
    return json.dumps(plain(value), ensure_ascii=False)
