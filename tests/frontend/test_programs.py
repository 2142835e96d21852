"""The way to the API and the admin: a page of its own, tokens shown once, links for those who may."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from campaigns import registry
from campaigns.api.reading import reads
from campaigns.models import ApiToken
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_pages import client_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def table() -> Table:
    return make_table()


def test_the_api_is_described_for_anybody_from_what_answers() -> None:
    client = Client()
    assert client.get("/api/")["Location"] == "/api/docs"
    answer = client.get("/api/docs")
    html = answer.content.decode()
    assert answer.status_code == 200
    for name in registry.commands.keys() - {"campaign.start"}:
        assert f"<code>{name}</code>" in html
    for path in filter(None, reads):
        assert path.replace("<", "&lt;").replace(">", "&gt;") in html
    assert not re.search(r'(src|href)="https?://', html)
    assert client.get("/api/nothing").status_code == 404


def test_browsers_find_the_icon_where_they_look_for_it() -> None:
    assert "mark" in Client().get("/favicon.ico")["Location"]


def test_a_token_is_shown_once_works_and_is_revoked(table: Table) -> None:
    client, page = client_of(table, "olga"), reverse("tokens")
    html = client.post(page, {"name": "dice bot", "may": "read", "days": "30"}).content.decode()
    found = re.search(r'value="(tide_[^"]+)"', html)
    assert found is not None
    assert "tide_" not in client.get(page).content.decode()
    bearer = {"Authorization": f"Bearer {found[1]}"}
    asked = f"/api/campaigns/{table.campaign_id}"
    assert Client().get(asked, headers=bearer).status_code == 200
    assert Client().post(f"{asked}/commands/campaign.rename", {}, "application/json", headers=bearer).status_code == 403
    client.post(page, {"revoke": str(ApiToken.objects.get().pk)})
    assert Client().get(asked, headers=bearer).status_code == 401


def test_a_token_without_a_name_is_refused_at_its_field(table: Table) -> None:
    answer = client_of(table, "olga").post(reverse("tokens"), {"name": " ", "may": "send"})
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in answer.content.decode()
    assert not ApiToken.objects.exists()


def test_nobody_revokes_anothers_token(table: Table) -> None:
    client_of(table, "pia").post(reverse("tokens"), {"name": "mine", "may": "read"})
    client_of(table, "olga").post(reverse("tokens"), {"revoke": str(ApiToken.objects.get().pk)})
    assert ApiToken.objects.get().name == "mine"


def test_who_may_enter_the_admin_is_led_there(table: Table) -> None:
    door = reverse("admin:index")
    assert f'href="{door}"' in client_of(table, "olga").get(reverse("account")).content.decode()
    assert f'href="{door}"' not in client_of(table, "pia").get(reverse("account")).content.decode()
    campaign = reverse("admin:campaigns_campaign_change", args=[table.campaign_id])
    settings = client_of(table, "olga").get(reverse("settings", args=[table.campaign_id])).content.decode()
    assert campaign in settings
    assert client_of(table, "olga").get(campaign).status_code == 200
    assert User.objects.get(pk=table.users["olga"]).is_staff is False
