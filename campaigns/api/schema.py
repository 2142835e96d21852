"""The OpenAPI description, out of the same types that decode commands and encode answers."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from campaigns import registry
from campaigns.api.problems import MEDIA_TYPE, TITLES, Problem
from campaigns.api.reading import Read, reads
from campaigns.registry import CommandType

REF = "#/components/schemas/{name}"

KEY_HEADER = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.UUID,
    OpenApiParameter.HEADER,
    required=True,
    description="Made anew for each command and sent again when trying again: the command is then done once.",
)
SEEN_HEADER = OpenApiParameter(
    "If-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="Cursor of the newest entry seen: refused with `moved_on` where the sender could see more by now.",
)


def failures(*statuses: int) -> dict[Any, Any]:
    """The problems that an operation may answer with, for ``extend_schema(responses=...)``."""
    return {(status, MEDIA_TYPE): OpenApiResponse(Problem, description=TITLES[status]) for status in statuses}


@lru_cache(maxsize=2)
def _components(types: tuple[type, ...]) -> tuple[dict[type, str], dict[str, Any]]:
    """(name of each type's component, all components); described together, so that equal names are told apart."""
    refs, components = msgspec.json.schema_components(types, ref_template=REF)
    names = {kind: ref["$ref"].rpartition("/")[2] for kind, ref in zip(types, refs, strict=True)}
    plain = msgspec.json.decode(msgspec.json.encode(components))
    for kind, name in names.items():
        _name_times(kind, plain[name])
    _name_texts(plain)
    return names, plain


def _name_texts(shape: Any) -> None:
    """Says of closed sets of texts, however deep, that they are texts; msgspec leaves that out."""
    if isinstance(shape, dict):
        if isinstance(shape.get("enum"), list) and all(isinstance(one, str) for one in shape["enum"]):
            shape.setdefault("type", "string")
        for one in shape.values():
            _name_texts(one)
    elif isinstance(shape, list):
        for one in shape:
            _name_texts(one)


def _name_times(kind: type, component: dict[str, Any]) -> None:
    """Says of texts that are times that they are; msgspec does so only where the type insists on a zone."""
    info = msgspec.inspect.type_info(kind)
    for field in getattr(info, "fields", ()):
        parts = getattr(field.type, "types", (field.type,))
        if any(isinstance(part, msgspec.inspect.DateTimeType) for part in parts):
            shape = component["properties"][field.encode_name]
            for one in shape.get("anyOf", [shape]):
                one.update({"format": "date-time"} if one.get("type") == "string" else {})


def _all_types(one: type) -> tuple[type, ...]:
    known = [kind.body for kind in registry.commands.values()]
    known += [entry.answer for entry in reads.values()]  # type: ignore[misc]
    return tuple(dict.fromkeys(part for kind in (*known, *_seen, one) for part in _parts(kind)))


@lru_cache(maxsize=1000)
def _parts(kind: type) -> tuple[type, ...]:
    """A struct and those its fields hold, however deep."""
    found: dict[type, None] = {}
    waiting: list[Any] = [msgspec.inspect.type_info(kind)]
    while waiting:
        info = waiting.pop()
        if isinstance(info, msgspec.inspect.StructType):
            if info.cls in found:
                continue
            found[info.cls] = None
            waiting += [field.type for field in info.fields]
        for name in ("type", "item_type", "key_type", "value_type"):
            waiting += [getattr(info, name)] if hasattr(info, name) else []
        for name in ("types", "item_types"):
            waiting += getattr(info, name, ())
    return tuple(found)


# Types that stand in views of their own, in the order in which they are met.
_seen: list[type] = []


class StructExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Lets msgspec types stand wherever drf-spectacular expects a serializer."""

    target_class = "msgspec.Struct"
    match_subclasses = True

    def get_name(self, auto_schema: AutoSchema, direction: Any) -> str | None:
        """The component's name."""
        return self._described()[0][self.target]

    def map_serializer(self, auto_schema: AutoSchema, direction: Any) -> dict[str, Any]:
        """The component's schema; those it refers to are put beside it."""
        names, components = self._described()
        own = names[self.target]
        kinds = {name: kind for kind, name in names.items()}
        for name in _reached(own, components):
            part = ResolvedComponent(name, ResolvedComponent.SCHEMA, components[name], kinds.get(name, name))  # type: ignore[no-untyped-call]
            auto_schema.registry.register_on_missing(part)
        return dict(components[own])

    def _described(self) -> tuple[dict[type, str], dict[str, Any]]:
        if self.target not in _seen:
            _seen.append(self.target)
        return _components(_all_types(self.target))


def _reached(start: str, components: dict[str, Any]) -> list[str]:
    """Names of the components that one refers to, directly or through others, itself left out."""
    found: list[str] = []
    waiting = [start]
    while waiting:
        text = msgspec.json.encode(components[waiting.pop()]).decode()
        for name in components:
            if f'"{REF.format(name=name)}"' in text and name not in (start, *found):
                found.append(name)
                waiting.append(name)
    return found


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Personal tokens."""

    target_class = "campaigns.api.access.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """HTTP bearer."""
        return {"type": "http", "scheme": "bearer", "description": "A personal token, made at /api/tokens."}


class LinkScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Watchers' links."""

    target_class = "campaigns.api.access.LinkAuthentication"
    name = "link"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """A scheme of our own in the Authorization header."""
        text = "`Link <link>.<token>` of a watcher's link: reads of its campaign without an account."
        return {"type": "apiKey", "in": "header", "name": "Authorization", "description": text}


def command_operation(kind: CommandType, answer: type) -> dict[str, Any]:
    """Arguments of ``extend_schema`` for a command's address."""
    who = ", ".join(sorted(kind.roles))
    words = [kind.body.__doc__ or "", kind.decide.__doc__ or "", f"Sent by: {who}."]
    return {
        "operation_id": "send_" + kind.name.replace(".", "_"),
        "summary": kind.title,
        "description": "\n\n".join(w.strip() for w in words if w.strip()),
        "tags": ["commands"],
        "parameters": [KEY_HEADER, SEEN_HEADER],
        "request": kind.body,
        "responses": {
            200: OpenApiResponse(answer, description="Done"),
            **failures(400, 401, 403, 404, 409, 413, 415, 429),
        },
    }


def read_operation(entry: Read) -> dict[str, Any]:
    """Arguments of ``extend_schema`` for a read's address."""
    return {
        "operation_id": "read_" + entry.name,
        "summary": entry.title,
        "description": (entry.function.__doc__ or "").strip(),
        "tags": ["reads"],
        "parameters": query_parameters(entry.query),
        "responses": {
            200: OpenApiResponse(entry.answer, description="As the asker may see it"),
            **failures(400, 401, 403, 404, 409, 429),
        },
    }


def query_parameters(query: type[msgspec.Struct]) -> list[OpenApiParameter]:
    """The fields of a query type as parameters."""
    schema = msgspec.json.schema(query)
    described = next(iter(schema["$defs"].values()))
    return [
        OpenApiParameter(
            name,
            _flat(shape),
            OpenApiParameter.QUERY,
            required=name in described.get("required", ()),
            description=_described(shape),
        )
        for name, shape in described["properties"].items()
    ]


def _flat(shape: dict[str, Any]) -> dict[str, Any]:
    """A parameter is there or not, never null."""
    kinds = [kind for kind in shape.get("anyOf", [shape]) if kind.get("type") != "null"]
    return {k: v for k, v in kinds[0].items() if k != "description"}


def _described(shape: dict[str, Any]) -> str:
    return next((kind["description"] for kind in [shape, *shape.get("anyOf", [])] if "description" in kind), "")
