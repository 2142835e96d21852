"""Forms sent by hand with what no form offers: said as wrong, never a fault, never taken for something else."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from campaigns.parts.table import Table as TablePart
from campaigns.store import states
from frontend.numbers import number_or_text
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_pages import address, client_of

NO_NUMBERS = ("--5", "abc", "9" * 5000, "²", "1.5", "1_000", "\x00")


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({"spindrift-identity": "", "trait-tests": ""})


@pytest.mark.parametrize("text", [*NO_NUMBERS, "", "-", "٣"])
def test_what_writes_no_number_stays_text(text: str) -> None:
    assert number_or_text(text) == text


def test_numbers_are_taken_with_sign_and_blanks() -> None:
    assert [number_or_text(text) for text in ("7", " -7 ", "+7")] == [7, -7, 7]


def test_wrong_numbers_are_said_to_be_wrong(table: Table) -> None:
    client = client_of(table, "olga")
    posts: list[tuple[str, dict[str, Any]]] = [
        (address(table, "make_link"), {"role": "player", "days": None}),
        (address(table, "lever"), {"act": "close", "period": "week:{}"}),
        (address(table, "lever"), {"act": "take_back", "period": "week:{}"}),
        (address(table, "rules"), {"act": "setting", "pack": "trait-tests", "setting": "levels.level_max"}),
    ]
    for text in NO_NUMBERS:
        for path, fields in posts:
            sent = {name: text if value is None else value.format(text) for name, value in fields.items()}
            answer = client.post(path, {"command_id": str(uuid4()), "value": text, **sent})
            assert answer.status_code in (302, 422), (path, text)
    with states.held(table.campaign_id) as state:
        # No link for ever came of days that were no number.
        assert all(link.expires_at is not None for link in state.part(TablePart).links.values())


@pytest.mark.parametrize("given", [None, "", "{{7*7}}", "../..", "x" * 5000])
def test_a_page_that_is_not_there_is_no_way_back(table: Table, given: str | None) -> None:
    client = client_of(table, "olga")
    fields = {"command_id": str(uuid4())} | ({} if given is None else {"subject": given, "call": given, "from": "test"})
    for path in (address(table, "answer_mark", "x"), address(table, "roll_advancement")):
        assert client.post(path, {**fields, "act": "void"}).status_code == 302


def test_a_test_tried_by_hand_with_subjects_that_are_none(table: Table) -> None:
    path = address(table, "try_test", "trait-tests", "trait_test")
    for go in ("roll", "odds"):
        answer = client_of(table, "olga").get(path, {"go": go, "role-hero": "nobody", "faces": "--5"})
        assert answer.status_code == 422
