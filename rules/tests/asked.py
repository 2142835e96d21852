"""Choices that are given beforehand: which of them nothing in a test asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from rules.packs.pack import Pack
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


def check_act_choices(pack: Pack, action: str, choices: Iterable[str]) -> None:
    """GivenError for a choice that nothing in the pack asks for while somebody acts.

    What an action brings about is answered by reactions and cards that are not its own, each of which may ask; so a
    choice is known by its last word (`blow.ana.parry.price` by `price`), wherever in the pack that is asked.
    """
    own = own_asks(pack, action)
    known = _words.get(pack)
    if known is None:
        known = _words[pack] = frozenset(_asked(msgspec.to_builtins(pack.source.sections)))
    for name in choices:
        word = spoken(name).rpartition(".")[2].partition("#")[0]
        if name != ANY and spoken(name) not in own and word not in known:
            near = nearest(spoken(name), own) or nearest(word, known)
            raise GivenError(name, f"{action} asks for {asked_by(pack, action)}, and no answer to it for this", near)


def own_asks(pack: Pack, action: str) -> set[str]:
    """What the steps of an action ask for, without the turns of loops."""
    return {spoken(ask.id) for ask in pack.action(action).program.asks}


def asked_by(pack: Pack, action: str) -> str:
    """The same as words."""
    return ", ".join(sorted(own_asks(pack, action))) or "nothing of its own"


_words: WeakKeyDictionary[Pack, frozenset[str]] = WeakKeyDictionary()


def _asked(plain: Any) -> Iterator[str]:
    """Every word by which steps of a pack ask, anywhere in what it says."""
    if isinstance(plain, dict):
        yield from _named(plain)
        plain = list(plain.values())
    if isinstance(plain, list | tuple):
        for one in plain:
            yield from _asked(one)


def _named(plain: dict[str, Any]) -> Iterator[str]:
    """The words of one step: choices, what dice are turned into, moments and, where somebody may act at once, the act
    with all that it may be given."""
    yield from (plain[word] for word in ("ask", "moment", "into") if isinstance(plain.get(word), str))
    if isinstance(plain.get("act"), str):
        yield "action"
    for holder in ("roles", "inputs"):
        if isinstance(plain.get(holder), dict):
            yield from plain[holder]
