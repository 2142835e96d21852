"""States of the past, snapshots, and rebuilding."""

import threading
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
import time_machine
from django.core.management import call_command
from django.db import connection

from campaigns import models, registry
from campaigns.audience import Viewer
from campaigns.commands.subjects import RenameSubject
from campaigns.events import Stamp
from campaigns.parts.subjects import Subjects
from campaigns.past import as_of, explain, position_as_of
from campaigns.rebuilding import rebuild
from campaigns.registry import Why
from campaigns.state import State
from campaigns.store import states
from rules.refusal import Refused
from tests.campaigns.playing import play
from tests.campaigns.tables import Table
from tests.campaigns.throwing import Throw, Throws


def renamed(table: Table, names: list[str]) -> tuple[str, list[int]]:
    hero = table.character("pia", names[0])
    positions = [models.Campaign.objects.get().position]
    positions += [table.send("pia", RenameSubject(subject=hero, name=name)).position for name in names[1:]]
    return hero, positions


def test_a_sheet_as_of_a_position(table: Table) -> None:
    names = ["One", "Two", "Three"]
    hero, positions = renamed(table, names)
    for name, position in zip(names, positions, strict=True):
        assert as_of(table.campaign_id, position=position).part(Subjects).by_id[hero].name == name
    assert hero not in as_of(table.campaign_id, position=positions[0] - 1).part(Subjects).by_id
    assert as_of(table.campaign_id).position == positions[-1]
    assert as_of(table.campaign_id, position=0).part(Subjects).by_id == {}
    with pytest.raises(Refused):
        as_of(table.campaign_id, position=positions[-1] + 1)


def test_as_of_does_not_disturb_the_present(table: Table) -> None:
    hero, positions = renamed(table, ["One", "Two"])
    as_of(table.campaign_id, position=positions[0]).part(Subjects).by_id[hero].name = "Mangled"
    with states.held(table.campaign_id) as state:
        assert state.part(Subjects).by_id[hero].name == "Two"


def test_as_of_a_date(table: Table) -> None:
    start = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    found = []
    for day in range(7):
        with time_machine.travel(start + timedelta(days=day), tick=False):
            found.append(table.send("pia", Throw(name=f"day{day}")).position)
    for day in range(7):
        noon = start + timedelta(days=day, hours=12)
        assert position_as_of(table.campaign_id, date=noon) == found[day]
        assert position_as_of(table.campaign_id, date=start + timedelta(days=day)) == found[day]
    assert position_as_of(table.campaign_id, date=start - timedelta(days=30)) == 0


