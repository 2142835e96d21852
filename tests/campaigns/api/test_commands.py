"""Sending commands: once, by those who may, answered with what the sender may see."""

from datetime import date
from uuid import uuid4

import pytest

from campaigns import models
from campaigns.api.problems import of_refusal
from campaigns.commands.seats import MakeLink
from campaigns.commands.subjects import CreateSubject
from campaigns.links import token_of
from rules.calendar.changes import on_monday
from rules.refusal import Refused
from tests.campaigns.api.callers import Caller
from tests.campaigns.tables import Table

People = dict[str, Caller]


def events(table: Table) -> int:
    return models.Event.objects.filter(campaign_id=table.campaign_id).count()


def test_a_command_is_done_and_answered_with_its_events(people: People) -> None:
    answer = people["olga"].send("campaign.rename", {"name": "Spring Tide"})
    assert answer.status_code == 200
    told = answer.json()
    assert told["again"] is False
    assert [(e["type"], e["data"]) for e in told["events"]] == [("campaign.renamed", {"name": "Spring Tide"})]
    assert people["pia"].read().json()["name"] == "Spring Tide"


def test_the_same_key_again_gives_the_same_answer_and_changes_nothing(table: Table, people: People) -> None:
    key = uuid4()
    first = people["olga"].send("campaign.rename", {"name": "Neap Tide"}, key=key).json()
    before = events(table)
    again = people["olga"].send("campaign.rename", {"name": "Neap Tide"}, key=key).json()
    assert again == first | {"again": True}
    assert events(table) == before


def test_a_key_used_for_another_command_is_a_conflict(people: People) -> None:
    key = uuid4()
    people["olga"].send("campaign.rename", {"name": "Neap Tide"}, key=key)
    answer = people["olga"].send("campaign.rename", {"name": "Ebb"}, key=key)
    assert (answer.status_code, answer.json()["code"]) == (409, "command_id_used")


@pytest.mark.parametrize("key, code", [("", "missing"), ("soon", "wrong_value")])
def test_without_a_proper_key_nothing_is_sent(table: Table, people: People, key: str, code: str) -> None:
    before = events(table)
    olga = people["olga"]
    headers = {"Idempotency-Key": key} if key else {}
    answer = olga.client.post(
        olga.address("commands/campaign.rename"), {"name": "Ebb"}, "application/json", headers=headers
    )
    told = answer.json()
    assert (answer.status_code, told["code"], told["field"]) == (400, code, "Idempotency-Key")
    assert "UUID" in told["right"]
    assert events(table) == before


@pytest.mark.parametrize(
    "body, code, field, value, right",
    [
        ({}, "missing", "name", None, "a value for it"),
        ({"name": 7}, "wrong_value", "name", 7, "a text"),
        ({"name": ""}, "empty", "name", "", "1 to 80 characters"),
        ({"name": "Ebb", "nmae": "x"}, "unknown_field", "nmae", "x", "name"),
        ('["Ebb"]', "wrong_value", "body", "['Ebb']", "an object"),
    ],
)
def test_wrong_bodies_are_answered_with_field_value_and_right(
    people: People, body: object, code: str, field: str, value: object, right: str
) -> None:
    answer = people["olga"].send("campaign.rename", body)
    told = answer.json()
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert (told["code"], told["field"], told.get("value"), told["right"]) == (code, field, value, right)
    assert told["status"] == 400 and told["type"] == f"urn:problem-type:tidebook:{code}" and told["title"]


@pytest.mark.parametrize(
    "field, value, where, right",
    [
        ("players", ["x", 3], "players[1]", "a text"),
        ("players", "x", "players", "a list"),
        ("hidden", "yes", "hidden", "true or false"),
    ],
)
def test_places_inside_lists_are_named(people: People, field: str, value: object, where: str, right: str) -> None:
    body = {"kind": "character", "name": "Talyne"} | {field: value}
    told = people["olga"].send("subject.create", body).json()
    assert (told["field"], told["right"]) == (where, right)


def test_a_date_that_is_refused_is_repeated_as_text() -> None:
    """2 December 2026 is a Wednesday; weeks begin on Mondays."""
    with pytest.raises(Refused) as caught:
        on_monday(date(2026, 12, 2), "starts_on")
    told = of_refusal(caught.value).data
    assert (told["field"], told["value"]) == ("starts_on", "2026-12-02")


@pytest.mark.parametrize("body", ["{", '{"name": "\\ud800"}', "[" * 5000, '{"name": "Ebb"'])
def test_what_is_not_json_says_so(people: People, body: str) -> None:
    answer = people["olga"].send("campaign.rename", body)
    assert (answer.status_code, answer.json()["field"]) == (400, "body")


def test_depth_without_end_is_refused(people: People) -> None:
    for name in ("name", "no_such_name"):
        assert people["olga"].send("campaign.rename", f'{{"{name}": ' + "[" * 50_000).status_code == 400


def test_values_within_values_are_refused_by_their_field(people: People) -> None:
    """Each depth that a parser still takes: none is a fault on our side."""
    for deep in (60, 400, 600, 800, 950):
        body = '{"pack": "x", "kind": "x", "choices": {"a": ' + "[" * deep + "]" * deep + "}}"
        answer = people["pia"].send("draft.begin", body)
        assert (answer.status_code, answer.json()["field"]) in [(400, "choices"), (400, "body")], deep


