"""A sheet page under fifty people who click: one character of the large set, made from a ready one, with things and
conditions; every person asks for its page again and again, with a pause as people make it. Meanwhile the game master
changes that very character every few seconds, through the same server, and looks whether the page says so at once.

Aim: the 99th percentile under 100 ms, embedded and hosted. Beside it, from the same server: the campaign's pages in
turn, a page that needs no campaign, and what the server computes for a page (processor time of its processes, that of
the changes included, divided by the pages), which does not depend on who else uses the machine. The clients share the
machine with the server.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from tests.bench.measure import Row
from tests.services import postgres, redis
from tests.services.site import ROOT, Embedded, Hosted, Site, clean_environment, descendants_of

PEOPLE, SECONDS, PAUSE, WARMING = 50, 30.0, 2.0, 15.0
CHANGES = 3.0
"""seconds between two changes of the character"""
MAKE = """
import json
from uuid import uuid4
from django.contrib.auth.models import User
from django.test import Client
from campaigns import tokens
from campaigns.commands.making import BeginDraft, FinishDraft
from campaigns.commands.seats import JoinByLink, MakeLink
from campaigns.commands.sheets import ApplyCard
from campaigns.commands.starting import StartCampaign
from campaigns.context import Actor
from campaigns.entrance import execute, found, utc_now
from campaigns.links import token_of
from rules.packs import load_pack

pack, kind, campaign = load_pack("frontiers-fantasy"), "character", uuid4()
users = [User.objects.create_user(f"clicker{n}") for n in range(%d)]
def tell(who, command, send=execute):
    return send(campaign, command, Actor(user=users[who].pk), command_id=uuid4()).events
tell(0, StartCampaign(name="Full Table", owner_name="Olga", packs={pack.id: ""}), found)
link = tell(0, MakeLink(role="player", uses=None))[0].event.link
for n in range(1, len(users)):
    tell(n, JoinByLink(link=link, token=token_of(campaign, link), name=f"Player {n}"))
draft = tell(0, BeginDraft(pack=pack.id, kind=kind, ready=next(iter(pack.creations[kind].spec.ready))))[0].event.draft
hero = next(e.event.subject for e in tell(0, FinishDraft(draft=draft)) if hasattr(e.event, "subject"))
for card in list(pack.cards["state"])[:5]:
    tell(0, ApplyCard(subject=hero, pack=pack.id, card=card))
sessions = []
for user in users:
    browser = Client()
    browser.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    sessions.append(browser.session.session_key)
