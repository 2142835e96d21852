"""One campaign with open sockets: reads what is new once, tells each audience once, minds who may still listen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

import structlog

from campaigns.feed import cursor_of, position_of
from campaigns.models import Campaign
from encounters import frames, reading
from encounters.log import Log, Place
from encounters.reading import Before, Known, Look, Missed, MovedBackError, Names
from encounters.socket import Socket
from encounters.standing import Seat, Standing
from rules.refusal import Refused

K = TypeVar("K")
V = TypeVar("V")
InThread = Callable[..., Awaitable[Any]]
# Close codes: the seat is gone; come again, the server has to begin anew.
NO_SEAT, COME_AGAIN = 4403, 1012
# Seconds: until a look that failed is tried again; between clearing out logs that nobody follows.
RETRY, TIDY = 0.5, 30.0
MOST_KEPT = 64
_log = structlog.get_logger(__name__)


class Following:
    """Sockets of one campaign. All methods belong to the hub's event loop."""

    def __init__(self, campaign_id: UUID, in_thread: InThread) -> None:
        self.campaign_id = campaign_id
        self.sockets: set[Socket] = set()
        self.empty_since: float | None = None
        self._in_thread = in_thread
        self._position: int | None = None
        self._wanted = 0
        self._tidied = asyncio.get_running_loop().time()
        self._joining: list[Socket] = []
        self._returning: list[tuple[Socket, int, int]] = []
        self._standings: dict[Seat, Standing] = {}
        self._logs: dict[Hashable, Log] = {}
        self._names: Names = {}
        self._pages: dict[tuple[Log, Place], asyncio.Task[Missed | None]] = {}
        self._views: dict[tuple[int, int], asyncio.Task[Before]] = {}
        # The newest position from which on rights and names are known not to have changed.
        self._people_at = 0
        self._checks: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
        self.task = asyncio.get_running_loop().create_task(self._run())

    def nudge(self, position: int) -> None:
        """The campaign is said to be at a position."""
        if position > self._wanted:
            self._wanted = position
            self._wake.set()

    def join(self, socket: Socket) -> None:
        """Lets a socket in, or sends it away: at once where somebody sits in the same seat already and is kept informed
        of its rights, else with the next look."""
        self.sockets.add(socket)
        self.empty_since = None
        if socket.seat in self._standings:
            self._greet(socket)
            return
        self._joining.append(socket)
        self._wake.set()

    def leave(self, socket: Socket) -> None:
        """Forgets a socket that is gone."""
        self.sockets.discard(socket)
        if not self.sockets:
            self.empty_since = asyncio.get_running_loop().time()

    def resume(self, socket: Socket, cursor: str) -> None:
        """Goes on behind a cursor; an empty one is the very beginning."""
        if socket.audience is None:
            socket.cursor = cursor
            return
        try:
            self._resume(socket, position_of(self.campaign_id, cursor) if cursor else 0)
        except Refused:
            self._reset(socket)

    def _resume(self, socket: Socket, position: int) -> None:
        audience = socket.audience
        if audience is None or socket.ending:
            return
        socket.follow(audience, None)
        if position > audience.end.at:
            # A page that was made from a newer state than this feed has seen: look first.
            self._returning.append((socket, position, socket.epoch))
            self._wake.set()
            return
        if socket.trusted or not socket.seat.user or not position or position >= self._people_at:
            self._go_on(socket, audience, position)
            return
        check = asyncio.get_running_loop().create_task(self._check(socket, audience, position))
        self._checks.add(check)
        check.add_done_callback(self._checks.discard)

    async def _check(self, socket: Socket, audience: Log, position: int) -> None:
        """Goes on if rights are what they were at that position; else has everything fetched anew. Where nobody's have
        changed since, nobody else who comes back need be asked about."""
        epoch, standing, upto = socket.epoch, self._standings[socket.seat], audience.end.at
        try:
            before = await self._view_before(socket.seat, position, upto)
        except Exception:
            _log.exception("feed.check_failed", campaign=str(self.campaign_id))
            socket.abort()
            return
        if before.calm and self._people_at <= upto:
            self._people_at = min(self._people_at, position)
        if epoch != socket.epoch or socket.ending:
            return
        if before.calm or before.keys[socket.seat] in (None, standing.key):
            self._go_on(socket, audience, position)
        else:
            self._tell_rights(socket, standing, audience)

    async def _view_before(self, seat: Seat, position: int, upto: int) -> Before:
        """Asked once for all who sit here and come back behind the same position."""
        before = await self._shared(self._views, (position, upto), self._look_back, position, upto)
        if not before.calm and seat not in before.keys:  # it came since
            self._views.pop((position, upto), None)
            before = await self._shared(self._views, (position, upto), self._look_back, position, upto)
        return before

    async def _look_back(self, position: int, upto: int) -> Before:
        seats = list(self._standings)
        found: Before = await self._in_thread(reading.view_before, self.campaign_id, seats, position, upto)
        return found

    async def _shared(self, kept: dict[K, asyncio.Task[V]], key: K, ask: Callable[..., Any], *arguments: Any) -> V:
        """An answer that is kept for others who want it; what failed is asked anew."""
        task = kept.get(key)
        if task is None or task.cancelled() or (task.done() and task.exception() is not None):
            while len(kept) >= MOST_KEPT:
                del kept[next(iter(kept))]
            task = kept[key] = asyncio.ensure_future(ask(*arguments))
        return await asyncio.shield(task)

    def _go_on(self, socket: Socket, audience: Log, position: int) -> None:
        socket.trusted = True
        place = audience.place_of(position)
        if place is None and position >= audience.start.at:
            self._reset(socket)
            return
        socket.say(frames.frame("resumed", cursor=self._cursor(position)))
        socket.follow(audience, place or Place(position, position))

    def _reset(self, socket: Socket) -> None:
        if socket.audience is not None:
            socket.follow(socket.audience, socket.audience.end)
        socket.say(frames.RESET)

    def _cursor(self, position: int) -> str | None:
        return cursor_of(self.campaign_id, position) if position else None

    async def missed(self, audience: Log, place: Place) -> Missed | None:
        """A page of what lies before the log; many who come back share one reading, until it would read differently."""
        return await self._shared(self._pages, (audience, place), self._read_page, audience, place)

    async def _read_page(self, audience: Log, place: Place) -> Missed | None:
        reached = audience.start.at
        found: Missed | None = await self._in_thread(reading.missed, self.campaign_id, audience.viewer, place, reached)
        return found

    def links_ended(self, now: datetime) -> None:
        """Sends those away whose link has expired meanwhile."""
        for seat, standing in list(self._standings.items()):
            if standing.until is not None and standing.until <= now:
                self._send_away({seat}, "link_ended")

    def send_all_away(self, code: int, text: str | None) -> None:
        """Ends every socket."""
        for socket in list(self.sockets):
            socket.end(code, text)

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                while self._joining or self._returning or self._wanted > (self._position or 0):
                    await self._look()
            except Campaign.DoesNotExist:
                self.send_all_away(NO_SEAT, frames.frame("bye", reason="not_a_member"))
                self._joining.clear()
                self._returning.clear()
            except MovedBackError:
                self._begin_anew()
            except Exception:
                _log.exception("feed.look_failed", campaign=str(self.campaign_id))
                await asyncio.sleep(RETRY)
                self._wake.set()

    def _begin_anew(self) -> None:
        """After a restored database nothing that was told counts: everybody comes again."""
        self.send_all_away(COME_AGAIN, None)
        self._position, self._wanted = None, 0
        self._logs.clear()
        self._pages.clear()
        self._standings.clear()

    async def _look(self) -> None:
        joining, returning = list(self._joining), list(self._returning)
        audiences = {key: (log.viewer, log.end.tail) for key, log in self._logs.items()}
        known = Known(self._position, list(self._standings), audiences, self._names)
        seats = list({socket.seat for socket in joining})
        found: Look = await self._in_thread(reading.look, self.campaign_id, known, seats)
        del self._joining[: len(joining)], self._returning[: len(returning)]
        self._take(found)
        for socket in joining:
            self._greet(socket)
        for socket, position, epoch in returning:
            if socket.audience is None or epoch != socket.epoch:
                continue  # it has asked for something else since, or been told of other rights
            if position > socket.audience.end.at:
                self._reset(socket)
            else:
                self._resume(socket, position)

    def _take(self, found: Look) -> None:
        """Takes a look in: rights first, then what is new."""
        self._position, self._names = found.position, found.names
        self._wanted = max(self._wanted, found.position)
        if found.people:
            self._people_at = found.position
        if found.retold:
            self._pages.clear()
        for key, (viewer, place) in found.starts.items():
            self._logs[key] = Log(viewer, place)
        self._change_rights(found.standings)
        for key, log in self._logs.items():
            log.extend(found.items.get(key, ()), found.position)
        if found.retold or asyncio.get_running_loop().time() - self._tidied > TIDY:
            self._drop_unused()
        told = {log for key, log in self._logs.items() if found.items.get(key)}
        for socket in self.sockets if told else ():
            if socket.audience in told:
                socket.wake()

    def _change_rights(self, standings: dict[Seat, Standing | None]) -> None:
        lost = set()
        for seat, standing in standings.items():
            before = self._standings.get(seat)
            if standing is None:
                lost.add(seat)
                continue
            self._standings[seat] = standing
            if before is not None and (before.viewer, before.is_owner) != (standing.viewer, standing.is_owner):
                self._change_view(seat, standing)
        for_links = {seat for seat in lost if not seat.user}
        self._send_away(for_links, "link_ended")
        self._send_away(lost - for_links, "not_a_member")

    def _change_view(self, seat: Seat, standing: Standing) -> None:
        """On the open socket: it hears of its new rights, and then whatever they show, nothing else."""
        audience = self._logs[standing.key]
        for socket in self.sockets:
            if socket.seat == seat and socket.audience is not None:
                self._tell_rights(socket, standing, audience)

    def _tell_rights(self, socket: Socket, standing: Standing, audience: Log) -> None:
        socket.trusted = True
        socket.say(frames.rights(standing, self._cursor(audience.end.tail)))
        socket.follow(audience, audience.end)

    def _send_away(self, seats: set[Seat], reason: str) -> None:
        if not seats:
            return
        for seat in seats:
            self._standings.pop(seat, None)
        for socket in self.sockets:
            if socket.seat in seats:
                socket.end(NO_SEAT, frames.frame("bye", reason=reason))

    def _greet(self, socket: Socket) -> None:
        standing = self._standings.get(socket.seat)
        if standing is None or socket.ending or socket not in self.sockets:
            return
        audience = self._logs[standing.key]
        socket.reset = lambda: self._reset(socket)
        socket.say(frames.hello(standing, self._cursor(audience.end.tail)))
        socket.follow(audience, audience.end)
        if socket.cursor is None:
            socket.trusted = True
        else:
            self.resume(socket, socket.cursor)

    def _drop_unused(self) -> None:
        """Forgets the seats and logs that nobody sits in or follows any more."""
        self._tidied = asyncio.get_running_loop().time()
        self._pages.clear()
        self._views.clear()
        sat_in = {socket.seat for socket in self.sockets}
        self._standings = {seat: s for seat, s in self._standings.items() if seat in sat_in}
        used = {standing.key for standing in self._standings.values()}
        self._logs = {key: log for key, log in self._logs.items() if key in used}
