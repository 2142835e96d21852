"""Pictures of a campaign: who may bring, see, show and withdraw them; where their bytes lie; what is checked."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from campaigns.audience import name_finder, view_event
from campaigns.commands.pictures import AddPicture, DescribePicture, ShowPicture, WithdrawPicture
from campaigns.commands.seats import RemoveMember
from campaigns.commands.starting import AskErasure
from campaigns.commands.subjects import HandOverSubject, RevealSubject
from campaigns.commands.voiding import VoidAction
from campaigns.entrance import utc_now
from campaigns.erasing import erase, grace
from campaigns.feed import cursor_of
from campaigns.models import Picture
from campaigns.parts.pictures import Pictures, portrait_of, seen_pictures
from campaigns.picturing import digest_of
from campaigns.store import guards, read, states
from campaigns.transfer import exporting
from campaigns.transfer.exporting import export_seen, export_whole
from campaigns.transfer.importing import import_campaign
from campaigns.transfer.uploads import import_upload
from campaigns.transfer.verifying import verify_file
from campaigns.verifying import verify_campaign
from rules.refusal import Refused
from tests.campaigns.photos import handout, hidden, photo, portrait
from tests.campaigns.tables import Table, make_table
from tests.campaigns.test_transfer import rewrite, wipe

EVERYBODY = ("olga", "pia", "paul", "wim", "link")


def bring(table: Table, who: str, command: AddPicture) -> str:
    made: Any = table.send(who, command).events[0].event
    return str(made.picture)


def seen_by(table: Table, picture: str) -> set[str]:
    """Who of everybody may see a picture now, by the state."""
    with states.held(table.campaign_id) as state:
        return {who for who in EVERYBODY if picture in dict(seen_pictures(state, table.viewer(who)))}


def told_of(table: Table, picture: str) -> set[str]:
    """Who of everybody is told the picture's digest by some event."""
    with states.held(table.campaign_id) as state:
        names = name_finder(state)
    found = set()
    for event in read.events_after(table.campaign_id, 0):
        for who in EVERYBODY:
            view = view_event(event, table.viewer(who), names)
            if view is not None and view["data"].get("picture") == picture and "digest" in view["data"]:
                found.add(who)
    return found


def view_of(table: Table, event: Any, who: str) -> dict[str, Any] | None:
    with states.held(table.campaign_id) as state:
        return view_event(event, table.viewer(who), name_finder(state))


def seen_file(table: Table, who: str, path: Path) -> Path:
    """A member's own export."""
    with path.open("wb") as target:
        export_seen(table.campaign_id, target, table.users[who])
    return path


def refused(table: Table, who: str, command: Any) -> Refused:
    position = read.events_before(table.campaign_id, 1 << 62, 1)[0].position
    with pytest.raises(Refused) as caught:
        table.send(who, command)
    assert read.events_before(table.campaign_id, 1 << 62, 1)[0].position == position
    return caught.value


# ---- bringing


def test_a_player_brings_a_portrait_and_the_bytes_lie_beside_the_stream(table: Table) -> None:
    talyne = table.character("pia")
    sent = portrait(talyne)
    event: Any = table.send("pia", sent).events[0].event
    row = Picture.objects.get()
    assert (
        (row.campaign_id, row.digest) == (table.campaign_id, event.digest) == (table.campaign_id, digest_of(row.data))
    )
    assert (event.width, event.height, event.size, event.title) == (40, 30, len(row.data), "Talyne")
    stored = next(e for p, e, _ in read.stored(table.campaign_id, 0, 1 << 62, "picture.added"))
    assert len(stored.data) < 1000
    with states.held(table.campaign_id) as state:
        for who in EVERYBODY:
            assert portrait_of(state, table.viewer(who), talyne) == event.picture


def test_the_same_command_twice_brings_one(table: Table) -> None:
    from uuid import uuid4

    talyne, key = table.character("pia"), uuid4()
    first = table.send("pia", portrait(talyne), key)
    again = table.send("pia", portrait(talyne), key)
    assert again.again and again.events[0].event == first.events[0].event
    assert Picture.objects.count() == 1


