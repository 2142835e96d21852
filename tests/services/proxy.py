"""One address before several servers: the smallest stand-in for the nginx of deploy/README.md.

It reads the first request line of a connection, chooses a server by path, and passes bytes both ways from then on.
That is enough because a browser opens a connection of its own for a socket. Other requests on a kept connection must
go to the same server, so every answer but a socket's is asked to close its connection.
"""

import re
import socket
import threading

_LINE = re.compile(rb"\A[A-Z]+ (\S+) HTTP/1\.1\r\n")
_KEEP = re.compile(rb"\r\nconnection: *keep-alive", re.IGNORECASE)


class Proxy:
    """`routes` maps the beginning of a path to a port; everything else goes to the port `otherwise`."""

    def __init__(self, routes: dict[str, int], otherwise: int) -> None:
        self.routes, self.otherwise = routes, otherwise
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port: int = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self.listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            head = self._head(client)
            server = socket.create_connection(("127.0.0.1", self._port(head)), timeout=10)
        except OSError:
            client.close()
            return
        server.settimeout(None)
        for one in (client, server):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        server.sendall(_KEEP.sub(b"\r\nconnection: close", head, count=1))
        threading.Thread(target=_pass, args=(server, client), daemon=True).start()
        _pass(client, server)

    def _head(self, client: socket.socket) -> bytes:
        head = b""
        while b"\r\n\r\n" not in head and len(head) < 65_536:
            part = client.recv(65_536)
            if not part:
                raise OSError("closed before a request")
            head += part
        return head

    def _port(self, head: bytes) -> int:
        match = _LINE.match(head)
        path = match[1].decode("latin-1") if match else "/"
        return next((port for start, port in self.routes.items() if path.startswith(start)), self.otherwise)


def _pass(source: socket.socket, target: socket.socket) -> None:
    """Pass bytes on until either side is done, then let the other side know."""
    try:
        while part := source.recv(65_536):
            target.sendall(part)
    except OSError:
        pass
    finally:
        try:
            target.shutdown(socket.SHUT_WR)
        except OSError:
            target.close()