token = tokens.make(users[0].pk, "changes", None, True, utc_now())[1]
made = {"campaign": str(campaign), "hero": hero, "pack": pack.id, "sessions": sessions, "token": token}
print("made " + json.dumps(made))
"""


@dataclass(frozen=True)
class Table:
    """The campaign that is made: its character, a browser session for each person (the game master's first), and a
    token of the game master."""

    campaign: str
    hero: str
    pack: str
    sessions: list[str] = field(repr=False)
    token: str = field(repr=False)

    @property
    def sheet(self) -> str:
        """The address of the character's page."""
        return f"/c/{self.campaign}/characters/{self.hero}/"

    @property
    def pages(self) -> list[str]:
        """The addresses that people go round."""
        home = f"/c/{self.campaign}/"
        return [home, self.sheet, f"{home}characters/", f"{home}ledger/", f"{home}chronicle/"]


class Browser:
    """A connection that is kept."""

    def __init__(self, port: int, session: str) -> None:
        self.port, self.session = port, session

    async def open(self) -> None:
        """Connects."""
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def ask(self, path: str, body: bytes = b"", **more: str) -> bytes:
        """What is answered, which is success; with a body it is sent."""
        fields = {"Host": f"localhost:{self.port}", "Cookie": f"sessionid={self.session}", **more}
        if body:
            fields |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
        lines = [f"{'POST' if body else 'GET'} {path} HTTP/1.1", *(f"{name}: {text}" for name, text in fields.items())]
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        status, *lines = head.split("\r\n")
        assert " 20" in status, head
        known = dict(line.split(": ", 1) for line in lines if ": " in line)
        if "content-length" in known:
            return await self.reader.readexactly(int(known["content-length"]))
        found = b""
        while (size := int(await self.reader.readline(), 16)) > 0:
            found += (await self.reader.readexactly(size + 2))[:-2]
        await self.reader.readline()
        return found


async def click(port: int, session: str, paths: list[str], until: float) -> list[float]:
    """One person asks for one page after another until the time is over; the seconds that each took."""
    rng, browser, taken = random.Random(session), Browser(port, session), list[float]()
    await asyncio.sleep(rng.uniform(0, PAUSE))
    await browser.open()
    while time.perf_counter() < until:
        path = rng.choice(paths)
        began = time.perf_counter()
        await browser.ask(path)
        taken.append(time.perf_counter() - began)
        await asyncio.sleep(rng.uniform(0.5 * PAUSE, 1.5 * PAUSE))
    browser.writer.close()
    return taken


async def change(port: int, table: Table, until: float) -> int:
    """The game master changes the character until the time is over, and looks whether its page says so; how often."""
    browser, made = Browser(port, table.sessions[0]), 0
    await browser.open()
    await asyncio.sleep(CHANGES / 2)
    while time.perf_counter() < until:
        wounds = made % 3
        command = {"subject": table.hero, "pack": table.pack, "values": {"wounds": wounds}}
        await browser.ask(
            f"/api/campaigns/{table.campaign}/commands/sheet.change",
            json.dumps(command).encode(),
            Authorization=f"Bearer {table.token}",
            **{"Idempotency-Key": str(uuid4())},
        )
        assert f">{wounds} / " in (await browser.ask(table.sheet)).decode(), "a change does not show at once"
        made += 1
        await asyncio.sleep(CHANGES)
    return made


async def clicked(
    port: int, paths: list[str], table: Table, seconds: float, *, changed: bool
) -> tuple[list[float], int]:
    """Seconds that each page took, sorted, and how often the character was changed meanwhile."""
    until = time.perf_counter() + seconds
    changing = change(port, table, until) if changed else asyncio.sleep(0, 0)
    made, *taken = await asyncio.gather(changing, *(click(port, one, paths, until) for one in table.sessions))
    return sorted(one for person in taken for one in person), made


def computed(pid: int) -> float:
    """Seconds of processor time that a process and what it started have used."""
    ticks = 0
    for one in [pid, *descendants_of(pid)]:
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def rows(name: str, site: Site, port: int, server: Callable[[], int]) -> list[Row]:
    """The figures of one set-up, which runs; ``server`` is the process that serves its pages."""
    table = Table(**json.loads(site.run(MAKE % PEOPLE).rpartition("made ")[2]))
    # Until everything is warm: two processes of eight threads each, with a connection of their own each.
    asyncio.run(clicked(port, table.pages, table, WARMING, changed=True))
    out = []
    for paths, what, who, aim, changed in (
        ([table.sheet], "a sheet's page", "tidebook", "under 100", True),
        (table.pages, "a campaign's pages", "tidebook", "", True),
        (["/accounts/password/reset/"], "a page without a campaign", "the same server", "", False),
    ):
        before = computed(server())
        taken, made = asyncio.run(clicked(port, paths, table, SECONDS, changed=changed))
        spent = (computed(server()) - before) / len(taken)
        work = f"{what}, {PEOPLE} people{f', {made} changes' if changed else ''}, {name}"
        for label, part in (("p50", 0.5), ("p99", 0.99)):
            out.append(Row(f"{work}, {label}", who, taken[int(len(taken) * part)] * 1000, "ms", False, aim))
        out.append(Row(f"{work}, computed", who, spent * 1000, "ms", False))
    return out


def prepared(environment: dict[str, str]) -> None:
    """The data folder as `make run` leaves it."""
    subprocess.run([sys.executable, "-m", "deploy.prepare", "--demo"], env=environment, cwd=ROOT, check=True)


def main() -> list[Row]:
    """The rows of the table."""
    with tempfile.TemporaryDirectory() as folder:
        prepared(clean_environment(TIDEBOOK_DATA_DIR=folder))
        embedded = Embedded(Path(folder))
        embedded.start()
        try:
            found = rows("embedded", embedded, embedded.port, lambda: embedded.part("web"))
        finally:
            embedded.destroy()
    with postgres.running(durable=True) as cluster, redis.running() as url, tempfile.TemporaryDirectory() as folder:
        hosted = Hosted(Path(folder), cluster.create("pages"), url)
        prepared(hosted.environment)
        hosted.start()
        try:
            found += rows("hosted", hosted, hosted.pages, lambda: _pid(hosted, "pages"))
        finally:
            hosted.destroy()
    return found


def _pid(site: Hosted, name: str) -> int:
    process = site.parts[name].process
    assert process is not None
    return process.pid