def test_the_same_picture_twice_is_kept_once(table: Table) -> None:
    first, second = (bring(table, "olga", handout(title=title)) for title in ("One", "Two"))
    assert first != second and Picture.objects.count() == 1


def test_a_new_portrait_takes_the_place_of_the_one_before(table: Table) -> None:
    talyne = table.character("pia")
    first = bring(table, "pia", portrait(talyne))
    second = bring(table, "olga", portrait(talyne, photo(50, 50)))
    with states.held(table.campaign_id) as state:
        kept = state.part(Pictures)
        assert kept.portraits == {talyne: second} and kept.by_id[first].replaced and not kept.by_id[second].replaced
    table.send("pia", WithdrawPicture(picture=second))
    with states.held(table.campaign_id) as state:
        assert portrait_of(state, table.viewer("olga"), talyne) == ""


def test_who_may_bring_what(table: Table) -> None:
    talyne, foe = table.character("pia"), hidden(table)
    assert refused(table, "paul", portrait(talyne)).code == "not_yours"
    assert refused(table, "pia", portrait(foe)).code == "no_such_subject"
    assert refused(table, "pia", portrait(talyne, audience="gm")).field == "actor"
    for use in ("map", "handout"):
        assert refused(table, "pia", handout(use=use)).field == "actor"
    for who in ("wim", "stan"):
        assert refused(table, who, portrait(talyne)).field == "actor"
    assert refused(table, "olga", portrait("")).field == "subject"
    assert refused(table, "olga", handout(subject=talyne)).field == "subject"
    assert refused(table, "olga", handout(alt=" ")).field == "alt"
    assert refused(table, "olga", handout(audience="holders")).field == "shown_to"
    assert refused(table, "olga", handout(audience="table", shown_to=(talyne,))).field == "shown_to"
    assert refused(table, "olga", handout(audience="holders", shown_to=("nobody",))).field == "shown_to"
    assert refused(table, "olga", portrait(talyne, audience="holders", shown_to=(talyne,))).field == "audience"
    assert refused(table, "olga", handout(b"no picture")).field == "data"
    assert not Picture.objects.exists()
    ground: Any = table.send("olga", handout(use="map", title="", alt=" ")).events[0].event
    assert (ground.title, ground.alt) == ("The ground of a fight",) * 2  # whose board says what is there


