"""The one way in which anything in Tidebook says no to what somebody asked for."""

from __future__ import annotations


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

    def __str__(self) -> str:
        parts = [self.message]
        if self.field is not None and self.value is not None:
            parts.append(f"({self.field}: {self.value!r})")
        if self.right:
            parts.append(f"Right would be: {self.right}.")
        return " ".join(parts)
