"""What the rules library says when something is wrong: problems with a place, and refusals at run time.

A `Problem` is one finding in a pack's text. `PackError` carries all of them. `RulesError` and its children are
raised while a test runs; each carries a plain message for people and never a Python internal.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Literal

import msgspec

from rules.refusal import Refused


class Problem(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """One finding. Lines and columns count from 1; 0 means the place is the whole file."""

    file: str
    line: int = 0
    column: int = 0
    level: Literal["error", "warning"] = "error"
    message: str = ""
    suggestion: str = ""

    def __str__(self) -> str:
        hint = f" (did you mean {self.suggestion!r}?)" if self.suggestion else ""
        return f"{self.file}:{self.line}:{self.column}: {self.level}: {self.message}{hint}"


MOST_TOLD = 100
MOST_LETTERS = 80


class PackError(Exception):
    """A pack that does not load, with every problem found; as a text, the first hundred of them. ``last`` stands behind
    them all: that the rest was not looked for."""

    def __init__(self, problems: Iterable[Problem], last: Problem | None = None) -> None:
        self.problems = sorted(problems) + ([last] if last is not None else [])
        told = [str(problem) for problem in self.problems[:MOST_TOLD]]
        if last is not None:
            told.append(f"{last.message}: there may be more")
        elif (more := len(self.problems) - MOST_TOLD) > 0:
            told.append(f"and {more} more")
        super().__init__("\n".join(told))


class RulesError(Refused):
    """Something asked of the rules at run time cannot be done; the message is fit for a person."""

    def __init__(
        self, message: str, *, code: str = "rules", field: str | None = None, right: str | None = None
    ) -> None:
        super().__init__(code, message, field=field, right=right)


class GivenError(RulesError):
    """An input, choice or role that was given does not fit its declaration. `field` is the input's name; `said` says
    it whole, as people read it."""

    def __init__(self, name: str, message: str, suggestion: str = "", said: str = "") -> None:
        super().__init__(said or f"{name}: {message}", code="given", field=name, right=suggestion or None)


class BudgetExceeded(RulesError):  # noqa: N818  (says what happened)
    """A roll, a test or an enumeration would be larger than the limits allow."""


class DiceError(RulesError):
    """A dice source cannot give the face that was asked for."""


MANY_NAMES = 300
"""Among more names than this, only those that begin or end alike are compared: comparing takes long"""


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name closest to `name`, or an empty text when none is close."""
    names = set(known)
    if len(names) > MANY_NAMES:
        names = {one for one in names if one[:2] == name[:2] or one[-2:] == name[-2:]}
    found = difflib.get_close_matches(name[:MOST_LETTERS], sorted(names)[:MANY_NAMES], n=1, cutoff=0.6)
    return found[0] if found else ""
