"""Chance that can be had again: what is drawn in a test follows from the test's name.

Dice, ids and examples are random in the product and must be in its tests, but a run that decides whether a change may
land must come out the same twice. So the randomness of the system is replaced, in the processes that run tests, by
numbers that follow from ``--chance`` and the name of the test, and Hypothesis takes the same examples each time.
``--chance new`` draws afresh and says by which word the same run can be had again. Sites started as processes of their
own keep the system's randomness.
"""

from __future__ import annotations

import os
import random
import secrets

import pytest
from hypothesis import settings as hypothesis
from hypothesis.database import InMemoryExampleDatabase

STEADY = "steady"

_of_the_system = os.urandom


def add_option(parser: pytest.Parser) -> None:
    """Teaches pytest the option."""
    parser.addoption("--chance", default=STEADY, metavar="WORD", help="draw by this word; `new` draws one")


class Chance:
    """A plugin that has each test begin with numbers of its own."""

    def __init__(self, config: pytest.Config) -> None:
        if config.option.chance == "new":
            config.option.chance = secrets.token_hex(4)  # handed on to the other processes of the run
        self.word: str = config.option.chance
        self.numbers = random.Random(self.word)
        self.process = os.getpid()
        os.urandom = self.drawn
        secrets.token_hex = lambda nbytes=None: self.drawn(nbytes or secrets.DEFAULT_ENTROPY).hex()
        if self.word == STEADY:
            hypothesis.register_profile(STEADY, derandomize=True)
            hypothesis.load_profile(STEADY)
        else:
            hypothesis.register_profile("drawn", database=InMemoryExampleDatabase())
            hypothesis.load_profile("drawn")
            config.option.hypothesis_seed = config.option.hypothesis_seed or random.Random(self.word).getrandbits(32)

    def drawn(self, size: int, /) -> bytes:
        """So many bytes; a process forked from this one draws from the system, or both would draw the same."""
        return self.numbers.randbytes(size) if os.getpid() == self.process else _of_the_system(size)

    def pytest_report_header(self) -> str:
        return f"chance: {self.word} (--chance {self.word} draws the same again, --chance new draws afresh)"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Before any fixture of the test."""
        self.numbers.seed(f"{self.word} {item.nodeid}")
        random.seed(f"{self.word} {item.nodeid}")
