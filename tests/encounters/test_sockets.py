"""Sockets of the live feed: who is let in, what they are told, and what their own frames do."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session

from campaigns.commands.seats import ChangeRole, HandOverOwnership, Leave, RemoveMember, RevokeLink
from campaigns.commands.starting import AskErasure, RenameCampaign
from campaigns.commands.subjects import CreateSubject, HandOverSubject, RenameSubject
from campaigns.erasing import erase, grace
from campaigns.feed import cursor_of
from encounters import hub
from tests.campaigns.tables import Table, make_table
from tests.encounters.sockets import (
    Socket,
    fetched,
    in_thread,
    link_path,
    member_path,
    opened,
    play,
    session_of,
)


def test_hello_says_who_one_is_and_events_follow(table: Table) -> None:
    session, member = session_of(table.users["pia"]), table.member("pia")
    newest = fetched(table, "pia")[-1][0]

    async def scenario() -> None:
        socket, hello = await opened(member_path(table), session)
        you = {"member": member, "name": "Pia"}
        assert hello == {"kind": "hello", "cursor": newest, "role": "player", "you": you}
        await in_thread(table.send, "olga", RenameCampaign(name="Ebb"))
        heard = await socket.hear()
        assert (heard["kind"], heard["follows"]) == ("event", newest)
        assert heard["event"]["says"] == "The campaign is now called Ebb."
        assert set(heard["event"]) == {
            "type",
            "act",
            "at",
            "recorded",
            "actor",
            "stamp",
            "says",
            "data",
            "voided",
            "few",
        }
        await socket.close()

    play(scenario())


def test_watchers_by_link_need_no_account(table: Table) -> None:
    path, _ = link_path(table)

    async def scenario() -> None:
        socket, hello = await opened(path)
        assert (hello["role"], hello["you"]["member"]) == ("watcher", None)
        await in_thread(table.send, "olga", RenameCampaign(name="Ebb"))
        assert (await socket.hear())["event"]["data"] == {"name": "Ebb"}
        await socket.close()

    play(scenario())


@pytest.mark.parametrize("who", ["stan", "nobody", "elsewhere", "wrong token", "player's link"])
def test_strangers_are_shown_out_and_all_alike(table: Table, who: str) -> None:
    path, session = member_path(table), ""
    if who == "elsewhere":
        path, session = "/ws/campaigns/00000000-0000-4000-8000-000000000000/feed", session_of(table.users["pia"])
    elif who == "stan":
        session = session_of(table.users["stan"])
    elif who == "wrong token":
        path = link_path(table)[0].replace("/feed", "x/feed")
    elif who == "player's link":
        path = link_path(table)[0]
        path = path.replace(path.split("/")[4], _players_link(table))

    async def scenario() -> list[dict[str, object]]:
        socket = Socket(path, session)
        assert await socket.open()
        return [await socket.hear(), await socket.hear()]

    expected = {
        "nobody": ("signed_out", 4401),
        "wrong token": ("link_ended", 4403),
        "player's link": ("link_ended", 4403),
    }
    reason, code = expected.get(who, ("not_a_member", 4403))
    assert play(scenario()) == [{"kind": "bye", "reason": reason}, {"kind": "closed", "code": code}]


def _players_link(table: Table) -> str:
    from campaigns.commands.seats import MakeLink

    made = table.send("olga", MakeLink(role="player")).events[0].event
    return str(made.link)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", ""])
def test_pages_of_other_sites_are_refused(table: Table, origin: str) -> None:
    session = session_of(table.users["pia"])

    async def scenario() -> bool:
        return await Socket(member_path(table), session, origin=origin).open()

    assert play(scenario()) is False


def test_resuming_brings_what_was_missed_and_then_what_comes(table: Table) -> None:
    session = session_of(table.users["pia"])
    seen = fetched(table, "pia")[1][0]

    async def scenario() -> list[object]:
        socket, _ = await opened(member_path(table), session, cursor=seen)
        await in_thread(table.send, "olga", RenameCampaign(name="Ebb"))
        expected = (await in_thread(fetched, table, "pia"))[2:]
        assert await socket.hear() == {"kind": "resumed", "cursor": seen}
        heard = [await socket.hear() for _ in expected]
        assert [(f["cursor"], f["follows"], f["event"]) for f in heard] == expected
        await socket.say({"kind": "resume", "cursor": seen})
        assert await socket.hear() == {"kind": "resumed", "cursor": seen}
        assert [await socket.hear() for _ in expected] == heard
        assert await socket.is_silent()
        await socket.close()
        return heard

    assert len(play(scenario())) == len(fetched(table, "pia")) - 2


def test_from_the_very_beginning(table: Table) -> None:
    session = session_of(table.users["olga"])
    expected = fetched(table, "olga")

    async def scenario() -> None:
        socket, _ = await opened(member_path(table), session, cursor="")
        assert await socket.hear() == {"kind": "resumed", "cursor": None}
        heard = [await socket.hear() for _ in expected]
        assert [(f["cursor"], f["follows"], f["event"]) for f in heard] == expected
        await socket.close()

    play(scenario())


def test_a_page_newer_than_the_hub_is_waited_for(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process rendered a page after a commit of which this process has not heard yet."""
    session = session_of(table.users["pia"])

    async def scenario() -> None:
        socket, _ = await opened(member_path(table), session)
        monkeypatch.setattr(hub.Hub, "nudge", lambda *_: None)
        await in_thread(table.send, "olga", RenameCampaign(name="Ebb"))
        newest = (await in_thread(fetched, table, "pia"))[-1][0]
        await socket.say({"kind": "resume", "cursor": newest})
        assert await socket.hear() == {"kind": "resumed", "cursor": newest}
        await socket.close()

    play(scenario())


