"""Bodies of the right shape for any command, so that a test reaches what comes after decoding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import inspect

from campaigns.registry import CommandType

_VALUES: dict[type[inspect.Type], Any] = {
    inspect.StrType: "x",
    inspect.BytesType: "eA==",
    inspect.IntType: 1,
    inspect.FloatType: 1.0,
    inspect.BoolType: False,
    inspect.DateType: "2026-01-20",
    inspect.DateTimeType: "2026-01-20T12:00:00Z",
    inspect.UUIDType: "00000000-0000-4000-8000-000000000000",
    inspect.DictType: {},
}


def value_for(kind: inspect.Type) -> Any:
    """Some value of a type; lists are empty."""
    if isinstance(kind, inspect.Metadata):
        return value_for(kind.type)
    if isinstance(kind, inspect.UnionType):
        return value_for(next(part for part in kind.types if not isinstance(part, inspect.NoneType)))
    if isinstance(kind, inspect.LiteralType):
        return kind.values[0]
    if isinstance(kind, inspect.StructType):
        return {field.encode_name: value_for(field.type) for field in kind.fields}
    return _VALUES.get(type(kind), [])


def body_of(kind: CommandType, ids: Mapping[str, str]) -> dict[str, Any]:
    """A body for a command, with these ids in the fields of their names."""
    info = inspect.type_info(kind.body)
    assert isinstance(info, inspect.StructType)
    body = {field.encode_name: ids.get(field.name) or value_for(field.type) for field in info.fields}
    msgspec.convert(body, kind.body)
    return body
