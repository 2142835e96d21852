"""The ledger in safe keeping, on pages and over the API: dice and seeds to check, check, download, bring in."""

from __future__ import annotations

import gzip
import hashlib
import re
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse

from campaigns.commands.calls import CallTest, RollTest
from campaigns.commands.seeds import RenewSeeds
from campaigns.commands.starting import ChangeSetting
from campaigns.models import Campaign
from campaigns.seeds import face
from campaigns.store import guards
from campaigns.transfer.exporting import export_whole
from campaigns.transfer.verifying import verify_file
from tests.campaigns.tables import Table
from tests.campaigns.test_transfer import wipe
from tests.frontend.test_pages import address, client_of, form_id
from tests.identity.season import Season, make_season

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def season() -> Season:
    cache.clear()
    return make_season()


@pytest.fixture
def table(season: Season) -> Table:
    return season.table


def rolled(season: Season, *, secret: bool = False) -> None:
    """Talyne's test, rolled by Pia; a secret one by the GM."""
    call = CallTest(
        pack="spindrift-identity",
        test="identity",
        roles={"holder": season.talyne},
        given={"pair": "bold_cautious"},
        decision=f"Jump {uuid4().hex[:6]}?",
        secret=secret,
        roller=season.table.member("olga") if secret else "",
    )
    made: Any = season.send("olga", call).events[0].event
    season.send("olga" if secret else "pia", RollTest(call=made.call))


def tell(client: Any, table: Table, path: str) -> Any:
    return client.get(f"/api/campaigns/{table.campaign_id}/{path}").json()


def test_dice_are_counted_by_kind_and_by_whose_they_are(season: Season) -> None:
    rolled(season)
    rolled(season, secret=True)
    gm, player = (tell(client_of(season.table, who), season.table, "dice") for who in ("olga", "pia"))
    thrown = {t["whose"]: t["total"] for t in gm["apart"]}
    assert set(thrown) == {"The table's dice", "The game master's dice"}
    assert [t["total"] for t in gm["together"]] == [sum(thrown.values())]
    assert [t["total"] for t in player["together"]] == [thrown["The table's dice"]]
    html = client_of(season.table, "pia").get(address(season.table, "dice")).content.decode()
    assert "Too few to judge" in html and "game master&#x27;s dice" not in html


def test_counting_goes_on_from_where_it_was(season: Season) -> None:
    client = client_of(season.table, "pia")
    rolled(season)
    first = tell(client, season.table, "dice")["together"][0]["total"]
    rolled(season)
    again = tell(client, season.table, "dice")["together"][0]["total"]
    assert again > first
    assert again == sum(len(d.faces) for e in season.events("test.resolved") for d in e.dice)


def test_a_revealed_seed_gives_the_faces_that_were_seen(season: Season) -> None:
    rolled(season)
    client = client_of(season.table, "pia")
    promised = tell(client, season.table, "seeds")["seeds"]
    mine = next(s for s in promised if s["audience"] == "table")
    assert mine["seed"] == "" and {s["audience"] for s in promised} >= {"table"} and "gm" not in str(promised)
    page, gm = address(season.table, "dice"), client_of(season.table, "olga")
    gm.post(page, {"command_id": form_id(gm.get(page).content.decode())})
    told = tell(client, season.table, "seeds/table/1")
    seed = bytes.fromhex(told["seed"]["seed"])
    assert hashlib.sha256(seed).hexdigest() == mine["commitment"]
    for draw in told["draws"]:
        for place, (sides, was) in enumerate(zip(draw["sides"], draw["faces"], strict=True)):
            assert face(seed, int(draw["first"]) + place, sides) == was
    assert sum(len(d["faces"]) for d in told["draws"]) == told["seed"]["drawn"]
    assert told["seed"]["seed"] in client.get(page).content.decode()


def test_renewing_is_the_game_masters_and_says_when_there_is_nothing_to_reveal(season: Season) -> None:
    page, gm = address(season.table, "dice"), client_of(season.table, "olga")
    said = gm.post(page, {"command_id": form_id(gm.get(page).content.decode())}, follow=True).content.decode()
    assert "nothing to reveal" in said
    assert "Reveal and renew" not in client_of(season.table, "pia").get(page).content.decode()
    assert client_of(season.table, "wim").get(page).status_code == 404


def test_the_seeds_of_another_stay_theirs(season: Season) -> None:
    rolled(season, secret=True)
    season.send("olga", RenewSeeds())
    assert "gm" not in {s["audience"] for s in tell(client_of(season.table, "pia"), season.table, "seeds")["seeds"]}
    asked = client_of(season.table, "pia").get(f"/api/campaigns/{season.table.campaign_id}/seeds/gm/1")
    assert asked.status_code == 404


def check(table: Table, who: str) -> str:
    return client_of(table, who).post(address(table, "keeping"), {"act": "check"}).content.decode()


def test_members_check_their_ledger(season: Season) -> None:
    rolled(season)
    assert "In order: " in check(season.table, "olga") and "events" in check(season.table, "olga")
    player = check(season.table, "pia")
    assert "entries that you see" in player and "dice, whose seed still serves; checked when it is revealed" in player
    season.send("olga", RenewSeeds())
    assert "still sealed" not in check(season.table, "pia")


def test_hidden_entries_change_nothing_in_what_a_check_says(season: Season) -> None:
    before = check(season.table, "pia")
    rolled(season, secret=True)
    said = re.compile(r"In order: [^.]+")
    found, then = said.search(check(season.table, "paul")), said.search(before)
    assert found is not None and then is not None
    assert found.group() == said.search(check(season.table, "paul")).group()  # type: ignore[union-attr]
    assert str(season.table.campaign_id) not in found.group()


