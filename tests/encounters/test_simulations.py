"""Simulations: who may have them, what the job does with them, also when it is stopped, doubled or cut off."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.utils import timezone

from campaigns.commands.sheets import ChangeSheet
from campaigns.commands.subjects import CreateSubject
from campaigns.commands.voiding import VoidAction
from campaigns.feed import newer
from campaigns.projecting import project_all
from campaigns.store import states
from encounters import simulating
from encounters.commands.hand import AdjustInEncounter, PlaceInEncounter
from encounters.commands.simulating import BeginSimulation, EndSimulation, StopSimulation
from encounters.models import OpenSimulation, SimulationResult, SimulationWork
from encounters.parts.simulations import Simulations
from encounters.simulating import work
from encounters.tasks import fight_on, idle_simulations
from rules.fight.commands import Laid
from rules.refusal import Refused
from rules.simulation import Tally
from rules.sizing import Chosen
from tests.campaigns.tables import Table
from tests.encounters.test_encounters import PACK, last_entry, prepared, table  # noqa: F401


@pytest.fixture
def party(table: Table) -> list[str]:  # noqa: F811
    """Ana and Bo, of Level 2, with a blade each."""
    made = []
    for who, name in (("pia", "Ana"), ("paul", "Bo")):
        subject = table.character(who, name)
        values = {"level": 2, "score": {"vigor": 14, "deft": 12}, "weapon_die": 8}
        table.send("olga", ChangeSheet(subject=subject, pack=PACK, values=values))
        made.append(subject)
    return made


def begun(table: Table, subjects: list[str], **more: Any) -> str:  # noqa: F811
    given = {
        "title": "Two roadmen",
        "pack": PACK,
        "party": subjects,
        "foes": [Chosen("roadman", 2)],
        "fights": 20,
        **more,
    }
    return str(table.send("olga", BeginSimulation(**{"seed": "tide", **given})).events[0].event.simulation)


def finish(table: Table, simulation: str) -> SimulationResult:  # noqa: F811
    while work(table.campaign_id, simulation, 0):
        pass
    return SimulationResult.objects.get(campaign_id=table.campaign_id, simulation=simulation)


def tally_of(result: SimulationResult) -> Tally:
    return msgspec.convert(result.result["tally"], Tally, strict=False)


def test_it_fights_to_the_end_and_keeps_what_it_came_to(table: Table, party: list[str]) -> None:  # noqa: F811
    simulation = begun(table, party)
    assert OpenSimulation.objects.filter(simulation=simulation).exists()
    result = finish(table, simulation)
    tally = tally_of(result)
    assert tally.fights == 20 == sum(tally.rounds.values()) == sum(tally.won.values()) == tally.fought[0]
    assert set(result.result["names"].values()) == {"Ana", "Bo", "Roadman 1", "Roadman 2"}
    assert not OpenSimulation.objects.exists() and not SimulationWork.objects.exists()
    with states.held(table.campaign_id) as state:
        assert not state.part(Simulations).open
        project_all(table.campaign_id, state)
    again = SimulationResult.objects.get(simulation=simulation)
    assert again.result == result.result


def turned_about(value: Any) -> Any:
    """The same with the keys of every record in another order."""
    if isinstance(value, dict):
        return {key: turned_about(value[key]) for key in reversed(value)}
    return value


def test_the_same_seed_fights_the_same_however_it_is_cut(table: Table, party: list[str], monkeypatch: Any) -> None:  # noqa: F811
    whole = finish(table, begun(table, party))
    monkeypatch.setattr(simulating, "STRETCH", 7)
    cut = begun(table, party)
    while work(table.campaign_id, cut, 0):
        simulating._arenas.clear()  # as another worker would go on
        row = SimulationWork.objects.get(simulation=cut)
        row.so_far = turned_about(row.so_far)  # as a database may give it back
        row.save()
    pieces = SimulationResult.objects.get(simulation=cut)
    assert tally_of(pieces) == tally_of(whole)
    other = finish(table, begun(table, party, seed="ebb"))
    assert tally_of(other) != tally_of(whole)


def test_a_second_worker_changes_nothing(table: Table, party: list[str]) -> None:  # noqa: F811
    simulation = begun(table, party)
    assert work(table.campaign_id, simulation, 0)
    row = SimulationWork.objects.get(simulation=simulation)
    assert row.done == 1  # its time was up
    assert tally_of(finish(table, simulation)).fights == 20
    assert not work(table.campaign_id, simulation, 0)
    assert SimulationResult.objects.filter(simulation=simulation).count() == 1


def test_an_end_that_was_taken_back_comes_again(table: Table, party: list[str]) -> None:  # noqa: F811
    simulation = begun(table, party)
    finish(table, simulation)
    table.send("olga", VoidAction(entry=last_entry(table, "simulation.ended"), reason="Too soon."))
    assert OpenSimulation.objects.filter(simulation=simulation).exists()
    assert tally_of(finish(table, simulation)).fights == 20
    assert not OpenSimulation.objects.exists()


def test_stopped_it_ends_with_what_it_has(table: Table, party: list[str]) -> None:  # noqa: F811
    simulation = begun(table, party, fights=5000)
    assert work(table.campaign_id, simulation, 0)
    table.send("olga", StopSimulation(simulation=simulation))
    assert not work(table.campaign_id, simulation, 0)
    assert tally_of(SimulationResult.objects.get(simulation=simulation)).fights == 1


def test_the_tick_hands_out_what_nobody_works_on(table: Table, party: list[str], monkeypatch: Any) -> None:  # noqa: F811
    simulation = begun(table, party)
    now = timezone.now()
    assert idle_simulations(now, 10) == [(table.campaign_id, simulation)]
    work(table.campaign_id, simulation, 0)
    assert idle_simulations(now, 10) == []
    SimulationWork.objects.update(worked_at=now - timedelta(minutes=2))
    assert idle_simulations(now, 10) == [(table.campaign_id, simulation)]

    def broken(*_: object) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(simulating, "_fought", broken)
    fight_on(str(table.campaign_id), simulation)
    assert "failed" in SimulationResult.objects.get(simulation=simulation).result


def test_a_prepared_encounter_is_fought_as_it_stands(table: Table, party: list[str]) -> None:  # noqa: F811
    wolf = table.send("olga", CreateSubject(kind="adversary", name="Wolf")).events[0].event.subject
    table.send("olga", ChangeSheet(subject=wolf, pack=PACK, values={"tier": 1, "pd": 14, "md": 12, "hp_max": 9}))
    fight = prepared(table, {party[0]: "heroes", wolf: "woods"})
    result = finish(table, begun(table, [], foes=[], encounter=fight))
    assert set(result.result["sides"].values()) == {"heroes", "woods"}
    assert tally_of(result).won == {"heroes": 20}


def test_nobody_but_game_masters_begins_sees_or_ends_any(table: Table, party: list[str]) -> None:  # noqa: F811
    with pytest.raises(Refused):
        table.send("pia", BeginSimulation(title="x", pack=PACK, party=party, foes=[Chosen("roadman")]))
    simulation = begun(table, party)
    with pytest.raises(Refused) as refused:
        table.send("olga", EndSimulation(simulation=simulation, fights=1, result={}))
    assert refused.value.code == "job_only"
    finish(table, simulation)
    with states.held(table.campaign_id) as state:
        seen = {who: str([e.view for e in newer(state, table.viewer(who), 0, 500)]) for who in ("olga", "pia", "wim")}
    assert {who: "simulation." in text for who, text in seen.items()} == {"olga": True, "pia": False, "wim": False}


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"fights": 0}, "out_of_range"),
        ({"fights": 20_001}, "out_of_range"),
        ({"party": []}, "missing"),
        ({"foes": []}, "missing"),
        ({"party": ["nobody"]}, "no_such_subject"),
        ({"foes": [Chosen("rodman")]}, "given"),
        ({"encounter": "none"}, "no_such_encounter"),
        ({"title": " "}, "empty"),
    ],
)
def test_what_cannot_be_fought_is_refused(table: Table, party: list[str], more: dict[str, Any], code: str) -> None:  # noqa: F811
    with pytest.raises(Refused) as refused:
        begun(table, party, **more)
    assert refused.value.code == code


def test_an_encounter_on_a_grid_is_simulated_on_its_ground(table: Table, party: list[str]) -> None:  # noqa: F811
    """A wall from edge to edge: whoever simulated it as if it were not there would have blows fall."""
    sides = {party[0]: "party", party[1]: "rivals"}
    encounter = prepared(table, sides, width=9, height=9)
    for one, x in ((party[0], 1), (party[1], 7)):
        table.send("olga", PlaceInEncounter(encounter=encounter, subject=one, x=x, y=4))
    plain = tally_of(finish(table, begun(table, [], foes=[], encounter=encounter, fights=3)))
    assert sum(sum(lost) for lost in plain.lost.values()) > 0
    laid = [Laid(card="solid_wall", at=(x, y), size=0) for x in (6, 7, 8) for y in (3, 4, 5) if (x, y) != (7, 4)]
    table.send("olga", AdjustInEncounter(encounter=encounter, lay=laid))
    walled = tally_of(finish(table, begun(table, [], foes=[], encounter=encounter, fights=2)))
    assert sum(sum(lost) for lost in walled.lost.values()) == 0 and walled.won == {"": 2}
