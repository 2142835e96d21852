"""The tests' own helpers do what they promise, since everything else leans on them."""

import os

import psycopg
import pytest
import redis

from tests.services import packages
from tests.services.chromium import SIZES, screenshots


def test_a_private_database_is_empty_and_alone(postgres_url):
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)


def test_a_private_redis_answers(redis_url):
    with redis.Redis.from_url(redis_url) as client:
        assert client.ping()


def test_what_is_missing_is_said_and_not_skipped(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(packages.MissingProgramError, match="The tests need postgresql: install it .*, or set DATABASE"):
        packages.require("postgresql", lambda: None, "set DATABASE_URL")


@pytest.mark.embedded
def test_pictures_are_taken_on_both_screens_in_both_schemes(chromium):
    page = "<style>@media (prefers-color-scheme: dark) {body {background: black}}</style>"
    made = screenshots(chromium, f"data:text/html,{page}", "self-test")
    assert [path.name for path in made] == [
        f"self-test-{size}-{scheme}.png" for size in SIZES for scheme in ("light", "dark")
    ]
    # Width and height stand in a PNG's header.
    widths = [int.from_bytes(path.read_bytes()[16:20], "big") for path in made]
    assert widths == [390, 390, 1280, 1280]
    light, dark = made[0].read_bytes(), made[1].read_bytes()
    assert light != dark
    for path in made:
        path.unlink()
