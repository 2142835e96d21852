"""What is wrong inside one section of rules-as-data: where in it, why, and what would be right.

The loader, which knows files and lines, turns each fault into a problem of the pack.
"""

from collections.abc import Iterable

import msgspec

from rules import problems


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One fault. `path` is the dotted path from the top of the section (`ladder.1.count`, places from 0), `right` what
    would be right, if that can be said."""

    path: str
    message: str
    right: str = ""


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name most like `name`; when none is near, all of them if they are few."""
    names = list(known)
    return problems.nearest(name, names) or (", ".join(names) if len(names) <= 12 else "")


def repeated(names: Iterable[str]) -> list[str]:
    """The names that occur more than once, each once."""
    seen: set[str] = set()
    twice: list[str] = []
    for name in names:
        if name in seen and name not in twice:
            twice.append(name)
        seen.add(name)
    return twice
