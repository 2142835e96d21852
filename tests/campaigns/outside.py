"""Processes of their own on the tests' database: to be killed, to race, to be cut off."""

from __future__ import annotations

import os
from uuid import UUID

from django.conf import settings
from django.db import connection

from tests.services.forking import Forked, forked

PREAMBLE = """
import os, sys, signal
from uuid import UUID, uuid4
from django.db import connection
from campaigns.context import Actor
from campaigns.entrance import execute
from campaigns.commands.subjects import CreateSubject, RenameSubject
from campaigns.commands.starting import RenameCampaign
from tests.campaigns.throwing import Throw
campaign_id, user = UUID(sys.argv[1]), int(sys.argv[2])
actor = Actor(user=user)
"""


def environment() -> dict[str, str]:
    """The environment in which another process of the program finds the tests' database and keys."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        url = f"sqlite:///{database['NAME']}"
    else:
        host, port = database["HOST"] or "127.0.0.1", database["PORT"] or 5432
        url = f"postgres://{database['USER']}:{database['PASSWORD']}@{host}:{port}/{database['NAME']}"
    plain = {name: value for name, value in os.environ.items() if not name.startswith("TIDEBOOK_")}
    return plain | {
        "DATABASE_URL": url,
        "DJANGO_SETTINGS_MODULE": "deploy.settings",
        "TIDEBOOK_DATA_DIR": str(settings.DATA_DIR),
        "TIDEBOOK_SECRET_KEY": settings.SECRET_KEY,
        "TIDEBOOK_DICE_KEY": settings.DICE_KEY,
    }


def start(script: str, campaign_id: UUID, user: int, *arguments: object) -> Forked:
    """Starts a Python script; ``campaign_id``, ``user`` and ``actor`` are there, further arguments in sys.argv[3:]."""
    return forked(environment(), PREAMBLE + script, str(campaign_id), str(user), *map(str, arguments))


def finish(process: Forked, says: str = "") -> tuple[int, str]:
    """(exit code, output) of a process, which is sent ``says`` first. Fails with its errors where it failed."""
    out, err = process.communicate(says)
    code = process.wait(120)
    assert code in (0, -9), err
    return code, out
