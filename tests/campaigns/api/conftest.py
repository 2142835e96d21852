"""Fixtures of the API's tests."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from tests.campaigns.api.callers import Caller, callers
from tests.campaigns.tables import Table


@pytest.fixture(autouse=True)
def nobody_throttled() -> Iterator[None]:
    """Every test begins with all its requests still to make."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def people(table: Table) -> dict[str, Caller]:
    """Everybody around the table, each with a client."""
    return callers(table)
