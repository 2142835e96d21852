"""The OpenAPI description: valid, without warnings, and complete by itself."""

from datetime import datetime
from typing import Any

import msgspec
import pytest
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from campaigns import registry
from campaigns.api import bodies
from campaigns.api.reading import reads


@pytest.fixture(scope="module")
def described() -> Any:
    GENERATOR_STATS.reset()
    return SchemaGenerator().get_schema(request=None, public=True)


def test_it_is_valid_and_nothing_was_guessed(described: Any) -> None:
    validate_schema(described)
    assert not GENERATOR_STATS


def test_every_command_is_an_operation_with_its_own_body(described: Any) -> None:
    for kind in registry.commands.values():
        if kind.name == "campaign.start":
            continue
        operation = described["paths"][f"/api/campaigns/{{campaign}}/commands/{kind.name}"]["post"]
        ref = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        schema = described["components"]["schemas"][ref.rpartition("/")[2]]
        assert sorted(schema["properties"]) == sorted(kind.body.__struct_fields__)
        assert operation["summary"] == kind.title
        assert {"400", "401", "403", "404", "409", "429"} <= operation["responses"].keys()


def test_every_read_is_an_operation(described: Any) -> None:
    operations = {o["get"]["operationId"] for o in described["paths"].values() if "get" in o}
    assert {f"read_{entry.name}" for entry in reads.values()} <= operations


def test_anybody_may_read_it() -> None:
    answer = Client().get("/api/schema", headers={"Accept": "application/json"})
    assert answer.status_code == 200 and answer.json()["openapi"].startswith("3.1")


class Dated(msgspec.Struct):
    at: datetime | None = None
    all: list[datetime] = []


@pytest.mark.parametrize(
    "body, field", [(b'{"at": "2026-01-01T00:00:00"}', "at"), (b'{"all": ["2026-01-01T00:00:00"]}', "all")]
)
def test_times_without_a_zone_are_refused(body: bytes, field: str) -> None:
    with pytest.raises(bodies.Refused) as caught:
        bodies.from_json(body, Dated)
    assert caught.value.field == field and "zone" in (caught.value.right or "")


def test_times_are_described_as_times(described: Any) -> None:
    shape = described["components"]["schemas"]["LinkRead"]["properties"]["expires_at"]
    assert {"type": "string", "format": "date-time"} in shape["anyOf"]


class Inner(msgspec.Struct):
    number: int


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    by_name: dict[str, Inner] = {}
    rows: list[Inner] = []


@pytest.mark.parametrize(
    "body, field, value",
    [
        (b'{"rows": [{"number": 1}, {"number": "x"}]}', "rows[1].number", "x"),
        (b'{"rows": [{}]}', "rows[0].number", None),
        (b'{"by_name": {"a": {"number": 1.5}}}', "by_name[].number", None),
    ],
)
def test_wrong_values_deep_down_are_placed(body: bytes, field: str, value: object) -> None:
    with pytest.raises(bodies.Refused) as caught:
        bodies.from_json(body, Outer)
    assert (caught.value.field, caught.value.value) == (field, value)