def test_pictures_are_decoded_before_the_campaign_is_locked(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    from campaigns import entrance, picturing

    order: list[str] = []
    make, lock = picturing._make, entrance._lock
    monkeypatch.setattr(picturing, "_make", lambda *given: (order.append("decoded"), make(*given))[1])
    monkeypatch.setattr(entrance, "_lock", lambda asked: (order.append("locked"), lock(asked))[1])
    bring(table, "olga", handout(photo(41, 31)))
    assert order == ["decoded", "locked"]


def test_a_players_picture_is_not_decoded_for_somebody_who_may_not(table: Table, monkeypatch: Any) -> None:
    from campaigns import picturing

    monkeypatch.setattr(picturing, "_make", lambda *given: pytest.fail("decoded"))
    for who in ("wim", "stan"):
        refused(table, who, handout(photo(42, 31)))


def test_a_campaign_has_its_budget(table: Table, settings: Any) -> None:
    bring(table, "olga", handout())
    first = len(bytes(Picture.objects.get().data))
    settings.PICTURES_MB = 0
    said = refused(table, "olga", handout(photo(60, 60)))
    assert (said.code, said.field) == ("no_room", "data")
    with states.held(table.campaign_id) as state:
        assert state.part(Pictures).size == first
    settings.PICTURES_MB = 1
    bring(table, "olga", handout(photo(60, 60)))


def test_what_was_withdrawn_still_counts(table: Table) -> None:
    picture = bring(table, "olga", handout())
    table.send("olga", WithdrawPicture(picture=picture))
    with states.held(table.campaign_id) as state:
        kept = state.part(Pictures)
        assert kept.by_id == {} and kept.size == len(bytes(Picture.objects.get().data))


# ---- seeing


@pytest.mark.parametrize(
    "audience, who",
    [
        ("gm", {"olga"}),
        ("holders", {"olga", "pia"}),
        ("table", {"olga", "pia", "paul"}),
        ("all", {"olga", "pia", "paul", "wim", "link"}),
    ],
)
def test_a_handout_is_seen_by_its_audience(table: Table, audience: Any, who: set[str]) -> None:
    talyne = table.character("pia")
    shown_to = (talyne,) if audience == "holders" else ()
    picture = bring(table, "olga", handout(audience=audience, shown_to=shown_to))
    assert seen_by(table, picture) == told_of(table, picture) == who


def test_showing_more_showing_less_and_withdrawing(table: Table) -> None:
    talyne, rell = table.character("pia"), table.character("paul", "Rell")
    picture = bring(table, "olga", handout())
    steps: list[tuple[Any, tuple[str, ...], set[str], list[str]]] = [
        ("holders", (talyne,), {"olga", "pia"}, ["picture.shown"]),
        ("holders", (talyne, rell), {"olga", "pia", "paul"}, ["picture.shown"]),
        ("holders", (rell,), {"olga", "paul"}, ["picture.hidden", "picture.shown"]),
        ("all", (), set(EVERYBODY), ["picture.shown"]),
        ("table", (), {"olga", "pia", "paul"}, ["picture.hidden", "picture.shown"]),
        ("gm", (), {"olga"}, ["picture.hidden"]),
        ("gm", (), {"olga"}, []),
    ]
    for audience, shown_to, who, types in steps:
        answer = table.send("olga", ShowPicture(picture=picture, audience=audience, shown_to=shown_to))
        assert [event.type for event in answer.events] == types
        assert seen_by(table, picture) == who
    table.send("olga", WithdrawPicture(picture=picture))
    assert seen_by(table, picture) == set()
    assert refused(table, "olga", ShowPicture(picture=picture, audience="all")).field == "picture"


def test_who_else_is_shown_a_handout_is_not_told(table: Table) -> None:
    talyne, foe = table.character("pia"), hidden(table)
    bring(table, "olga", handout(audience="holders", shown_to=(talyne, foe)))
    event = read.events_before(table.campaign_id, 1 << 62, 1)[0]
    with states.held(table.campaign_id) as state:
        view = view_event(event, table.viewer("pia"), name_finder(state))
    assert view is not None and not {"shown_to", "audience"} & view["data"].keys()
    assert foe not in json.dumps(view)


def test_a_hidden_foes_portrait_is_shown_along_with_it(table: Table) -> None:
    foe = hidden(table)
    picture = bring(table, "olga", portrait(foe))
    assert seen_by(table, picture) == told_of(table, picture) == {"olga"}
    # Nor does a GM show it by itself.
    table.send("olga", ShowPicture(picture=picture, audience="table"))
    table.send("olga", ShowPicture(picture=picture, audience="all"))
    assert seen_by(table, picture) == told_of(table, picture) == {"olga"}
    table.send("olga", RevealSubject(subject=foe))
    assert seen_by(table, picture) == told_of(table, picture) == set(EVERYBODY)


def test_a_portrait_that_was_replaced_is_the_gms_and_its_bringers(table: Table) -> None:
    talyne = table.character("pia")
    mistaken = bring(table, "pia", portrait(talyne))
    assert seen_by(table, mistaken) == set(EVERYBODY)
    bring(table, "pia", portrait(talyne, photo(50, 50)))
    assert seen_by(table, mistaken) == {"olga", "pia"}
    # Nor is it shown again by its id.
    for audience in ("all", "gm"):
        assert refused(table, "olga", ShowPicture(picture=mistaken, audience=audience)).code == "replaced"
    gone = table.send("pia", WithdrawPicture(picture=mistaken)).events[0]
    assert gone.audience == f"member:{table.member('pia')}" and seen_by(table, mistaken) == set()


@pytest.mark.parametrize("who", ["olga", "pia", "wim"])
def test_a_hidden_foes_former_portrait_stays_hidden_and_files_verify(table: Table, tmp_path: Path, who: str) -> None:
    foe = hidden(table)
    true_face = bring(table, "olga", portrait(foe, title="CanaryFace"))
    mask = bring(table, "olga", portrait(foe, photo(50, 50)))
    table.send("olga", RevealSubject(subject=foe))
    assert seen_by(table, true_face) == told_of(table, true_face) == {"olga"}
    assert seen_by(table, mask) == told_of(table, mask) == set(EVERYBODY)
    report = verify_file(seen_file(table, who, tmp_path / "seen.gz"))
    assert report.sound and report.pictures == (2 if who == "olga" else 1)
    gone = table.send("olga", WithdrawPicture(picture=true_face)).events[0]
    assert view_of(table, gone, "pia") is None


def test_a_members_file_holds_no_picture_that_its_events_do_not_tell_of(table: Table, tmp_path: Path) -> None:
    """Whoever brought a portrait sees it, and is told of it no longer where its subject, hidden then, was handed on."""
    foe = hidden(table)
    table.send("olga", HandOverSubject(subject=foe, players=(table.member("pia"),)))
    brought = bring(table, "pia", portrait(foe))
    table.send("olga", HandOverSubject(subject=foe, players=(table.member("paul"),)))
    bring(table, "paul", portrait(foe, photo(50, 50)))
    table.send("olga", RevealSubject(subject=foe))
    assert seen_by(table, brought) == {"olga", "pia"} and told_of(table, brought) == {"olga", "paul"}
    report = verify_file(seen_file(table, "pia", tmp_path / "seen.gz"))
    assert report.sound and report.pictures == 1


def test_a_portrait_for_the_gm_stays_so_when_its_subject_is_shown(table: Table) -> None:
    foe = hidden(table)
    picture = bring(table, "olga", portrait(foe, audience="gm"))
    table.send("olga", RevealSubject(subject=foe))
    assert seen_by(table, picture) == told_of(table, picture) == {"olga"}


def test_who_takes_over_a_character_sees_what_its_players_were_shown(table: Table) -> None:
    talyne = table.character("pia")
    picture = bring(table, "olga", handout(audience="holders", shown_to=(talyne,)))
    table.send("pia", HandOverSubject(subject=talyne, players=(table.member("paul"),)))
    assert seen_by(table, picture) == {"olga", "paul"}


def test_describing_a_picture_anew(table: Table) -> None:
    """By a GM, its bringer, or the player whose portrait it is; told to those who see it, and to nobody else."""
    talyne = table.character("pia")
    letter = bring(table, "olga", handout(audience="holders", shown_to=(talyne,)))
    face = bring(table, "olga", portrait(talyne))
    answer = table.send("olga", DescribePicture(picture=letter, title="The torn letter", alt="Half of a letter"))
    with states.held(table.campaign_id) as state:
        found = state.part(Pictures).by_id[letter]
        views = {w: view_event(answer.events[0], table.viewer(w), name_finder(state)) for w in EVERYBODY}
    assert (found.title, found.alt) == ("The torn letter", "Half of a letter")
    assert {who for who, view in views.items() if view is not None} == seen_by(table, letter) == {"olga", "pia"}
    assert table.send("olga", DescribePicture(picture=letter, title="The torn letter")).events == ()
    table.send("pia", DescribePicture(picture=face, alt="Talyne, laughing"))
    with states.held(table.campaign_id) as state:
        assert state.part(Pictures).by_id[face].alt == "Talyne, laughing"
        assert state.part(Pictures).by_id[face].title == "Talyne"
    for picture in (letter, face):
        assert refused(table, "paul", DescribePicture(picture=picture, alt="x")).code == "no_such_picture"
    assert refused(table, "pia", DescribePicture(picture=letter, alt="x")).code == "no_such_picture"
    assert refused(table, "olga", DescribePicture(picture=letter, title="x" * 400)).field == "title"


def test_who_may_withdraw(table: Table) -> None:
    talyne = table.character("pia")
    by_gm = bring(table, "olga", portrait(talyne))
    letter = bring(table, "olga", handout(audience="table"))
    for who, picture in (("paul", by_gm), ("paul", letter), ("pia", letter), ("pia", "nothing")):
        said = refused(table, who, WithdrawPicture(picture=picture))
        # What is not there and what is not theirs are answered alike.
        assert (said.code, said.field) == ("no_such_picture", "picture")
    table.send("pia", WithdrawPicture(picture=by_gm))
    assert seen_by(table, by_gm) == set() and Picture.objects.exists()


def test_bringing_is_not_taken_back_but_showing_is(table: Table) -> None:
    picture = bring(table, "olga", handout())
    position = read.events_before(table.campaign_id, 1 << 62, 1)[0].position
    refused(table, "olga", VoidAction(entry=cursor_of(table.campaign_id, position), reason="x"))
    shown = table.send("olga", ShowPicture(picture=picture, audience="table"))
    table.send("olga", VoidAction(entry=cursor_of(table.campaign_id, shown.position), reason="a slip"))
    assert seen_by(table, picture) == {"olga"}


def test_what_is_seen_now_was_told_by_an_event(table: Table) -> None:
    """So that a player's own file can hold the pictures they see, each vouched for by the chain."""
    talyne, foe = table.character("pia"), hidden(table)
    letter = bring(table, "olga", handout())
    table.send("olga", ShowPicture(picture=letter, audience="holders", shown_to=(talyne,)))
    for picture in (bring(table, "pia", portrait(talyne)), bring(table, "olga", portrait(foe)), letter):
        assert seen_by(table, picture) <= told_of(table, picture)
    table.send("olga", RevealSubject(subject=foe))
    with states.held(table.campaign_id) as state:
        for picture in state.part(Pictures).by_id:
            assert seen_by(table, picture) <= told_of(table, picture)


# ---- keeping


@pytest.mark.parametrize("sql", ["UPDATE campaigns_picture SET data = ''", "DELETE FROM campaigns_picture"])
def test_the_database_refuses_to_change_or_delete_bytes(table: Table, sql: str) -> None:
    bring(table, "olga", handout())
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic(), connection.cursor() as c:
        c.execute(sql)
    assert Picture.objects.exists()


def test_erasing_a_campaign_takes_its_pictures_along(table: Table) -> None:
    other = make_table()
    bring(other, "olga", handout())
    bring(table, "olga", handout())
    table.send("olga", AskErasure(name="The Long Tide"))
    assert erase(table.campaign_id, utc_now() + grace() + timedelta(seconds=1)) is not None
    assert [row.campaign_id for row in Picture.objects.all()] == [other.campaign_id]


def flip(table: Table) -> None:
    """One bit of the bytes in the table."""
    guards.remove(connection)
    row = Picture.objects.get()
    data = bytearray(row.data)
    data[len(data) // 2] ^= 1
    with connection.cursor() as cursor:
        cursor.execute("UPDATE campaigns_picture SET data = %s", [bytes(data)])
    guards.install(connection)


def lose(table: Table) -> None:
    """The row is gone."""
    guards.remove(connection)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM campaigns_picture")
    guards.install(connection)


HARMS = [(flip, "is not as it was brought"), (lose, "is missing")]


@pytest.mark.parametrize("harm, says", HARMS)
def test_verify_and_rebuild_name_a_picture_that_came_to_harm(
    table: Table, harm: Callable[[Table], None], says: str
) -> None:
    bring(table, "olga", handout())
    position = read.events_before(table.campaign_id, 1 << 62, 1)[0].position
    report = verify_campaign(table.campaign_id)
    assert report.sound and report.pictures == 1
    harm(table)
    first = verify_campaign(table.campaign_id).first_break
    assert first is not None and first.position == position
    assert "'The letter'" in first.says and says in first.says
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError):
        call_command("verify", str(table.campaign_id), stdout=out)
    call_command("rebuild", str(table.campaign_id), stdout=out, stderr=err)
    assert says in out.getvalue() and says in err.getvalue()


# ---- files


@pytest.fixture
def pictured(table: Table) -> Table:
    """A campaign with a portrait, a letter for Pia, a map for the GM, and something withdrawn."""
    talyne = table.character("pia")
    bring(table, "pia", portrait(talyne))
    bring(table, "olga", handout(photo(60, 60), audience="holders", shown_to=(talyne,)))
    bring(table, "olga", handout(photo(70, 50), "map", title="CanaryMap"))
    gone = bring(table, "olga", handout(photo(80, 50), audience="table", title="Gone"))
    table.send("olga", WithdrawPicture(picture=gone))
    return table


def whole(table: Table, path: Path) -> Path:
    with path.open("wb") as target:
        export_whole(table.campaign_id, target)
    return path


def kept() -> dict[str, bytes]:
    return {row.digest: bytes(row.data) for row in Picture.objects.all()}


def test_a_whole_file_carries_every_picture_to_another_server(pictured: Table, tmp_path: Path) -> None:
    file, before = whole(pictured, tmp_path / "tide.gz"), kept()
    with states.held(pictured.campaign_id) as state:
        known = state.part(Pictures)
    report = verify_file(file)
    assert report.sound and report.pictures == len(before) == 4
    wipe()
    assert not kept()
    import_upload(file, User.objects.create_user("newolga").pk)
    assert kept() == before
    with states.held(pictured.campaign_id) as state:
        assert state.part(Pictures) == known
    assert verify_campaign(pictured.campaign_id).sound


def test_pictures_that_come_while_a_file_is_written_are_for_the_next(
    pictured: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening = exporting._opening

    def meanwhile(*given: Any, **more: Any) -> Any:
        found = opening(*given, **more)
        bring(pictured, "olga", handout(photo(90, 50), audience="table"))
        return found

    monkeypatch.setattr(exporting, "_opening", meanwhile)
    report = verify_file(whole(pictured, tmp_path / "tide.gz"))
    assert report.sound and report.pictures == 4


@pytest.mark.parametrize("who, count", [("olga", 3), ("pia", 2), ("paul", 1), ("wim", 1)])
def test_a_members_file_carries_what_they_may_see(pictured: Table, tmp_path: Path, who: str, count: int) -> None:
    path = seen_file(pictured, who, tmp_path / "seen.gz")
    lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    carried = {line["picture"] for line in lines if "picture" in line}
    with states.held(pictured.campaign_id) as state:
        seen = {found.digest for _, found in seen_pictures(state, pictured.viewer(who))}
    assert carried == seen and len(seen) == count
    report = verify_file(path)
    assert report.sound and report.pictures == count


Lines = Callable[[list[str]], list[str]]


def _picture_lines(lines: list[str]) -> list[int]:
    return [number for number, line in enumerate(lines) if '"picture":"' in line and '"data":' in line]


def _flipped(lines: list[str]) -> list[str]:
    number = _picture_lines(lines)[0]
    line = json.loads(lines[number])
    data = line["data"]
    line["data"] = data[:40] + ("A" if data[40] != "A" else "B") + data[41:]
    return [*lines[:number], json.dumps(line) + "\n", *lines[number + 1 :]]


def _cut(lines: list[str]) -> list[str]:
    number = _picture_lines(lines)[0]
    line = json.loads(lines[number])
    line["data"] = line["data"][:40]
    return [*lines[:number], json.dumps(line) + "\n", *lines[number + 1 :]]


def _dropped(lines: list[str]) -> list[str]:
    number = _picture_lines(lines)[0]
    return [*lines[:number], *lines[number + 1 :]]


def _doubled(lines: list[str]) -> list[str]:
    number = _picture_lines(lines)[0]
    return [*lines[:number], lines[number], *lines[number:]]


def _swapped(lines: list[str]) -> list[str]:
    first, second, *_ = _picture_lines(lines)
    one, other = json.loads(lines[first]), json.loads(lines[second])
    one["data"], other["data"] = other["data"], one["data"]
    changed = list(lines)
    changed[first], changed[second] = json.dumps(one) + "\n", json.dumps(other) + "\n"
    return changed


def _smuggled(lines: list[str]) -> list[str]:
    import base64

    data = photo(11, 11)
    line = {"picture": digest_of(data), "data": base64.b64encode(data).decode()}
    return [*lines[:-1], json.dumps(line) + "\n", lines[-1]]


def resealed(change: Lines) -> Lines:
    """With the end mark made to fit, as a forger would."""
    import hashlib

    def changed(lines: list[str]) -> list[str]:
        body = change(lines)[:-1]
        return [*body, json.dumps({"end": hashlib.sha256("".join(body).encode()).hexdigest()}) + "\n"]

    return changed


@pytest.mark.parametrize("change", [_flipped, _cut, _dropped, _doubled, _swapped, _smuggled])
def test_a_file_whose_pictures_were_tampered_with_is_refused_with_the_place(
    pictured: Table, tmp_path: Path, change: Lines
) -> None:
    file = rewrite(whole(pictured, tmp_path / "tide.gz"), resealed(change))
    wipe()
    with pytest.raises(Refused) as caught:
        import_campaign(file, pictured.users["olga"])
    assert caught.value.field == "file" and str(caught.value.value).startswith(("line ", "position "))
    assert not kept()
    with pytest.raises(CommandError):
        call_command("verify", str(file), stdout=StringIO())


def test_verify_names_the_picture_and_the_line(pictured: Table, tmp_path: Path) -> None:
    file = whole(pictured, tmp_path / "tide.gz")
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    number = _picture_lines(lines)[0] + 1
    report = verify_file(rewrite(file, resealed(_flipped)))
    assert [finding.code for finding in report.findings] == ["picture_damaged"]
    assert f"line {number}" in report.findings[0].says


def test_a_file_with_more_pictures_than_there_is_room_for_is_for_the_host(
    pictured: Table, tmp_path: Path, settings: Any
) -> None:
    file = whole(pictured, tmp_path / "tide.gz")
    wipe()
    settings.PICTURES_MB = 0
    with pytest.raises(Refused) as caught:
        import_upload(file, pictured.users["olga"])
    assert caught.value.code == "too_large" and not kept()
    import_campaign(file, pictured.users["olga"])
    assert len(kept()) == 4


def test_a_forged_picture_that_is_none_is_refused(table: Table, tmp_path: Path, monkeypatch: Any) -> None:
    """Somebody's own server says of a page that it is a picture, and makes every digest fit."""
    from campaigns.commands import pictures as commands
    from campaigns.picturing import Made

    page = b"<html><script>alert(1)</script></html>"
    monkeypatch.setattr(commands, "make", lambda data, use: Made(page, "image/webp", 40, 30))
    bring(table, "olga", handout())
    file = whole(table, tmp_path / "tide.gz")
    assert verify_file(file).sound
    wipe()
    with pytest.raises(Refused) as caught:
        import_campaign(file, table.users["olga"])
    assert str(caught.value.value).startswith("line ") and not kept()


def test_memory_stays_flat_however_many_pictures(table: Table, tmp_path: Path, monkeypatch: Any) -> None:
    """Fourteen of half a megabyte: writing, checking and looking over hold one at a time, and its few copies."""
    import random
    import tracemalloc

    from campaigns.commands import pictures as commands
    from campaigns.picturing import Made

    chance, count = random.Random(1), 14
    for _ in range(count):
        data = chance.randbytes(1 << 19)
        monkeypatch.setattr(commands, "make", lambda _data, _use, data=data: Made(data, "image/webp", 40, 30))
        bring(table, "olga", handout())
    del data
    tracemalloc.start()
    try:
        file = whole(table, tmp_path / "tide.gz")
        assert verify_file(file).pictures == verify_campaign(table.campaign_id).pictures == count
        assert tracemalloc.get_traced_memory()[1] < 5 << 20
    finally:
        tracemalloc.stop()


def test_a_removed_members_seat_sees_nothing(table: Table) -> None:
    bring(table, "olga", handout(audience="table"))
    table.send("olga", RemoveMember(member=table.member("paul")))
    with pytest.raises(Refused):
        table.viewer("paul")
