"""Pages under ASGI: each request is answered whole in one thread of a few that stay.

Django's own handler begins a thread for every request, opens a database connection there, and goes back and forth
between it and the loop for each middleware that is not asynchronous. Each step waits for the interpreter, which under
load is most of what a page takes. Nothing of the site but downloads is asynchronous, so here the loop hands a request
over once and gets it back answered; threads keep their connections.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from django import setup
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.http import HttpResponseBase
from django.urls import set_script_prefix

# A thread that waits for the disk or for a campaign's lock must not keep the others' pages; more would only take turns.
THREADS = 8

T = TypeVar("T")


class Pages(ASGIHandler):
    """Django's handler of ASGI requests, but for the threads."""

    def __init__(self) -> None:
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="page")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            raise ValueError(f"Pages are asked for by HTTP, not by {scope['type']}.")
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        response = await self._in_thread(self._answer, scope, body)
        if not response.streaming:
            await self.send_response(response, send)
            return
        try:
            await self._stream(response, receive, send)
        finally:
            await self._in_thread(response.close)
            body.close()

    async def _in_thread(self, function: Callable[..., T], *arguments: Any) -> T:
        call = contextvars.copy_context().run
        return await asyncio.get_running_loop().run_in_executor(self.threads, call, function, *arguments)

    def _answer(self, scope: Any, body: Any) -> Any:
        """The response; closed already where it is not a stream, with all that hangs on the end of a request."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, wrong = self.create_request(scope, body)
        response: Any = wrong if request is None else self.get_response(request)
        response._handler_class = self.__class__
        if not response.streaming:
            response.close()
            body.close()
        return response

    async def _stream(self, response: HttpResponseBase, receive: Any, send: Any) -> None:
        """Sends a stream until it ends or nobody is there any more."""
        sending = asyncio.ensure_future(self.send_response(response, send))
        leaving = asyncio.ensure_future(self._left(receive))
        await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if not sending.done():
            sending.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await sending

    async def _left(self, receive: Any) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass


def get_pages() -> Pages:
    """The handler, with Django set up."""
    setup(set_prefix=False)
    return Pages()
