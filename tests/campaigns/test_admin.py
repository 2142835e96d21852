"""The admin: reading one's own campaigns, sending commands, writing nothing; for each kind of user."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns import models
from campaigns.admin_base import CampaignModelAdmin
from campaigns.commands.subjects import CreateSubject
from tests.campaigns.tables import Table, make_table


@pytest.fixture
def other(transactional_db: None) -> Table:
    """Another campaign, with its own people."""
    return make_table()


def client_of(user: int) -> Client:
    client = Client()
    client.force_login(User.objects.get(pk=user))
    return client


def hide(table: Table, name: str = "CanaryFoe") -> models.Subject:
    made = table.send("olga", CreateSubject(kind="foe", name=name, hidden=True)).events[0].event
    return models.Subject.objects.get(campaign_id=table.campaign_id, subject=made.subject)


def listed(client: Client, what: str, query: str = "") -> str:
    answer = client.get(f"/admin/campaigns/{what}/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


KINDS = ("campaign", "member", "subject", "event")


def test_a_gm_reads_the_own_campaign_and_no_other(table: Table, other: Table) -> None:
    mine, theirs = hide(table), hide(other, "OtherFoe")
    client = client_of(table.users["olga"])
    assert "CanaryFoe" in listed(client, "subject") and "OtherFoe" not in listed(client, "subject")
    assert "CanaryFoe" in listed(client, "event") and "OtherFoe" not in listed(client, "event")
    assert client.get(f"/admin/campaigns/subject/{mine.pk}/change/").status_code == 200
    assert client.get(f"/admin/campaigns/subject/{theirs.pk}/change/").status_code == 302
    assert client.get(f"/admin/campaigns/subject/{theirs.pk}/send/subject.reveal/").status_code == 404
    assert str(other.campaign_id) not in listed(client, "event", f"?campaign={other.campaign_id}").partition("<main")[2]


@pytest.mark.parametrize("who", ["pia", "wim", "stan"])
def test_whoever_runs_no_campaign_stays_outside(table: Table, who: str) -> None:
    client = client_of(table.users[who])
    for kind in KINDS:
        answer = client.get(f"/admin/campaigns/{kind}/", follow=True)
        assert answer.status_code == 403


def test_the_nameless_are_sent_to_the_sites_own_sign_in(table: Table) -> None:
    answer = Client().get("/admin/campaigns/event/", follow=True)
    assert answer.redirect_chain[-1][0].startswith("/accounts/login/?next=")


def test_the_host_may_keep_the_admin_to_staff(table: Table, settings: Any) -> None:
    settings.GM_ADMIN = False
    assert client_of(table.users["olga"]).get("/admin/campaigns/event/", follow=True).status_code == 403


def test_staff_who_run_no_campaign_read_nothing_of_any(table: Table) -> None:
    hidden = hide(table)
    staff = User.objects.create_user(f"staff-{uuid4().hex[:6]}", is_staff=True)
    staff.user_permissions.set(Permission.objects.filter(content_type__app_label="campaigns"))
    client = client_of(staff.pk)
    for kind in KINDS:
        text = listed(client, kind)
        assert "CanaryFoe" not in text and "The Long Tide" not in text
    assert client.get(f"/admin/campaigns/subject/{hidden.pk}/change/").status_code == 302


def test_superusers_host_the_site_and_read_all_but_send_nothing_without_a_seat(table: Table) -> None:
    hidden = hide(table)
    client = client_of(User.objects.create_superuser(f"host-{uuid4().hex[:6]}").pk)
    assert "CanaryFoe" in listed(client, "event")
    address = f"/admin/campaigns/subject/{hidden.pk}/send/subject.reveal/"
    answer = client.post(address, {"command_number": str(uuid4())})
    assert answer.status_code == 422 and "is not yours to do" in answer.content.decode()


def test_nobody_adds_changes_or_deletes(table: Table) -> None:
    hidden = hide(table)
    client = client_of(User.objects.create_superuser(f"host-{uuid4().hex[:6]}").pk)
    rows = {
        "campaign": table.campaign_id,
        "member": models.Member.objects.filter(campaign_id=table.campaign_id)[0].pk,
        "subject": hidden.pk,
        "event": models.Event.objects.filter(campaign_id=table.campaign_id)[0].pk,
    }
    before = list(models.Event.objects.values())
    for kind, pk in rows.items():
        assert client.get(f"/admin/campaigns/{kind}/add/").status_code == 403
        assert client.post(f"/admin/campaigns/{kind}/{pk}/change/", {"name": "x"}).status_code == 403
        assert client.post(f"/admin/campaigns/{kind}/{pk}/delete/", {"post": "yes"}).status_code == 403
        body = {"action": "delete_selected", "_selected_action": [str(pk)], "post": "yes"}
        client.post(f"/admin/campaigns/{kind}/", body)
    assert list(models.Event.objects.values()) == before
    assert models.Campaign.objects.filter(pk=table.campaign_id).exists()


def test_every_page_of_campaign_data_is_of_the_reading_kind() -> None:
    for model, page in admin.site._registry.items():
        if any(f.name == "campaign" for f in model._meta.fields):
            assert isinstance(page, CampaignModelAdmin), model


def test_the_admin_is_named_after_the_site(table: Table) -> None:
    html = client_of(table.users["olga"]).get("/admin/").content.decode()
    assert "Tidebook" in html and "Django administration" not in html


def test_a_command_is_sent_by_form_once(table: Table) -> None:
    client, number = client_of(table.users["olga"]), str(uuid4())
    address = f"/admin/campaigns/campaign/{table.campaign_id}/send/campaign.rename/"
    assert b"Rename" in client.get(address).content
    for said in ("Rename: Done.", "Rename: done before"):
        answer = client.post(address, {"name": "Spring Tide", "command_number": number}, follow=True)
        assert said in answer.content.decode()
    events = models.Event.objects.filter(campaign_id=table.campaign_id, type="campaign.renamed")
    assert events.count() == 1
    assert events.get().actor == f"member:{table.member('olga')}"


def test_a_refused_command_says_why_at_its_field(table: Table) -> None:
    client = client_of(table.users["olga"])
    address = f"/admin/campaigns/campaign/{table.campaign_id}/send/link.make/"
    answer = client.post(address, {"role": "player", "days": "900", "command_number": str(uuid4())})
    assert answer.status_code == 422 and "Right would be: 1 to 365" in answer.content.decode()
    member = models.Member.objects.get(campaign_id=table.campaign_id, is_owner=True)
    answer = client.post(f"/admin/campaigns/member/{member.pk}/send/member.remove/", {"command_number": str(uuid4())})
    assert answer.status_code == 422 and "The owner cannot be removed." in answer.content.decode()


def test_only_the_commands_of_a_page_are_sent_there(table: Table) -> None:
    client = client_of(table.users["olga"])
    assert client.get(f"/admin/campaigns/campaign/{table.campaign_id}/send/member.leave/").status_code == 404


def test_every_button_leads_to_a_form(table: Table) -> None:
    hide(table)
    client = client_of(table.users["olga"])
    for model, page in admin.site._registry.items():
        row = model._default_manager.first() if isinstance(page, CampaignModelAdmin) else None
        for send in page.get_sends(row) if row is not None else ():
            assert client.get(page._address(send, str(row.pk))).status_code == 200


def test_events_are_shown_as_the_gm_may_see_them(table: Table) -> None:
    client = client_of(table.users["olga"])
    committed = models.Event.objects.filter(campaign_id=table.campaign_id, type="seed.committed")[0]
    nonce = committed.data.partition('"nonce":"')[2].partition('"')[0]
    assert nonce
    text = client.get(f"/admin/campaigns/event/{committed.pk}/change/").content.decode()
    assert "commitment" in text and nonce not in text
    # Nor does a search betray it: looking for its beginning finds what looking for anything else finds.
    for part in (nonce, nonce[:4], "x" * 64):
        assert committed.type not in listed(client, "event", f"?q={part}").partition('id="result_list"')[2]


def test_lists_of_events_count_nothing(table: Table) -> None:
    client = client_of(table.users["olga"])
    with CaptureQueriesContext(connection) as queries:
        listed(client, "event", f"?campaign={table.campaign_id}")
    asked = [q["sql"] for q in queries if "campaigns_event" in q["sql"]]
    assert asked and not any("COUNT(" in sql for sql in asked)
    assert len(queries) < 25


def test_a_campaign_leads_to_what_belongs_to_it(table: Table) -> None:
    client = client_of(table.users["olga"])
    text = client.get(f"/admin/campaigns/campaign/{table.campaign_id}/change/").content.decode()
    for kind in ("member", "subject", "event"):
        assert f"/admin/campaigns/{kind}/?campaign={table.campaign_id}" in text
