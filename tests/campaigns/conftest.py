"""Fixtures of the campaign tests."""

import pytest

from tests.campaigns.tables import Table, make_table


@pytest.fixture
def table(transactional_db: None) -> Table:
    """A campaign with an owner, two players, a watcher and a stranger."""
    return make_table()
