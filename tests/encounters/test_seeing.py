"""Who sees whom in a fight when roles and hands change: at once, on the board and on open sockets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from campaigns.audience import name_finder
from campaigns.commands.seats import ChangeRole
from campaigns.commands.subjects import CreateSubject, HandOverSubject
from campaigns.store import states
from encounters.commands.hand import AdjustInEncounter
from encounters.commands.preparing import ShowInEncounter
from tests.campaigns.tables import Table, make_table
from tests.encounters.sockets import Socket, in_thread, link_path, member_path, opened, play, session_of
from tests.encounters.test_encounters import PACK, _with, begun, board

SCOUT = "CanaryScout"


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({PACK: ""})


@pytest.fixture
def scout(table: Table) -> str:
    """Pia's, whom the fight hides from everybody else."""
    return _with(table, table.character("pia", SCOUT), {"level": 2})


@pytest.fixture
def fight(table: Table, scout: str) -> str:
    """Ana (Paul's) and the scout, who is out of sight."""
    ana = _with(table, table.character("paul", "Ana"), {"level": 2})
    encounter = begun(table, [ana, scout], {ana: "party", scout: "rivals"})
    table.send("olga", ShowInEncounter(encounter=encounter, subject=scout, hidden=True))
    return encounter


def seen(table: Table, who: str, encounter: str) -> list[str]:
    return [one.name for one in board(table, who, encounter).fighters]


async def fell(table: Table, fight: str, scout: str) -> None:
    """Something that only the GM and the player of whom it happens to are told."""
    hurt = AdjustInEncounter(encounter=fight, reason="A fall", set={scout: {"hp": 1}})
    await in_thread(table.send, "olga", hurt)


async def heard_of(socket: Socket, until: str) -> list[dict[str, Any]]:
    """What a socket hears up to the event of a type."""
    frames = [await socket.hear()]
    while frames[-1].get("event", {}).get("type") != until:
        frames.append(await socket.hear())
    return frames


@pytest.mark.parametrize("way", ["demoted", "handed over"])
def test_whom_one_played_unseen_is_unseen_to_oneself_from_then_on(
    table: Table, scout: str, fight: str, way: str
) -> None:
    assert seen(table, "pia", fight) == ["Ana", SCOUT]
    assert seen(table, "paul", fight) == seen(table, "wim", fight) == ["Ana"]
    if way == "demoted":
        table.send("olga", ChangeRole(member=table.member("pia"), role="watcher"))
    else:
        table.send("olga", HandOverSubject(subject=scout, players=(table.member("paul"),)))
        assert seen(table, "paul", fight) == ["Ana", SCOUT]
    assert seen(table, "pia", fight) == ["Ana"]
    table.send("olga", ChangeRole(member=table.member("pia"), role="gm"))
    assert seen(table, "pia", fight) == ["Ana", SCOUT]


def test_a_watcher_knows_no_name_that_is_hidden_from_the_campaign(table: Table) -> None:
    made: Any = table.send("olga", CreateSubject(kind="character", name=SCOUT, hidden=True)).events[0].event
    pia = table.member("pia")
    table.send("olga", HandOverSubject(subject=made.subject, players=(pia,)))

    def known() -> str:
        viewer = table.viewer("pia")
        with states.held(table.campaign_id) as state:
            return name_finder(state).seen_by(viewer)(made.subject)

    assert known() == SCOUT
    table.send("olga", ChangeRole(member=pia, role="watcher"))
    assert known() == "Somebody"


@pytest.mark.parametrize("way", ["demoted", "handed over"])
def test_the_open_socket_tells_nothing_more_of_them(table: Table, scout: str, fight: str, way: str) -> None:
    session, pia, paul = session_of(table.users["pia"]), table.member("pia"), table.member("paul")
    path, _ = link_path(table)

    async def scenario() -> None:
        socket, _ = await opened(member_path(table), session)
        link, _ = await opened(path)
        await fell(table, fight, scout)
        while "sheet.changed" not in json.dumps(frame := await socket.hear()):
            assert frame["kind"] == "event"
        if way == "demoted":
            await in_thread(table.send, "olga", ChangeRole(member=pia, role="watcher"))
        else:
            await in_thread(table.send, "olga", HandOverSubject(subject=scout, players=(paul,)))
        await socket.hear_until("rights")
        await fell(table, fight, scout)
        await in_thread(table.send, "olga", ShowInEncounter(encounter=fight, subject=scout, hidden=False))
        after = await heard_of(socket, "encounter.moved")
        by_link = await heard_of(link, "encounter.moved")
        assert after[-1]["event"]["data"]["words"] == by_link[-1]["event"]["data"]["words"] == f"{SCOUT} is seen."
        assert SCOUT not in json.dumps([f for f in after[:-1] if f["event"]["type"] != "subject.players_changed"])
        await socket.close()
        await link.close()

    play(scenario())
