"""Choices that are given beforehand: which of them nothing in a test asks for."""

from __future__ import annotations

from collections.abc import Iterable

from rules.problems import GivenError, nearest
from rules.tests.program import Program

ANY = "*"
"""the answer to whatever is asked"""


def check_choices(program: Program, choices: Iterable[str]) -> None:
    """GivenError for a choice that no step of the test asks for: a misspelt answer would do nothing, in silence.

    The turns of loops (`2.price`) do not count, nor what only looks (`moves?`). A test whose moments others may answer
    may ask what its own steps do not say; there everything is taken.
    """
    known = {spoken(ask.id) for ask in program.asks}
    if program.answered:
        return
    for name in choices:
        if name != ANY and spoken(name) not in known:
            listed = ", ".join(sorted(known)) or "nothing"
            raise GivenError(name, f"{program.id} asks for {listed}", nearest(spoken(name), known))


def spoken(ask: str) -> str:
    """The id of a choice without the turns of loops."""
    return ".".join(part for part in ask.removesuffix("?").split(".") if not part.isdigit())
