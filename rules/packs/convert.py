"""From plain values to the structs of the schema, with every problem at its own place.

The fast way is msgspec's own conversion; when that refuses, the same type information is walked by hand to say what
is wrong, where, and what was probably meant.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from rules.problems import nearest

STEP = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+)\]")
NO_NAME = re.compile(r"[^a-z0-9_]")
T = TypeVar("T", bound=msgspec.Struct)

Finding = tuple[tuple[Any, ...], str, str]
"""path, message, suggestion"""
MOST_FOUND = 200
"""of so many findings no more are looked for"""


def convert(wanted: type[T], value: Any) -> tuple[T | None, list[Finding]]:
    """The struct, or what is wrong with the value."""
    try:
        return msgspec.convert(value, wanted, strict=True), []
    except (msgspec.ValidationError, RecursionError) as exc:
        findings: list[Finding] = []
        walk(info(wanted), value, (), findings)
        return None, findings or [placed(str(exc))]


def placed(message: str) -> Finding:
    """What the conversion itself says (of a date, for instance), with the place that it names."""
    said, _, where = message.partition(" - at `$")
    path = tuple(int(number) if number else name for name, number in STEP.findall(where.rstrip("`")))
    if "RFC3339" in said:
        said = "a moment is written with its zone: 2026-01-06T12:00:00Z"
    return path, said, ""


@lru_cache(maxsize=256)
def info(wanted: Any) -> inspect.Type:
    return inspect.type_info(wanted)


def walk(kind: inspect.Type, value: Any, path: tuple[Any, ...], out: list[Finding]) -> None:
    """Collect the findings below one value."""
    if len(out) >= MOST_FOUND:
        return
    match kind:
        case inspect.StructType():
            walk_struct(kind, value, path, out)
        case inspect.DictType():
            if not isinstance(value, dict):
                out.append((path, f"a mapping is wanted here, not {shown(value)}", ""))
                return
            walk_mapping(kind, value, path, out)
        case inspect.ListType() | inspect.VarTupleType():
            if not isinstance(value, list):
                out.append((path, f"a list is wanted here, not {shown(value)}", ""))
                return
            for at, item in enumerate(value):
                walk(kind.item_type, item, (*path, at), out)
        case inspect.UnionType():
            walk_union(kind, value, path, out)
        case _:
            walk_plain(kind, value, path, out)


def walk_struct(kind: inspect.StructType, value: Any, path: tuple[Any, ...], out: list[Finding]) -> None:
    if not isinstance(value, dict):
        out.append((path, f"a mapping is wanted here, not {shown(value)}", ""))
        return
    fields = {field.encode_name: field for field in kind.fields}
    unknown = [key for key in value if key not in fields]
    for key in unknown[: MOST_FOUND - len(out)]:
        hint = nearest(str(key), fields)
        if value[key] is None and NO_NAME.search(str(key)):
            out.append(((*path, key), f"unknown field {key!r}: inside {{ }} a text with a comma stands in quotes", ""))
            return
        out.append(((*path, key), f"unknown field {key!r}" + ("" if hint else f"; known: {', '.join(fields)}"), hint))
    for name, field in fields.items():
        if name in value:
            walk(info(field.type) if isinstance(field.type, type) else field.type, value[name], (*path, name), out)
        elif field.required:
            out.append((path, f"the field {name!r} is missing", ""))


def walk_mapping(kind: inspect.DictType, value: dict[Any, Any], path: tuple[Any, ...], out: list[Finding]) -> None:
    for key, item in value.items():
        if isinstance(kind.key_type, inspect.StrType) and not isinstance(key, str):
            out.append(((*path, key), f"a name is wanted here, not {shown(key)}", ""))
        else:
            walk(kind.value_type, item, (*path, key), out)


def walk_union(kind: inspect.UnionType, value: Any, path: tuple[Any, ...], out: list[Finding]) -> None:
    """A union fits when one of its members does; else the member of the value's own shape is explained."""
    attempts: list[list[Finding]] = []
    for member in kind.types:
        found: list[Finding] = []
        walk(member, value, path, found)
        if not found:
            return
        attempts.append(found)
    for member, found in zip(kind.types, attempts, strict=True):
        shape = dict if isinstance(member, inspect.StructType | inspect.DictType) else list
        if isinstance(member, inspect.StructType | inspect.DictType | inspect.ListType) and isinstance(value, shape):
            out.extend(found)
            return
    wanted = " or ".join(named(member) for member in kind.types if not isinstance(member, inspect.NoneType))
    plain = next((m for m in kind.types if isinstance(m, inspect.LiteralType)), None)
    hint = nearest(str(value), [str(v) for v in plain.values]) if plain is not None else ""
    out.append((path, f"{wanted} is wanted here, not {shown(value)}", hint))


def walk_plain(kind: inspect.Type, value: Any, path: tuple[Any, ...], out: list[Finding]) -> None:
    match kind:
        case inspect.LiteralType():
            if value not in kind.values:
                known = [str(v) for v in kind.values]
                out.append(
                    (path, f"one of {', '.join(known)} is wanted here, not {shown(value)}", nearest(str(value), known))
                )
        case inspect.StrType() if isinstance(value, str):
            if kind.max_length is not None and len(value) > kind.max_length:
                out.append((path, f"longer than {kind.max_length} characters", ""))
        case inspect.IntType() | inspect.BoolType() | inspect.StrType():
            if type(value) is not PLAIN[type(kind)]:
                out.append((path, f"{named(kind)} is wanted here, not {shown(value)}", ""))
        case inspect.NoneType():
            if value is not None:
                out.append((path, f"nothing is wanted here, not {shown(value)}", ""))


PLAIN: dict[type[inspect.Type], type] = {inspect.IntType: int, inspect.BoolType: bool, inspect.StrType: str}


def named(kind: inspect.Type) -> str:
    names: dict[type[inspect.Type], str] = {
        inspect.IntType: "a whole number",
        inspect.BoolType: "true or false",
        inspect.StrType: "a text",
        inspect.ListType: "a list",
        inspect.DictType: "a mapping",
        inspect.StructType: "a mapping",
    }
    if isinstance(kind, inspect.LiteralType):
        return "one of " + ", ".join(str(v) for v in kind.values)
    return names.get(type(kind), "another value")


def shown(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = str(value)
    return repr(value) if len(text) < 40 else repr(text[:37] + "...")
