"""Every number of every sheet of the packs that come along says why it is so, on its page and over the API, now and as
of then; to each who sees it, and in parts that come to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse

from campaigns.commands.making import BeginDraft, FinishDraft
from campaigns.commands.subjects import CreateSubject, RenameSubject
from campaigns.feed import cursor_of
from rules.packs import load_pack, pack_ids
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_pages import client_of

pytestmark = pytest.mark.django_db(transaction=True)
WHY = re.compile(r'href="([^"]*/why/\?[^"]*)"')


def sheeted() -> list[tuple[str, str]]:
    """(pack, kind) of each kind that has a sheet."""
    return [(pack, kind) for pack in pack_ids() for kind in load_pack(pack).kinds]


def somebody(table: Table, pack: str, kind: str) -> str:
    """A ready-made one of Pia's where the pack has one, else a fresh subject of hers."""
    maker = load_pack(pack).creations.get(kind)
    if maker is not None and maker.spec.ready:
        draft: Any = table.send("pia", BeginDraft(pack=pack, kind=kind, ready=next(iter(maker.spec.ready)))).events[0]
        made = table.send("pia", FinishDraft(draft=draft.event.draft)).events
        return next(str(e.event.subject) for e in made if e.type == "subject.created")  # type: ignore[attr-defined]
    made = table.send("olga", CreateSubject(kind=kind, name="Somebody", players=(table.member("pia"),))).events
    return str(made[0].event.subject)  # type: ignore[attr-defined]


def derived(sheets: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    """(name, value) of every value that is worked out, and of the most of every track."""
    for sheet in sheets:
        for group in sheet["groups"]:
            cells = [cell for one in group["tables"] for row in one["rows"] for cell in row["cells"]]
            for one in (*group["values"], *cells):
                if one["derived"]:
                    key = f"/{one['key']}" if one["key"] else ""
                    yield f"stat:{sheet['pack']}/{one['stat']}{key}", one["value"]
                if one["most_of"]:
                    yield f"stat:{sheet['pack']}/{one['most_of']}", one["most"]


@pytest.mark.parametrize(("pack", "kind"), sheeted())
def test_every_number_that_is_worked_out_says_why(pack: str, kind: str) -> None:
    table = make_table({pack: ""})
    subject = somebody(table, pack, kind)
    then = cursor_of(table.campaign_id, table.send("pia", RenameSubject(subject=subject, name="Then")).position)
    table.send("pia", RenameSubject(subject=subject, name="Now"))
    api = f"/api/campaigns/{table.campaign_id}/subjects/{subject}"
    page = reverse("subject", args=[table.campaign_id, subject])
    for who in ("olga", "pia"):
        client = client_of(table, who)
        for query in ({}, {"entry": then}):
            found = dict(derived(client.get(f"{api}/sheets", query).json()["sheets"]))
            for name, value in found.items():
                told = client.get(f"{api}/why", {"name": name, **query}).json()
                assert told.get("value") == value or not isinstance(value, int), (name, told)
                assert told["parts"], name
            links = [unescape(link) for link in WHY.findall(client.get(page, query).content.decode())]
            numbers = {name for name, value in found.items() if isinstance(value, int)}
            assert numbers <= {parse_qs(urlsplit(link).query)["name"][0] for link in links}
            for link in sorted(links)[:3]:
                assert client.get(link).status_code == 200
                assert ("entry=" in link) == bool(query)
