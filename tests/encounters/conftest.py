"""Fixtures of the tests of `encounters`."""

from tests.campaigns.conftest import table

__all__ = ["table"]
