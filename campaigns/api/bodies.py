"""Typed values out of what clients send; what is wrong is named by field, value and what would be right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from difflib import get_close_matches
from typing import Any, TypeVar

import msgspec

from rules.refusal import Refused

S = TypeVar("S", bound=msgspec.Struct)
LONGEST_SAID = 100
DEEPEST = 50
_PLACE = re.compile(r"^(?P<what>.*?)(?: - at (?P<where>`\$.*`|`key` in `\$.*`))?$", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]`]+)|\[(\d+|\.\.\.)\]")
_KINDS = {
    "str": "a text",
    "int": "a whole number",
    "bool": "true or false",
    "float": "a number",
    "null": "null",
    "array": "a list",
    "object": "an object",
    "uuid": "a UUID",
    "datetime": "a time such as 2026-01-31T18:00:00Z",
}


def from_json(body: bytes, kind: type[S]) -> S:
    """The typed value of a JSON body; an empty body is an empty object. Refused where it does not fit."""
    try:
        value = msgspec.json.decode(body or b"{}", type=kind)
    except msgspec.ValidationError as error:
        raise refusal_of(error, kind, _plain(body)) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Refused("not_json", f"This is not JSON: {error}.", field="body", right="a JSON object in UTF-8") from None
    require_storable(value)
    return value


def from_query(query: Mapping[str, str], kind: type[S]) -> S:
    """The typed value of query parameters."""
    try:
        return msgspec.convert(dict(query), kind, strict=False)
    except msgspec.ValidationError as error:
        raise refusal_of(error, kind, dict(query)) from None


def refusal_of(error: msgspec.ValidationError, kind: type[msgspec.Struct], plain: Any) -> Refused:
    """The refusal that says what a validation error means; ``plain`` is the untyped value, where it could be read."""
    match = _PLACE.match(str(error))
    what, where = (match["what"], match["where"] or "") if match else (str(error), "")
    steps = [name or index for name, index in _STEP.findall(where)]
    named = re.search(r"(unknown|missing required) field `(.*)`", what)
    if named:
        return _wrong_field(named[1] == "unknown", [*steps, named[2]], kind, plain)
    return Refused(
        "wrong_value",
        "This value does not fit.",
        field=_joined(steps) or "body",
        value=_shown(_found(plain, steps)),
        right=_right(what),
    )


def _wrong_field(unknown: bool, steps: list[str], kind: type[msgspec.Struct], plain: Any) -> Refused:
    field = _joined(steps)
    if not unknown:
        return Refused("missing", "This field is needed.", field=field, right="a value for it")
    known = list(kind.__struct_encode_fields__) if len(steps) == 1 else []
    near = get_close_matches(steps[-1], known, n=1)
    right = near[0] if near else "one of " + ", ".join(known) if known else "no such field"
    return Refused(
        "unknown_field", "There is no such field.", field=field, value=_shown(_found(plain, steps)), right=right
    )


def _right(what: str) -> str:
    """What would be right, in words, out of the decoder's sentence."""
    expected = re.match(r"Expected (.*?)(?:, got .*)?$", what, re.DOTALL)
    if expected is None:
        return what[:1].lower() + what[1:]
    return re.sub(r"`([^`]*)`", lambda m: " or ".join(_KINDS.get(k, k) for k in m[1].split(" | ")), expected[1])


def _joined(steps: list[str]) -> str:
    return "".join(f"[{s}]" if s.isdigit() else "[]" if s == "..." else f".{s}" for s in steps).lstrip(".")


def _found(plain: Any, steps: list[str]) -> Any:
    for step in steps:
        if isinstance(plain, dict) and step in plain:
            plain = plain[step]
        elif isinstance(plain, list) and step.isdigit() and int(step) < len(plain):
            plain = plain[int(step)]
        else:
            return None
    return plain


def _plain(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None


def _shown(value: Any) -> Any:
    """The value as it may be repeated: short, and of a plain kind."""
    if isinstance(value, bool | int | float) or value is None:
        return value
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= LONGEST_SAID else text[:LONGEST_SAID] + "..."


def require_storable(value: msgspec.Struct) -> None:
    """Refuses what JSON can carry and a stream cannot: whole numbers beyond 64 bits, times that do not say where."""
    for name in value.__struct_fields__:
        if _is_deeper(getattr(value, name), DEEPEST):
            right = f"values within values, {DEEPEST} at most"
            raise Refused("wrong_value", "This holds values within values without end.", field=name, right=right)
        if _has_naive_time(getattr(value, name)):
            right = "a time with its zone, such as 2026-01-31T18:00:00Z"
            raise Refused("wrong_value", "This time could be anywhere.", field=name, right=right)
        try:
            msgspec.msgpack.encode(getattr(value, name))
        except OverflowError:
            right = "whole numbers of at most 64 bits"
            raise Refused("wrong_value", "This number is too large.", field=name, right=right) from None


def _is_deeper(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return any(levels == 0 or _is_deeper(one, levels - 1) for one in inner)


def _has_naive_time(value: Any) -> bool:
    if isinstance(value, datetime):
        return value.tzinfo is None
    if isinstance(value, msgspec.Struct):
        return any(_has_naive_time(getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(value, dict):
        return any(map(_has_naive_time, value.values()))
    return isinstance(value, list | tuple | set | frozenset) and any(map(_has_naive_time, value))