@pytest.mark.parametrize("cursor", ["nonsense", "hidden", "future", "A" * 22])
def test_a_cursor_that_leads_nowhere_means_reload(table: Table, cursor: str) -> None:
    session = session_of(table.users["pia"])
    hidden = table.send("olga", CreateSubject(kind="character", name="CanaryFoe", hidden=True)).position
    given = {"hidden": cursor_of(table.campaign_id, hidden), "future": cursor_of(table.campaign_id, 10_000)}

    async def scenario() -> None:
        socket, _ = await opened(member_path(table), session, cursor=given.get(cursor, cursor))
        assert (await socket.hear_until("reset"))[-1] == {"kind": "reset"}
        await in_thread(table.send, "olga", RenameCampaign(name="Ebb"))
        assert (await socket.hear())["event"]["data"] == {"name": "Ebb"}
        await socket.close()

    play(scenario())


@pytest.mark.parametrize(
    "frame, code",
    [
        ("{", "unknown_frame"),
        ("7", "unknown_frame"),
        ('{"kind": "command"}', "unknown_frame"),
        ('{"kind": "resume"}', "unknown_frame"),
        ('{"kind": "resume", "cursor": 7}', "unknown_frame"),
        ('{"kind": "resume", "cursor": null, "more": 1}', "unknown_frame"),
        ('{"kind": "pong", "x": "' + "a" * 600 + '"}', "too_long"),
        ("\ud800", "unknown_frame"),
    ],
)
def test_bad_frames_get_an_error_and_change_nothing(table: Table, frame: str, code: str) -> None:
    session = session_of(table.users["pia"])

    async def scenario() -> None:
        socket, _ = await opened(member_path(table), session)
        await socket.say(frame)
        error = await socket.hear()
        assert (error["kind"], error["code"]) == ("error", code)
        assert error["right"]
        await in_thread(table.send, "olga", RenameCampaign(name="Ebb"))
        assert (await socket.hear())["kind"] == "event"
        await socket.close()

    play(scenario())


def test_bytes_are_no_frame_and_a_flood_of_bad_frames_ends_the_socket(table: Table) -> None:
    session = session_of(table.users["pia"])

    async def scenario() -> None:
        socket, _ = await opened(member_path(table), session)
        await socket.say(b"\x00\xff")
        assert (await socket.hear())["code"] == "not_text"
        for _ in range(9):
            await socket.say("{")
        heard = await socket.hear_until("closed")
        assert heard[-2:] == [{"kind": "bye", "reason": "bad_frames"}, {"kind": "closed", "code": 4400}]

    play(scenario())


