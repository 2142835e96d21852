"""Every page of a campaign as owner, player, watcher with a seat, watcher by link, and stranger."""

from __future__ import annotations

import re
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from campaigns.commands.containers import OpenContainer
from campaigns.commands.seats import MakeLink, RemoveMember, RevokeLink
from campaigns.commands.subjects import CreateSubject
from campaigns.links import token_of
from tests.campaigns.tables import Table, make_table

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def table() -> Table:
    return make_table()


def client_of(table: Table, who: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(pk=table.users[who]), backend="django.contrib.auth.backends.ModelBackend")
    return client


def form_id(html: str) -> str:
    """The command id that a page gave its first form."""
    return html.split('name="command_id" value="')[1].split('"')[0]


def without_tokens(html: str, campaign: UUID) -> str:
    """The page without what differs each time: safety tokens and its own address."""
    return re.sub(r"[A-Za-z0-9]{64}", "TOKEN", html).replace(str(campaign), "CAMPAIGN")


def address(table: Table, name: str, *more: str) -> str:
    return reverse(name, args=[table.campaign_id, *more])


@pytest.mark.parametrize(
    ("who", "name", "status"),
    [
        ("olga", "campaign", 200),
        ("pia", "campaign", 200),
        ("wim", "campaign", 200),
        ("stan", "campaign", 404),
        ("olga", "people", 200),
        ("pia", "people", 200),
        ("stan", "people", 404),
        ("olga", "subjects", 200),
        ("stan", "subjects", 404),
        ("pia", "new_subject", 200),
        ("wim", "new_subject", 404),
        ("olga", "settings", 200),
        ("pia", "settings", 404),
        ("stan", "settings", 404),
        ("pia", "leave", 200),
    ],
)
def test_who_gets_which_page(table: Table, who: str, name: str, status: int) -> None:
    assert client_of(table, who).get(address(table, name)).status_code == status


def test_one_who_is_not_signed_in_is_asked_to(table: Table) -> None:
    answer = Client().get(address(table, "campaign"))
    assert answer.status_code == 302
    assert reverse("account_login") in answer["Location"]


def test_a_campaign_that_is_not_looks_like_one_that_is_closed_to_me(table: Table) -> None:
    client, other = client_of(table, "stan"), uuid4()
    there = client.get(address(table, "campaign"))
    nowhere = client.get(reverse("campaign", args=[other]))
    assert (there.status_code, nowhere.status_code) == (404, 404)
    assert without_tokens(there.content.decode(), table.campaign_id) == without_tokens(nowhere.content.decode(), other)


def test_a_hidden_subject_is_on_no_page_of_a_player(table: Table) -> None:
    made = table.send("olga", CreateSubject(kind="house", name="House Canary-7731", hidden=True))
    subject = made.events[0].event.subject
    player, gm = client_of(table, "pia"), client_of(table, "olga")
    for name in ("campaign", "subjects", "people", "new_subject"):
        assert "Canary-7731" not in player.get(address(table, name)).content.decode()
    assert "Canary-7731" in gm.get(address(table, "subjects")).content.decode()
    assert player.get(address(table, "subject", subject)).status_code == 404
    assert gm.get(address(table, "subject", subject)).status_code == 200


def test_a_form_sent_twice_makes_one_character_and_says_so(table: Table) -> None:
    client = client_of(table, "pia")
    page = client.get(address(table, "new_subject")).content.decode()
    form = {"command_id": form_id(page), "kind": "character", "name": "Talyne"}
    client.post(address(table, "new_subject"), form)
    again = client.post(address(table, "new_subject"), form, follow=True).content.decode()
    assert "pressing again changed nothing" in again
    assert client.get(address(table, "subjects")).content.decode().count(">Talyne</a>") == 1


def test_a_refused_form_says_what_would_be_right_and_keeps_what_was_typed(table: Table) -> None:
    client = client_of(table, "olga")
    answer = client.post(address(table, "new_subject"), {"command_id": str(uuid4()), "kind": "house", "name": "x" * 90})
    html = answer.content.decode()
    assert answer.status_code == 422
    assert "at most 80 characters" in html
    assert "x" * 90 in html
    assert 'aria-invalid="true"' in html


