"""In which order the tests run: what takes long first, so that no long test is left to a single core at the end.

Under `--dist worksteal` each test process is given a stretch of the list, and whoever is done takes from the end of
another's. So the first process begins with the tests on the standing site, which is then started once, and the next
with those that start sites of their own or are known to take long; what is short follows and is what is shared out.
"""

from __future__ import annotations

import os

import pytest

LONG = (
    "tests/secrets/test_secrets.py::",
    "tests/rules/test_odds.py::",
    "tests/rules/test_mutants.py::",
    "tests/rules/test_shelf.py::test_cases_of_every_pack_on_the_shelf_pass[attribute-checks-cases/tables_of_odds.yaml]",
    "tests/rules/test_fight_machine.py::",
    "tests/encounters/test_any_fight.py::",
    "tests/campaigns/api/test_fuzz.py::",
)
"""beginnings of the names of tests that take long without a site"""


class LongestFirst:
    """A plugin that orders the tests of a run with several processes."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """After `-m` and `-k` have chosen."""
        processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        if processes > 1:
            items[:] = ordered(items, processes)


def ordered(items: list[pytest.Item], processes: int) -> list[pytest.Item]:
    """The same tests, for so many processes."""
    standing = [item for item in items if _is_on_the_standing_site(item)]
    long = [item for item in items if _is_long(item)]
    short = [item for item in items if not _is_on_the_standing_site(item) and not _is_long(item)]
    share = max(len(items) // processes - len(standing), 0)
    return [*standing, *short[:share], *long, *short[share:]]


def _is_on_the_standing_site(item: pytest.Item) -> bool:
    return "standing" in getattr(item, "fixturenames", ())


def _is_long(item: pytest.Item) -> bool:
    starts = item.get_closest_marker("process") is not None and not _is_on_the_standing_site(item)
    return starts or item.nodeid.startswith(LONG)