def test_a_removed_member_is_shown_out_and_hears_nothing_more(table: Table) -> None:
    session, pia = session_of(table.users["pia"]), table.member("pia")

    async def scenario() -> None:
        socket, _ = await opened(member_path(table), session)
        await in_thread(table.send, "olga", RemoveMember(member=pia))
        assert await socket.hear() == {"kind": "bye", "reason": "not_a_member"}
        assert await socket.hear() == {"kind": "closed", "code": 4403}

    play(scenario())


def test_leaving_ends_every_socket_of_that_member_and_no_other(table: Table) -> None:
    sessions = [session_of(table.users[who]) for who in ("pia", "pia", "paul")]

    async def scenario() -> None:
        first, second, other = [(await opened(member_path(table), session))[0] for session in sessions]
        await in_thread(table.send, "pia", Leave())
        for socket in (first, second):
            assert (await socket.hear_until("closed"))[-1]["code"] == 4403
        assert (await other.hear())["event"]["says"] == "Pia left the campaign."
        await other.close()

    play(scenario())


def test_promotion_and_demotion_change_the_view_on_the_open_socket(table: Table) -> None:
    session, pia = session_of(table.users["pia"]), table.member("pia")

    async def scenario() -> None:
        socket, _ = await opened(member_path(table), session)
        await in_thread(table.send, "olga", ChangeRole(member=pia, role="gm"))
        rights, event = await socket.hear(), await socket.hear()
        assert (rights["kind"], rights["role"], rights["cursor"]) == ("rights", "gm", event["follows"])
        assert event["event"]["type"] == "member.role_changed"
        await in_thread(table.send, "olga", CreateSubject(kind="character", name="CanaryFoe", hidden=True))
        assert (await socket.hear())["event"]["data"]["name"] == "CanaryFoe"
        await in_thread(table.send, "olga", ChangeRole(member=pia, role="watcher"))
        assert (await socket.hear())["role"] == "watcher"
        await in_thread(table.send, "olga", CreateSubject(kind="character", name="CanaryTwo", hidden=True))
        await in_thread(table.send, "olga", RenameCampaign(name="Ebb"))
        heard = await socket.hear()
        assert heard["event"]["data"] == {"name": "Ebb"}
        await socket.close()

    play(scenario())


def test_handing_over_a_character_changes_both_players_rights(table: Table) -> None:
    talyne = table.character("pia")
    sessions = [session_of(table.users[who]) for who in ("pia", "paul")]
    paul = table.member("paul")

    async def scenario() -> None:
        sockets = [(await opened(member_path(table), session))[0] for session in sessions]
        await in_thread(table.send, "pia", HandOverSubject(subject=talyne, players=(paul,)))
        for socket in sockets:
            assert [(await socket.hear())["kind"], (await socket.hear())["kind"]] == ["rights", "event"]
            await socket.close()

    play(scenario())


def test_handing_over_the_campaign_tells_both_owners(table: Table) -> None:
    gm = table.seat("stan", "gm")
    sessions = [session_of(table.users[who]) for who in ("olga", "stan", "pia")]

    async def scenario() -> None:
        olga, stan, pia = [(await opened(member_path(table), session))[0] for session in sessions]
        await in_thread(table.send, "olga", HandOverOwnership(member=gm))
        assert (await olga.hear())["kind"] == (await stan.hear())["kind"] == "rights"
        assert (await pia.hear())["kind"] == "event"
        for socket in (olga, stan, pia):
            await socket.close()

    play(scenario())


def test_a_revoked_link_ends_its_sockets_and_no_others(table: Table) -> None:
    (ended, link), (stays, _) = link_path(table), link_path(table)

    async def scenario() -> None:
        out, _ = await opened(ended)
        still, _ = await opened(stays)
        await in_thread(table.send, "olga", RevokeLink(link=link))
        assert await out.hear() == {"kind": "bye", "reason": "link_ended"}
        assert await out.hear() == {"kind": "closed", "code": 4403}
        await in_thread(table.send, "olga", RenameCampaign(name="Ebb"))
        assert (await still.hear())["kind"] == "event"
        await still.close()

    play(scenario())


