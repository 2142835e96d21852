"""Many WebSocket clients in one process, as cheap as they can be, so that the server is what is measured."""

from __future__ import annotations

import asyncio
import base64
import os
import time
from collections.abc import Callable

Heard = Callable[["Line", bytes, int], None]


class Line(asyncio.Protocol):
    """A client with a hand-made handshake that takes text frames shorter than 64 KiB and answers nothing but pings."""

    def __init__(self, port: int, path: str, heard: Heard, session: str = "") -> None:
        self.port, self.path, self.session = port, path, session
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.transport: asyncio.Transport
        self._heard, self._buffer, self._open = heard, b"", False

    async def connect(self) -> None:
        """Opens the line and waits for its first frame."""
        await asyncio.get_running_loop().create_connection(lambda: self, "127.0.0.1", self.port)
        await asyncio.wait_for(asyncio.shield(self.ready), 60)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asks for the upgrade."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        cookie = f"Cookie: sessionid={self.session}\r\n" if self.session else ""
        transport.write(
            f"GET {self.path} HTTP/1.1\r\nHost: localhost:{self.port}\r\nUpgrade: websocket\r\n{cookie}"
            f"Connection: Upgrade\r\nOrigin: http://localhost:{self.port}\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Takes frames apart; each text frame is reported with the instant at which its bytes came."""
        now = time.perf_counter_ns()
        self._buffer += data
        if not self._open and not self._opened():
            return
        while (frame := self._frame()) is not None:
            kind, body = frame
            if kind == 9:
                self.transport.write(bytes([0x8A, 0x80 | len(body)]) + b"\0\0\0\0" + body)
            elif kind == 1:
                self._heard(self, body, now)
                if not self.ready.done():
                    self.ready.set_result(None)

    def _opened(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end >= 0:
            if b" 101 " not in self._buffer[:40]:
                self.ready.set_exception(ConnectionError(self._buffer[:200].decode()))
            self._open, self._buffer = True, self._buffer[end + 4 :]
        return self._open

    def _frame(self) -> tuple[int, bytes] | None:
        if len(self._buffer) < 4:
            return None
        size, start = self._buffer[1] & 127, 2
        if size == 126:
            size, start = int.from_bytes(self._buffer[2:4], "big"), 4
        if len(self._buffer) < start + size:
            return None
        kind, body = self._buffer[0] & 15, self._buffer[start : start + size]
        self._buffer = self._buffer[start + size :]
        return kind, body
