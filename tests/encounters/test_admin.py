"""The admin of simulations: a game master stops one that runs and has one that is over fought again, by commands."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User
from django.test import Client

from encounters.models import OpenSimulation, SimulationResult
from encounters.simulating import work
from tests.campaigns.tables import Table
from tests.encounters.test_encounters import table  # noqa: F401
from tests.encounters.test_simulations import begun, finish, party, tally_of  # noqa: F401


def client_of(table: Table, who: str) -> Client:  # noqa: F811
    client = Client()
    client.force_login(User.objects.get(pk=table.users[who]), backend="django.contrib.auth.backends.ModelBackend")
    return client


def send(client: Client, model: str, row: int, command: str, **fields: Any) -> Any:
    address = f"/admin/encounters/{model}/{row}/send/{command}/"
    assert client.get(address).status_code == 200
    return client.post(address, {"command_number": uuid4(), **fields})


def test_one_that_runs_is_stopped(table: Table, party: list[str]) -> None:  # noqa: F811
    gm, simulation = client_of(table, "olga"), begun(table, party, fights=5000)
    assert work(table.campaign_id, simulation, 0)
    row = OpenSimulation.objects.get()
    assert "Two roadmen" in gm.get("/admin/encounters/opensimulation/").content.decode()
    assert send(gm, "opensimulation", row.pk, "simulation.stop").status_code == 302
    assert not work(table.campaign_id, simulation, 0)
    assert 0 < SimulationResult.objects.get(simulation=simulation).fights < 5000


def test_one_that_is_over_is_fought_again_with_the_same_or_with_new_dice(table: Table, party: list[str]) -> None:  # noqa: F811
    gm, first = client_of(table, "olga"), finish(table, begun(table, party))
    assert send(gm, "simulationresult", first.pk, "simulation.begin", fights=20, seed="tide").status_code == 302
    same = finish(table, OpenSimulation.objects.get().simulation)
    assert same.pk != first.pk and (same.title, same.fights) == ("Two roadmen", 20)
    assert tally_of(same) == tally_of(first)
    assert send(gm, "simulationresult", first.pk, "simulation.begin", fights=20).status_code == 302
    other = finish(table, OpenSimulation.objects.get().simulation)
    assert other.result["names"] == first.result["names"] and tally_of(other) != tally_of(first)


def test_they_are_the_game_masters_alone(table: Table, party: list[str]) -> None:  # noqa: F811
    result = finish(table, begun(table, party))
    for who in ("pia", "wim", "stan"):
        answer = client_of(table, who).get(f"/admin/encounters/simulationresult/{result.pk}/change/")
        assert answer.status_code in (302, 403, 404)
        assert b"Two roadmen" not in answer.content
