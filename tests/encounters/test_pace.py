"""Slow sockets, lost nudges, databases and layers that are away: nobody else waits, and nothing is lost."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from channels.layers import BaseChannelLayer
from django.db import OperationalError

from campaigns import announce
from campaigns.commands.starting import RenameCampaign
from campaigns.commands.voiding import VoidAction
from campaigns.feed import cursor_of
from encounters import hub, log, reading
from encounters.socket import Socket as ServerSocket
from tests.campaigns.tables import Table
from tests.encounters.sockets import fetched, in_thread, member_path, opened, play, session_of


def rename(table: Table, count: int) -> None:
    for number in range(count):
        table.send("olga", RenameCampaign(name=f"Ebb {number}"))


def test_a_slow_socket_holds_nobody_and_misses_nothing(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pia's line takes nothing for a while, until the log no longer reaches back to her; Paul hears everything."""
    monkeypatch.setattr(log, "KEPT", 4)
    sessions = {who: session_of(table.users[who]) for who in ("pia", "paul")}
    whole_write = ServerSocket._write
    stuck = asyncio.Event()

    async def write(self: ServerSocket, text: str) -> None:
        if self.seat.user == table.users["pia"] and '"event"' in text:
            await stuck.wait()
        await whole_write(self, text)

    async def scenario() -> None:
        monkeypatch.setattr(ServerSocket, "_write", write)
        pia, paul = [(await opened(member_path(table), sessions[who]))[0] for who in ("pia", "paul")]
        await in_thread(rename, table, 30)
        heard = [await paul.hear() for _ in range(30)]
        assert await pia.is_silent()
        stuck.set()
        assert [await pia.hear() for _ in range(30)] == heard
        for socket in (pia, paul):
            await socket.close()

    play(scenario())


def test_a_socket_that_takes_nothing_for_long_is_given_up(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    session = session_of(table.users["pia"])
    for name, seconds in {"ROUND": 0.02, "STUCK": 0.2}.items():
        monkeypatch.setattr(hub, name, seconds)

    async def scenario() -> None:
        socket, _ = await opened(member_path(table), session)
        (server,) = hub.Hub.here()._writers
        never = asyncio.Event()

        async def send(_: Any) -> None:
            await never.wait()

        monkeypatch.setattr(server, "_send_message", send)
        await in_thread(rename, table, 1)
        for _ in range(200):
            if socket.line.future.done():
                break
            await asyncio.sleep(0.02)
        assert not hub.Hub.here()._writers

    play(scenario())


def test_lost_nudges_only_delay(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither listener nor layer says anything: the hub finds out by looking at the heads."""
    session = session_of(table.users["pia"])
    monkeypatch.setattr(hub.Hub, "_heard", lambda *_: None)

    async def scenario() -> None:
        socket, _ = await opened(member_path(table), session)
        await in_thread(rename, table, 5)
        heard = [(await socket.hear())["event"]["data"]["name"] for _ in range(5)]
        assert heard == [f"Ebb {number}" for number in range(5)]
        await socket.close()

    play(scenario())


class DeadLayer(BaseChannelLayer):
    """A channel layer whose server is away."""

    async def new_channel(self, prefix: str = "specific.") -> str:
        raise ConnectionError("nobody there")

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        raise ConnectionError("nobody there")


def test_a_layer_that_is_away_stops_neither_commands_nor_feed(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    session = session_of(table.users["pia"])
    for module in (announce, hub):
        monkeypatch.setattr(module, "layer_between_processes", DeadLayer)

    async def scenario() -> None:
        socket, _ = await opened(member_path(table), session)
        await in_thread(rename, table, 3)
        assert [(await socket.hear())["kind"] for _ in range(3)] == ["event"] * 3
        await socket.close()

    play(scenario())


def test_a_database_that_is_away_delays_and_does_not_end_sockets(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    session = session_of(table.users["pia"])
    look, failures = reading.look, iter([OperationalError("away")] * 2)

    def sometimes(*arguments: Any) -> Any:
        for failure in failures:
            raise failure
        return look(*arguments)

    async def scenario() -> None:
        socket, _ = await opened(member_path(table), session)
        monkeypatch.setattr(reading, "look", sometimes)
        await in_thread(rename, table, 3)
        expected = (await in_thread(fetched, table, "pia"))[-3:]
        heard = [await socket.hear() for _ in range(3)]
        assert [(f["cursor"], f["follows"], f["event"]) for f in heard] == expected
        await socket.close()

    play(scenario())


def test_many_who_come_back_at_once_share_one_look_and_one_reading(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_of(table.users["pia"])
    seen = fetched(table, "pia")[-1][0]
    rename(table, 20)
    calls = {"look": 0, "missed": 0, "view_before": 0}
    for name in calls:
        monkeypatch.setattr(reading, name, _counted(calls, name, getattr(reading, name)))

    async def scenario() -> None:
        sockets = [(await opened(member_path(table), session, cursor=seen))[0] for _ in range(20)]
        opening = [opened(member_path(table), session, cursor=seen) for _ in range(20)]
        sockets += [socket for socket, _ in await asyncio.gather(*opening)]
        for socket in sockets:
            assert [(await socket.hear())["kind"] for _ in range(21)] == ["resumed", *["event"] * 20]
        for socket in sockets:
            await socket.close()

    play(scenario())
    # One after the other or all at once: their rights are looked at once and what they missed is read once, but for
    # those who ask while the first is being answered.
    assert calls["missed"] <= 1 and calls["view_before"] <= 2


def test_what_was_read_for_others_is_read_anew_once_it_reads_differently(table: Table) -> None:
    session = session_of(table.users["pia"])
    seen = fetched(table, "pia")[-1][0]
    made = table.send("olga", RenameCampaign(name="In error"))
    entry = cursor_of(table.campaign_id, made.events[0].position)

    async def scenario() -> None:
        first, _ = await opened(member_path(table), session, cursor=seen)
        assert [(await first.hear())["kind"] for _ in range(2)] == ["resumed", "event"]
        await in_thread(table.send, "olga", VoidAction(entry=entry, reason="No"))
        assert "again" in [frame["kind"] for frame in await first.hear_until("event")]
        second, _ = await opened(member_path(table), session, cursor=seen)
        assert (await second.hear())["kind"] == "resumed"
        assert (await second.hear())["event"]["voided"]
        for socket in (first, second):
            await socket.close()

    play(scenario())


def _counted(calls: dict[str, int], name: str, function: Any) -> Any:
    def call(*arguments: Any) -> Any:
        calls[name] += 1
        return function(*arguments)

    return call
