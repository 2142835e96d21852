"""What a test draws follows from its name, so that a run comes out the same twice."""

import os
import uuid
from uuid import UUID

import pytest

from campaigns import seeds
from tests.chance import Chance

CAMPAIGN = UUID(int=7)


def drawn(chance: Chance, request: pytest.FixtureRequest) -> list[object]:
    """Ids, bytes and the promise of a dice seed, from the beginning of this test."""
    chance.pytest_runtest_setup(request.node)
    return [uuid.uuid4(), os.urandom(8), seeds.make(CAMPAIGN, "table", 1)]


def test_a_test_draws_the_same_again(request: pytest.FixtureRequest) -> None:
    chance = next(one for one in request.config.pluginmanager.get_plugins() if isinstance(one, Chance))
    first = drawn(chance, request)
    assert drawn(chance, request) == first
    assert len({str(one) for one in first}) == 3
    chance.numbers.seed("another test")
    assert uuid.uuid4() != first[0]