def test_a_link_that_expires_ends_its_sockets(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = link_path(table, days=1)
    later = hub.utc_now() + timedelta(days=1, seconds=1)
    monkeypatch.setattr(hub, "ROUND", 0.05)

    async def scenario() -> None:
        socket, _ = await opened(path)
        monkeypatch.setattr(hub, "utc_now", lambda: later)
        assert await socket.hear() == {"kind": "bye", "reason": "link_ended"}

    play(scenario())


@pytest.mark.parametrize("how", ["signed out elsewhere", "deactivated", "new password", "signed out here"])
def test_who_may_not_be_signed_in_any_more_is_shown_out(
    table: Table, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    session = session_of(table.users["pia"])
    user = User.objects.get(pk=table.users["pia"])
    if how != "signed out here":
        monkeypatch.setattr(hub, "ROUND", 0.05)
        monkeypatch.setattr(hub, "SESSION", 0.0)

    def happens() -> None:
        if how == "signed out elsewhere":
            Session.objects.filter(session_key=session).delete()
        elif how == "deactivated":
            User.objects.filter(pk=user.pk).update(is_active=False)
        elif how == "new password":
            user.set_password("a new one")
            user.save()
        else:
            _sign_out(session)

    async def scenario() -> None:
        socket, _ = await opened(member_path(table), session)
        await in_thread(happens)
        assert await socket.hear() == {"kind": "bye", "reason": "signed_out"}
        assert await socket.hear() == {"kind": "closed", "code": 4401}

    play(scenario())


def _sign_out(session: str) -> None:
    from django.conf import settings
    from django.test import Client

    browser = Client()
    browser.cookies[settings.SESSION_COOKIE_NAME] = session
    browser.logout()


def test_a_silent_line_is_pinged_and_then_given_up(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    session = session_of(table.users["pia"])
    for name, seconds in {"ROUND": 0.02, "PING": 0.05, "SILENT": 0.5}.items():
        monkeypatch.setattr(hub, name, seconds)

    async def scenario() -> int:
        socket, _ = await opened(member_path(table), session)
        assert await socket.hear() == {"kind": "ping"}
        await asyncio.wait_for(_ended(socket), 5)
        return len(hub.Hub.here()._writers)

    assert play(scenario()) == 0


async def _ended(socket: Socket) -> None:
    while not socket.line.future.done():
        await asyncio.sleep(0.02)


def test_renaming_tells_those_who_know_it_to_fetch_anew(table: Table) -> None:
    talyne = table.character("pia")
    foe = table.send("olga", CreateSubject(kind="character", name="CanaryFoe", hidden=True)).events[0].event.subject
    sessions = {who: session_of(table.users[who]) for who in ("olga", "pia")}

    async def scenario() -> None:
        olga, pia = [(await opened(member_path(table), sessions[who]))[0] for who in ("olga", "pia")]
        await in_thread(table.send, "pia", RenameSubject(subject=talyne, name="Talyne the Bold"))
        for socket in (olga, pia):
            assert [(await socket.hear())["kind"] for _ in range(2)] == ["renew", "event"]
        await in_thread(table.send, "olga", RenameSubject(subject=foe, name="CanaryFiend"))
        assert [(await olga.hear())["kind"] for _ in range(2)] == ["renew", "event"]
        assert await pia.is_silent()
        await olga.close()
        await pia.close()

    play(scenario())


def test_campaigns_do_not_hear_each_other(table: Table) -> None:
    other = make_table()
    sessions = [session_of(t.users["pia"]) for t in (table, other)]

    async def scenario() -> None:
        here, there = [
            (await opened(member_path(t), session))[0] for t, session in zip((table, other), sessions, strict=True)
        ]
        await in_thread(table.send, "olga", RenameCampaign(name="Ebb"))
        assert (await here.hear())["kind"] == "event"
        assert await there.is_silent()
        await here.close()
        await there.close()

    play(scenario())


def test_an_erased_campaign_sends_everybody_away(table: Table) -> None:
    session = session_of(table.users["pia"])
    table.send("olga", AskErasure(name="The Long Tide"))
    over = hub.utc_now() + grace() + timedelta(seconds=1)

    async def scenario() -> None:
        socket, _ = await opened(member_path(table), session)
        assert await in_thread(erase, table.campaign_id, over)
        assert await socket.hear() == {"kind": "bye", "reason": "not_a_member"}

    play(scenario())


def test_frames_are_json_objects_with_a_kind() -> None:
    from encounters import frames

    assert [json.loads(f) for f in (frames.PING, frames.RESET, frames.RENEW)] == [
        {"kind": "ping"},
        {"kind": "reset"},
        {"kind": "renew"},
    ]
