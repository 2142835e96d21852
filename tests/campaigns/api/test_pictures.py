"""Pictures over the API: brought as a form or as JSON, listed, fetched by those who may see them and nobody else."""

from __future__ import annotations

import base64
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from campaigns.commands.pictures import ShowPicture, WithdrawPicture
from campaigns.commands.seats import RemoveMember
from campaigns.models import Picture
from campaigns.picturing import MOST_BYTES, digest_of
from tests.campaigns.api.callers import Caller, callers
from tests.campaigns.photos import handout, hidden, photo, portrait, telling
from tests.campaigns.tables import Table, make_table

People = dict[str, Caller]
SEES = ("olga", "pia", "paul", "wim", "link")


def upload(caller: Caller, data: bytes | None, key: object = None, **form: Any) -> Any:
    """A form with a file, as a browser sends it; the file is called something else than it is."""
    if data is not None:
        form["file"] = SimpleUploadedFile("holiday.txt", data, content_type="text/plain")
    headers = caller._headers({"Idempotency-Key": str(key or uuid4())})
    return caller.client.post(caller.address("pictures/upload"), form, headers=headers)


def statuses(people: People, picture: str) -> dict[str, int]:
    return {who: people[who].read(f"pictures/{picture}/file").status_code for who in (*SEES, "stan", "nobody")}


def answers(*who: str) -> dict[str, int]:
    """200 for these, and for the rest that there is no such thing."""
    return {one: 200 if one in who else 404 for one in (*SEES, "stan")} | {"nobody": 401}


def bring(table: Table, who: str, command: Any) -> str:
    made: Any = table.send(who, command).events[0].event
    return str(made.picture)


def test_a_photo_is_brought_as_a_form_and_fetched_without_what_it_told(table: Table, people: People) -> None:
    talyne, key = table.character("pia"), uuid4()
    sent = upload(people["pia"], telling(), key, use="portrait", subject=talyne, alt="A sailor")
    assert sent.status_code == 200, sent.content
    assert upload(people["pia"], telling(), key, use="portrait", subject=talyne, alt="A sailor").json()["again"]
    listed = people["paul"].read("pictures").json()["pictures"]
    assert [(one["use"], one["subject"], one["title"], one["alt"]) for one in listed] == [
        ("portrait", talyne, "Talyne", "A sailor")
    ]
    # The photo lay on its side.
    assert (listed[0]["width"], listed[0]["height"]) == (30, 40)
    answer = people["paul"].client.get(listed[0]["file"])
    assert answer.content[:4] == b"RIFF" and answer.content[8:12] == b"WEBP" and b"Canary" not in answer.content
    assert digest_of(answer.content) == listed[0]["digest"] and len(answer.content) == listed[0]["size"]


def test_the_answer_is_harmless_and_kept_by_its_asker_alone(table: Table, people: People) -> None:
    picture = bring(table, "olga", handout(audience="table"))
    pia = people["pia"]
    answer = pia.read(f"pictures/{picture}/file")
    assert answer.headers["Content-Type"] == "image/webp"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert answer.headers["Cache-Control"] == "private, no-cache"
    etag = answer.headers["ETag"]
    assert etag == f'"{Picture.objects.get().digest}"'
    address = pia.address(f"pictures/{picture}/file")
    again = pia.client.get(address, headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")
    # Whoever has it and may see it no longer is told nothing, not even that it is the same.
    table.send("olga", ShowPicture(picture=picture, audience="gm"))
    assert pia.client.get(address, headers={"If-None-Match": etag}).status_code == 404


def test_who_is_answered_the_bytes(table: Table, people: People) -> None:
    talyne = table.character("pia")
    for audience, shown_to, who in (
        ("gm", (), ("olga",)),
        ("holders", (talyne,), ("olga", "pia")),
        ("table", (), ("olga", "pia", "paul")),
        ("all", (), SEES),
    ):
        picture = bring(table, "olga", handout(audience=audience, shown_to=shown_to))
        assert statuses(people, picture) == answers(*who), audience
        listed = {one: people[one].read("pictures").json()["pictures"] for one in SEES}
        assert {one for one in SEES if picture in [p["picture"] for p in listed[one]]} == set(who)
        assert all("audience" not in p or p["audience"] is None for one in SEES[1:] for p in listed[one])
    table.send("olga", WithdrawPicture(picture=picture))
    assert statuses(people, picture) == answers()


def test_a_hidden_foe_has_no_face_and_a_removed_member_sees_none(table: Table, people: People) -> None:
    foe = bring(table, "olga", portrait(hidden(table)))
    letter = bring(table, "olga", handout(audience="table"))
    assert statuses(people, foe) == answers("olga")
    table.send("olga", RemoveMember(member=table.member("paul")))
    assert statuses(people, letter) == answers("olga", "pia")


def test_a_picture_of_another_campaign_is_none_here(table: Table, people: People) -> None:
    other = callers(make_table())
    picture = bring(table, "olga", handout(audience="all"))
    assert other["olga"].read(f"pictures/{picture}/file").status_code == 404
    assert other["olga"].read(f"pictures/{picture}/file", campaign=table.campaign_id).status_code == 404


def test_a_small_picture_comes_as_json_too(table: Table, people: People) -> None:
    body = {"data": base64.b64encode(photo()).decode(), "use": "handout", "alt": "A letter"}
    assert people["olga"].send("picture.add", body).status_code == 200
    assert people["olga"].send("picture.add", {**body, "data": "no base 64"}).json()["field"] == "data"


WRONG = [
    ({"use": "handout", "alt": "x"}, None, "file"),
    ({"use": "handout", "alt": "x"}, b"GIF89a", "data"),
    ({"use": "statue", "alt": "x"}, photo(), "use"),
    ({"alt": "x"}, photo(), "use"),
    ({"use": "handout", "alt": ""}, photo(), "alt"),
    ({"use": "handout"}, photo(), "alt"),
    ({"use": "handout", "alt": "x", "audience": "mine"}, photo(), "audience"),
]


@pytest.mark.parametrize("form, data, field", WRONG)
def test_what_is_wrong_with_a_form_is_named(people: People, form: Any, data: bytes | None, field: str) -> None:
    answer = upload(people["olga"], data, **form)
    assert (answer.status_code, answer.json()["field"]) == (400, field)
    assert answer.json()["right"]


def test_a_form_that_is_too_long_is_not_received(people: People) -> None:
    answer = upload(people["olga"], b"\0" * (MOST_BYTES + (1 << 20)), use="handout", alt="x")
    assert (answer.status_code, answer.json()["right"]) == (413, "at most 8 MB")


def test_who_may_send_a_form(table: Table, people: People) -> None:
    form = {"use": "handout", "alt": "x"}
    for who, status in (("pia", 403), ("wim", 403), ("stan", 404), ("nobody", 401), ("link", 401)):
        assert upload(people[who], photo(), **form).status_code == status, who
    assert not Picture.objects.exists()


def test_a_form_needs_its_key(people: People) -> None:
    olga = people["olga"]
    file = SimpleUploadedFile("a.png", photo())
    answer = olga.client.post(olga.address("pictures/upload"), {"file": file, "use": "handout", "alt": "x"})
    assert (answer.status_code, answer.json()["field"]) == (400, "Idempotency-Key")
    assert olga.client.post(olga.address("pictures/upload"), {}, "application/json").status_code in (400, 415)
