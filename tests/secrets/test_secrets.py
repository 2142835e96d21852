"""Nothing hidden leaves by any door: every kind of viewer asks for everything and reads all that comes back."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import time_machine

from campaigns.commands.containers import OpenContainer
from campaigns.commands.notices import AddHook
from campaigns.notices.telling import said_in_hook
from campaigns.store import read, states
from rules.packs import folder
from tests.campaigns.crew import write
from tests.encounters.sockets import Socket, member_path, play, session_of
from tests.secrets import fight
from tests.secrets import world as w
from tests.secrets.asking import LEFT_OUT, Ask, built, commands, providers, routes, viewer
from tests.secrets.world import GM2, GMS, LINK, OTHERS, PIA, STAFF, STRANGER, VIEWERS, World


@pytest.fixture
def bare(transactional_db: None, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The world before anything is hidden in it; a small pack with Pursuits stands on the shelf as well."""
    shutil.copytree(folder.SHELF, tmp_path / "shelf")
    monkeypatch.setattr(folder, "SHELF", tmp_path / "shelf")
    write(tmp_path / "shelf")
    fight.roomy(tmp_path / "shelf")
    settings.API_RATES = dict.fromkeys(settings.API_RATES, 1_000_000)
    world = w.make_world()
    with time_machine.travel(w.NOW, tick=False):
        yield world


@pytest.fixture
def world(bare: World) -> World:
    """The world with all its secrets."""
    w.hide_all(bare)
    return bare


def answered(response: Any) -> str:
    """All that a response tells, however it is spelt."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    text = str(response.headers) + body.decode("utf-8", "replace")
    return text + unescape(text) + unquote(text)


def betrayed(world: World, kind: str, told: str, text: str) -> list[str]:
    """What a text tells that this viewer must not know; what the viewer said first does not count."""
    return [c.what for c in world.canaries if kind not in c.seen_by and c.word in text and c.word not in told]


def questions(world: World) -> list[Ask]:
    return [ask for provider in providers for ask in provider(world)]


def crawl(world: World, kind: str, asked: list[Ask]) -> set[str]:
    """Asks all this as one kind of viewer; returns what was seen of what is hidden, failing on what must not be."""
    asker, found, seen = viewer(world, kind), [], set()
    for ask in asked:
        response = asker.ask(ask)
        assert response.status_code < 500 or ask.path == "/healthz", (kind, ask)
        text = answered(response)
        found += [(ask.path, what) for what in betrayed(world, kind, ask.told, text)]
        seen |= {c.what for c in world.canaries if c.word in text}
    assert not found, kind
    return seen


@pytest.mark.embedded
def test_nothing_that_is_answered_betrays_anything(world: World) -> None:
    for kind in VIEWERS:
        seen = crawl(world, kind, questions(world))
        if kind in GMS:
            # The crawl is not blind: whoever may see these things has seen them on the way.
            told = ("name of", "title of", "note of", "token")
            assert {c.what for c in world.canaries if kind in c.seen_by and c.what.startswith(told)} <= seen


def test_no_frame_and_no_answer_to_a_command_betrays_anything(world: World) -> None:
    for kind in OTHERS:
        assert not betrayed(world, kind, "", frames(world, kind)), kind
    # The reading is not blind: game masters have heard what is theirs.
    heard = frames(world, GM2)
    assert [c.what for c in world.canaries if c.what.startswith("name of") and GM2 in c.seen_by and c.word in heard]
    for kind in OTHERS:
        crawl(world, kind, list(commands(world)))


def frames(world: World, kind: str) -> str:
    """All that the live feed tells a viewer from the very beginning."""
    path, session = member_path(world.table), ""
    if kind == LINK:
        path = f"/ws/watch/{world.table.campaign_id}/{world.watch[0]}/{world.watch[1]}/feed"
    elif kind in world.users:
        session = session_of(world.users[kind])

    async def heard() -> list[dict[str, Any]]:
        socket = Socket(path, session)
        assert await socket.open()
        told = [await socket.hear()]
        if told[0]["kind"] == "hello":
            await socket.say({"kind": "resume", "cursor": ""})
            newest = told[0]["cursor"]
            while newest and told[-1].get("cursor") != newest or len(told) == 1:
                told.append(await socket.hear())
            await socket.close()
        return told

    return json.dumps(play(heard()), ensure_ascii=False)


def test_no_webhook_betrays_anything(world: World) -> None:
    """Whatever happened is said to the readers of a webhook as to players who play nobody, or to watchers."""
    table = world.table
    hooks = {
        reads: table.send("olga", AddHook(name=reads, address=f"https://chat.example/{reads}", reads=reads))
        for reads in ("player", "watcher")
    }
    with states.held(table.campaign_id) as state:
        for made in hooks.values():
            hook = made.events[0].event.hook
            said = [said_in_hook(state, one, hook) or "" for one in read.events_after(table.campaign_id, 0)]
            assert any(one.startswith("Orrin: Arcane Burst.") for one in said)
            assert not betrayed(world, STRANGER, "", " ".join(said))


def plain(response: Any) -> str:
    """A response without what differs each time for everybody: numbers of forms and safety tokens."""
    text = re.sub(r"[A-Za-z0-9]{64}", "TOKEN", response.content.decode("utf-8", "replace"))
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "ID", text)
    return f"{response.status_code} {response.headers.get('Location', '')} {text}"


@pytest.mark.embedded
def test_hidden_things_change_no_byte_of_what_others_see(bare: World) -> None:
    asked = [ask for ask in questions(bare) if not ask.path.startswith("/admin/")]
    askers = [viewer(bare, kind) for kind in OTHERS if kind != STAFF]
    before = {(asker.kind, ask.told): plain(asker.ask(ask)) for asker in askers for ask in asked}
    for hide in (w.a_hidden_subject, w.a_hidden_scene, w.a_hidden_body, w.links, w.a_sealed_mark):
        hide(bare)
    after = {(asker.kind, ask.told): plain(asker.ask(ask)) for asker in askers for ask in asked}
    assert [told for told, text in after.items() if text != before[told]] == []


def test_every_address_is_asked_or_left_out_for_a_reason(bare: World) -> None:
    asked = {route for route, pattern in routes() if built(bare, route, pattern)}
    unasked = {route for route, _ in routes()} - asked
    # Only the addresses in mails of accounts are regular expressions; their keys are secrets of other kinds.
    assert not [r for r in unasked if not r.startswith((*LEFT_OUT, "accounts/"))]


def test_what_is_hidden_is_not_counted_by_what_comes_after(world: World) -> None:
    world.table.send("olga", OpenContainer(kind="scene", title="In the open"))
    feed = viewer(world, PIA).client.get(f"/api/campaigns/{world.table.campaign_id}/feed", {"limit": 1}).json()
    assert feed["entries"][0]["data"]["number"] == 1
