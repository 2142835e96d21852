"""Schemathesis asks the API what its own description says may be asked, and what it says may not.

No fault, no answer that is not described. A few requests an operation, the same ones every time.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from campaigns import tokens
from campaigns.api.views import described
from tests.campaigns.tables import Table

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = {GenerationMode.POSITIVE: 1, GenerationMode.NEGATIVE: 1}
# How Python writes values, and nobody else.
OF_PYTHON = re.compile(r"datetime\.|UUID\(|frozenset|dict_keys|<\w+ object|\['|\('|\{'|\bTrue\b|\bFalse\b")
FEW = settings(
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@schemathesis.serializer("application/gzip")
def as_it_is(_context: Any, value: Any) -> bytes:
    """A file: whatever was thought up, as bytes."""
    return value if isinstance(value, bytes) else json.dumps(value, default=str).encode()


def operations() -> list[Any]:
    """Every operation of the description."""
    schema = schemathesis.openapi.from_dict(json.loads(described()))
    return [found.ok() for found in schema.get_all_operations()]


def ask(operation: Any, mode: GenerationMode, send: Any) -> None:
    """Sends a few requests of an operation, as described or, in the negative mode, not quite."""

    @seed(1)
    @settings(FEW, max_examples=EXAMPLES[mode])
    @given(case=operation.as_strategy(generation_mode=mode))
    def run(case: Any) -> None:
        send(case)

    run()


def test_no_fault_and_no_answer_that_is_not_described(table: Table, settings: Any) -> None:
    settings.API_RATES = dict.fromkeys(settings.API_RATES, 1_000_000)
    token = tokens.make(table.users["olga"], "fuzz", None, True, datetime.now(UTC))[1]
    application = get_wsgi_application()
    asked = []

    def send(case: Any) -> None:
        if "campaign" in (case.path_parameters or {}):
            case.path_parameters["campaign"] = str(table.campaign_id)
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": str(uuid4())}
        response = case.call(app=application, base_url="http://localhost", headers=headers)
        case.validate_response(response, checks=CHECKS)
        if response.status_code >= 400 and "problem" in response.headers.get("Content-Type", [""])[0]:
            told = response.json()
            assert not OF_PYTHON.search(f"{told['detail']} {told.get('right')}"), told
        asked.append((case.operation.label, response.status_code))

    for operation in operations():
        for mode in EXAMPLES:
            if mode is GenerationMode.POSITIVE or operation.body:
                ask(operation, mode, send)
    assert {label for label, _ in asked} == {operation.label for operation in operations()}
    assert {200, 400} <= {status for _, status in asked}
