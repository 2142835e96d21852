"""Fixtures of the identity tests."""

import pytest

from tests.identity.season import Season, make_season


@pytest.fixture
def season(transactional_db: None) -> Season:
    """A campaign whose calendar began on Monday, 5 January 2026 in London; Pia plays Talyne, Bold 14."""
    return make_season()
