"""Reads: each viewer's own view, and nothing for whoever has none."""

from typing import Any
from uuid import uuid4

import pytest

from campaigns.commands.seats import MakeLink, RemoveMember, RevokeLink
from campaigns.commands.subjects import CreateSubject, RevealSubject
from campaigns.links import token_of
from tests.campaigns.api.callers import Caller
from tests.campaigns.tables import Table

People = dict[str, Caller]
READS = ("", "subjects", "feed", "links")


def test_the_campaign_as_each_may_see_it(table: Table, people: People) -> None:
    talyne = table.character("pia")
    seen = {who: people[who].read().json() for who in ("olga", "pia", "wim", "link")}
    assert {who: view["role"] for who, view in seen.items()} == {
        "olga": "gm",
        "pia": "player",
        "wim": "watcher",
        "link": "watcher",
    }
    assert seen["pia"]["plays"] == [talyne] and seen["olga"]["plays"] == []
    assert [m["name"] for m in seen["pia"]["members"]] == ["Olga", "Pia", "Paul", "Wim"]
    for watcher in ("wim", "link"):
        assert seen[watcher]["name"] == "The Long Tide"
        assert seen[watcher]["members"] is seen[watcher]["settings"] is seen[watcher]["packs"] is None


@pytest.mark.parametrize("path", READS)
def test_strangers_and_the_nameless_get_nothing(people: People, path: str) -> None:
    known, unknown = people["stan"].read(path), people["stan"].read(path, campaign=uuid4())
    assert known.status_code == unknown.status_code == 404
    assert known.json() == unknown.json()
    answer = people["nobody"].read(path)
    assert answer.status_code == 401 and answer["WWW-Authenticate"] == "Bearer"


def test_hidden_subjects_are_the_gms(table: Table, people: People) -> None:
    foe = table.send("olga", CreateSubject(kind="foe", name="CanaryFoe", hidden=True)).events[0].event.subject
    assert [s["name"] for s in people["olga"].read("subjects").json()["subjects"]] == ["CanaryFoe"]
    for who in ("pia", "wim", "link"):
        assert people[who].read("subjects").json() == {"subjects": []}
        hidden, none = people[who].read(f"subjects/{foe}"), people[who].read(f"subjects/{'f' * 32}")
        assert hidden.status_code == none.status_code == 404
        assert {**hidden.json(), "value": ""} == {**none.json(), "value": ""}
    table.send("olga", RevealSubject(subject=foe))
    assert people["pia"].read(f"subjects/{foe}").json() == {
        "subject": foe,
        "kind": "foe",
        "name": "CanaryFoe",
        "players": [],
        "hidden": None,
        "away": False,
    }


def pages(caller: Caller, way: str, **query: Any) -> list[dict[str, Any]]:
    """The whole feed in pages of two."""
    found: list[dict[str, Any]] = []
    while True:
        page = caller.read("feed", limit=2, **query).json()
        found += page["entries"]
        if not page["more"]:
            return found
        query = {way: found[-1]["cursor"]}


def test_the_feed_in_pages_either_way_is_the_same_feed(table: Table, people: People) -> None:
    table.send("olga", CreateSubject(kind="foe", name="CanaryFoe", hidden=True))
    table.character("pia")
    for who in ("olga", "pia", "link"):
        forward = pages(people[who], "after", after="")
        assert forward == list(reversed(pages(people[who], "before")))
        assert ("CanaryFoe" in repr(forward)) == (who == "olga")
    assert "position" not in repr(pages(people["olga"], "before"))


def test_nothing_new_after_the_newest(people: People) -> None:
    newest = people["pia"].read("feed", limit=1).json()["entries"][0]["cursor"]
    assert people["pia"].read("feed", after=newest).json() == {"entries": [], "more": False}


@pytest.mark.parametrize(
    "query, field",
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "201"}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"after": "x"}, "cursor"),
        ({"before": "y" * 22}, "cursor"),
        ({"befor": "x"}, "befor"),
        ({"after": "", "before": ""}, "before"),
    ],
)
def test_wrong_questions_are_answered_with_what_is_wrong(people: People, query: Any, field: str) -> None:
    answer = people["pia"].read("feed", **query)
    assert (answer.status_code, answer.json()["field"]) == (400, field)


def test_links_and_their_tokens_are_the_gms(table: Table, people: People) -> None:
    made = table.send("olga", MakeLink(role="player")).events[0].event
    token = token_of(table.campaign_id, made.link)
    listed = people["olga"].read("links")
    assert made.link in [link["link"] for link in listed.json()["links"]] and token not in listed.text
    assert people["olga"].read(f"links/{made.link}").json()["token"] == token
    for who, status in (("pia", 403), ("wim", 403), ("link", 403), ("stan", 404), ("nobody", 401)):
        assert people[who].read("links").status_code == people[who].read(f"links/{made.link}").status_code == status


def test_what_makes_a_gm_is_shown_to_the_owner_alone(table: Table, people: People) -> None:
    table.seat("stan", "gm")
    made = table.send("olga", MakeLink(role="gm")).events[0].event
    assert people["olga"].read(f"links/{made.link}").json()["token"]
    assert people["stan"].read(f"links/{made.link}").json()["token"] is None


def test_a_watchers_link_opens_its_campaign_until_it_is_revoked(table: Table, people: People) -> None:
    link = people["link"].authorization.removeprefix("Link ").partition(".")[0]
    assert people["link"].read().status_code == 200
    assert people["link"].client.get("/api/campaigns", headers={"Authorization": "Link x.y"}).status_code == 401
    table.send("olga", RevokeLink(link=link))
    assert people["link"].read().status_code == 404


def test_an_invitation_is_no_way_to_watch(table: Table) -> None:
    made = table.send("olga", MakeLink(role="player")).events[0].event
    caller = Caller(table.campaign_id, authorization=f"Link {made.link}.{token_of(table.campaign_id, made.link)}")
    assert caller.read().status_code == 404


def test_a_removed_member_sees_nothing_more(table: Table, people: People) -> None:
    assert people["pia"].read("feed").status_code == 200
    table.send("olga", RemoveMember(member=table.member("pia")))
    assert people["pia"].read("feed").status_code == 404
    assert people["pia"].client.get("/api/campaigns").json() == {"campaigns": []}


def test_answers_are_kept_by_nobody_on_the_way(people: People) -> None:
    assert people["pia"].read()["Cache-Control"] == "no-store"


def test_addresses_that_do_not_exist_are_problems_too(people: People) -> None:
    for answer in (people["pia"].client.get("/api/nowhere"), people["pia"].read("nothing")):
        assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
    assert people["pia"].client.put(people["pia"].address("feed")).status_code == 405
