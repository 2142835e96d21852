"""The hub of the live feed: one a process (and event loop), whatever the number of sockets.

It hears that a campaign moved on from this process (a listener of :mod:`campaigns.announce`), from others (the channel
layer) and, since either may stay silent, looks at the heads of the campaigns it serves a few times a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from uuid import UUID
from weakref import WeakKeyDictionary

import structlog
from django.contrib.auth.signals import user_logged_out
from django.db import connection

from campaigns.announce import group_of, layer_between_processes, listen
from campaigns.entrance import utc_now
from encounters import frames, reading
from encounters.following import NO_SEAT, Following
from encounters.socket import Socket

T = TypeVar("T")
THREADS = 4
# Seconds: between looks at the heads; between rounds of upkeep; until a silent socket is pinged, given up, its session
# looked at again; until a socket that takes nothing is given up; until an empty campaign is forgotten.
LOOK, ROUND, PING, SILENT, SESSION, STUCK, LINGER = 0.25, 1.0, 25.0, 70.0, 20.0, 60.0, 30.0
# How many sessions are looked at again in one round.
SESSIONS_A_ROUND = 25
SIGNED_OUT = 4401
_log = structlog.get_logger(__name__)
_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


class Hub:
    """Campaigns with open sockets in this event loop, and what keeps them going."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.campaigns: dict[UUID, Following] = {}
        self._threads = ThreadPoolExecutor(THREADS, "feed")
        self._writers: dict[Socket, asyncio.Task[None]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._stops: list[Callable[[], object]] = []

    @staticmethod
    def here() -> Hub:
        """The hub of the running event loop."""
        loop = asyncio.get_running_loop()
        hub = _hubs.get(loop)
        if hub is None:
            hub = _hubs[loop] = Hub()
        return hub

    def join(self, campaign_id: UUID, socket: Socket) -> Following:
        """Serves a socket until it leaves."""
        if not self._tasks:
            self._start()
        following = self.campaigns.get(campaign_id)
        if following is None:
            following = self.campaigns[campaign_id] = Following(campaign_id, self.in_thread)
        following.join(socket)
        self._writers[socket] = self.loop.create_task(socket.write(following.missed))
        return following

    def leave(self, following: Following, socket: Socket) -> None:
        """Forgets a socket that is gone."""
        following.leave(socket)
        writer = self._writers.pop(socket, None)
        if writer is not None:
            writer.cancel()

    async def in_thread(self, function: Callable[..., T], *arguments: Any) -> T:
        """Runs what asks the database in a thread of the hub; its connection goes back afterwards."""

        def run() -> T:
            try:
                return function(*arguments)
            finally:
                connection.close()

        return await self.loop.run_in_executor(self._threads, run)

    async def close(self) -> None:
        """Ends everything at once: for the end of a process or of a test."""
        for stop in self._stops:
            stop()
        tasks = [*self._tasks, *self._writers.values(), *(c.task for c in self.campaigns.values())]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.campaigns.clear()
        self._writers.clear()
        self._threads.shutdown()
        _hubs.pop(self.loop, None)

    def _start(self) -> None:
        self._stops = [listen(self._heard), self._mind_sign_out()]
        rounds: list[Callable[[], Any]] = [self._watch_heads, self._keep_up]
        if layer_between_processes() is not None:
            rounds.append(self._listen_to_layer)
        self._tasks = [self.loop.create_task(one()) for one in rounds]

    def _heard(self, campaign_id: UUID, position: int) -> None:
        """From any thread: a campaign is at a position."""
        if campaign_id in self.campaigns and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.nudge, campaign_id, position)

    def nudge(self, campaign_id: UUID, position: int) -> None:
        """A campaign is said to be at a position."""
        following = self.campaigns.get(campaign_id)
        if following is not None:
            following.nudge(position)

    async def _watch_heads(self) -> None:
        """Looks at the heads of what is served, so that a lost nudge only delays."""
        while True:
            await asyncio.sleep(LOOK)
            served = list(self.campaigns)
            if not served:
                continue
            try:
                heads = await self.in_thread(reading.heads, served)
            except Exception as error:
                _log.warning("feed.heads_failed", error=repr(error))
                continue
            for campaign_id, position in heads.items():
                self.nudge(campaign_id, position)
            for campaign_id in served:
                if campaign_id not in heads:
                    self._erased(campaign_id)

    def _erased(self, campaign_id: UUID) -> None:
        following = self.campaigns.get(campaign_id)
        if following is not None:
            following.send_all_away(NO_SEAT, frames.frame("bye", reason="not_a_member"))

    async def _listen_to_layer(self) -> None:
        """Hears the other processes. While the layer is away, looking at heads does its work."""
        layer: Any = layer_between_processes()
        while True:
            try:
                channel = await layer.new_channel()
                groups = self.loop.create_task(self._keep_groups(layer, channel))
                try:
                    while True:
                        message = await layer.receive(channel)
                        self.nudge(UUID(hex=message["campaign"]), message["position"])
                finally:
                    groups.cancel()
            except Exception as error:
                _log.warning("feed.layer_away", error=repr(error))
                await asyncio.sleep(ROUND)

    async def _keep_groups(self, layer: Any, channel: str) -> None:
        """Keeps the channel in the groups of the campaigns served, trying again while the layer is away."""
        joined: set[UUID] = set()
        while True:
            wanted = set(self.campaigns)
            try:
                for campaign_id in wanted - joined:
                    await layer.group_add(group_of(campaign_id), channel)
                    joined.add(campaign_id)
                for campaign_id in joined - wanted:
                    await layer.group_discard(group_of(campaign_id), channel)
                    joined.discard(campaign_id)
            except Exception as error:
                _log.warning("feed.layer_away", error=repr(error))
                await asyncio.sleep(ROUND)
            await asyncio.sleep(LOOK)

    def _mind_sign_out(self) -> Callable[[], object]:
        """Who signs out in this process is shown out at once; elsewhere, at the next look at the session."""

        def signed_out(request: Any, **_: Any) -> None:
            key = getattr(getattr(request, "session", None), "session_key", None)
            if key and not self.loop.is_closed():
                self.loop.call_soon_threadsafe(self._show_out, {key})

        user_logged_out.connect(signed_out, weak=False)
        return lambda: user_logged_out.disconnect(signed_out)

    def _show_out(self, session_keys: set[str]) -> None:
        for socket in list(self._writers):
            if socket.session_key in session_keys:
                socket.end(SIGNED_OUT, frames.frame("bye", reason="signed_out"))

    async def _keep_up(self) -> None:
        """Once a second: pings, silent and stuck sockets, links that end, sessions, campaigns nobody follows."""
        while True:
            await asyncio.sleep(ROUND)
            now = self.loop.time()
            for socket in list(self._writers):
                self._mind(socket, now)
            for campaign_id, following in list(self.campaigns.items()):
                following.links_ended(utc_now())
                if following.empty_since is not None and now - following.empty_since > LINGER:
                    following.task.cancel()
                    del self.campaigns[campaign_id]
            try:
                await self._look_at_sessions(now)
            except Exception as error:
                _log.warning("feed.sessions_failed", error=repr(error))

    def _mind(self, socket: Socket, now: float) -> None:
        stuck = socket.stuck_since is not None and now - socket.stuck_since > STUCK
        if stuck or now - socket.heard > SILENT:
            socket.abort()
        elif now - socket.told > PING and socket.stuck_since is None:
            socket.say(frames.PING)

    async def _look_at_sessions(self, now: float) -> None:
        due: dict[tuple[str, int], list[Socket]] = {}
        for socket in self._writers:
            if socket.session_key and now - socket.checked > SESSION:
                due.setdefault((socket.session_key, socket.seat.user), []).append(socket)
        for (key, user), sockets in list(due.items())[:SESSIONS_A_ROUND]:
            if not await self.in_thread(reading.is_signed_in, key, user):
                self._show_out({key})
            for socket in sockets:
                socket.checked = now
