"""The verbs of a step and what may stand beside each. Loader and JSON Schema both read this table."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from rules.packs.schema import Step

COMMON = frozenset({"when", "text", "seen"})

VERBS: dict[str, frozenset[str]] = {
    "let": frozenset(),
    "roll": frozenset({"dice", "count", "sides", "title", "against"}),
    "keep": frozenset({"highest", "lowest"}),
    "drop": frozenset({"highest", "lowest", "where"}),
    "reroll": frozenset({"where", "die"}),
    "cancel": frozenset({"where", "against"}),
    "adjust": frozenset(
        {"by", "aim", "best", "protect", "protect_most", "per_die", "least", "min", "max", "into", "who", "title"}
    ),
    "ask": frozenset(
        {
            *("who", "options", "card", "flag", "roll_of", "among", "cell", "min", "max"),
            *("where", "otherwise", "title", "first", "beside"),
        }
    ),
    "pick": frozenset({"from"}),
    "call": frozenset({"with", "into"}),
    "do": frozenset({"else"}),
    "repeat": frozenset({"steps", "as"}),
    "each": frozenset({"steps", "as"}),
    "require": frozenset({"reason"}),
    "set": frozenset(),
    "change": frozenset(),
    "insert": frozenset({"values", "value"}),
    "update": frozenset({"of", "where", "values"}),
    "remove": frozenset({"where"}),
    "apply": frozenset({"of", "until", "values", "count", "by"}),
    "end": frozenset({"of", "where"}),
    "happens": frozenset({"of"}),
    "narrate": frozenset(),
    "say": frozenset({"aside"}),
    "outcome": frozenset({"facts"}),
    "moment": frozenset({"with", "into"}),
    "move": frozenset({"how", "to", "toward", "away", "distance", "into"}),
    "place": frozenset({"at", "on", "shape", "size", "toward", "slows", "values", "until", "into"}),
    "lift": frozenset({"where"}),
    "leave": frozenset(),
    "grow": frozenset({"to"}),
    "act": frozenset({"who", "where", "among", "into"}),
}

RENAMED = {"from": "lines", "with": "args", "else": "other", "as": "name"}
"""YAML words that are reserved in Python, and the attribute each is kept under"""


def attribute(word: str) -> str:
    return RENAMED.get(word, word)


WORDS = [*COMMON, *VERBS, *sorted({word for extra in VERBS.values() for word in extra})]
ATTRIBUTES = attrgetter(*map(attribute, WORDS))


def words_of(step: Step) -> list[str]:
    """The fields that a step sets, by their YAML word."""
    return [word for word, value in zip(WORDS, ATTRIBUTES(step), strict=True) if value is not None]


def verb_of(words: Sequence[str]) -> str | None:
    """The one verb among the words of a step; None when it has none or several."""
    found = [word for word in words if word in VERBS]
    return found[0] if len(found) == 1 else None
