"""Sockets of the live feed: who is there, and what they say. All that is told to them comes from the hub.

``/ws/campaigns/<campaign>/feed`` is for members who are signed in, ``/ws/watch/<campaign>/<link>/<token>/feed`` for
watchers who came by a link. With ``?cursor=`` the feed goes on behind that cursor, without it begins now.
"""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import parse_qs

from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer

from encounters import frames
from encounters.following import Following
from encounters.frames import Resume
from encounters.hub import SIGNED_OUT, Hub
from encounters.socket import Socket
from encounters.standing import Seat
from rules.refusal import Refused

BAD_FRAMES, TOO_MANY_BAD_FRAMES = 10, 4400


class Feed(AsyncWebsocketConsumer):
    """What both kinds of socket share."""

    # The hub listens to the channel layer once for all, so no socket needs a channel of its own.
    channel_layer_alias = "none of its own"
    socket: Socket | None = None
    following: Following | None = None
    bad_frames = 0
    _serving: asyncio.Future[None]
    _aborted = False

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Straight to the handler: no socket holds a database connection that would want closing."""
        await getattr(self, get_handler_name(message))(message)

    def seat(self) -> tuple[Seat, str] | None:
        """Who is there, and by which session; None for nobody."""
        raise NotImplementedError

    async def connect(self) -> None:
        """Lets everybody in as far as the door: a refusal in the handshake would look to a browser like a dead line."""
        await self.accept()
        found = self.seat()
        if found is None:
            await self.send(frames.frame("bye", reason="signed_out"))
            await self.close(SIGNED_OUT)
            return
        seat, session_key = found
        cursor = parse_qs(self.scope["query_string"].decode("latin-1"), keep_blank_values=True).get("cursor")
        send: Any = self.base_send
        self.socket = Socket(seat, send, self._abort, session_key=session_key, cursor=cursor[0] if cursor else None)
        self.following = Hub.here().join(self.scope["url_route"]["kwargs"]["campaign_id"], self.socket)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """One frame of the client."""
        socket, following = self.socket, self.following
        if socket is None or following is None:
            return
        socket.heard = asyncio.get_running_loop().time()
        try:
            said = frames.read(text_data)
        except Refused as refused:
            self.bad_frames += 1
            socket.say(frames.error(refused))
            if self.bad_frames >= BAD_FRAMES:
                socket.end(TOO_MANY_BAD_FRAMES, frames.frame("bye", reason="bad_frames"))
            return
        if isinstance(said, Resume) and said.cursor is not None:
            following.resume(socket, said.cursor)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serves the socket in a task of its own, and has the hub forget it however it ends."""
        # The server's own task may be one that cannot be cancelled.
        self._serving = asyncio.ensure_future(super().__call__(scope, receive, send))
        try:
            await self._serving
        except asyncio.CancelledError:
            if not self._aborted:
                raise
        finally:
            if self.socket is not None and self.following is not None:
                Hub.here().leave(self.following, self.socket)

    def _abort(self) -> None:
        """Ends the connection without a word: nobody is there to take it."""
        self._aborted = True
        self._serving.cancel()


class MemberFeed(Feed):
    """The feed of a signed-in member."""

    def seat(self) -> tuple[Seat, str] | None:
        """The signed-in user."""
        user: Any = self.scope["user"]
        if not user.is_authenticated:
            return None
        return Seat(user=user.pk), self.scope["session"].session_key or ""


class WatcherFeed(Feed):
    """The feed of whoever came by a watcher's link."""

    def seat(self) -> tuple[Seat, str] | None:
        """The link, which need not be a valid one: the hub finds out."""
        named = self.scope["url_route"]["kwargs"]
        return Seat(link=named["link"], token=named["token"]), ""
