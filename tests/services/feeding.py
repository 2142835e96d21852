"""A process of its own that sends commands, as a page, job or command line elsewhere would; and line clients for it.

Run as `python -m tests.services.feeding` with a site's environment, it answers each line of JSON with one.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

ROOT = Path(__file__).resolve().parents[2]
PLAYERS = 3


class Elsewhere:
    """Another process that works on a site's database."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.services.feeding"],
            env=environment,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, what: str, **arguments: Any) -> dict[str, Any]:
        """Has one thing done there: ``run``, ``start``, ``rename`` or ``group_send``."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps({"what": what, **arguments}) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("the other process ended")
        result: dict[str, Any] = json.loads(answer)
        return result

    def close(self) -> None:
        """Ends the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(20)


def run(code: str) -> dict[str, Any]:
    """Runs Python text in a namespace of its own; what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<test>", "exec"), {"__name__": "story"})
    return {"printed": printed.getvalue()}


def start() -> dict[str, Any]:
    """A campaign with an owner, players and a watcher's link: its id, sessions by name, socket paths."""
    from django.contrib.auth.models import User
    from django.test import Client

    from campaigns.commands.seats import JoinByLink, MakeLink
    from campaigns.commands.starting import StartCampaign
    from campaigns.context import Actor
    from campaigns.entrance import execute, found
    from campaigns.links import token_of

    campaign_id, names = uuid4(), ["owner", *(f"player{n}" for n in range(PLAYERS))]
    users = {name: User.objects.create_user(f"{name}-{campaign_id.hex}") for name in names}
    owner = Actor(user=users["owner"].pk)
    found(campaign_id, StartCampaign(name="Tide", owner_name="Olga", packs={}), owner, command_id=uuid4())

    def link(role: str) -> tuple[str, str]:
        made: Any = execute(campaign_id, MakeLink(role=role), owner, command_id=uuid4()).events[0].event
        return made.link, token_of(campaign_id, made.link)

    invited, token = link("player")
    for name in names[1:]:
        join = JoinByLink(link=invited, token=token, name=name)
        execute(campaign_id, join, Actor(user=users[name].pk), command_id=uuid4())
    sessions = {}
    for name, user in users.items():
        browser = Client()
        browser.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        sessions[name] = browser.session.session_key
    watch = "/".join(link("watcher"))
    return {
        "campaign": str(campaign_id),
        "owner": users["owner"].pk,
        "sessions": sessions,
        "members": f"/ws/campaigns/{campaign_id}/feed",
        "watch": f"/ws/watch/{campaign_id}/{watch}/feed",
    }


def rename(campaign: str, owner: int, name: str) -> dict[str, Any]:
    """Gives the campaign another name; ``at`` is when that was committed (monotonic, ns)."""
    from campaigns.announce import listen
    from campaigns.commands.starting import RenameCampaign
    from campaigns.context import Actor
    from campaigns.entrance import execute

    committed: list[int] = []
    stop = listen(lambda *_: committed.append(time.perf_counter_ns()))
    execute(UUID(campaign), RenameCampaign(name=name), Actor(user=owner), command_id=uuid4())
    stop()
    return {"at": committed[0]}


def group_send(group: str, text: str) -> dict[str, Any]:
    """Sends a text through the channel layer alone."""
    from asgiref.sync import async_to_sync
    from channels.layers import get_channel_layer

    layer: Any = get_channel_layer()
    at = time.perf_counter_ns()
    async_to_sync(layer.group_send)(group, {"type": "table.event", "text": text})
    return {"at": at}


def main() -> None:
    """Does what is asked on standard input until that ends."""
    import os

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")
    django.setup()
    done = {"run": run, "start": start, "rename": rename, "group_send": group_send}
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(done[asked.pop("what")](**asked)), flush=True)


if __name__ == "__main__":
    main()
