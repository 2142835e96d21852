"""The pages of simulations: whose they are, how far one is, its charts, starting and stopping from pages."""

from __future__ import annotations

import html
import re
from typing import Any
from uuid import uuid4

import pytest

from encounters import simulating, tasks
from encounters.models import OpenSimulation
from encounters.simulating import work
from frontend.fights.charts import columns, nice
from tests.campaigns.tables import Table
from tests.frontend.test_sizing import PACK, ask, browser, party, table  # noqa: F401


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What would go to a worker."""
    found: list[tuple[str, str]] = []
    monkeypatch.setattr(tasks.fight_on, "apply_async", lambda what, **_: found.append(what))
    return found


def page(table: Table, who: str, where: str) -> tuple[int, str]:  # noqa: F811
    answer = browser(table, who).get(f"/c/{table.campaign_id}/encounters/simulations/{where}")
    return answer.status_code, answer.content.decode()


def test_from_putting_together_to_the_charts(table: Table, sent: list[tuple[str, str]]) -> None:  # noqa: F811
    answer = ask(table, "olga", **{"act": "simulate", "party": party(table), "count-roadman": "1", "title": "One"})
    assert answer.status_code == 302
    simulation = answer["Location"].split("/")[-2]
    assert sent == [(str(table.campaign_id), simulation)]
    assert "0 of 1000" in page(table, "olga", f"{simulation}/")[1]
    assert work(table.campaign_id, simulation, 0)
    code, text = page(table, "olga", f"{simulation}/")
    assert code == 200 and ">1 of 1000<" in text and "every 2s" in text
    stop = f"/c/{table.campaign_id}/encounters/simulations/{simulation}/stop/"
    assert browser(table, "olga").post(stop, {"command_id": "0b5f4b51-7a53-4d8a-8a53-0b5f4b517a53"}).status_code == 302
    assert not work(table.campaign_id, simulation, 0)
    _, text = page(table, "olga", f"{simulation}/")
    assert "every 2s" not in text and "chart__column" in text and "Roadman" in text and "Ana" in text
    assert "One" in page(table, "olga", "")[1]
    again = f"/c/{table.campaign_id}/encounters/simulations/{simulation}/again/"
    pressed = {"command_id": "0b5f4b51-7a53-4d8a-8a53-0b5f4b517a55"}
    assert browser(table, "pia").post(again, pressed).status_code == 403
    assert browser(table, "olga").post(again, pressed).status_code == 302
    assert browser(table, "olga").post(again, pressed).status_code == 302  # the same press
    second = OpenSimulation.objects.get()
    assert (second.title, second.fights) == ("One", 1000) and second.simulation != simulation


def test_they_are_the_game_masters_alone(table: Table) -> None:  # noqa: F811
    ask(table, "olga", **{"act": "simulate", "party": party(table), "count-roadman": "1"})
    simulation = OpenSimulation.objects.get().simulation
    for where in ("", f"{simulation}/"):
        assert {who: page(table, who, where)[0] for who in ("olga", "pia", "wim", "stan")} == {
            "olga": 200,
            "pia": 403,
            "wim": 403,
            "stan": 404,
        }


def test_the_printed_numbers_are_measured_one_by_one(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    rows = [("landed", 0), ("share_of_a_blow", 0)]
    monkeypatch.setattr(simulating, "rows_of", lambda pack: rows)
    fields = {"command_id": "0b5f4b51-7a53-4d8a-8a53-0b5f4b517a54", "what": PACK, "fights": "2"}
    begun = browser(table, "olga").post(f"/c/{table.campaign_id}/encounters/simulations/new/", fields)
    simulation = begun["Location"].split("/")[-2]
    assert work(table.campaign_id, simulation, 0)
    assert "1 of 2" in page(table, "olga", f"{simulation}/")[1]
    work(table.campaign_id, simulation, 0)
    _, text = page(table, "olga", f"{simulation}/")
    assert "Printed" in text and "than printed" in text or "as printed" in text


def test_what_cannot_be_simulated_is_said(table: Table) -> None:  # noqa: F811
    answer = ask(table, "olga", act="simulate", party=party(table))
    assert answer.status_code == 302 and answer["Location"].endswith("/simulations/")
    assert not OpenSimulation.objects.exists()


def test_columns_stand_on_the_base_and_reach_no_higher_than_the_chart() -> None:
    chart = columns(["1", "2", "3"], [[10, 40, 0], [5, 20, 3]])
    assert len(chart.columns) == 6
    assert all(round(one.y + one.height, 1) == chart.base and one.y >= 12 for one in chart.columns)
    tall = {(one.label, one.series): one.height for one in chart.columns}
    assert tall["2", 0] == 4 * tall["1", 0] == 2 * tall["2", 1] and tall["3", 0] == 0
    assert [nice(n) for n in (0.7, 1, 3.5, 18, 99, 101)] == [0.8, 1, 4, 20, 100, 200]


def test_of_many_columns_not_every_name_is_written() -> None:
    chart = columns([str(n) for n in range(1, 31)], [[1.0] * 30])
    assert [label for _, label in chart.labels] == [str(n) for n in range(1, 31, 2)]
    assert len(chart.columns) == 30


def test_what_the_tables_count_stands_beside_what_was_fought_and_leads_back(table: Table) -> None:  # noqa: F811
    """The two pages name each other; of the same fight the one says what the other counted."""
    fields: dict[str, Any] = {"party": party(table), "count-roadman": "2"}
    counted = ask(table, "olga", act="keep", **fields).content.decode()
    assert "Simulate this" in counted and "thousand times" in counted
    used, budget = (re.search(rf'data-number="{one}">(\d+)<', counted)[1] for one in ("used", "budget"))  # type: ignore[index]
    ask(table, "olga", act="simulate", **fields)
    simulation = OpenSimulation.objects.get().simulation
    assert work(table.campaign_id, simulation, 0)
    _, text = page(table, "olga", f"{simulation}/")
    assert f"<strong>{used} of {budget}</strong>" in text and re.search(r"fought out, the party wins \d+ of 100", text)
    (back,) = re.findall(r'href="([^"]*/size/\?[^"]*)"', text)
    anew = browser(table, "olga").get(html.unescape(back)).content.decode()
    assert re.search(r'name="count-roadman"[^>]*value="2"', anew)
    assert re.search(rf'data-number="used">{used}<', anew) and anew.count(" checked") >= len(party(table))
    assert "/size/" in page(table, "olga", "")[1]


def test_of_an_encounter_it_is_counted_by_what_its_foes_are_made_of(table: Table) -> None:  # noqa: F811
    fields: dict[str, Any] = {"party": party(table), "count-roadman": "2"}
    prepared = (
        ask(table, "olga", act="prepare", title="At the Ford", **fields)["Location"].rstrip("/").rpartition("/")[2]
    )
    begun = {"command_id": str(uuid4()), "what": f"{PACK}/{prepared}", "fights": "5"}
    answer = browser(table, "olga").post(f"/c/{table.campaign_id}/encounters/simulations/new/", begun)
    simulation = answer["Location"].split("/")[-2]
    counted = ask(table, "olga", act="keep", **fields).content.decode()
    used = re.search(r'data-number="used">(\d+)<', counted)[1]  # type: ignore[index]
    assert f"<strong>{used} of " in page(table, "olga", f"{simulation}/")[1]
