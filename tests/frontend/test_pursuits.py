"""The page of Pursuits: what each seat reads and may press there, and what the buttons do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns import registry
from campaigns.commands import pursuits as pc
from campaigns.registry import Choice
from rules.packs import folder
from tests.campaigns.crew import START, Crew, at, make_crew, write
from tests.campaigns.tables import make_table


@pytest.fixture
def crew(transactional_db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Crew]:
    monkeypatch.setattr(folder, "SHELF", tmp_path)
    write(tmp_path)
    with at(2026, 3, 4, 18):
        yield make_crew()


def browser(crew: Crew, who: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(pk=crew.table.users[who]))
    return client


def page(crew: Crew, who: str, where: str = "pursuits/") -> str:
    answer = browser(crew, who).get(f"/c/{crew.table.campaign_id}/{where}")
    assert answer.status_code == 200, where
    return answer.content.decode()


def press(crew: Crew, who: str, where: str, **fields: str) -> int:
    given = {"command_id": str(uuid4()), **fields}
    return browser(crew, who).post(f"/c/{crew.table.campaign_id}/pursuits/{where}", given).status_code


def test_a_private_one_is_on_its_players_and_the_gms_page_alone(crew: Crew) -> None:
    crew.own("To find Aldous Vane")
    seen = {who: "Aldous Vane" in page(crew, who) for who in ("olga", "pia", "paul")}
    assert seen == {"olga": True, "pia": True, "paul": False}
    on_the_table = {who: "Aldous Vane" in page(crew, who, "") for who in ("olga", "pia", "paul", "wim")}
    assert on_the_table == {"olga": True, "pia": True, "paul": False, "wim": False}
    assert browser(crew, "wim").get(f"/c/{crew.table.campaign_id}/pursuits/").status_code == 404


def test_a_claimed_step_waits_for_the_game_masters_word_on_the_table(crew: Crew) -> None:
    pursuit = crew.own()
    crew.send("pia", pc.ClaimAdvance(pursuit=pursuit, note="I know the house"))
    waits = {who: page(crew, who, "").split('id="words"')[1].split("</section>")[0] for who in ("olga", "pia", "paul")}
    assert "A step closer for Rell?" in waits["olga"] and "I know the house" in waits["olga"]
    assert "A step closer" not in waits["pia"] + waits["paul"]
    given = {"command_id": str(uuid4()), "act": "advance", "from": "table"}
    answer = browser(crew, "olga").post(f"/c/{crew.table.campaign_id}/pursuits/{pursuit}/", given)
    assert answer["Location"] == f"/c/{crew.table.campaign_id}/"
    assert "A step closer" not in page(crew, "olga", "").split('id="words"')[1].split("</section>")[0]


def test_a_refused_note_stands_in_the_form_of_its_own_pursuit_alone(crew: Crew) -> None:
    crew.joint()
    mine = crew.own("To find Aldous Vane")
    client = browser(crew, "pia")
    given = {"command_id": str(uuid4()), "act": "claim", "note": "long " * 100}
    client.post(f"/c/{crew.table.campaign_id}/pursuits/{mine}/", given)
    forms = client.get(f"/c/{crew.table.campaign_id}/pursuits/").content.decode().split("<form")
    assert [
        form.split("action=")[1].split(">")[0].strip('"').split('"')[0] for form in forms if "long long" in form
    ] == [f"/c/{crew.table.campaign_id}/pursuits/{mine}/"]


def test_it_is_written_claimed_advanced_and_let_go_by_buttons(crew: Crew) -> None:
    assert 'name="words"' in page(crew, "pia", "pursuits/new/?kind=own")
    assert press(crew, "pia", "new/", kind="own", owner=crew.rell, words="The sword my father sold") == 302
    pursuit = next(iter(crew.kept().pursuits))
    assert press(crew, "pia", f"{pursuit}/", act="claim", note="I know the house") == 302
    assert "I know the house" in page(crew, "olga")
    assert press(crew, "olga", f"{pursuit}/", act="advance") == 302
    assert crew.stat(crew.rell, "renown") == 1
    assert "This session has brought Renown" in page(crew, "olga")
    assert "This session has brought Renown" not in page(crew, "pia")
    assert press(crew, "pia", f"{pursuit}/reword/", words="The sword, and the house") == 302
    assert press(crew, "pia", f"{pursuit}/", act="abandon", note="It burned") == 302
    assert "let go of “The sword, and the house”" in page(crew, "pia")
    assert "the house" not in page(crew, "paul")


def test_the_party_agrees_resolves_in_stages_and_is_told_what_comes(crew: Crew) -> None:
    assert press(crew, "pia", "new/", kind="joint", words="The vault", stages="the road\r\n\r\nthe gate") == 302
    pursuit = next(iter(crew.kept().pursuits))
    assert "Still asked: Olga, Paul." in page(crew, "pia")
    assert "I agree" in page(crew, "paul") and "I agree" not in page(crew, "pia")
    for who in ("paul", "olga"):
        assert press(crew, who, f"{pursuit}/", act="agree") == 302
    assert "Stage done" in page(crew, "olga")
    assert press(crew, "olga", f"{pursuit}/", act="stage") == 302
    # The last stage is done by resolving the whole.
    assert "Stage done" not in page(crew, "olga")
    to = f"/c/{crew.table.campaign_id}/pursuits/{pursuit}/"
    form = {"command_id": str(uuid4()), "act": "resolve", "note": "The door fell"}
    asked = browser(crew, "olga").post(to, form).content.decode()
    assert "Is “The vault” resolved?" in asked and "Not done yet: the gate" in asked and "The door fell" in asked
    assert "to each of these: Osk, Rell." in asked
    assert pursuit in crew.kept().pursuits
    assert press(crew, "olga", f"{pursuit}/", act="resolve", sure="yes", note="The door fell") == 302
    assert "It is given in a moment" in page(crew, "paul")
    crew.run_jobs()
    assert crew.tiers() == (2, 2)
    assert "It is given in a moment" not in page(crew, "paul")
    assert "resolved it: “The vault” The door fell" in page(crew, "paul")


def test_a_refusal_stands_on_the_form(crew: Crew) -> None:
    crew.own()
    answer = browser(crew, "pia").post(
        f"/c/{crew.table.campaign_id}/pursuits/new/",
        {"command_id": str(uuid4()), "kind": "own", "owner": crew.rell, "words": "Another"},
    )
    # With one of one's own open the form offers the other kinds alone, and writes none of them instead.
    assert answer.status_code == 422 and "is still open" in answer.content.decode()
    assert len(crew.kept().pursuits) == 1
    answer = browser(crew, "paul").post(
        f"/c/{crew.table.campaign_id}/pursuits/new/",
        {"command_id": str(uuid4()), "kind": "own", "owner": crew.osk, "words": " "},
    )
    assert answer.status_code == 422 and "must not be empty" in answer.content.decode()


def test_schooling_asks_what_it_brings(crew: Crew) -> None:
    form = page(crew, "pia", "pursuits/new/?kind=schooling")
    assert '<option value="charts">Charts</option>' in form and 'name="weeks"' in form
    fields = {"kind": "schooling", "owner": crew.rell, "words": "To read", "weeks": "3", "given-craft": "charts"}
    assert press(crew, "pia", "new/", **fields) == 302
    found = next(iter(crew.kept().pursuits.values()))
    assert (found.weeks, found.given, found.open) == (3, {"craft": "charts"}, False)


def test_a_gm_gives_without_one_and_nobody_else(crew: Crew) -> None:
    to = f"own {crew.osk}"
    assert press(crew, "paul", "award/", to=to, reason="x") == 403
    assert press(crew, "olga", "award/", to=to, reason="The party's doings") == 302
    assert crew.stat(crew.osk, "renown") == 1


def test_what_is_to_be_chosen_stands_on_the_own_table_page(crew: Crew, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = [Choice("c1", crew.rell, "An ability", START)]
    monkeypatch.setattr(registry, "waiting", [lambda state: waiting])
    seen = {who: "Rell: An ability" in page(crew, who, "") for who in ("olga", "pia", "paul", "wim")}
    assert seen == {"olga": True, "pia": True, "paul": False, "wim": False}


def test_a_second_press_changes_nothing(crew: Crew) -> None:
    pursuit, again = crew.own(), str(uuid4())
    for _ in range(2):
        press(crew, "olga", f"{pursuit}/", act="advance", command_id=again)
    assert crew.stat(crew.rell, "renown") == 1


def test_the_api_reads_the_same(crew: Crew) -> None:
    pursuit = crew.own("To find Aldous Vane")
    crew.send("olga", pc.AdvancePursuit(pursuit=pursuit))
    read = browser(crew, "pia").get(f"/api/campaigns/{crew.table.campaign_id}/pursuits").json()
    assert [(one["words"], one["advances"], one["private"]) for one in read["pursuits"]] == [
        ("To find Aldous Vane", 1, True)
    ]
    assert browser(crew, "paul").get(f"/api/campaigns/{crew.table.campaign_id}/pursuits").json()["pursuits"] == []


def test_a_campaign_without_them_has_no_page(transactional_db: None) -> None:
    table = make_table({"spindrift-identity": ""})
    client = Client()
    client.force_login(User.objects.get(pk=table.users["olga"]))
    assert client.get(f"/c/{table.campaign_id}/pursuits/").status_code == 404
    assert "/pursuits/" not in client.get(f"/c/{table.campaign_id}/").content.decode()
