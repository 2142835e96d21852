"""Pages under ASGI: answered whole in threads that stay, with all that hangs on the end of a request; streams end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.core.signals import request_finished, request_started
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import path

from deploy.pages import THREADS, Pages

ended = list[str]()
busy = threading.Barrier(3)


def told(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"{request.method} {request.path} {request.body.decode()} {threading.current_thread().name}")


def meeting(request: HttpRequest) -> HttpResponse:
    busy.wait(10)
    return HttpResponse("met")


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("This view fails.")


async def _endless() -> AsyncIterator[bytes]:
    try:
        while True:
            yield b"x" * 1000
            await asyncio.sleep(0.001)
    finally:
        ended.append("stream")


async def _short() -> AsyncIterator[bytes]:
    for part in (b"one ", b"two"):
        yield part


def stream(request: HttpRequest) -> HttpResponseBase:
    return StreamingHttpResponse(_endless() if "endless" in request.GET else _short())


def handler404(request: HttpRequest, exception: Exception) -> HttpResponse:
    return HttpResponse("nowhere", status=404)


def handler500(request: HttpRequest) -> HttpResponse:
    return HttpResponse("failed", status=500)


urlpatterns = [path("told", told), path("meeting", meeting), path("broken", broken), path("stream", stream)]


@pytest.fixture
def pages(settings: Any) -> Pages:
    settings.ROOT_URLCONF = __name__
    settings.ALLOWED_HOSTS = ["*"]
    settings.MIDDLEWARE = []
    return Pages()


def reader_of(pages: Pages, method: str, to: str, query: bytes = b"") -> ApplicationCommunicator:
    """Somebody who asks, and has not sent their body yet."""
    scope = {"type": "http", "http_version": "1.1", "method": method, "path": to, "query_string": query}
    return ApplicationCommunicator(pages, scope | {"headers": [(b"host", b"localhost")]})


async def ask(pages: Pages, method: str, to: str, body: bytes = b"") -> tuple[int, bytes]:
    """Status and body of an answer."""
    reader, found = reader_of(pages, method, to), b""
    await reader.send_input({"type": "http.request", "body": body})
    status = (await reader.receive_output(10))["status"]
    while (part := await reader.receive_output(10)).get("more_body"):
        found += part["body"]
    await reader.wait(10)
    return status, found + part.get("body", b"")


def test_a_request_is_answered_whole_in_a_thread_that_stays(pages: Pages) -> None:
    seen = list[str]()

    def note(sender: Any, **_more: Any) -> None:
        if sender is Pages:
            seen.append(threading.current_thread().name)

    request_started.connect(note)
    request_finished.connect(note)
    try:
        answers = [asyncio.run(ask(pages, "POST", "/told", b"a body")) for _ in range(3 * THREADS)]
    finally:
        request_started.disconnect(note)
        request_finished.disconnect(note)
    assert {status for status, _body in answers} == {200}
    threads = [body.decode().removeprefix("POST /told a body ") for _status, body in answers]
    assert len(set(threads)) <= THREADS
    # It begins, is answered and ends in one thread: there its database connections are looked after.
    assert seen == [thread for thread in threads for _ in range(2)]


def test_pages_do_not_wait_for_one_another(pages: Pages) -> None:
    async def three() -> list[Any]:
        return await asyncio.gather(*(ask(pages, "GET", "/meeting") for _ in range(3)))

    assert asyncio.run(three()) == [(200, b"met")] * 3


def test_a_view_that_fails_is_answered(pages: Pages, settings: Any) -> None:
    settings.DEBUG = False
    assert asyncio.run(ask(pages, "GET", "/broken")) == (500, b"failed")
    assert asyncio.run(ask(pages, "GET", "/nowhere")) == (404, b"nowhere")


def test_a_stream_is_sent_in_parts_and_ends_when_nobody_is_there(pages: Pages) -> None:
    assert asyncio.run(ask(pages, "GET", "/stream")) == (200, b"one two")

    async def leave() -> None:
        reader = reader_of(pages, "GET", "/stream", b"endless=1")
        await reader.send_input({"type": "http.request", "body": b""})
        assert (await reader.receive_output(5))["type"] == "http.response.start"
        assert (await reader.receive_output(5))["body"] == b"x" * 1000
        await reader.send_input({"type": "http.disconnect"})
        await reader.wait(5)

    ended.clear()
    asyncio.run(leave())
    assert ended == ["stream"]


def test_only_http_asks_for_pages(pages: Pages) -> None:
    with pytest.raises(ValueError, match="not by websocket"):
        asyncio.run(pages({"type": "websocket"}, None, None))
