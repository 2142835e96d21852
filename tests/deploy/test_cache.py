"""A hosted site whose Redis is away forgets what it kept there, and goes on."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client

from campaigns import handing
from tests.campaigns.tables import make_table


@pytest.fixture
def away(settings: Any) -> str:
    """The address of a Redis that is not there: a port that nobody else has, and where nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        address = f"redis://127.0.0.1:{bound.getsockname()[1]}/0"
        settings.CACHES = {"default": {"BACKEND": "deploy.cache.ForgettingCache", "LOCATION": address}}
        yield address


def test_what_was_kept_is_forgotten_and_the_first_comes_first(away: str) -> None:
    cache = caches["default"]
    cache.set("a", 1)
    cache.set_many({"a": 1})
    assert (cache.get("a"), cache.get("a", 7), cache.get_many(["a"]), cache.has_key("a")) == (None, 7, {}, False)
    assert (cache.add("a", 1), cache.touch("a"), cache.delete("a"), cache.incr("a", 3)) == (True, False, False, 3)
    assert cache.get_or_set("a", 5) == 5
    assert handing.hold_sign("x") and handing.held() == set()


def test_the_api_and_signing_in_go_on(away: str, transactional_db: None) -> None:
    from django.contrib.auth.models import User

    table = make_table()
    olga = User.objects.get(pk=table.users["olga"])
    olga.set_password("a long enough secret")
    olga.save()
    browser = Client()
    answer = browser.post("/accounts/login/", {"login": olga.username, "password": "a long enough secret"})
    assert answer.status_code == 302 and "_auth_user_id" in browser.session
    assert browser.get("/api/campaigns").status_code == 200
