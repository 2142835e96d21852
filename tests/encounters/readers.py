"""Somebody who follows a campaign by the feed's protocol alone, through drops, and keeps the list of what they saw."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any

from rules.refusal import Refused
from tests.campaigns.tables import Table
from tests.encounters.sockets import Socket, fetched, in_thread

Seen = list[tuple[str, str | None, dict[str, Any]]]


@dataclass
class Reader:
    """Follows as ``who``. ``drops`` is the chance that the line breaks after a frame."""

    table: Table
    who: str
    path: str
    session: str
    rng: random.Random
    drops: float = 0.1
    seen: Seen = field(default_factory=list)
    heard: dict[str, int] = field(default_factory=dict)
    # Between asking to go on somewhere else and the word that it does, frames of before may still arrive.
    asked: bool = False
    wanted: str = ""

    @property
    def cursor(self) -> str:
        """The newest entry's cursor."""
        return self.seen[-1][0] if self.seen else ""

    async def follow(self) -> None:
        """Opens sockets one after the other until it is cancelled."""
        while True:
            socket = Socket(self.path, self.session, self.cursor)
            assert await socket.open()
            self.asked, self.wanted = True, self.cursor
            ended = False
            try:
                while not ended:
                    ended = await self._hear(socket, await _patiently(socket))
            finally:
                await socket.close()

    async def _hear(self, socket: Socket, frame: dict[str, Any]) -> bool:
        """Takes one frame in; whether the line is at its end."""
        kind = frame["kind"]
        self.heard[kind] = self.heard.get(kind, 0) + 1
        if kind == "closed":
            await asyncio.sleep(0.02)
            return True
        if kind in ("rights", "renew", "reset"):
            await self._fetch(socket)
        elif kind == "resumed":
            self._rewind(frame["cursor"])
        elif kind == "event" and not self.asked:
            assert frame["follows"] == (self.cursor or None), f"a hole in the feed of {self.who}"
            self.seen.append((frame["cursor"], frame["follows"], frame["event"]))
        elif kind == "again" and not self.asked:
            self._reread(frame)
        return self.rng.random() < self.drops

    def _rewind(self, cursor: str | None) -> None:
        """What follows comes behind this cursor, if it is the one last asked for."""
        if (cursor or "") == self.wanted:
            cursors = ["", *(entry[0] for entry in self.seen)]
            del self.seen[cursors.index(self.wanted) :]
            self.asked = False

    async def _fetch(self, socket: Socket) -> None:
        try:
            self.seen = await in_thread(fetched, self.table, self.who)
        except Refused:
            return
        self.asked, self.wanted = True, self.cursor
        await socket.say({"kind": "resume", "cursor": self.cursor})

    def _reread(self, frame: dict[str, Any]) -> None:
        for index, (cursor, follows, _) in enumerate(self.seen):
            if cursor == frame["cursor"]:
                self.seen[index] = (cursor, follows, frame["event"])


async def _patiently(socket: Socket) -> dict[str, Any]:
    # asgiref's own waiting cancels the application when its time is up; a reader just listens.
    while socket.line.output_queue.empty():
        if socket.line.future.done():
            return {"kind": "closed"}
        await asyncio.sleep(0.002)
    return await socket.hear()
