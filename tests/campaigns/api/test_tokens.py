"""Personal tokens: shown once, kept as a digest, theirs who made them, gone when revoked or over."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from campaigns.api.access import now
from campaigns.models import ApiToken
from tests.campaigns.api.callers import Caller
from tests.campaigns.tables import Table

People = dict[str, Caller]


def make(caller: Caller, **body: Any) -> dict[str, Any]:
    answer = caller.client.post("/api/tokens", {"name": "bot", **body}, "application/json")
    assert answer.status_code == 201, answer.content
    told: dict[str, Any] = answer.json()
    return told


def bearer(table: Table, token: str) -> Caller:
    return Caller(table.campaign_id, authorization=f"Bearer {token}")


def test_a_token_reads_and_sends_as_its_owner(table: Table, people: People) -> None:
    bot = bearer(table, make(people["pia"])["token"])
    assert bot.read().json()["role"] == "player"
    assert bot.send("subject.create", {"kind": "character", "name": "Talyne"}).status_code == 200
    assert bot.send("campaign.rename", {"name": "Mine"}).status_code == 403


def test_the_secret_is_told_once_and_kept_nowhere(people: People) -> None:
    made = make(people["pia"])
    listed = people["pia"].client.get("/api/tokens")
    assert [t["name"] for t in listed.json()["tokens"]] == ["bot"]
    assert made["token"] not in listed.text
    assert made["token"].encode() not in bytes(ApiToken.objects.get().digest)


def test_a_reading_token_does_not_send(table: Table, people: People) -> None:
    bot = bearer(table, make(people["olga"], may_send=False)["token"])
    assert bot.read().status_code == 200
    answer = bot.send("campaign.rename", {"name": "Mine"})
    assert (answer.status_code, answer.json()["code"]) == (403, "read_only_token")


def test_revoked_overdue_and_made_up_tokens_open_nothing(table: Table, people: People) -> None:
    made = make(people["pia"], days=1)
    assert bearer(table, made["token"]).read().status_code == 200
    with time_machine.travel(now() + timedelta(days=1, seconds=1)):
        assert bearer(table, made["token"]).read().status_code == 401
    assert people["pia"].client.delete(f"/api/tokens/{made['id']}").status_code == 204
    for token in (made["token"], "tide_made-up", "x", ""):
        assert bearer(table, token).read().status_code == 401


def test_tokens_of_the_inactive_open_nothing(table: Table, people: People) -> None:
    from django.contrib.auth.models import User

    bot = bearer(table, make(people["pia"])["token"])
    User.objects.filter(pk=table.users["pia"]).update(is_active=False)
    assert bot.read().status_code == 401


def test_others_tokens_are_nobodys_business(people: People) -> None:
    made = make(people["pia"])
    assert people["paul"].client.get("/api/tokens").json() == {"tokens": []}
    assert people["paul"].client.delete(f"/api/tokens/{made['id']}").status_code == 404
    assert people["nobody"].client.get("/api/tokens").status_code == 401


def test_a_token_makes_and_revokes_none(table: Table, people: People) -> None:
    made = make(people["pia"])
    headers = {"Authorization": f"Bearer {made['token']}"}
    client = people["nobody"].client
    assert client.post("/api/tokens", {"name": "more"}, "application/json", headers=headers).status_code == 403
    assert client.delete(f"/api/tokens/{made['id']}", headers=headers).status_code == 403


@pytest.mark.parametrize("body, field", [({"name": ""}, "name"), ({"name": "x", "days": 0}, "days"), ({}, "name")])
def test_wrong_wishes_are_refused(people: People, body: dict[str, Any], field: str) -> None:
    answer = people["pia"].client.post("/api/tokens", body, "application/json")
    assert (answer.status_code, answer.json()["field"]) == (400, field)


def test_an_account_holds_so_many(people: People) -> None:
    for _ in range(20):
        make(people["pia"])
    answer = people["pia"].client.post("/api/tokens", {"name": "bot"}, "application/json")
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_tokens")


def test_sessions_send_with_their_forgery_token_only(table: Table) -> None:
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.get(pk=table.users["olga"]))
    answer = client.post(f"/api/campaigns/{table.campaign_id}/commands/campaign.rename", {}, "application/json")
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")


def test_too_many_requests_wait(people: People, settings: Any) -> None:
    settings.API_RATES = {"api-read": 2, "api-send": 1, "api-nobody": 1}
    assert [people["pia"].read().status_code for _ in range(3)] == [200, 200, 429]
    assert people["paul"].read().status_code == 200
    refused = people["pia"].read()
    assert int(refused["Retry-After"]) > 0 and refused.json()["code"] == "throttled"
