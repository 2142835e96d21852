"""Nothing hidden leaves by any door: every kind of viewer asks for everything and reads all that comes back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import unquote

import pytest
import time_machine

from tests.encounters.sockets import Socket, member_path, play, session_of
from tests.secrets import world as w
from tests.secrets.asking import LEFT_OUT, Ask, built, commands, providers, routes, viewer
from tests.secrets.world import GMS, HOST, LINK, NOBODY, OTHERS, STAFF, VIEWERS, World


@pytest.fixture
def bare(transactional_db: None, settings: Any) -> Iterator[World]:
    """The world before anything is hidden in it."""
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


@pytest.mark.parametrize("kind", VIEWERS)
def test_no_page_answer_or_error_betrays_anything(world: World, kind: str) -> None:
    asker, found, seen = viewer(world, kind), [], set()
    for ask in questions(world):
        response = asker.ask(ask)
        assert response.status_code < 500 or ask.path == "/healthz", ask
        text = answered(response)
        found += [(ask.method, ask.path, what) for what in betrayed(world, kind, ask.told, text)]
        seen |= {c.what for c in world.canaries if c.word in text}
    assert not found
    # The crawl is not blind: whoever may see these things has seen them on the way.
    if kind in GMS:
        told = ("name of", "title of", "note of", "token")
        assert {c.what for c in world.canaries if kind in c.seen_by and c.what.startswith(told)} <= seen


@pytest.mark.parametrize("kind", [k for k in OTHERS if k != NOBODY])
def test_no_answer_to_a_command_betrays_anything(world: World, kind: str) -> None:
    asker, found = viewer(world, kind), []
    for ask in commands(world):
        response = asker.ask(ask)
        assert response.status_code < 500, (ask, response.content)
        found += [(ask.path, what) for what in betrayed(world, kind, ask.told, answered(response))]
    assert not found


def plain(response: Any) -> str:
    """A response without what differs each time for everybody: numbers of forms and safety tokens."""
    text = re.sub(r"[A-Za-z0-9]{64}", "TOKEN", response.content.decode("utf-8", "replace"))
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "ID", text)
    return f"{response.status_code} {response.headers.get('Location', '')} {text}"


@pytest.mark.parametrize("kind", [k for k in OTHERS if k != STAFF])
def test_hidden_things_change_no_byte_of_what_others_see(bare: World, kind: str) -> None:
    asker = viewer(bare, kind)
    asked = [ask for ask in questions(bare) if not ask.path.startswith("/admin/")]
    before = {ask.told: plain(asker.ask(ask)) for ask in asked}
    for hide in (w.a_hidden_subject, w.a_hidden_scene, w.links, w.a_sealed_mark):
        hide(bare)
    after = {ask.told: plain(asker.ask(ask)) for ask in asked}
    assert [told for told, text in after.items() if text != before[told]] == []


@pytest.mark.parametrize("kind", [k for k in OTHERS if k not in (STAFF, NOBODY)])
def test_no_frame_of_the_live_feed_betrays_anything(world: World, kind: str) -> None:
    path, session = member_path(world.table), ""
    if kind == LINK:
        path = f"/ws/watch/{world.table.campaign_id}/{world.watch[0]}/{world.watch[1]}/feed"
    else:
        session = session_of(world.users[kind])

    async def heard() -> list[dict[str, Any]]:
        socket = Socket(path, session)
        assert await socket.open()
        frames = [await socket.hear()]
        if frames[0]["kind"] == "hello":
            await socket.say({"kind": "resume", "cursor": ""})
            frames += await socket.hear_until("resumed")
            await socket.close()
        return frames

    text = json.dumps(play(heard()), ensure_ascii=False)
    assert betrayed(world, kind, path, text) == []


def test_every_address_is_asked_or_left_out_for_a_reason(bare: World) -> None:
    asked = {route for route, pattern in routes() if built(bare, route, pattern)}
    unasked = {route for route, _ in routes()} - asked
    # Only the addresses in mails of accounts are regular expressions; their keys are secrets of other kinds.
    assert not [r for r in unasked if not r.startswith((*LEFT_OUT, "accounts/"))]


def test_the_host_reads_all_but_what_nobody_may(world: World) -> None:
    asker = viewer(world, HOST)
    text = "".join(answered(asker.ask(ask)) for ask in questions(world) if ask.path.startswith("/admin/"))
    assert next(c.word for c in world.canaries if c.what == "name of a hidden subject") in text
    assert not [c.what for c in world.canaries if not c.seen_by and c.word in text]
