"""Every address as owner, member, watcher, stranger and nobody, and with ids that belong to another campaign."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast
from uuid import uuid4

import msgspec
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLResolver, get_resolver

from campaigns import models, registry
from campaigns.api.reading import reads
from campaigns.commands.seats import MakeLink
from tests.campaigns.api.callers import Caller, callers
from tests.campaigns.api.shapes import body_of
from tests.campaigns.tables import Table, make_table

People = dict[str, Caller]
OPEN_TO_STRANGERS = {"campaign.start", "member.join"}
# Addresses that are neither a read nor a command.
WHOLE_LEDGERS = {"check", "export"}
# Tested by who asks in test_pictures.py.
PICTURES = {"pictures/upload", "pictures/<str:picture>/file"}


@pytest.fixture
def ids(table: Table) -> dict[str, str]:
    """Ids that mean something in the first campaign, by the name of the field or part of an address."""
    made: Any = table.send("olga", MakeLink(role="player")).events[0].event
    return {"subject": table.character("pia"), "member": table.member("pia"), "link": made.link}


@pytest.fixture
def other(transactional_db: None) -> People:
    """Another campaign and its people."""
    return callers(make_table())


def paths(ids: dict[str, str]) -> Iterator[str]:
    """The addresses of all reads, with these ids where they fit."""
    for entry in reads.values():
        path = entry.path
        while "<" in path:
            name = path[path.index("<") + 1 : path.index(">")].rpartition(":")[2]
            path = path[: path.index("<")] + ids.get(name, "1") + path[path.index(">") + 1 :]
        asked = [name for name in entry.query.__struct_fields__ if name not in _optional(entry.query)]
        yield path + ("?" + "&".join(f"{name}=1" for name in asked) if asked else "")


def _optional(query: type[msgspec.Struct]) -> set[str]:
    return {field.name for field in msgspec.structs.fields(query) if not field.required}


def head(campaign: object) -> int:
    return models.Campaign.objects.values_list("position", flat=True).get(pk=campaign)


def test_reads_by_who_asks(people: People, ids: dict[str, str]) -> None:
    allowed = {entry.path: entry.roles for entry in reads.values()}
    for entry, path in zip(reads.values(), paths(ids), strict=True):
        for who, role in (("olga", "gm"), ("pia", "player"), ("wim", "watcher"), ("link", "watcher")):
            status = people[who].read(path).status_code
            if role in allowed[entry.path]:
                # What is named beside the ids need not be there.
                assert status in (200, 400, 404, 409), (who, path)
            else:
                assert status == 403, (who, path)
        assert people["stan"].read(path).status_code == 404, path
        assert people["nobody"].read(path).status_code == 401, path


def test_commands_by_who_sends(people: People, ids: dict[str, str]) -> None:
    before = head(people["stan"].campaign)
    for kind in registry.commands.values():
        body = body_of(kind, ids)
        if kind.name not in OPEN_TO_STRANGERS:
            assert people["stan"].send(kind.name, body).status_code == 404, kind.name
        assert people["nobody"].send(kind.name, body).status_code == 401, kind.name
        assert people["link"].send(kind.name, body).status_code == 401, kind.name
        for who, role in (("pia", "player"), ("wim", "watcher")):
            if role not in kind.roles and kind.name not in OPEN_TO_STRANGERS:
                assert people[who].send(kind.name, body).status_code == 403, (who, kind.name)
    assert head(people["stan"].campaign) == before


def test_the_owner_of_another_campaign_is_a_stranger_here(people: People, other: People, ids: dict[str, str]) -> None:
    here, before = people["olga"].campaign, head(people["olga"].campaign)
    for path in paths(ids):
        assert other["olga"].read(path, campaign=here).status_code == 404, path
    for kind in registry.commands.values():
        if kind.name not in OPEN_TO_STRANGERS:
            assert other["olga"].send(kind.name, body_of(kind, ids), campaign=here).status_code == 404, kind.name
    assert other["link"].read(campaign=here).status_code == 404
    assert head(here) == before


def test_ids_of_another_campaign_mean_nothing(people: People, other: People, ids: dict[str, str]) -> None:
    here, before = people["olga"].campaign, head(people["olga"].campaign)
    for entry, path in zip(reads.values(), paths(ids), strict=True):
        if any(f":{name}>" in entry.path for name in ids):
            assert other["olga"].read(path).status_code == 404, path
    for kind in registry.commands.values():
        named = [name for name in ids if name in kind.body.__struct_fields__]
        if named and kind.name not in OPEN_TO_STRANGERS:
            answer = other["olga"].send(kind.name, body_of(kind, ids))
            assert answer.status_code in (400, 403, 409) or answer.json()["events"] == [], kind.name
            assert people["pia"].read().json()["name"] not in answer.text or kind.name == "campaign.rename"
    assert head(here) == before


def test_cursors_of_another_campaign_mean_nothing(people: People, other: People) -> None:
    cursor = people["olga"].read("feed").json()["entries"][0]["cursor"]
    assert other["olga"].read("feed", after=cursor).status_code == 400


def test_every_address_answers_wrong_methods_and_bodies_without_a_fault(people: People, ids: dict[str, str]) -> None:
    olga = people["olga"]
    names = list(paths(ids)) + [f"commands/{name}" for name in registry.commands]
    for name in names:
        for method in ("get", "post", "put", "patch", "delete", "options", "head"):
            send = getattr(olga.client, method)
            answer = send(olga.address(name), headers={"Idempotency-Key": str(uuid4())})
            assert answer.status_code < 500, (method, name)


def test_no_address_of_the_api_is_without_this_guard() -> None:
    """Whatever lies below a campaign is a registered read or command, so that the tests above reach it."""
    api = next(r for r in get_resolver().url_patterns if str(r.pattern) == "api/")
    routes = [str(entry.pattern) for entry in cast(URLResolver, api).url_patterns]
    below = {r.partition(">")[2].removeprefix("/") for r in routes if r.startswith("campaigns/<uuid:campaign>")}
    commands = {f"commands/{name}" for name in registry.commands} | {"commands/<str:name>"}
    assert below <= commands | set(reads) | WHOLE_LEDGERS | PICTURES


@pytest.mark.parametrize("path", sorted(WHOLE_LEDGERS))
def test_whole_ledgers_are_the_members_own(people: People, other: People, path: str) -> None:
    for who, statuses in (("stan", [404]), ("nobody", [401]), ("link", [401]), ("wim", [200, 403]), ("pia", [200])):
        asker = people[who]
        answer = asker.client.post(asker.address(path), {}, content_type="application/json", headers=asker._headers({}))
        assert answer.status_code in statuses, who
    stranger = other["olga"]
    address = stranger.address(path, people["olga"].campaign)
    assert stranger.client.post(address, {}, content_type="application/json").status_code == 404


def test_the_rest_is_ones_own(table: Table) -> None:
    client = Client()
    for path in ("campaigns", "tokens", "commands"):
        assert client.get(f"/api/{path}").status_code == 401
    client.force_login(User.objects.get(pk=table.users["stan"]))
    assert client.get("/api/campaigns").json() == {"campaigns": []}
