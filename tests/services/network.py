"""Free ports and waiting for servers."""

import socket
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException


def free_port() -> int:
    """A loopback port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def until(condition: Callable[[], bool], seconds: float, what: str, every: float = 0.05) -> None:
    """Wait until `condition` holds; TimeoutError naming `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:g} s in vain for {what}")
        time.sleep(every)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def status(port: int, path: str = "/healthz") -> int:
    """The HTTP status of `path` on a loopback port, 0 when nothing answers."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path, headers={"Host": "localhost"})
        return connection.getresponse().status
    except (OSError, HTTPException):
        return 0
    finally:
        connection.close()
