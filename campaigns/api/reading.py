"""How an app adds a read to the API: a typed function of what the asker may see, registered once.

    class Tide(msgspec.Struct):
        height: int

    @register_read("tides/<str:subject>", title="The tide of a subject", answer=Tide)
    def tide(ask: Ask) -> Tide:
        ...

It is answered at ``/api/campaigns/<campaign>/tides/<subject>``, for members and watchers' links, and described in the
OpenAPI document from its types. The function runs under the campaign's lock with the newest state; it must show no more
than ``ask.viewer`` may see, and refuses with Refused. Put reads into the app's ``api.py`` and import that in ``ready``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from campaigns.audience import Viewer
from campaigns.state import State


class NoQuery(msgspec.Struct, forbid_unknown_fields=True):
    """A read without query parameters."""


@dataclass(frozen=True)
class Ask:
    """What a read is given: the campaign as it stands, who looks, parts of the address, typed query parameters."""

    campaign_id: UUID
    state: State
    viewer: Viewer
    path: dict[str, Any]
    query: Any
    now: datetime


@dataclass(frozen=True)
class Read:
    """One registered read; ``roles`` are those it exists for."""

    path: str
    name: str
    title: str
    answer: type[msgspec.Struct]
    query: type[msgspec.Struct]
    roles: frozenset[str]
    function: Callable[[Ask], msgspec.Struct]


EVERYONE = ("gm", "player", "watcher")
reads: dict[str, Read] = {}


def register_read(
    path: str,
    *,
    title: str,
    answer: type[msgspec.Struct],
    query: type[msgspec.Struct] = NoQuery,
    roles: tuple[str, ...] = EVERYONE,
) -> Callable[[Callable[[Ask], Any]], Callable[[Ask], Any]]:
    """Decorator: the function answers GET on ``path`` (Django's route syntax, below the campaign's address)."""

    def declare(function: Callable[[Ask], Any]) -> Callable[[Ask], Any]:
        if path in reads:
            raise TypeError(f"two reads answer at {path!r}")
        reads[path] = Read(path, function.__name__, title, answer, query, frozenset(roles), function)
        return function

    return declare