def test_whole_numbers_beyond_the_stream_are_refused(people: People) -> None:
    answer = people["olga"].send("link.make", '{"role": "player", "uses": ' + "9" * 30 + "}")
    assert (answer.status_code, answer.json()["field"]) == (400, "uses")


def test_other_media_and_too_much_of_it_are_refused(people: People) -> None:
    olga = people["olga"]
    assert olga.send("campaign.rename", "name=Ebb", content_type="application/x-www-form-urlencoded").status_code == 415
    answer = olga.send("campaign.rename", {"name": "x" * 300_000})
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    "who, status, code",
    [
        ("pia", 403, "not_allowed"),
        ("wim", 403, "not_allowed"),
        ("stan", 404, "no_such_campaign"),
        ("link", 401, "not_authenticated"),
        ("nobody", 401, "not_authenticated"),
    ],
)
def test_who_may_not_is_told_so(people: People, who: str, status: int, code: str) -> None:
    answer = people[who].send("campaign.rename", {"name": "Mine"})
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_campaign_one_has_no_seat_in_is_like_none_at_all(people: People) -> None:
    stan = people["stan"]
    for name, body in (("campaign.rename", {"name": "Mine"}), ("campaign.rename", {}), ("no.such", {})):
        known, unknown = stan.send(name, body), stan.send(name, body, campaign=uuid4())
        assert (known.status_code, known.json()) == (unknown.status_code, unknown.json())
    body = {"link": "x", "token": "y", "name": "Stan"}
    known, unknown = stan.send("member.join", body), stan.send("member.join", body, campaign=uuid4())
    assert known.json() == unknown.json() and known.status_code == 400


def test_unknown_commands_name_the_nearest(people: People) -> None:
    answer = people["olga"].send("campaign.renam", {})
    told = answer.json()
    assert (answer.status_code, told["code"], told["right"]) == (404, "unknown_command", "campaign.rename")


def test_a_stale_page_is_told_that_the_campaign_moved_on(people: People) -> None:
    seen = people["olga"].read("feed").json()["entries"][0]["cursor"]
    assert people["olga"].send("campaign.rename", {"name": "Neap Tide"}, seen=seen).status_code == 200
    answer = people["olga"].send("campaign.rename", {"name": "Ebb"}, seen=seen)
    told = answer.json()
    assert (answer.status_code, told["code"], told["field"], told["value"]) == (409, "moved_on", "If-Match", seen)


def test_what_is_hidden_makes_no_page_stale(table: Table, people: People) -> None:
    body = {"kind": "character", "name": "Talyne"}
    seen = people["pia"].read("feed").json()["entries"][0]["cursor"]
    table.send("olga", CreateSubject(kind="foe", name="CanaryFoe", hidden=True))
    assert people["pia"].send("subject.create", body, seen=seen).status_code == 200
    assert people["pia"].send("subject.create", body, seen=seen).json()["code"] == "moved_on"


def test_a_cursor_of_no_campaign_is_refused(people: People) -> None:
    answer = people["olga"].send("campaign.rename", {"name": "Ebb"}, seen="x" * 22)
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_cursor")


def test_joining_by_link(table: Table, people: People) -> None:
    made = table.send("olga", MakeLink(role="player", uses=1)).events[0].event
    body = {"link": made.link, "token": token_of(table.campaign_id, made.link), "name": "Stan"}
    answer = people["stan"].send("member.join", body)
    assert answer.status_code == 200
    assert answer.json()["events"][0]["says"] == "Stan joined as a player."
    assert people["stan"].read().json()["role"] == "player"


def test_leaving_twice_with_one_key_is_leaving_once(people: People) -> None:
    key = uuid4()
    assert people["pia"].send("member.leave", key=key).json() == {
        "campaign": str(people["pia"].campaign),
        "again": False,
        "events": [],
    }
    assert people["pia"].send("member.leave", key=key).json()["again"] is True
    assert people["pia"].send("member.leave").status_code == 404


def test_another_members_key_is_no_way_in(table: Table, people: People) -> None:
    key = uuid4()
    people["olga"].send("campaign.rename", {"name": "Neap Tide"}, key=key)
    assert people["stan"].send("campaign.rename", {"name": "Neap Tide"}, key=key).status_code == 404


def test_starting_a_campaign_once_a_key(people: People) -> None:
    client, key = people["stan"].client, str(uuid4())
    body = {"name": "Low Water", "owner_name": "Stan"}
    answers = [
        client.post("/api/campaigns", body, "application/json", headers={"Idempotency-Key": key}) for _ in range(2)
    ]
    assert [a.status_code for a in answers] == [201, 201]
    assert [a.json()["again"] for a in answers] == [False, True]
    assert answers[0].json()["campaign"] == answers[1].json()["campaign"]
    mine = client.get("/api/campaigns").json()["campaigns"]
    assert [(c["name"], c["role"], c["is_owner"]) for c in mine] == [("Low Water", "gm", True)]


def test_a_hidden_subject_of_the_gm_does_not_show_in_a_players_answer(table: Table, people: People) -> None:
    foe = table.send("olga", CreateSubject(kind="foe", name="CanaryFoe", hidden=True)).events[0].event.subject
    answer = people["pia"].send("subject.rename", {"subject": foe, "name": "x"})
    other = people["pia"].send("subject.rename", {"subject": "f" * 32, "name": "x"})
    assert answer.status_code == other.status_code == 400
    assert {**answer.json(), "value": ""} == {**other.json(), "value": ""}
