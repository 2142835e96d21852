"""What a viewer built from the feed, through drops and under concurrent writers, is what they would fetch anew."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import pytest

from campaigns.commands.seats import ChangeRole, JoinByLink, MakeLink, RemoveMember
from campaigns.commands.starting import ChangeSetting, RenameCampaign
from campaigns.commands.subjects import CreateSubject, HandOverSubject, RenameSubject, RevealSubject
from campaigns.context import Context
from campaigns.events import Draft
from campaigns.links import token_of
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table as TablePart
from campaigns.parts.voids import EventsVoided, VoidLifted, Voids
from campaigns.registry import Command, commands, decides
from campaigns.state import State
from campaigns.store import states
from rules.refusal import Refused
from tests.campaigns.tables import Table
from tests.encounters.readers import Reader
from tests.encounters.sockets import fetched, in_thread, link_path, member_path, play, session_of

VIEWERS = ("olga", "pia", "paul", "wim", "link")


class Void(Command):
    """For tests: takes single events back, or lets them stand again."""

    position: int


if "test.void" not in commands:

    @decides(Void, "test.void", roles=["gm"], title="Voiding")
    def _void(state: State, command: Void, _context: Context) -> list[Draft]:
        if not 1 <= command.position <= state.position:
            raise Refused("no_such_entry", "There is no such entry.", field="position", value=command.position)
        position = (command.position,)
        if command.position in state.part(Voids).by:
            return [Draft(VoidLifted(positions=position, reason="So it was"))]
        return [Draft(EventsVoided(positions=position, reason="Not so"))]


class Writer:
    """Sends random commands as different people; refused ones do not matter."""

    def __init__(self, table: Table, seed: int) -> None:
        self.table, self.rng = table, random.Random(seed)
        self.members = {who: table.member(who) for who in ("olga", "pia", "paul", "wim")}
        self.first = table.send("olga", RenameCampaign(name=f"Slack {seed}")).position

    def subjects(self) -> list[str]:
        """Ids of all subjects."""
        with states.held(self.table.campaign_id) as state:
            return list(state.part(Subjects).by_id)

    def write(self, count: int) -> None:
        """Sends so many commands."""
        for _ in range(count):
            with contextlib.suppress(Refused):
                who, command = self.choose()
                self.table.send(who, command)

    def choose(self) -> tuple[str, Command]:
        """Somebody and a command."""
        rng, word = self.rng, f"N{self.rng.randrange(10_000)}"
        subject = rng.choice(self.subjects())
        player = self.members[rng.choice(("pia", "paul"))]
        choices: list[tuple[int, Callable[[], tuple[str, Command]]]] = [
            (9, lambda: ("olga", RenameCampaign(name=word))),
            (6, lambda: ("olga", CreateSubject(kind="faction", name=f"Hidden {word}", hidden=True))),
            (3, lambda: (rng.choice(("pia", "paul")), CreateSubject(kind="character", name=word))),
            (2, lambda: ("olga", RevealSubject(subject=subject))),
            (1, lambda: ("olga", RenameSubject(subject=subject, name=word))),
            (2, lambda: ("olga", HandOverSubject(subject=subject, players=(player,)))),
            (2, lambda: ("olga", ChangeSetting(setting="publish_tests", value=rng.random() < 0.5))),
            (2, lambda: ("olga", Void(position=self.first + rng.randrange(20)))),
            (1, lambda: ("olga", ChangeRole(member=self.members["paul"], role=rng.choice(("gm", "player"))))),
            (1, lambda: ("olga", RemoveMember(member=self.members["wim"]))),
            (2, self.rejoin),
        ]
        weights, makers = zip(*choices, strict=True)
        made: tuple[str, Command] = rng.choices(makers, weights)[0]()
        return made

    def rejoin(self) -> tuple[str, Command]:
        """Wim comes back, perhaps under another name."""
        made: Any = self.table.send("olga", MakeLink(role="watcher")).events[0].event
        token = token_of(self.table.campaign_id, made.link)
        return "wim", JoinByLink(link=made.link, token=token, name=f"Wim {self.rng.randrange(3)}")


def readers_of(table: Table, seed: int, drops: float) -> list[Reader]:
    path, _ = link_path(table)
    return [
        Reader(
            table,
            who,
            path if who == "link" else member_path(table),
            "" if who == "link" else session_of(table.users[who]),
            random.Random(f"{seed} {who}"),
            drops,
        )
        for who in VIEWERS
    ]


async def _settled(table: Table, readers: list[Reader], following: list[asyncio.Task[None]]) -> None:
    """Waits until every list is what its reader would fetch anew; in the end pytest shows the difference."""
    for reader in readers:
        expected = await in_thread(fetched, table, reader.who)
        for _ in range(1000):
            for task in following:
                if task.done():
                    task.result()
            if reader.seen == expected:
                break
            await asyncio.sleep(0.02)
        differing = [pair for pair in zip_longest(reader.seen, expected) if pair[0] != pair[1]]
        assert not differing, f"{reader.who} after {reader.heard}: {differing[:2]}"


@pytest.mark.parametrize("seed, drops", [(1, 0.0), (2, 0.15), (3, 0.4)])
def test_the_list_from_the_feed_is_the_list_fetched_anew(table: Table, seed: int, drops: float) -> None:
    for who in ("pia", "paul"):
        table.character(who)
    readers = readers_of(table, seed, drops)
    writers = [Writer(table, seed * 10 + i) for i in range(3)]

    async def scenario() -> None:
        following = [asyncio.create_task(reader.follow()) for reader in readers]
        await asyncio.gather(*(in_thread(writer.write, 30) for writer in writers))
        if not await in_thread(table.member, "wim"):
            await in_thread(table.seat, "wim", "watcher")
        for reader in readers:
            reader.drops = 0.0
        await _settled(table, readers, following)
        for task in following:
            task.cancel()
        await asyncio.gather(*following, return_exceptions=True)

    play(scenario())
    assert sum(reader.heard.get("event", 0) for reader in readers) > 20
    for reader in readers:
        follows = [follows for _, follows, _ in reader.seen]
        assert follows == [None, *(cursor for cursor, _, _ in reader.seen[:-1])]
    with states.held(table.campaign_id) as state:
        owner = state.part(TablePart).owner
    assert owner == table.member("olga")


def test_hidden_events_leave_neither_hole_nor_count(table: Table) -> None:
    """Two tables that differ only in what is hidden tell the same number of frames, and nothing of it."""
    readers = [r for r in readers_of(table, 0, 0.0) if r.who != "olga"]

    async def scenario() -> dict[str, int]:
        for reader in readers:
            reader.seen = await in_thread(fetched, table, reader.who)
        following = [asyncio.create_task(reader.follow()) for reader in readers]
        for number in range(10):
            hidden = CreateSubject(kind="faction", name=f"CanaryFoe{number}", hidden=True)
            await in_thread(table.send, "olga", hidden)
            await in_thread(table.send, "olga", RenameCampaign(name=f"Ebb {number}"))
        await _settled(table, readers, following)
        for task in following:
            task.cancel()
        await asyncio.gather(*following, return_exceptions=True)
        assert "Canary" not in repr([reader.seen for reader in readers])
        return {reader.who: reader.heard["event"] for reader in readers}

    assert play(scenario()) == dict.fromkeys(("pia", "paul", "wim", "link"), 10)
