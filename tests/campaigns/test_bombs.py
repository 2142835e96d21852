"""House rules that would fill memory, stream or screen: stopped at load, at the roll, or before they are kept."""

from __future__ import annotations

import pytest

from campaigns.commands.calls import CallTest, RollTest
from campaigns.commands.packs import LayOverlay
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table

HEAD = "on: trait-tests\ntitle: House\nversion: 1.0.0\n"


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({"trait-tests": ""})


def lay(table: Table, **files: str) -> None:
    named = {f"{name}.yaml": text for name, text in files.items()}
    table.send("olga", LayOverlay(pack="trait-tests", files={"overlay.yaml": HEAD, **named}))


def bomb(steps: str) -> str:
    return f"tests:\n  bomb:\n    title: Bomb\n    roles: {{hero: {{kinds: [character]}}}}\n    steps: [{steps}]\n"


def refused(table: Table, steps: str) -> Refused:
    lay(table, bomb=bomb(steps))
    hero = table.character("pia")
    call = table.send("olga", CallTest(pack="trait-tests", test="bomb", roles={"hero": hero})).events[0].event
    with pytest.raises(Refused) as caught:
        table.send("pia", RollTest(call=call.call))  # type: ignore[attr-defined]
    return caught.value


def test_a_number_that_squares_itself_in_a_loop(table: Table) -> None:
    steps = "{let: {a: 999999999}}, {repeat: 99, as: t, steps: [{let: {a: a * a}}]}"
    assert "beyond all measure" in refused(table, steps).message


def test_bounds_of_numbers_that_square_each_other_are_not_worked_out(table: Table) -> None:
    squares = ", ".join(f"{{let: {{a{i + 1}: a{i} * a{i}}}}}" for i in range(60))
    assert "beyond all measure" in refused(table, "{let: {a0: 999999999}}, " + squares).message


def test_a_story_told_four_thousand_times(table: Table) -> None:
    inner = f"{{repeat: 65, as: u, steps: [{{narrate: {'x' * 9000}}}]}}"
    assert refused(table, f"{{repeat: 65, as: t, steps: [{inner}]}}").code == "too_large"


def test_as_many_mistakes_as_fit_are_not_all_told(table: Table) -> None:
    tests = "".join(f"  z{i}: {{title: Z}}\n" for i in range(3000))
    with pytest.raises(Refused) as caught:
        lay(table, bomb="tests:\n" + tests)
    assert len(caught.value.message) < 20_000 and caught.value.message.endswith("more")


@pytest.mark.parametrize("name", ["../x", "/etc/x", "x\x00", "a" * 3000, "", ".."])
def test_files_by_names_that_lead_elsewhere(table: Table, name: str) -> None:
    with pytest.raises(Refused) as caught:
        lay(table, **{name: "tests: {}"})
    assert (caught.value.code, caught.value.field) == ("wrong_value", "files")
