"""A sheet page under fifty people who click: one character of the large set, made from a ready one, with things and
conditions; every person asks for its page again and again, with a pause as people make it.

Aim: the 99th percentile under 100 ms, embedded and hosted. Beside it the time of a page that needs no campaign, from
the same server in the same run. The clients share the machine with the server.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.measure import Row
from tests.services import postgres, redis
from tests.services.site import ROOT, Embedded, Hosted, Site, clean_environment

PEOPLE, SECONDS, PAUSE = 50, 30.0, 2.0
MAKE = """
import json
from uuid import uuid4
from django.contrib.auth.models import User
from django.test import Client
from campaigns.commands.making import BeginDraft, FinishDraft
from campaigns.commands.seats import JoinByLink, MakeLink
from campaigns.commands.sheets import ApplyCard
from campaigns.commands.starting import StartCampaign
from campaigns.context import Actor
from campaigns.entrance import execute, found
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
print("made " + json.dumps([f"/c/{campaign}/characters/{hero}/", sessions]))
"""


class Clicker:
    """One person's browser: a connection that is kept, and what each page took."""

    def __init__(self, port: int, session: str) -> None:
        self.port, self.session, self.taken = port, session, list[float]()

    async def click(self, path: str, until: float) -> None:
        """Asks for a page until the time is over."""
        rng = random.Random(self.session)
        await asyncio.sleep(rng.uniform(0, PAUSE))
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        asked = (
            f"GET {path} HTTP/1.1\r\nHost: localhost:{self.port}\r\nCookie: sessionid={self.session}\r\n\r\n".encode()
        )
        while time.perf_counter() < until:
            began = time.perf_counter()
            writer.write(asked)
            await self._answer(reader)
            self.taken.append(time.perf_counter() - began)
            await asyncio.sleep(rng.uniform(0.5 * PAUSE, 1.5 * PAUSE))
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        status, *lines = head.split("\r\n")
        assert " 200" in status, head
        fields = dict(line.split(": ", 1) for line in lines if ": " in line)
        if "content-length" in fields:
            await reader.readexactly(int(fields["content-length"]))
            return
        while (size := int(await reader.readline(), 16)) > 0:
            await reader.readexactly(size + 2)
        await reader.readline()


async def clicked(port: int, path: str, sessions: list[str], seconds: float) -> list[float]:
    """Seconds that each page took, sorted."""
    people = [Clicker(port, session) for session in sessions]
    until = time.perf_counter() + seconds
    await asyncio.gather(*(person.click(path, until) for person in people))
    return sorted(taken for person in people for taken in person.taken)


def rows(name: str, site: Site, port: int) -> list[Row]:
    """The figures of one set-up, which runs."""
    path, sessions = json.loads(site.run(MAKE % PEOPLE).rpartition("made ")[2])
    asyncio.run(clicked(port, path, sessions, 5))  # until everything is warm
    out = []
    for work, what, who, aim in (
        (path, "a sheet's page", "tidebook", "under 100"),
        ("/accounts/password/reset/", "a page without a campaign", "the same server", ""),
    ):
        taken = asyncio.run(clicked(port, work, sessions, SECONDS))
        for label, part in (("p50", 0.5), ("p99", 0.99)):
            value = taken[int(len(taken) * part)] * 1000
            out.append(Row(f"{what}, {PEOPLE} people, {name}, {label}", who, value, "ms", False, aim))
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
            found = rows("embedded", embedded, embedded.port)
        finally:
            embedded.destroy()
    with postgres.running(durable=True) as cluster, redis.running() as url, tempfile.TemporaryDirectory() as folder:
        hosted = Hosted(Path(folder), cluster.create("pages"), url)
        prepared(hosted.environment)
        hosted.start()
        try:
            found += rows("hosted", hosted, hosted.pages)
        finally:
            hosted.destroy()
    return found
