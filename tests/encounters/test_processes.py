"""The live feed between processes: the site runs for real, and the command is sent somewhere else."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.services import site

SECONDS = 10.0


class Line:
    """A socket as a browser opens it."""

    def __init__(self, running: site.Site, path: str, session: str = "", cursor: str = "") -> None:
        headers = {"Cookie": f"sessionid={session}"} if session else {}
        address = running.url.replace("http", "ws", 1) + path + (f"?cursor={cursor}" if cursor else "")
        self.line: ClientConnection = connect(
            address, additional_headers=headers, origin=cast(Origin, running.url), legacy=True
        )

    def hear(self) -> dict[str, Any]:
        """The next frame but a ping."""
        while True:
            frame: dict[str, Any] = json.loads(self.line.recv(timeout=SECONDS))
            if frame["kind"] != "ping":
                return frame


def test_a_command_of_another_process_reaches_members_and_watchers(standing: site.Site) -> None:
    """Embedded by looking at heads, hosted by a word through Redis."""
    table = standing.beside.ask("start")
    lines = [Line(standing, table["members"], table["sessions"]["player0"]), Line(standing, table["watch"])]
    cursors = [line.hear()["cursor"] for line in lines]
    standing.beside.ask("rename", campaign=table["campaign"], owner=table["owner"], name="Ebb")
    for line, cursor in zip(lines, cursors, strict=True):
        heard = line.hear()
        assert (heard["kind"], heard["follows"], heard["event"]["data"]) == ("event", cursor, {"name": "Ebb"})


def test_after_the_site_was_killed_a_line_goes_on_where_it_was(served: Any) -> None:
    table = served.beside.ask("start")
    line = Line(served, table["members"], table["sessions"]["owner"])
    cursor = line.hear()["cursor"]
    served.kill()
    with pytest.raises(ConnectionClosed):
        line.hear()
    for name in ("Ebb", "Flow"):
        served.beside.ask("rename", campaign=table["campaign"], owner=table["owner"], name=name)
    served.start()
    again = Line(served, table["members"], table["sessions"]["owner"], cursor=cursor)
    assert [again.hear()["kind"] for _ in range(2)] == ["hello", "resumed"]
    heard = [again.hear() for _ in range(2)]
    assert [frame["event"]["data"]["name"] for frame in heard] == ["Ebb", "Flow"]
    assert [heard[0]["follows"], heard[1]["follows"]] == [cursor, heard[0]["cursor"]]


def test_a_page_of_another_site_gets_no_line(standing: site.Site) -> None:
    table = standing.beside.ask("start")
    address = standing.url.replace("http", "ws", 1) + table["members"]
    headers = {"Cookie": f"sessionid={table['sessions']['owner']}"}
    with pytest.raises(Exception, match="403"):
        connect(address, additional_headers=headers, origin=cast(Origin, "http://evil.example"), legacy=True)
