"""What holds for any sequence of commands: every way to a state leads to the same one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from campaigns import models
from campaigns.commands.seeds import RenewSeeds
from campaigns.commands.starting import ChangeSetting, RenameCampaign
from campaigns.commands.subjects import CreateSubject, RenameSubject, RevealSubject
from campaigns.commands.voiding import RestoreAction, VoidAction
from campaigns.feed import cursor_of
from campaigns.parts.subjects import Subjects
from campaigns.parts.voids import Voids
from campaigns.projecting import project_all
from campaigns.registry import Command
from campaigns.state import freeze, thaw
from campaigns.store import states
from campaigns.transfer.exporting import export_whole
from campaigns.transfer.importing import import_campaign
from campaigns.verifying import verify_campaign
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table
from tests.campaigns.test_transfer import wipe
from tests.campaigns.throwing import Throw

WHO = st.sampled_from(["olga", "pia", "paul", "wim"])
NAMES = st.sampled_from(["Talyne", "Wrack", "Ærin", "名"])
NUMBER = st.integers(0, 40)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("rename"), WHO, NAMES, NUMBER),
        st.tuples(st.just("create"), WHO, NAMES, NUMBER),
        st.tuples(st.just("call"), WHO, NAMES, NUMBER),
        st.tuples(st.just("reveal"), WHO, NAMES, NUMBER),
        st.tuples(st.just("setting"), WHO, NAMES, NUMBER),
        st.tuples(st.just("throw"), WHO, NAMES, NUMBER),
        st.tuples(st.just("renew"), WHO, NAMES, NUMBER),
        st.tuples(st.just("void"), st.just("olga"), NAMES, NUMBER),
        st.tuples(st.just("restore"), st.just("olga"), NAMES, NUMBER),
    ),
    max_size=14,
)
few = settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def command_of(table: Table, kind: str, name: str, number: int) -> Command:
    """The command that a step stands for, about whatever there is by now."""
    with states.held(table.campaign_id) as state:
        known = [*state.part(Subjects).by_id] or ["none"]
        voids = [*state.part(Voids).by.values()] or [1]
        head = state.position
    subject, entry = known[number % len(known)], cursor_of(table.campaign_id, 1 + number % head)
    made: dict[str, Callable[[], Command]] = {
        "rename": lambda: RenameCampaign(name=name),
        "create": lambda: CreateSubject(kind="character", name=name, hidden=number % 2 == 0),
        "call": lambda: RenameSubject(subject=subject, name=name),
        "reveal": lambda: RevealSubject(subject=subject),
        "setting": lambda: ChangeSetting(setting="publish_tests", value=number % 2 == 0),
        "throw": lambda: Throw(name=name, events=1 + number % 3, cause=1 + number % head if number % 4 == 0 else None),
        "renew": RenewSeeds,
        "void": lambda: VoidAction(entry=entry, reason=name),
        "restore": lambda: RestoreAction(entry=cursor_of(table.campaign_id, voids[number % len(voids)])),
    }
    return made[kind]()


def played(steps: list[tuple[str, str, str, int]]) -> Table:
    """A new campaign in which these steps were taken, as far as they were let."""
    table = make_table()
    for kind, who, name, number in steps:
        with suppress(Refused):
            table.send(who, command_of(table, kind, name, number))
    return table


def rows(table: Table) -> list[list[dict[str, object]]]:
    """The projected rows of a campaign, without the keys that the database gives them."""
    found = []
    for model, key in ((models.Campaign, "id"), (models.Member, "member"), (models.Subject, "subject")):
        where = {"id" if model is models.Campaign else "campaign_id": table.campaign_id}
        plain = [dict(row) for row in model.objects.filter(**where).order_by(key).values()]
        found.append([{k: v for k, v in row.items() if k != "id"} for row in plain])
    return found


@few
@given(STEPS)
def test_every_way_to_the_state_leads_to_the_same(
    transactional_db: None, steps: list[tuple[str, str, str, int]]
) -> None:
    table = played(steps)
    with states.held(table.campaign_id) as grown:
        head = grown.position
        folded = states.refold(table.campaign_id, head)
        assert folded.parts == grown.parts
        # Snapshot plus tail, from a snapshot at every third position.
        for position in range(1, head + 1, 3):
            tail = thaw(freeze(states.refold(table.campaign_id, position)), position)
            if states.catch_up(tail, table.campaign_id, head):
                assert tail.parts == grown.parts
    positions = models.Event.objects.filter(campaign_id=table.campaign_id).order_by("position")
    assert list(positions.values_list("position", flat=True)) == list(range(1, head + 1))
    assert verify_campaign(table.campaign_id).sound


@few
@given(STEPS)
def test_projections_made_anew_equal_those_grown(
    transactional_db: None, steps: list[tuple[str, str, str, int]]
) -> None:
    table = played(steps)
    grown = rows(table)
    with states.held(table.campaign_id) as state:
        project_all(table.campaign_id, state)
    assert rows(table) == grown


@few
@given(STEPS, NUMBER)
def test_void_then_restore_equals(transactional_db: None, steps: list[tuple[str, str, str, int]], number: int) -> None:
    table = played(steps)
    with states.held(table.campaign_id) as state:
        head, before = state.position, freeze(state)
    try:
        taken = table.send("olga", VoidAction(entry=cursor_of(table.campaign_id, 1 + number % head), reason="x"))
    except Refused:
        return
    table.send("olga", RestoreAction(entry=cursor_of(table.campaign_id, taken.position)))
    with states.held(table.campaign_id) as state:
        assert freeze(state) == before
    assert verify_campaign(table.campaign_id).sound


@few
@given(STEPS)
def test_export_then_import_equals(transactional_db: None, steps: list[tuple[str, str, str, int]]) -> None:
    table = played(steps)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "x.gz"
        with file.open("wb") as target:
            header = export_whole(table.campaign_id, target)
        before = states.refold(table.campaign_id, header.position)
        wipe()
        import_campaign(file, table.users["olga"])
    assert states.fold(table.campaign_id, header.position).parts == before.parts
    assert states.refold(table.campaign_id, header.position).parts == before.parts
    assert verify_campaign(table.campaign_id).sound


@pytest.mark.parametrize("every", [1, 2, 5])
def test_snapshots_as_often_as_may_be_change_nothing(table: Table, monkeypatch: pytest.MonkeyPatch, every: int) -> None:
    monkeypatch.setattr(states, "SNAPSHOT_EVERY", every)
    thrown = [table.send("pia", Throw(name="a", events=2)).position for _ in range(6)]
    taken = table.send("olga", VoidAction(entry=cursor_of(table.campaign_id, thrown[1]), reason="x")).position
    for _ in range(3):
        table.send("pia", Throw(name="b"))
    table.send("olga", RestoreAction(entry=cursor_of(table.campaign_id, taken)))
    table.send("olga", VoidAction(entry=cursor_of(table.campaign_id, thrown[0]), reason="y"))
    head = models.Campaign.objects.get().position
    for position in range(head + 1):
        states.forget(table.campaign_id)
        assert states.fold(table.campaign_id, position).parts == states.refold(table.campaign_id, position).parts
