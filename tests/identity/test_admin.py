"""The admin of pairs and marks: read by GMs, changed by the same commands as everywhere, through the entrance."""

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns import models as campaigns
from identity import models
from tests.identity.season import Season, at


def client_of(user: int) -> Client:
    client = Client()
    client.force_login(User.objects.get(pk=user))
    return client


def send(client: Client, season: Season, command: str, **fields: Any) -> Any:
    address = f"/admin/campaigns/campaign/{season.table.campaign_id}/send/{command}/"
    page = client.get(address)
    assert page.status_code == 200
    form = page.context["form"]
    given = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    return client.post(address, {**given, "command_number": uuid4(), **fields})


@pytest.fixture
def gm(season: Season) -> Client:
    return client_of(season.table.users["olga"])


def test_gm_awards_a_mark_and_reads_pairs_and_marks(season: Season, gm: Client) -> None:
    with at(2026, 1, 8):
        fields = {"subject": season.talyne, "side": "personality.bold", "consequential": "on", "note": "Leapt"}
        assert send(gm, season, "mark.award", **fields).status_code == 302
        again = send(gm, season, "mark.award", **fields)
    assert again.status_code == 422
    assert "conduct from Monday, 12 January 2026 on" in again.content.decode()
    mark = models.Mark.objects.get()
    assert (mark.side, mark.note) == ("Bold", "Leapt")
    for page, words in (("pair", ("Talyne", "House Veld", "Bold")), ("mark", ("Talyne", "Leapt"))):
        text = gm.get(f"/admin/identity/{page}/").content.decode()
        assert all(word in text for word in words)


def test_gm_closes_the_season_once_it_is_over(season: Season, gm: Client) -> None:
    with at(2026, 1, 8):
        refused = send(gm, season, "period.close", rung="week", number=1, attempt=1)
        assert refused.status_code == 422 and "12 January 2026" in refused.content.decode()
    with at(2026, 2, 2):
        closes = [("week", n) for n in range(1, 5)] + [("season", 1)]
        for rung, number in closes:
            assert send(gm, season, "period.close", rung=rung, number=number, attempt=1).status_code == 302
    head = campaigns.Campaign.objects.get(id=season.table.campaign_id)
    assert head.calendar == "Year 1, Summer, week 1"
    event = season.events("period.closed")[-1]
    assert event.actor == f"member:{season.table.member('olga')}"


def test_gm_voids_a_mark_from_its_row(season: Season, gm: Client) -> None:
    with at(2026, 1, 8):
        season.award("bold", 2026, 1, 7)
        row = models.Mark.objects.get()
        address = f"/admin/identity/mark/{row.pk}/send/mark.void/"
        answer = gm.post(address, {"reason": "Wrong scene", "command_number": uuid4()})
    assert answer.status_code == 302
    assert not models.Mark.objects.exists()


@pytest.mark.parametrize("who", ["pia", "paul", "wim", "stan"])
def test_whoever_runs_no_campaign_stays_outside(season: Season, who: str) -> None:
    for page in ("pair", "mark"):
        assert client_of(season.table.users[who]).get(f"/admin/identity/{page}/", follow=True).status_code == 403


def test_a_superuser_without_a_seat_is_refused_by_the_entrance(season: Season) -> None:
    boss = User.objects.create_superuser(f"boss-{uuid4().hex[:6]}")
    with at(2026, 1, 8):
        answer = send(
            client_of(boss.pk), season, "mark.award", subject=season.talyne, side="personality.bold", consequential="on"
        )
    assert answer.status_code == 422
    assert not models.Mark.objects.exists()


def test_no_page_writes_a_row(season: Season, gm: Client) -> None:
    pair = models.Pair.objects.filter(subject=season.talyne).first()
    assert pair is not None
    assert gm.get("/admin/identity/pair/add/").status_code == 403
    assert gm.post(f"/admin/identity/pair/{pair.pk}/change/", {"first_rating": 20}).status_code == 403
    assert gm.post(f"/admin/identity/pair/{pair.pk}/delete/", {"post": "yes"}).status_code == 403
    pair.refresh_from_db()
    assert pair.first_rating != 20