def test_a_form_without_its_number_does_nothing(table: Table) -> None:
    answer = client_of(table, "pia").post(address(table, "new_subject"), {"kind": "character", "name": "Nemo"})
    assert answer.status_code == 422
    assert "Nemo" not in client_of(table, "pia").get(address(table, "subjects")).content.decode()


def test_in_a_dialog_only_the_form_is_sent_and_its_end_closes_it(table: Table) -> None:
    client = client_of(table, "pia")
    headers = {"HX-Request": "true", "HX-Target": "dialog-body"}
    page = client.get(address(table, "new_subject"), headers=headers).content.decode()
    assert "<html" not in page
    form = {"command_id": form_id(page), "kind": "character", "name": "Talyne"}
    answer = client.post(address(table, "new_subject"), form, headers=headers)
    assert answer.status_code == 204
    assert "tide:close-dialog" in answer["HX-Trigger"]


def test_an_invitation_is_shown_to_strangers_and_seats_who_signs_in(table: Table) -> None:
    link = table.send("olga", MakeLink(role="player")).events[0].event.link
    where = address(table, "join", link, token_of(table.campaign_id, link))
    assert "The Long Tide" in Client().get(where).content.decode()
    stan = client_of(table, "stan")
    page = stan.get(where).content.decode()
    stan.post(where, {"command_id": form_id(page), "name": "Stan"})
    assert stan.get(address(table, "campaign")).status_code == 200


def test_a_wrong_token_opens_nothing_and_names_nothing(table: Table) -> None:
    link = table.send("olga", MakeLink(role="player")).events[0].event.link
    answer = Client().get(address(table, "join", link, "A" * 22))
    assert answer.status_code == 404
    assert "The Long Tide" not in answer.content.decode()


def test_a_watchers_link_shows_the_table_until_it_is_revoked(table: Table) -> None:
    link = table.send("olga", MakeLink(role="watcher")).events[0].event.link
    client = Client()
    where = address(table, "join", link, token_of(table.campaign_id, link))
    assert client.get(where, follow=True).status_code == 200
    assert client.get(address(table, "people")).status_code == 404
    table.send("olga", RevokeLink(link=link))
    assert client.get(address(table, "campaign")).status_code == 302


def test_links_are_shown_to_game_masters_alone(table: Table) -> None:
    link = table.send("olga", MakeLink(role="player")).events[0].event.link
    token = token_of(table.campaign_id, link)
    assert token in client_of(table, "olga").get(address(table, "people")).content.decode()
    for who in ("pia", "wim"):
        for name in ("people", "campaign"):
            html = client_of(table, who).get(address(table, name)).content.decode()
            assert token not in html
            assert link not in html


def test_one_who_was_removed_finds_nothing_there(table: Table) -> None:
    client = client_of(table, "pia")
    assert client.get(address(table, "campaign")).status_code == 200
    table.send("olga", RemoveMember(member=table.member("pia")))
    assert client.get(address(table, "campaign")).status_code == 404


def test_a_player_cannot_do_a_game_masters_deeds_by_hand(table: Table) -> None:
    client, number = client_of(table, "pia"), {"command_id": str(uuid4())}
    assert client.post(address(table, "make_link"), {**number, "role": "player", "days": "7"}).status_code == 403
    assert client.get(address(table, "person", table.member("paul"))).status_code == 404


def test_a_campaign_begins_once_however_often_its_form_is_sent() -> None:
    user = User.objects.create_user("nia")
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    form = {
        "command_id": form_id(client.get(reverse("start")).content.decode()),
        "name": "Salt Road",
        "owner_name": "Nia",
    }
    first, second = (client.post(reverse("start"), form)["Location"] for _ in range(2))
    assert first == second
    assert client.get(reverse("home")).content.decode().count("Salt Road") == 1


def test_the_ledger_pages_back_without_losing_a_line(table: Table) -> None:
    names = [f"Figure {i:02}" for i in range(60)]
    for name in names:
        table.send("olga", CreateSubject(kind="character", name=name))
    client, where, seen = client_of(table, "pia"), address(table, "ledger"), ""
    for _ in range(10):
        html = client.get(where).content.decode()
        seen += html.split("<ol")[1].split("</ol>")[0]
        older = re.search(r'href="[^"]*(\?before=[^"]+)"', html)
        if older is None:
            break
        where = address(table, "ledger") + older[1]
    assert [name for name in names if seen.count(f"{name} entered the story.") != 1] == []