def test_a_changed_entry_is_named_to_the_game_master_alone(season: Season) -> None:
    position = season.events("subject.created")[0].position
    guards.remove(connection)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE campaigns_event SET data = REPLACE(data, 'Talyne', 'Taline') WHERE position = %s", [position]
        )
    guards.install(connection)
    assert f"position {position}" in check(season.table, "olga")
    player = check(season.table, "pia")
    assert "Broken" in player and "position" not in player.split("<main")[1]
    answer = client_of(season.table, "pia").post(f"/api/campaigns/{season.table.campaign_id}/check").json()
    assert (answer["sound"], answer["findings"]) == (False, [])


def test_one_check_at_a_time(season: Season) -> None:
    cache.add(f"checking:{season.table.campaign_id.hex}", 1, 60)
    answer = client_of(season.table, "pia").post(f"/api/campaigns/{season.table.campaign_id}/check")
    assert (answer.status_code, answer.json()["code"]) == (409, "being_checked")


def saved(answer: Any, path: Path) -> Path:
    path.write_bytes(b"".join(answer.streaming_content))
    return path


def test_a_player_downloads_their_own_and_it_verifies(season: Season, tmp_path: Path) -> None:
    rolled(season)
    answer = client_of(season.table, "pia").post(address(season.table, "keeping"), {"act": "seen"})
    assert "attachment" in answer["Content-Disposition"] and answer["Content-Type"] == "application/gzip"
    assert verify_file(saved(answer, tmp_path / "pia.gz")).sound
    refused = client_of(season.table, "pia").post(address(season.table, "keeping"), {"act": "whole"})
    assert refused.status_code == 422
    asked = f"/api/campaigns/{season.table.campaign_id}/export"
    assert client_of(season.table, "pia").post(asked, {"whole": True}, "application/json").status_code == 403
    over = client_of(season.table, "pia").post(asked, {}, "application/json")
    assert verify_file(saved(over, tmp_path / "api.gz")).sound


def test_the_whole_goes_to_another_server_and_names_no_account(season: Season, tmp_path: Path) -> None:
    season.send("olga", ChangeSetting(setting="typed_dice", value=True))
    answer = client_of(season.table, "olga").post(address(season.table, "keeping"), {"act": "whole"})
    file = saved(answer, tmp_path / "whole.gz")
    from django.contrib.auth.models import User

    with gzip.open(file, "rt") as lines:
        text = lines.read()
    for user in season.table.users.values():
        assert User.objects.get(pk=user).get_username() not in text
    newcomer = User.objects.get(pk=season.table.users["stan"])
    here = upload(season, file.read_bytes())
    assert "is here already" in here.content.decode() and "Demo campaigns" in here.content.decode()
    wipe()
    done = upload(season, file.read_bytes(), follow=True)
    assert "The campaign is here" in done.content.decode()
    assert reverse("campaign", args=[season.table.campaign_id]) == done.redirect_chain[-1][0]
    assert Campaign.objects.get().members.get(user=newcomer).is_owner


def upload(season: Season, body: bytes, **more: Any) -> Any:
    file = SimpleUploadedFile("whole.tidebook.gz", body, "application/gzip")
    return client_of(season.table, "stan").post(reverse("bring_in"), {"file": file}, **more)


def whole(season: Season) -> bytes:
    target = BytesIO()
    export_whole(season.table.campaign_id, target)
    return target.getvalue()


def test_a_file_that_was_changed_or_cut_off_is_refused_with_its_place(season: Season) -> None:
    body = whole(season)
    lines = gzip.decompress(body).splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if b"Talyne" in line)
    position = int(re.search(rb'"event":\[(\d+),', lines[at]).group(1))  # type: ignore[union-attr]
    changed = [*lines[:at], lines[at].replace(b"Talyne", b"Taline"), *lines[at + 1 : -1]]
    changed.append(b'{"end":"' + hashlib.sha256(b"".join(changed)).hexdigest().encode() + b'"}\n')
    wipe()
    assert f"Position {position}" in upload(season, gzip.compress(b"".join(changed))).content.decode()
    assert f"Line {len(lines)}" in upload(season, gzip.compress(b"".join(lines[:-1]))).content.decode()
    assert "Line 1" in upload(season, b"not a file of ours").content.decode()
    cut = upload(season, body[: len(body) // 2])
    assert cut.status_code == 422 and "Line " in cut.content.decode()
    assert "Choose the file" in client_of(season.table, "stan").post(reverse("bring_in")).content.decode()
    assert not Campaign.objects.exists()


def test_the_same_over_the_api(season: Season) -> None:
    body = whole(season)
    client = client_of(season.table, "stan")
    here = client.post("/api/campaigns/import", body, "application/gzip")
    assert (here.status_code, here.json()["code"]) == (409, "here_already")
    assert "is here already" in here.json()["detail"] and "Demo campaigns" in here.json()["detail"]
    wipe()
    broken = client.post("/api/campaigns/import", body[:-40], "application/gzip")
    assert broken.status_code == 400 and "Line " in broken.json()["detail"]
    done = client.post("/api/campaigns/import", body, "application/gzip")
    assert (done.status_code, done.json()["campaign"]) == (201, str(season.table.campaign_id))
    assert client.get(f"/api/campaigns/{season.table.campaign_id}").json()["role"] == "gm"
