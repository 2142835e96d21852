"""Callers of the API: each kind of person around a table, with a client that knows how to send and read."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.contrib.auth.models import User
from django.test import Client

from campaigns.commands.seats import MakeLink
from campaigns.links import token_of
from tests.campaigns.tables import Table


class Caller:
    """One who calls the API about one campaign."""

    def __init__(self, campaign: UUID, user: int | None = None, authorization: str = "") -> None:
        self.campaign, self.authorization = campaign, authorization
        self.client = Client()
        if user is not None:
            self.client.force_login(User.objects.get(pk=user))

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        return more | ({"Authorization": self.authorization} if self.authorization else {})

    def address(self, path: str, campaign: UUID | None = None) -> str:
        """The address of something below the campaign's."""
        return f"/api/campaigns/{campaign or self.campaign}" + (f"/{path}" if path else "")

    def read(self, path: str = "", campaign: UUID | None = None, **query: Any) -> Any:
        """GET below the campaign's address."""
        return self.client.get(self.address(path, campaign), query, headers=self._headers({}))

    def send(
        self,
        name: str,
        body: Any = None,
        *,
        key: object = None,
        campaign: UUID | None = None,
        seen: str = "",
        content_type: str = "application/json",
    ) -> Any:
        """POST of a command."""
        headers = {"Idempotency-Key": str(key or uuid4())} | ({"If-Match": f'"{seen}"'} if seen else {})
        address = self.address(f"commands/{name}", campaign)
        return self.client.post(address, body or {}, content_type=content_type, headers=self._headers(headers))


def link_key(table: Table) -> str:
    """The Authorization header of a fresh watcher's link."""
    made = table.send("olga", MakeLink(role="watcher")).events[0].event
    return f"Link {made.link}.{token_of(table.campaign_id, made.link)}"


def callers(table: Table) -> dict[str, Caller]:
    """Everybody around the table by name, ``link`` by a watcher's link, ``nobody`` without a word."""
    found = {who: Caller(table.campaign_id, user) for who, user in table.users.items()}
    found["link"] = Caller(table.campaign_id, authorization=link_key(table))
    found["nobody"] = Caller(table.campaign_id)
    return found