def test_every_answer_forbids_what_is_not_ours(table: Table) -> None:
    policy = client_of(table, "pia").get(address(table, "campaign"))["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'self'" in policy


def test_no_page_has_inline_script_or_style(table: Table) -> None:
    table.character("pia")
    client = client_of(table, "olga")
    for name in ("campaign", "people", "subjects", "new_subject", "settings"):
        html = client.get(address(table, name)).content.decode()
        assert " style=" not in html
        assert "<style" not in html
        assert " onclick=" not in html
        scripts = html.split("<script")[1:]
        assert all("src=" in s.split(">")[0] or "application/json" in s.split(">")[0] for s in scripts)


def test_a_session_is_opened_and_closed_from_the_table(table: Table) -> None:
    client = client_of(table, "olga")
    page = client.get(address(table, "new_running")).content.decode()
    client.post(address(table, "new_running"), {"command_id": form_id(page), "kind": "session", "title": "High Water"})
    home = client_of(table, "pia").get(address(table, "campaign")).content.decode()
    assert "High Water" in home
    assert "Session 1" in home
    container = re.findall(r"/now/([0-9a-f]{32})/", client.get(address(table, "campaign")).content.decode())[0]
    form = {"command_id": str(uuid4()), "act": "close"}
    assert client_of(table, "pia").post(address(table, "act_running", container), form).status_code == 403
    # What ends with it is named first; nothing has ended before the answer.
    table.send("olga", OpenContainer(kind="scene", title="Low Water"))
    usual = '<option value="">{}'
    for kind, said in (("scene", "High Water (session)"), ("session", "nothing: it stands by itself")):
        assert usual.format(said) in client.get(address(table, "new_running") + f"?kind={kind}").content.decode()
    form = {"command_id": str(uuid4()), "act": "close"}
    asked = client.post(address(table, "act_running", container), form).content.decode()
    assert "Close High Water?" in asked and "Low Water (scene)" in asked
    home = client_of(table, "pia").get(address(table, "campaign")).content.decode()
    assert "High Water" in home.split('id="running"')[1].split("</section>")[0]
    client.post(address(table, "act_running", container), {**form, "sure": "yes"})
    now = client_of(table, "pia").get(address(table, "campaign")).content.decode().split('id="running"')[1]
    assert "High Water" not in now.split("</section>")[0]


def test_an_entry_is_taken_back_with_what_it_caused_and_stays_struck_out(table: Table) -> None:
    subject = table.character("pia", "Talyne")
    client = client_of(table, "olga")
    home = client.get(address(table, "campaign")).content.decode()
    line = next(part for part in home.split("<li ")[1:] if "Talyne entered the story." in part)
    where = re.search(r'href="([^"]*/ledger/[^"]+/)"', line)
    assert where is not None
    page = client.get(where[1]).content.decode()
    assert "Talyne entered the story." in page
    client.post(where[1], {"command_id": form_id(page), "reason": "The wrong table"})
    after = client_of(table, "pia").get(address(table, "campaign")).content.decode()
    lines = [part for part in after.split("<li ")[1:] if "Talyne entered the story." in part]
    assert [
        ("entry--voided" in line, "Taken back: Talyne entered the story. Why: The wrong table" in line)
        for line in sorted(lines, key=lambda line: "Taken back" in line)
    ] == [(True, False), (False, True)]
    assert client_of(table, "pia").get(address(table, "subject", subject)).status_code == 404
    assert client_of(table, "pia").get(where[1]).status_code == 403
    home = client.get(address(table, "campaign")).content.decode()
    back = re.findall(r'href="([^"]*/ledger/[^"]+/)"[^>]*>(?:(?!</a>).)*Let it stand', home, re.S)
    page = client.get(back[0]).content.decode()
    client.post(back[0], {"command_id": form_id(page), "reason": ""})
    home = client.get(address(table, "campaign")).content.decode()
    assert "Stands again: Talyne entered the story." in home and "Let it stand" not in home


def test_a_table_without_rules_says_so_to_who_can_mend_it(table: Table) -> None:
    said = "No rules are played here yet"
    assert said in client_of(table, "olga").get(address(table, "campaign")).content.decode()
    assert said not in client_of(table, "pia").get(address(table, "campaign")).content.decode()
    ruled = make_table({"spindrift-identity": ""})
    assert said not in client_of(ruled, "olga").get(address(ruled, "campaign")).content.decode()
