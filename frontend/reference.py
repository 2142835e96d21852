"""What the API's page of its own says: every address and every command, read from the registries that answer them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

import msgspec

from campaigns import registry
from campaigns.api.reading import Read, reads

# Starting makes a campaign, so it is sent to another address than the commands to one.
STARTS = "campaign.start"
_TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "null": "null",
}
_FORMATS = {"date": "date", "date-time": "time with its zone", "uuid": "UUID"}


@dataclass(frozen=True)
class Field:
    """A field of a body or query: its type in words, and what it is when left out (None: it is needed)."""

    name: str
    type: str
    default: str | None


@dataclass(frozen=True)
class Address:
    """An address that answers GET, below a campaign's own."""

    path: str
    title: str
    says: str
    roles: str
    query: tuple[Field, ...]


@dataclass(frozen=True)
class Sendable:
    """A command: who may send it, and the fields of its body."""

    name: str
    title: str
    says: str
    roles: str
    fields: tuple[Field, ...]


def _said(schema: dict[str, Any], known: dict[str, Any]) -> str:
    """A JSON Schema in a few words."""
    if "$ref" in schema:
        return _said(known[schema["$ref"].rpartition("/")[2]], known)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_said(one, known) for one in schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        return f"list of {_said(schema.get('items', {}), known)}" if schema.get("items") else "list"
    if schema.get("format") in _FORMATS:
        return _FORMATS[schema["format"]]
    return _TYPES.get(schema.get("type", ""), "any value")


def fields_of(kind: type[msgspec.Struct]) -> tuple[Field, ...]:
    """The fields that JSON for this struct has."""
    schema = msgspec.json.schema(kind)
    known = schema.get("$defs", {})
    own = known.get(schema["$ref"].rpartition("/")[2], schema) if "$ref" in schema else schema
    needed = own.get("required", ())
    return tuple(
        Field(name, _said(spec, known), None if name in needed else msgspec.json.encode(spec.get("default")).decode())
        for name, spec in own.get("properties", {}).items()
    )


def _gist(documented: object) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join((documented.__doc__ or "").split("\n\n")[0].split())


def _address(entry: Read) -> Address:
    return Address(
        "/" + entry.path if entry.path else "",
        entry.title,
        _gist(entry.function),
        ", ".join(sorted(entry.roles)),
        fields_of(entry.query),
    )


def _sendable(kind: registry.CommandType) -> Sendable:
    return Sendable(kind.name, kind.title, _gist(kind.body), ", ".join(sorted(kind.roles)), fields_of(kind.body))


@lru_cache(maxsize=1)
def addresses() -> tuple[Address, ...]:
    """Every registered read, by address."""
    return tuple(_address(entry) for _, entry in sorted(reads.items()))


@lru_cache(maxsize=1)
def sendables() -> tuple[tuple[str, tuple[Sendable, ...]], ...]:
    """Every command but the one that starts a campaign, by the first word of its name."""
    kinds = sorted((k for k in registry.commands.values() if k.name != STARTS), key=lambda kind: kind.name)
    return tuple(
        (word, tuple(map(_sendable, of_word))) for word, of_word in groupby(kinds, lambda k: k.name.partition(".")[0])
    )
