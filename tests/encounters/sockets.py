"""Sockets to test with: a client that speaks the feed's protocol, and a reader that keeps a list by it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import quote

from asgiref.testing import ApplicationCommunicator
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client as Browser

from campaigns import feed
from campaigns.commands.seats import MakeLink
from campaigns.links import token_of
from campaigns.store import states
from encounters.hub import Hub
from tests.campaigns.tables import Table

T = TypeVar("T")
SECONDS = 10.0


def play(scenario: Awaitable[T]) -> T:
    """Runs a scenario in an event loop of its own and closes the hub that it used."""

    async def whole() -> T:
        try:
            return await asyncio.wait_for(scenario, 60)
        finally:
            await Hub.here().close()

    return asyncio.run(whole())


async def in_thread(function: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """Runs what asks the database, as a page or job would."""

    def run() -> T:
        try:
            return function(*arguments, **named)
        finally:
            connection.close()

    return await asyncio.to_thread(run)


def session_of(user: int) -> str:
    """The session key of a browser in which a user signed in."""
    browser = Browser()
    browser.force_login(User.objects.get(pk=user), backend="django.contrib.auth.backends.ModelBackend")
    return str(browser.session.session_key)


def link_path(table: Table, **terms: Any) -> tuple[str, str]:
    """The address of the feed for a new watcher's link, and the link's id."""
    made: Any = table.send("olga", MakeLink(role="watcher", **terms)).events[0].event
    return f"/ws/watch/{table.campaign_id}/{made.link}/{token_of(table.campaign_id, made.link)}/feed", made.link


def member_path(table: Table) -> str:
    """The address of the feed for members."""
    return f"/ws/campaigns/{table.campaign_id}/feed"


class Socket:
    """One socket through the whole ASGI application."""

    def __init__(self, path: str, session: str = "", cursor: str | None = None, origin: str = "http://localhost"):
        from deploy.asgi import application

        headers = [(b"host", b"localhost"), (b"origin", origin.encode())]
        if session:
            headers.append((b"cookie", f"{settings.SESSION_COOKIE_NAME}={session}".encode()))
        query = b"" if cursor is None else f"cursor={quote(cursor)}".encode()
        scope = {"type": "websocket", "path": path, "query_string": query, "headers": headers, "subprotocols": []}
        # channels.testing has the same, but needs a server that is not installed.
        self.line = ApplicationCommunicator(application, scope)

    async def open(self) -> bool:
        """Whether the handshake was accepted."""
        await self.line.send_input({"type": "websocket.connect"})
        answer = await self.line.receive_output(timeout=SECONDS)
        return bool(answer["type"] == "websocket.accept")

    async def hear(self) -> dict[str, Any]:
        """The next frame; a close is {"kind": "closed", "code"}."""
        message = await self.line.receive_output(timeout=SECONDS)
        if message["type"] == "websocket.close":
            return {"kind": "closed", "code": message.get("code")}
        frame: dict[str, Any] = json.loads(message["text"])
        return frame

    async def hear_until(self, kind: str) -> list[dict[str, Any]]:
        """All frames up to and with the first of a kind."""
        heard = [await self.hear()]
        while heard[-1]["kind"] != kind:
            heard.append(await self.hear())
        return heard

    async def say(self, frame: Any) -> None:
        """Sends a frame: text and bytes as they are, all else as JSON."""
        if isinstance(frame, bytes):
            await self.line.send_input({"type": "websocket.receive", "bytes": frame})
        else:
            text = frame if isinstance(frame, str) else json.dumps(frame)
            await self.line.send_input({"type": "websocket.receive", "text": text})

    async def close(self) -> None:
        """Ends the socket from the client's side."""
        await self.line.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.line.wait(SECONDS)

    async def is_silent(self) -> bool:
        """Whether nothing more has been said so far."""
        return await self.line.receive_nothing()


async def opened(path: str, session: str = "", cursor: str | None = None) -> tuple[Socket, dict[str, Any]]:
    """An open socket and its first frame."""
    socket = Socket(path, session, cursor)
    assert await socket.open()
    return socket, await socket.hear()


def fetched(table: Table, who: str) -> list[tuple[str, str | None, dict[str, Any]]]:
    """The whole feed of somebody fetched anew: (cursor, the one it follows, what is shown)."""
    entries: list[feed.Entry] = []
    with states.held(table.campaign_id) as state:
        viewer = table.viewer(who)
        while page := feed.newer(state, viewer, entries[-1].position if entries else 0):
            entries += page
    return [(e.cursor, e.follows, json.loads(json.dumps(e.view))) for e in entries]
