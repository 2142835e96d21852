"""Members are told what concerns them, once, by the ways they chose, and nobody is told what they may not see."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.core import mail

from campaigns import models, tasks
from campaigns.commands.calls import CallTest, DropTest
from campaigns.commands.notices import AddHook, ChooseNotices, RemoveHook, TestHook
from campaigns.commands.seats import RemoveMember
from campaigns.commands.voiding import VoidAction
from campaigns.feed import cursor_of
from campaigns.notices import delivering, posting, telling
from campaigns.notices.delivering import deliver, due_deliveries, message, wait_after
from campaigns.notices.posting import post
from campaigns.notices.reading import hooks
from campaigns.notices.telling import campaigns_to_tell, tell
from campaigns.projecting import project_all
from campaigns.store import states
from identity.commands.marks import ProposeMark
from rules.refusal import Refused
from tests.identity.season import Season, at, make_season, utc

NOW = utc(2026, 1, 20, 12)


class Chat(ThreadingHTTPServer):
    """A chat that takes webhooks: answers the statuses it was given, then 204, and keeps what arrived."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[int] = []
        self.heard: list[tuple[str, dict[str, Any]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hooks/very-secret-part"


class Handler(BaseHTTPRequestHandler):
    server: Chat

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status = self.server.answers.pop(0) if self.server.answers else 204
        if status == 302:
            self.send_response(302)
            self.send_header("Location", "/elsewhere")
        else:
            self.send_response(status)
            if status == 429:
                self.send_header("Retry-After", "900")
        # Kept before it is answered, so that whoever has the answer finds it here.
        if status < 300:
            self.server.heard.append((self.path, body))
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@pytest.fixture
def chat(settings: Any) -> Iterator[Chat]:
    settings.WEBHOOK_PRIVATE = True
    server = Chat()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def now(season: Season) -> Iterator[Season]:
    """The season of the identity tests, its past told, at a quiet moment."""
    with time_machine.travel(NOW, tick=False):
        season.run_jobs(2026, 1, 20, 12)
        news()
        models.Notice.objects.all().delete()
        models.Delivery.objects.all().delete()
        yield season


def news() -> None:
    """What the jobs do about news."""
    for campaign_id in campaigns_to_tell(100):
        tell(campaign_id)


def noticed(season: Season, who: str) -> list[str]:
    member = season.table.member(who)
    return [n.kind for n in models.Notice.objects.filter(member=member).order_by("position")]


def whether(now: Season, decision: str) -> CallTest:
    """A call for Talyne's test about a decision."""
    roles, given = {"holder": now.talyne}, {"pair": "bold_cautious"}
    return CallTest(pack="spindrift-identity", test="identity", roles=roles, decision=decision, given=given)


def test_each_is_told_what_concerns_them_and_nobody_their_own_doing(now: Season) -> None:
    call = whether(now, "Stay?")
    now.send("olga", call)
    now.send("paul", whether(now, "Go?"))
    now.award("bold", 2026, 1, 19)
    now.award("patient", 2026, 1, 19, sealed=True)
    now.send("pia", ProposeMark(subject=now.talyne, side="proud", note="Would not kneel", at=utc(2026, 1, 19)))
    news()
    assert noticed(now, "pia") == ["test", "mark"]
    assert noticed(now, "olga") == ["asked", "asked"]
    assert noticed(now, "paul") == noticed(now, "wim") == []


def test_game_masters_are_told_who_dropped_what_they_had_called(now: Season) -> None:
    call = whether(now, "Stay?")
    for who in ("olga", "pia"):
        now.send("pia", DropTest(call=now.send(who, call).events[0].event.call))
    news()
    assert noticed(now, "olga") == ["asked"]


def test_a_closed_season_is_told_to_everybody_and_an_accepted_invitation_to_the_gm(now: Season) -> None:
    now.table.seat("stan", "player")
    news()
    assert noticed(now, "olga") == ["joined"] and noticed(now, "stan") == []
    now.run_jobs(2026, 2, 3)
    news()
    assert noticed(now, "wim") == ["week", "week", "season"]
    row = models.Notice.objects.filter(member=now.table.member("wim"), kind="season").get()
    assert row.page == ["report", "season", "1"]


def test_nothing_is_told_twice_however_often_it_is_looked_for(now: Season) -> None:
    now.award("bold", 2026, 1, 19)
    news()
    with states.held(now.table.campaign_id) as state:
        # A rebuild leaves every row anew.
        project_all(now.table.campaign_id, state)
    assert models.Untold.objects.count() > 1
    news()
    news()
    assert noticed(now, "pia") == ["mark"] and not models.Untold.objects.exists()
    assert models.NoticeHead.objects.get().position == models.Campaign.objects.get().position


def test_a_worker_that_dies_or_another_that_is_faster_loses_and_doubles_nothing(
    now: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    now.award("bold", 2026, 1, 19)
    really = telling._look

    def dies(*_: Any) -> Any:
        raise RuntimeError("killed")

    monkeypatch.setattr(telling, "_look", dies)
    tasks.tell_news([str(now.table.campaign_id)])
    assert noticed(now, "pia") == [] and models.Untold.objects.exists()

    def slow(campaign_id: Any, positions: Any) -> Any:
        found = really(campaign_id, positions)
        monkeypatch.setattr(telling, "_look", really)
        tell(now.table.campaign_id)
        return found

    monkeypatch.setattr(telling, "_look", slow)
    assert tell(now.table.campaign_id) == 0
    assert noticed(now, "pia") == ["mark"]


def test_what_was_taken_back_or_is_long_past_is_no_news(now: Season) -> None:
    position = now.send(
        "pia", ProposeMark(subject=now.talyne, side="proud", note="Knelt", at=utc(2026, 1, 19))
    ).position
    now.send("olga", VoidAction(entry=cursor_of(now.table.campaign_id, position), reason="A slip"))
    now.award("bold", 2026, 1, 19)
    with time_machine.travel(NOW + timedelta(days=15), tick=False):
        news()
    assert models.Notice.objects.count() == 0 and not models.Untold.objects.exists()


def test_members_choose_the_ways_and_mail_goes_to_a_confirmed_address(now: Season) -> None:
    now.send("pia", ChooseNotices(choices={"mark": ("mail",)}))
    EmailAddress.objects.create(user_id=now.table.users["pia"], email="pia@example.org", verified=False, primary=True)
    now.award("bold", 2026, 1, 19, note="Leapt first")
    news()
    assert noticed(now, "pia") == []
    assert deliver(due_deliveries(NOW, 10)) == 0
    assert models.Delivery.objects.get().trouble == "no confirmed address" and mail.outbox == []
    EmailAddress.objects.update(verified=True)
    now.award("patient", 2026, 1, 19)
    news()
    assert deliver(due_deliveries(NOW, 10)) == 1 == len(mail.outbox)
    assert mail.outbox[0].to == ["pia@example.org"]
    assert mail.outbox[0].subject == "[The Long Tide] Talyne earned a mark for Patient."
    assert f"/c/{now.table.campaign_id}/characters/{now.talyne}/" in mail.outbox[0].body


def test_one_who_has_lost_the_right_by_then_is_not_told(now: Season) -> None:
    now.send("pia", ChooseNotices(choices={"mark": ("page", "mail")}))
    EmailAddress.objects.create(user_id=now.table.users["pia"], email="pia@example.org", verified=True, primary=True)
    now.award("bold", 2026, 1, 19)
    news()
    now.send("olga", RemoveMember(member=now.table.member("pia")))
    assert deliver(due_deliveries(NOW, 10)) == 0 and mail.outbox == []


def hook(season: Season, chat: Chat, **more: Any) -> str:
    event: Any = season.send("olga", AddHook(name="The chat", address=chat.url, **more)).events[0].event
    return str(event.hook)


def run_for(hours: float) -> list[datetime]:
    """What the jobs deliver in these hours, looked at every ten seconds; when each try was made."""
    tries, moment, before = [], NOW, 0
    while moment < NOW + timedelta(hours=hours):
        with time_machine.travel(moment, tick=False):
            deliver(due_deliveries(moment, 10))
            made = sum(models.Delivery.objects.values_list("tries", flat=True))
        if made > before:
            tries.append(moment)
        before = made
        row = models.Delivery.objects.filter(next_at__isnull=False).order_by("next_at").first()
        if row is None or row.next_at is None:
            break
        moment = max(moment + timedelta(seconds=10), row.next_at)
    return tries


def test_a_webhook_that_fails_first_is_tried_again_later_each_time_and_hears_it_once(now: Season, chat: Chat) -> None:
    hook(now, chat, reads="player", kinds=("test",))
    now.send(
        "olga",
        CallTest(
            pack="spindrift-identity",
            test="identity",
            roles={"holder": now.talyne},
            decision="Stay, *or* go @everyone?",
            given={"pair": "bold_cautious"},
        ),
    )
    news()
    chat.answers[:] = [500, 503, 429]
    tries = run_for(2)
    # 30 s, 1 min, and the 15 min that the chat itself asked for.
    assert [(b - a).total_seconds() for a, b in zip(tries, tries[1:], strict=False)] == [30, 60, 900]
    ((path, body),) = chat.heard
    assert path == "/hooks/very-secret-part"
    assert body["allowed_mentions"] == {"parse": []} and body["username"] == "Tidebook"
    said = body["content"].partition("\n")
    assert said[0] == "**The Long Tide** Identity test for Talyne: Stay, \\*or\\* go \\@everyone?"
    assert said[2].startswith("<http") and f"/c/{now.table.campaign_id}/tests/" in said[2]
    done = models.Delivery.objects.get()
    assert (done.next_at, done.trouble, done.tries) == (None, "", 4) and done.done_at is not None


def test_a_webhook_that_is_gone_is_given_up_and_one_that_never_answers_after_ten_tries(now: Season, chat: Chat) -> None:
    hook(now, chat, reads="player", kinds=("joined",))
    now.table.seat("stan", "player")
    news()
    chat.answers[:] = [404]
    assert len(run_for(1)) == 1
    assert models.Delivery.objects.get().trouble == "it answered 404"
    models.Delivery.objects.update(tries=0, next_at=NOW)
    chat.answers[:] = [302, *[500] * 20]
    assert len(run_for(200)) == 10 and chat.heard == []
    assert models.Delivery.objects.get().next_at is None
    assert [wait_after(n) for n in (1, 2, 9, 20)] == [
        timedelta(seconds=30),
        timedelta(minutes=1),
        timedelta(hours=2, minutes=8),
        timedelta(hours=6),
    ]


def test_a_test_message_goes_the_way_of_all_messages_and_its_answer_stands_beside_the_webhook(
    now: Season, chat: Chat
) -> None:
    made, other = hook(now, chat, kinds=("season",)), hook(now, chat)
    news()

    def reads() -> dict[str, Any]:
        with states.held(now.table.campaign_id) as state:
            return {one.hook: one for one in hooks(state, now.table.campaign_id)}

    assert not any(one.under_way for one in reads().values())
    now.send("olga", TestHook(hook=made))
    assert reads()[made].under_way and not reads()[other].under_way
    news()
    chat.answers[:] = [404]
    run_for(1)
    assert reads()[made].trouble == "it answered 404" and not reads()[made].under_way
    now.send("olga", TestHook(hook=made))
    news()
    run_for(1)
    assert reads()[made].trouble == "" and reads()[made].arrived_at is not None
    ((_, body),) = chat.heard
    assert body["content"].startswith("**The Long Tide** A test message")
    # Nobody is told at the table, and it is the GM's to do.
    assert models.Notice.objects.count() == 0
    with pytest.raises(Refused):
        now.send("pia", TestHook(hook=made))
    with pytest.raises(Refused) as refused:
        now.send("olga", TestHook(hook="none"))
    assert refused.value.code == "no_such_hook"


def test_webhooks_hear_only_what_their_readers_may_see(now: Season, chat: Chat) -> None:
    hook(now, chat, reads="player")
    hook(now, chat, reads="watcher")
    now.award("bold", 2026, 1, 19, note="CanaryNote")
    now.award("patient", 2026, 1, 19, sealed=True, note="CanarySealed")
    secret = CallTest(
        pack="spindrift-identity",
        test="identity",
        roles={"holder": now.talyne},
        secret=True,
        decision="CanarySecret",
        given={"pair": "bold_cautious"},
    )
    now.send("olga", secret)
    now.send("pia", ProposeMark(subject=now.talyne, side="proud", note="CanaryProposal", at=utc(2026, 1, 19)))
    now.run_jobs(2026, 2, 3)
    news()
    with at(2026, 2, 3):
        while due := due_deliveries(utc(2026, 2, 3), 50):
            deliver(due)
    told = [body["content"].partition("\n")[0] for _, body in chat.heard]
    assert "Canary" not in json.dumps(chat.heard)
    # Both kinds of readers learn that the season is over; what rose (if anything did) players alone.
    assert sum("Year 1, Spring has ended" in one for one in told) == 2
    assert not [one for one in told if "earned" in one or "proposed" in one or "Identity test" in one]


def test_the_address_is_written_once_and_shown_to_nobody(now: Season, chat: Chat) -> None:
    made = hook(now, chat)
    stored = models.Event.objects.get(type="hook.added")
    assert "very-secret-part" not in stored.data
    for who in ("olga", "pia", "wim"):
        assert "very-secret-part" not in json.dumps(now.feed(who))
        assert ("sealed" in json.dumps(now.feed(who))) is False
    for address in ("ftp://x/y", "https://", "https://user:pass@host/x", "https://host/ y", "javascript:x"):
        with pytest.raises(Refused) as caught:
            now.send("olga", AddHook(name="Wrong", address=address))
        assert caught.value.code == "wrong_address" and caught.value.value is None
    with pytest.raises(Refused):
        now.send("pia", AddHook(name="Mine", address=chat.url))
    now.send("olga", RemoveHook(hook=made))
    now.table.seat("stan", "player")
    news()
    assert not models.Delivery.objects.exists()


def test_no_webhook_reaches_into_a_hosts_own_network(settings: Any, chat: Chat) -> None:
    settings.WEBHOOK_PRIVATE = False
    assert post(chat.url, {}).trouble == "only https is let out of this server"
    for host in ("127.0.0.1", "localhost", "169.254.169.254", "10.0.0.7", "[::1]", "0.0.0.0"):
        done = post(f"https://{host}:{chat.server_port}/x", {})
        assert (done.trouble, done.again) == ("the address leads into a private network", False), host
    assert chat.heard == []


INNER = ("127.0.0.1", "localhost", "169.254.169.254", "10.0.0.7", "[::1]", "[fd00::1]", "0.0.0.0", "[::ffff:10.0.0.7]")
WRITTEN = ("127.1", "0x7f000001", "2130706433", "0177.0.0.1", "[64:ff9b::7f00:1]", "[2002:7f00:1::]")
NAMED = ("redis", "db.internal", "printer.local", "app.localhost", "LOCALHOST.", "router.lan")


@pytest.mark.parametrize("host", [*INNER, *WRITTEN, *NAMED])
def test_an_address_that_leads_inwards_is_refused_when_it_is_added(now: Season, settings: Any, host: str) -> None:
    settings.WEBHOOK_PRIVATE = False
    with pytest.raises(Refused) as refused:
        now.send("olga", AddHook(name="Inner", address=f"https://{host}/x"))
    assert (refused.value.code, refused.value.field, refused.value.value) == ("wrong_address", "address", None)
    assert "private network" in refused.value.message and "TIDEBOOK_WEBHOOK_PRIVATE" in (refused.value.right or "")


def test_plain_http_is_refused_when_it_is_added_where_only_https_is_let_out(now: Season, settings: Any) -> None:
    settings.WEBHOOK_PRIVATE = False
    with pytest.raises(Refused) as refused:
        now.send("olga", AddHook(name="Plain", address="http://chat.example/x"))
    assert refused.value.message == "Only https is let out of this server."
    settings.WEBHOOK_PRIVATE = True
    assert now.send("olga", AddHook(name="Plain", address="http://chat.example/x")).events


def found_at(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Every name leads to these addresses."""
    answer = [(2, 1, 6, "", (one, 443)) for one in addresses]
    monkeypatch.setattr("campaigns.notices.addresses.socket.getaddrinfo", lambda *_args, **_kind: answer)


def test_a_name_is_looked_up_when_it_is_added_and_again_at_every_sending(
    now: Season, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEBHOOK_PRIVATE = False
    found_at(monkeypatch, "10.1.2.3")
    with pytest.raises(Refused) as refused:
        now.send("olga", AddHook(name="Rebound", address="https://chat.example/x"))
    assert refused.value.field == "address"
    found_at(monkeypatch, "93.184.216.34")
    assert now.send("olga", AddHook(name="Good", address="https://chat.example/x")).events
    found_at(monkeypatch, "10.1.2.3")  # it leads elsewhere by the time of sending
    assert post("https://chat.example/x", {}).trouble == "the address leads into a private network"


def test_two_workers_send_a_message_once(now: Season, chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    hook(now, chat, reads="player", kinds=("joined",))
    now.table.seat("stan", "player")
    news()
    (message_id,) = due_deliveries(NOW, 10)
    really = delivering._send

    def meanwhile(found: Any) -> Any:
        monkeypatch.setattr(delivering, "_send", really)
        assert deliver([message_id]) == 0
        return really(found)

    monkeypatch.setattr(delivering, "_send", meanwhile)
    assert deliver([message_id]) == 1 and len(chat.heard) == 1


def test_the_tick_hands_out_news_and_messages(now: Season, chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    for task in (tasks.tell_news, tasks.deliver_messages):
        monkeypatch.setattr(task, "apply_async", lambda arguments, task=task, **_: task(*arguments))
    hook(now, chat, reads="player", kinds=("joined",))
    now.table.seat("stan", "player")
    tasks.on_tick(NOW)
    tasks.on_tick(NOW)
    assert len(chat.heard) == 1 and noticed(now, "olga") == ["joined"]


def test_a_message_is_no_longer_than_a_chat_takes() -> None:
    body = message("C" * 80, "*" * 4000, "https://example.org/" + "x" * 100)
    assert len(body["content"]) <= 2000


class Dripping(threading.Thread):
    """A host that begins to answer and then says a letter every tenth of a second, until nobody listens."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.line = socket.create_server(("127.0.0.1", 0))
        self.over = threading.Event()

    def run(self) -> None:
        asked, _ = self.line.accept()
        with suppress(OSError):
            asked.recv(65536)
            asked.sendall(b"HTTP/1.1 200 OK\r\nX-A: ")
            while not self.over.wait(0.1):
                asked.sendall(b"a")
        self.over.set()


def test_a_host_that_drips_is_given_up_in_time(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every byte comes in time; the whole does not."""
    settings.WEBHOOK_PRIVATE = True
    monkeypatch.setattr(posting, "SECONDS", 1.0)
    host = Dripping()
    host.start()
    with time_limit(host):
        posted = post(f"http://127.0.0.1:{host.line.getsockname()[1]}/x", {})
    assert posted.trouble == "no answer in time" and posted.again


@contextmanager
def time_limit(host: Dripping) -> Iterator[None]:
    """Ends the host after 20 seconds, so that a failing test ends."""
    timer = threading.Timer(20, host.over.set)
    timer.start()
    yield
    assert timer.is_alive() and not host.over.is_set()
    timer.cancel()
    host.over.set()


def test_messages_of_a_campaign_wait_for_each_other_not_for_those_of_others(now: Season, chat: Chat) -> None:
    """However many somebody has waiting, each other campaign's next one is among those that are tried."""
    for _ in range(3):
        hook(now, chat, reads="player", kinds=("joined",))
    now.table.seat("stan", "player")
    news()
    first = list(models.Delivery.objects.order_by("next_at", "id").values_list("id", flat=True))
    assert len(first) == 3
    other = models.Delivery.objects.get(pk=first[0])
    other.pk, other.campaign_id, other.next_at = None, make_season().table.campaign_id, NOW
    other.save(force_insert=True)
    assert due_deliveries(NOW, 2) in ([first[0], other.pk], [other.pk, first[0]])


def test_one_worker_tries_its_messages_at_once(now: Season, chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that ten hosts that do not answer take as long as one."""
    together = threading.Barrier(3, timeout=20)
    tried: list[int] = []

    def meet(ids: list[int]) -> int:
        together.wait()
        tried.extend(ids)
        return 1

    monkeypatch.setattr(tasks, "deliver", meet)
    tasks.deliver_messages([1, 2, 3])
    assert sorted(tried) == [1, 2, 3]