def test_as_of_the_end_of_a_season(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = {}
    for year, season in ((1, 1), (1, 2), (1, 4), (2, 1)):
        monkeypatch.setattr(registry, "_stamps", [lambda _s, _i, y=year, s=season: Stamp(year=y, season=s, week=1)])
        for _ in range(3):
            ends[year, season] = table.send("pia", Throw(name="a")).position
    assert position_as_of(table.campaign_id, season=(1, 1)) == ends[1, 1]
    assert position_as_of(table.campaign_id, season=(1, 3)) == ends[1, 2]
    assert position_as_of(table.campaign_id, season=(9, 9)) == ends[2, 1]
    assert as_of(table.campaign_id, season=(1, 2)).part(Throws).count == 6


def test_opening_costs_a_snapshot_and_its_tail(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "SNAPSHOT_EVERY", 10)
    for _ in range(35):
        table.send("pia", Throw(name="a"))
    folded: list[int] = []
    bodies = states.read.bodies
    monkeypatch.setattr(
        states.read, "bodies", lambda c, after, upto: (folded.append(upto - after), bodies(c, after, upto))[1]
    )
    states.forget(table.campaign_id)
    with states.held(table.campaign_id) as state:
        assert state.part(Throws).count == 35
    assert sum(folded) < 10


def test_old_snapshots_thin_out(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "SNAPSHOT_EVERY", 2)
    monkeypatch.setattr(states, "OLD_SNAPSHOTS", 5)
    for _ in range(60):
        table.send("pia", Throw(name="a"))
    kept = models.Snapshot.objects.filter(campaign_id=table.campaign_id)
    # Of some 35 taken: the newest few, and one in five of the others.
    assert 6 <= kept.count() <= 14
    whole = states.refold(table.campaign_id, 40).parts
    assert states.fold(table.campaign_id, 40).parts == whole


def test_snapshots_are_disposable_and_those_of_another_shape_are_not_read(table: Table) -> None:
    table.send("pia", Throw(name="a"))
    with states.held(table.campaign_id) as state:
        states.snapshot(table.campaign_id, state)
        before = state.parts
    with connection.cursor() as cursor:
        cursor.execute("UPDATE campaigns_snapshot SET schema = 'other', state = %s", [b"nonsense"])
    states.forget(table.campaign_id)
    with states.held(table.campaign_id) as state:
        assert state.parts == before
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM campaigns_snapshot")
    states.forget(table.campaign_id)
    with states.held(table.campaign_id) as state:
        assert state.parts == before


def test_a_part_folded_differently_outdates_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from campaigns import state as folding

    before = folding.schema_version()
    monkeypatch.setitem(registry.parts, "throws", replace(registry.parts["throws"], revision=2))
    folding._schema_of.cache_clear()
    assert folding.schema_version() != before
    folding._schema_of.cache_clear()


def rows_of() -> list[object]:
    tables = (models.Campaign, models.Member, models.Subject)
    return [list(m.objects.order_by("pk").values()) for m in tables]


def test_a_rebuild_shows_progress_and_equals_what_was_there(table: Table) -> None:
    play(table)
    before, out = rows_of(), StringIO()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE campaigns_subject SET name = 'spoilt'")
        cursor.execute("DELETE FROM campaigns_member WHERE is_owner")
    call_command("rebuild", stdout=out)
    # A row that was deleted comes back under another key of its own.
    assert [[{**row, "id": 0} for row in rows] for rows in rows_of()][1:] != []
    for was, now in zip(before, rows_of(), strict=True):
        assert [_keyless(row) for row in was] == sorted((_keyless(row) for row in now), key=_order(was))
    position = models.Campaign.objects.get().position
    assert f"{position} of {position} events" in out.getvalue() and "done" in out.getvalue()


def _keyless(row: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in row.items() if name != "id"}


def _order(was: list[dict[str, object]]) -> object:
    return lambda row: [_keyless(w) for w in was].index(row)


def test_a_rebuild_runs_beside_play(table: Table) -> None:
    """Commands that come while it folds are in the tables it makes."""
    table.character("pia", "Before")
    steps = rebuild(table.campaign_id)
    next(steps)
    thread = threading.Thread(target=_in_thread, args=(table,))
    thread.start()
    thread.join()
    for _ in steps:
        pass
    assert set(models.Subject.objects.values_list("name", flat=True)) == {"Before", "Meanwhile"}


def _in_thread(table: Table) -> None:
    table.character("pia", "Meanwhile")
    connection.close()


def test_a_rebuild_of_no_campaign_is_refused(transactional_db: None) -> None:
    from uuid import uuid4

    with pytest.raises(Refused):
        list(rebuild(uuid4()))


def test_why_a_number_is_this_now_and_then(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def why(state: State, _viewer: Viewer, subject: str, name: str) -> Why | None:
        if name != "sum":
            return None
        total = state.part(Throws).sums.get(subject, 0)
        return Why(label="Sum", value=total, how="all throws", parts=(Why(label=subject, value=total),))

    monkeypatch.setattr(registry, "explainers", [])
    monkeypatch.setattr("campaigns.past.explainers", [why])
    first = table.send("pia", Throw(name="a"))
    viewer, was = table.viewer("pia"), first.events[0].event.faces[0]
    second = table.send("pia", Throw(name="a"))
    total = was + second.events[0].event.faces[0]
    assert explain(as_of(table.campaign_id), viewer, "a", "sum").value == total
    assert explain(as_of(table.campaign_id, position=first.position), viewer, "a", "sum").value == was
    with pytest.raises(Refused):
        explain(as_of(table.campaign_id), viewer, "a", "other")
