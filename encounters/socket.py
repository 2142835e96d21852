"""One socket of the live feed: it follows the log of its audience at its own pace, so that a slow one holds nobody.

Nothing is queued for it but a few words of its own (hello, rights, bye ...): what it has yet to be told lies in the
log, or in the stream where the log no longer reaches.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from encounters import frames
from encounters.log import Item, Log, Place
from encounters.reading import Missed
from encounters.standing import Seat

Send = Callable[[dict[str, Any]], Awaitable[None]]
ReadMissed = Callable[[Log, Place], Awaitable[Missed | None]]
MOST_WORDS = 64
_log = structlog.get_logger(__name__)


class Socket:
    """``send`` is the ASGI one; ``abort`` ends the connection without a word; ``cursor`` is where to resume.

    ``epoch`` counts how often it was made to follow something else. ``trusted`` says that it is known to have been told
    of its rights as they are: what it listed before was seen with them.
    """

    def __init__(
        self, seat: Seat, send: Send, abort: Callable[[], object], *, session_key: str = "", cursor: str | None = None
    ) -> None:
        self.seat, self.session_key, self.cursor = seat, session_key, cursor
        self.abort = abort
        self.heard = self.told = self.checked = asyncio.get_running_loop().time()
        self.stuck_since: float | None = None
        self.reset: Callable[[], None] = lambda: None
        self._send_message = send
        self._words: deque[str] = deque()
        self._wake = asyncio.Event()
        self._audience: Log | None = None
        self._place: Place | None = None
        # Up to where it was told to fetch anew what it lists: it need not be told that again when it resumes then.
        self._renewed = 0
        self.epoch = 0
        self.trusted = False
        self._code = 0

    @property
    def audience(self) -> Log | None:
        """The log that it follows, None before hello."""
        return self._audience

    @property
    def ending(self) -> bool:
        """Whether the last word was said."""
        return bool(self._code)

    def say(self, text: str) -> None:
        """Tells it something of its own, before all that lies in the log."""
        if len(self._words) >= MOST_WORDS:
            self.abort()
            return
        self._words.append(text)
        self._wake.set()

    def follow(self, audience: Log, place: Place | None) -> None:
        """From now on it is told what this log holds behind a place, and nothing more from where it was before.

        Without a place it is told nothing until it gets one.
        """
        self._audience, self._place = audience, place
        self.epoch += 1
        self._wake.set()

    def wake(self) -> None:
        """There may be something new in its log."""
        self._wake.set()

    def end(self, code: int, text: str | None = None) -> None:
        """Says a last word and closes."""
        if self._code:
            return
        self._words.clear()
        if text is not None:
            self._words.append(text)
        self._code = code
        self._wake.set()

    async def write(self, read_missed: ReadMissed) -> None:
        """Writes until it has been ended, or its other end is gone."""
        try:
            while True:
                self._wake.clear()
                await self._tell(read_missed)
                if self._code and not self._words:
                    await self._send_message({"type": "websocket.close", "code": self._code})
                    return
                await self._wake.wait()
        except asyncio.CancelledError:
            raise
        except Exception as error:
            # The other end went away while it was being written to.
            _log.debug("feed.socket_gone", error=repr(error))
            self.abort()

    async def _tell(self, read_missed: ReadMissed) -> None:
        while True:
            while self._words:
                await self._write(self._words.popleft())
            audience = self._audience
            place = self._place
            if self._code or audience is None or place is None or place.at >= audience.end.at:
                return
            if place.at < audience.start.at:
                await self._tell_missed(audience, place, read_missed)
            else:
                await self._tell_items(audience.since(place.at), place, audience.end)

    async def _tell_missed(self, audience: Log, place: Place, read_missed: ReadMissed) -> None:
        epoch = self.epoch
        page = await read_missed(audience, place)
        if epoch != self.epoch:
            return
        if page is None:
            self.reset()
        else:
            await self._tell_items(page.items, place, page.place)

    async def _tell_items(self, items: list[Item], place: Place, upto: Place) -> None:
        """Tells items that come behind ``place`` and stands at ``upto`` then.

        It stops before that where something of its own must be said, or it was made to follow something else.
        """
        epoch = self.epoch
        for item in items:
            for text in item.texts:
                if text is frames.RENEW:
                    if item.position <= self._renewed:
                        continue
                    self._renewed = max(item.position, self._audience.end.at if self._audience else 0)
                await self._write(text)
            if epoch != self.epoch:
                return
            place = self._place = Place(item.position, item.position if item.is_entry else place.tail)
            if self._words or self._code:
                return
        self._place = upto

    async def _write(self, text: str) -> None:
        now = asyncio.get_running_loop().time()
        self.stuck_since = now
        await self._send_message({"type": "websocket.send", "text": text})
        self.stuck_since, self.told = None, now
