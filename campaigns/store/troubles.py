"""What a database's complaint means for a command: worth another try, a full disk, or neither."""

from __future__ import annotations

from django.db import OperationalError

from rules.refusal import Refused

# Serialization failure, deadlock; the server went away or was stopped.
_AGAIN = ("40001", "40P01", "57P01", "57P02", "57P03")
_FULL = ("53100", "53200")


def _sqlstate(error: OperationalError) -> str:
    return getattr(error.__cause__, "sqlstate", None) or ""


def worth_another_try(error: OperationalError) -> bool:
    """Whether the same command may succeed if it is sent again at once; sending it twice does no harm."""
    state, text = _sqlstate(error), str(error)
    lost = "connection" in text and ("lost" in text or "closed" in text)
    return state in _AGAIN or state.startswith("08") or lost or "database is locked" in text


def refuse_if_full(error: OperationalError) -> None:
    """Refuses, in words for people, where the server's disk is full; nothing was recorded then."""
    if _sqlstate(error) in _FULL or "disk is full" in str(error):
        raise Refused(
            "storage_full",
            "The server's disk is full, so nothing was recorded.",
            right="free space on the disk, then send it again",
        ) from error
