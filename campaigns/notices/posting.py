"""Posting JSON to an address that somebody typed: no redirects, a short wait for the whole of it, however slowly the
other side speaks, and no way into the server's own network.

A host name is looked up once and the connection goes to what was found and looked at, so that it cannot lead elsewhere
the second time. Where the host allows it (TIDEBOOK_WEBHOOK_PRIVATE), private addresses and plain http are let through.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass
from threading import Timer
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from campaigns.notices.addresses import ForbiddenAddressError, looked_up

SECONDS = 10.0
MOST_READ = 2000
GOOD = range(200, 300)
# Answers that no later try will change.
HOPELESS = (400, 401, 403, 404, 405, 410, 413, 415, 422)


@dataclass(frozen=True)
class Posted:
    """What came of it. ``trouble`` is empty where it arrived; it never holds the address. ``again``: a later try may
    fare better, not before ``wait`` seconds where the other side said so."""

    trouble: str = ""
    again: bool = True
    wait: float = 0.0


def post(address: str, body: dict[str, Any]) -> Posted:
    """Posts a JSON body; never raises for what the other side or the network does."""
    parts = urlsplit(address)
    if not parts.hostname:
        return Posted("no address is known here; remove it and add it again", again=False)
    if parts.scheme != "https" and not settings.WEBHOOK_PRIVATE:
        return Posted("only https is let out of this server", again=False)
    try:
        return _send(parts, json.dumps(body).encode())
    except ForbiddenAddressError:
        return Posted("the address leads into a private network", again=False)
    except ssl.SSLError:
        return Posted("no trusted connection")
    except TimeoutError:
        return Posted("no answer in time")
    except (OSError, http.client.HTTPException, ValueError) as error:
        return Posted(f"no connection ({type(error).__name__})")


class _Deadline:
    """Ends a connection after so many seconds, whatever it is at: a socket's time-out begins anew with each byte."""

    def __init__(self, seconds: float) -> None:
        self.over = False
        self._line: socket.socket | None = None
        self._timer = Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> _Deadline:
        self._timer.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._timer.cancel()
        if self._line is not None:
            self._line.close()

    def connect(self, *arguments: Any) -> socket.socket:
        """A new connection that this deadline ends."""
        line = socket.create_connection(*arguments)
        # A descriptor of its own: TLS takes the other one over.
        self._line = line.dup()
        if self.over:
            self._end()
        return line

    def _end(self) -> None:
        self.over = True
        if self._line is not None:
            with suppress(OSError):
                self._line.shutdown(socket.SHUT_RDWR)


def _send(parts: SplitResult, body: bytes) -> Posted:
    host, secure = parts.hostname or "", parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    connection: http.client.HTTPConnection
    if secure:
        connection = http.client.HTTPSConnection(host, port, timeout=SECONDS, context=ssl.create_default_context())
    else:
        connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
    found = looked_up(host, port)
    with _Deadline(SECONDS) as deadline:
        # The name stays for the certificate and the Host header; the connection goes where we have looked.
        connection._create_connection = lambda _address, *rest: deadline.connect(found, *rest)  # type: ignore[attr-defined]
        try:
            answer = _exchange(connection, parts, body)
        except (OSError, http.client.HTTPException):
            if deadline.over:
                raise TimeoutError from None
            raise
    if deadline.over:
        raise TimeoutError
    if answer.status in GOOD:
        return Posted()
    return Posted(f"it answered {answer.status}", answer.status not in HOPELESS, _wait(answer.getheader("Retry-After")))


def _exchange(connection: http.client.HTTPConnection, parts: SplitResult, body: bytes) -> http.client.HTTPResponse:
    headers = {"Content-Type": "application/json", "User-Agent": "Tidebook", "Connection": "close"}
    try:
        connection.request("POST", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), body, headers)
        answer = connection.getresponse()
        answer.read(MOST_READ)
        return answer
    finally:
        connection.close()


def _wait(said: str | None) -> float:
    try:
        return max(0.0, min(float(said or 0), 86_400.0))
    except ValueError:
        return 0.0
