"""Fitting a value to its declaration: settings, fields of cards, inputs, stats, parameters all pass through here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rules.formulas.calls import MODIFIERS
from rules.formulas.types import CELL, Bool, Int, List, Map, Record, Role, Text, Type
from rules.packs.schema import Spec
from rules.problems import nearest

NONE = "none"
OPTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}\Z")
MAX_ITEMS = 200
MAX_TEXT = 10_000


class Misfit(Exception):  # noqa: N818  (a finding, caught and placed)
    """A value that does not fit; `message` is for people."""

    def __init__(self, message: str, suggestion: str = "") -> None:
        self.message, self.suggestion = message, suggestion
        super().__init__(message)


class Vocabulary:
    """What specs may refer to: card ids by type, and the stats of kinds (filled in while a pack is built)."""

    def __init__(self) -> None:
        self.cards: dict[str, Sequence[str]] = {}
        self.kinds: dict[str, dict[str, Type]] = {}
        self.used: set[str] = set()
        """card types that some value, choice or stat is of"""
        self._types: dict[tuple[str, bool], Text] = {}

    def card_type(self, name: str, optional: bool = False) -> Text:
        """The type `a card of this type`, shared so that its set of ids exists once."""
        self.used.add(name)
        if (name, optional) not in self._types:
            ids = frozenset(self.cards[name]) | ({NONE} if optional else frozenset())
            self._types[name, optional] = Text(ids, name)
        return self._types[name, optional]


def type_of(spec: Spec, words: Vocabulary) -> Type:
    """The formula type of a declared value. Misfit when it refers to something unknown."""
    inner = plain_type(spec, words)
    if spec.each is None:
        return inner
    known(spec.each, words.cards, "card type")
    return Map(words.card_type(spec.each), inner)


COMPANIONS: dict[str, frozenset[str]] = {
    "int": frozenset({"min", "max"}),
    "name": frozenset({"options", "optional"}),
    "card": frozenset({"card", "optional"}),
    "list": frozenset({"of"}),
    "record": frozenset({"fields"}),
    "subject": frozenset({"kinds"}),
}
"""what may stand beside a type"""


def check_companions(spec: Spec) -> None:
    """Misfit where something stands beside a type that does not go with it, or says that nothing fits."""
    allowed = COMPANIONS.get(spec.type, frozenset())
    for word in ("min", "max", "options", "card", "optional", "of", "fields", "kinds"):
        if word not in allowed and getattr(spec, word) not in (None, False, {}, []):
            raise Misfit(f"`{word}` does not go with `type: {spec.type}`")
    if spec.min is not None and spec.max is not None and spec.min > spec.max:
        raise Misfit(f"no number is at least {spec.min} and at most {spec.max}")
    options = spec.options or ()
    if len(set(options)) != len(options):
        raise Misfit("an option stands twice")
    for option in options:
        if not OPTION.match(option):
            raise Misfit(f"{option!r} is no option: a word of letters, digits, _ and -")
    if spec.optional and NONE in options:
        raise Misfit(f"`optional` adds {NONE!r}: it cannot be an option too")


def plain_type(spec: Spec, words: Vocabulary) -> Type:
    check_companions(spec)
    simple: dict[str, Type] = {
        "int": Int(spec.min, spec.max),
        "flag": Bool(),
        "text": Text(),
        "modifiers": List(MODIFIERS),
        "place": CELL,
    }
    if spec.type in simple:
        return simple[spec.type]
    match spec.type:
        case "name":
            return Text(frozenset(options_of(spec)))
        case "card":
            if spec.card is None:
                raise Misfit("`type: card` needs `card:` with a card type")
            known(spec.card, words.cards, "card type")
            return words.card_type(spec.card, spec.optional)
        case "list":
            if spec.of is None:
                raise Misfit("`type: list` needs `of:`")
            return List(type_of(spec.of, words))
        case "record":
            return Record("record", {name: type_of(inner, words) for name, inner in spec.fields.items()})
    return role_type(spec.kinds, words)


def options_of(spec: Spec) -> list[str]:
    if not spec.options:
        raise Misfit("`type: name` needs `options:`")
    return [*spec.options, NONE] if spec.optional else list(spec.options)


def role_type(kinds: Sequence[str], words: Vocabulary) -> Role:
    """A subject of one of the kinds: what all of them have can be read."""
    if not kinds:
        raise Misfit("a subject needs `kinds:`")
    for kind in kinds:
        known(kind, words.kinds, "kind of subject")
    shared = dict(words.kinds[kinds[0]])
    for kind in kinds[1:]:
        shared = {name: of for name, of in shared.items() if name in words.kinds[kind]}
    own = {"kind": Text(frozenset(kinds)), "title": Text(), "mine": Bool(), "id": Text()}
    return Role(frozenset(kinds), {**shared, **own})


def known(name: str, names: Mapping[str, Any] | Sequence[str], what: str) -> None:
    if name not in names:
        raise Misfit(f"no {what} is called {name!r}", nearest(name, names))


def fit(spec: Spec, value: Any, words: Vocabulary) -> Any:
    """The value as it is used, or Misfit."""
    if spec.each is not None:
        if not isinstance(value, Mapping):
            raise Misfit(f"a value for each {spec.each} is wanted")
        ids = words.cards[spec.each]
        for key in value:
            known(key, ids, spec.each)
        return {key: fit_plain(spec, item, words) for key, item in value.items()}
    return fit_plain(spec, value, words)


def fit_plain(spec: Spec, value: Any, words: Vocabulary) -> Any:
    match spec.type:
        case "int":
            return fit_int(spec, value)
        case "flag":
            if not isinstance(value, bool):
                raise Misfit("true or false is wanted")
            return value
        case "text":
            if not isinstance(value, str) or len(value) > MAX_TEXT:
                raise Misfit("a text is wanted")
            return value
        case "name":
            return fit_name(options_of(spec), value, "name")
        case "card":
            assert spec.card is not None
            names = [*words.cards[spec.card], NONE] if spec.optional else words.cards[spec.card]
            return fit_name(names, value, spec.card)
    return fit_compound(spec, value, words)


def fit_int(spec: Spec, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Misfit("a whole number is wanted")
    if spec.min is not None and value < spec.min:
        raise Misfit(f"{value} is below the lowest value, {spec.min}")
    if spec.max is not None and value > spec.max:
        raise Misfit(f"{value} is above the highest value, {spec.max}")
    if abs(value) > 10**12:
        raise Misfit("the number is too large")
    return value


def fit_name(names: Sequence[str], value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise Misfit(f"a {what} is wanted")
    known(value, names, what)
    return value


def fit_compound(spec: Spec, value: Any, words: Vocabulary) -> Any:
    match spec.type:
        case "list":
            assert spec.of is not None
            inner = spec.of
            return [fit_entry(at, inner, item, words) for at, item in enumerate(sized(value), 1)]
        case "record":
            return fit_record(spec.fields, value, words)
        case "modifiers":
            return [fit_entry(at, MODIFIER_RECORD, item, words) for at, item in enumerate(sized(value), 1)]
        case "place":
            return fit_place(value)
    raise Misfit("a subject is not a plain value")


def fit_place(value: Any) -> dict[str, Any]:
    """A square {x, y}, or the id of a subject: where that one stands."""
    if isinstance(value, str) and value:
        return {"x": 0, "y": 0, "where": value}
    if not isinstance(value, Mapping) or not {"x", "y"} <= value.keys() <= {"x", "y", "where"}:
        raise Misfit("a place is wanted: x and y, or the id of a subject")
    for name in ("x", "y"):
        fit_int(Spec(min=-10_000, max=10_000), value[name])
    return dict(value)


MODIFIER_SPEC = {
    "type": Spec(type="text", default=""),
    "value": Spec(type="int"),
    "source": Spec(type="text", default=""),
}


MODIFIER_RECORD = Spec(type="record", fields=MODIFIER_SPEC)


def fit_entry(at: int, spec: Spec, item: Any, words: Vocabulary) -> Any:
    """One entry of a list; what is wrong with it is told with its number and its field."""
    try:
        return fit(spec, item, words)
    except Misfit as exc:
        raise Misfit(f"entry {at}: {exc.message}", exc.suggestion) from None


def sized(value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise Misfit("a list is wanted")
    if len(value) > MAX_ITEMS:
        raise Misfit(f"more than {MAX_ITEMS} items")
    return list(value)


def fit_record(fields: Mapping[str, Spec], value: Any, words: Vocabulary) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise Misfit("fields with values are wanted")
    for name in value:
        known(name, fields, "field")
    out: dict[str, Any] = {}
    for name, inner in fields.items():
        if name in value:
            out[name] = fit(inner, value[name], words)
        elif inner.default is not None or inner.optional:
            out[name] = default_of(inner)
        else:
            raise Misfit(f"the field {name!r} is missing")
    return out


EMPTY: dict[str, Any] = {"int": 0, "flag": False, "text": "", "list": [], "modifiers": [], "record": {}}


def default_of(spec: Spec) -> Any:
    """The declared default, or the plain zero of the type; None when there is none (a choice must be made)."""
    if spec.each is not None:
        return spec.default or {}
    if spec.default is not None:
        return spec.default
    if spec.optional:
        return NONE
    if spec.type == "int" and spec.min is not None and spec.min > 0:
        return spec.min
    return EMPTY.get(spec.type)
