"""Posting JSON to an address that somebody typed: no redirects, a short wait, and no way into the server's own network.

A host name is looked up once and the connection goes to what was found and looked at, so that it cannot lead elsewhere
the second time. Where the host allows it (TIDEBOOK_WEBHOOK_PRIVATE), private addresses and plain http are let through.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from dataclasses import dataclass
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


def _send(parts: SplitResult, body: bytes) -> Posted:
    host, secure = parts.hostname or "", parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    connection: http.client.HTTPConnection
    if secure:
        connection = http.client.HTTPSConnection(host, port, timeout=SECONDS, context=ssl.create_default_context())
    else:
        connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
    found = looked_up(host, port)
    # The name stays for the certificate and the Host header; the connection goes where we have looked.
    connection._create_connection = lambda _address, *rest: socket.create_connection(found, *rest)  # type: ignore[attr-defined]
    headers = {"Content-Type": "application/json", "User-Agent": "Tidebook", "Connection": "close"}
    try:
        connection.request("POST", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), body, headers)
        answer = connection.getresponse()
        answer.read(MOST_READ)
    finally:
        connection.close()
    if answer.status in GOOD:
        return Posted()
    return Posted(f"it answered {answer.status}", answer.status not in HOPELESS, _wait(answer.getheader("Retry-After")))


def _wait(said: str | None) -> float:
    try:
        return max(0.0, min(float(said or 0), 86_400.0))
    except ValueError:
        return 0.0
