"""The verbs of a step and what may stand beside each. Loader and JSON Schema both read this table."""

from __future__ import annotations

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
        {"who", "options", "card", "flag", "roll_of", "among", "cell", "min", "max", "where", "otherwise", "title"}
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


ATTRIBUTES = [
    (word, attribute(word)) for word in [*COMMON, *VERBS, *sorted({word for extra in VERBS.values() for word in extra})]
]


def words_of(step: Step) -> list[str]:
    """The fields that a step sets, by their YAML word."""
    return [word for word, name in ATTRIBUTES if getattr(step, name) is not None]


def verb_of(step: Step) -> str | None:
    """The one verb of a step; None when it has none or several."""
    found = [verb for verb in VERBS if getattr(step, attribute(verb)) is not None]
    return found[0] if len(found) == 1 else None
