"""Campaigns as files: whole and as seen, verified, imported, continued, and refused with the place."""

import gzip
import json
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from campaigns import models, registry
from campaigns.commands.calendar import TakeBackClose
from campaigns.commands.seats import JoinByLink, MakeLink
from campaigns.commands.seeds import RenewSeeds
from campaigns.commands.subjects import CreateSubject
from campaigns.commands.voiding import VoidAction
from campaigns.context import Actor
from campaigns.entrance import execute
from campaigns.feed import cursor_of
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table as TablePart
from campaigns.store import guards, read, states
from campaigns.transfer.exporting import export_seen, export_whole
from campaigns.transfer.importing import import_campaign
from campaigns.transfer.lines import FORMAT
from campaigns.transfer.verifying import verify_file
from campaigns.verifying import verify_campaign
from rules.refusal import Refused
from tests.campaigns.tables import Table
from tests.campaigns.throwing import Throw, Throws
from tests.identity.season import at, make_season


@pytest.fixture
def played(table: Table) -> Table:
    """A campaign with open and hidden things in it."""
    table.character("pia")
    table.send("olga", CreateSubject(kind="character", name="CanaryFoe", hidden=True))
    table.send("pia", Throw(name="a", sides=(20, 6), note="CanaryNote"))
    table.send("olga", Throw(name="CanaryThrow", audience="gm"))
    slip = table.send("pia", Throw(name="slip"))
    table.send("olga", VoidAction(entry=cursor_of(table.campaign_id, slip.position), reason="A slip"))
    return table


def whole(table: Table, path: Path) -> Path:
    with path.open("wb") as target:
        export_whole(table.campaign_id, target)
    return path


def wipe() -> None:
    """Another server: the same program, none of the data."""
    guards.remove(connection)
    of_campaigns = [model for model in apps.get_models() if "campaign" in {f.name for f in model._meta.fields}]
    for model in (*of_campaigns, models.Campaign):
        with connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {model._meta.db_table}")
    guards.install(connection)
    states._states.clear()


def rewrite(path: Path, change: Callable[[list[str]], list[str]]) -> Path:
    lines = change(gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True))
    path.write_bytes(gzip.compress("".join(lines).encode()))
    return path


def test_import_on_another_server_gives_the_same_state_and_chain(
    played: Table, tmp_path: Path, settings: object
) -> None:
    file = whole(played, tmp_path / "tide.gz")
    with states.held(played.campaign_id) as state:
        before = states.refold(played.campaign_id, state.position)
    digests = [e.digest for e in read.events_after(played.campaign_id, 0)]
    wipe()
    settings.DICE_KEY = "the other server's"
    owner = User.objects.create_user("newolga")
    done = import_campaign(file, owner.pk)
    assert (done.campaign_id, done.events) == (played.campaign_id, before.position)
    assert [e.digest for e in read.events_after(played.campaign_id, 0)][: before.position] == digests
    assert states.fold(played.campaign_id, before.position).parts == before.parts
    assert verify_campaign(played.campaign_id).sound
    with states.held(played.campaign_id) as state:
        for kind in (Subjects, Throws):
            assert state.part(kind) == before.part(kind)
        table = state.part(TablePart)
        assert table.member_of(owner.pk) == table.owner
        assert table.member_of(played.users["pia"]) == ""
    assert models.Campaign.objects.get().name == "The Long Tide"
    assert models.Member.objects.filter(user=None).count() == 3


def test_play_goes_on_after_an_import(played: Table, tmp_path: Path, settings: object) -> None:
    file = whole(played, tmp_path / "tide.gz")
    wipe()
    settings.DICE_KEY = "the other server's"
    import_campaign(file, played.users["olga"])
    played.send("olga", Throw(name="on"))
    played.send("olga", RenewSeeds())
    played.send("olga", Throw(name="on", audience="gm"))
    report = verify_campaign(played.campaign_id)
    assert report.sound and report.sealed == 0


def test_dice_of_a_close_that_was_taken_back_are_said_to_wait_for_its_season(
    transactional_db: None, tmp_path: Path, settings: object
) -> None:
    """One pair was rolled for. The server opens its own seed; a file has none to open, until Summer closes."""
    season = make_season(bold=14)
    season.award("bold", 2026, 1, 6)
    season.run_jobs(2026, 2, 3)
    with at(2026, 2, 3, 13):
        season.send("olga", TakeBackClose(rung="season", number=1))
    here = verify_campaign(season.table.campaign_id)
    assert here.sound and (here.dice, here.sealed) == (1, 0)
    told = verify_file(whole(season.table, tmp_path / "back.gz"))
    assert told.sound and (told.dice, told.sealed) == (0, 1)
    assert "1 dice still sealed (1 of the calendar's close 1, whose seed stays closed until" in told.says()
    season.run_jobs(2026, 3, 3)
    after = verify_file(whole(season.table, tmp_path / "on.gz"))
    # Both closes of the same season were rolled, with the same face, and can be checked.
    assert after.sound and (after.dice, after.sealed) == (2, 0)
    wipe()
    settings.DICE_KEY = "the other server's"
    import_campaign(tmp_path / "back.gz", season.table.users["olga"])
    moved = verify_campaign(season.table.campaign_id).says()
    assert "from a seed that the server this campaign came from has never revealed" in moved


def test_members_come_back_to_their_seat_by_an_invitation(played: Table, tmp_path: Path) -> None:
    from campaigns.links import token_of

    file, pia = whole(played, tmp_path / "tide.gz"), played.member("pia")
    wipe()
    import_campaign(file, played.users["olga"])
    link = played.send("olga", MakeLink(role="player", seat=pia)).events[0].event.link
    newcomer = User.objects.create_user("pia-elsewhere")
    join = JoinByLink(link=link, token=token_of(played.campaign_id, link), name="Pia")
    from uuid import uuid4

    execute(played.campaign_id, join, Actor(user=newcomer.pk), command_id=uuid4())
    with states.held(played.campaign_id) as state:
        assert state.part(TablePart).member_of(newcomer.pk) == pia


def test_members_are_matched_by_name_only_when_asked(played: Table, tmp_path: Path) -> None:
    file, pia = whole(played, tmp_path / "tide.gz"), played.member("pia")
    wipe()
    out = StringIO()
    name = User.objects.get(pk=played.users["olga"]).username
    call_command("import_campaign", str(file), owner=name, match_usernames=True, stdout=out)
    assert "4 members have an account here" in out.getvalue()
    assert played.member("pia") == pia


def test_a_campaign_that_went_on_elsewhere_continues_here(played: Table, tmp_path: Path) -> None:
    first = whole(played, tmp_path / "first.gz")
    played.send("pia", Throw(name="later"))
    second = whole(played, tmp_path / "second.gz")
    wipe()
    import_campaign(first, played.users["olga"], match_names=True)
    with pytest.raises(Refused) as caught:
        import_campaign(second, played.users["olga"])
    # The import itself is an event, so the two histories have parted.
    assert caught.value.code in ("gone_another_way", "older_file")
    wipe()
    import_campaign(second, played.users["olga"], match_names=True)
    played.send("pia", Throw(name="evenlater"))
    third = whole(played, tmp_path / "third.gz")
    position = models.Campaign.objects.get().position
    done = import_campaign(third, played.users["olga"], match_names=True)
    assert done.events == 0 and models.Campaign.objects.get().position > position


def test_back_from_another_server_the_old_one_catches_up(played: Table, tmp_path: Path) -> None:
    home = whole(played, tmp_path / "home.gz")
    position = models.Campaign.objects.get().position
    keep = list(read.stored(played.campaign_id, 0, position))
    wipe()
    import_campaign(home, played.users["olga"], match_names=True)
    played.send("pia", Throw(name="away"))
    away = whole(played, tmp_path / "away.gz")
    # Home still stands where it was exported.
    wipe()
    import_campaign(home, played.users["olga"], match_names=True)
    guards.remove(connection)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM campaigns_event WHERE position > %s", [position])
        cursor.execute("UPDATE campaigns_campaign SET position = %s", [position])
    guards.install(connection)
    models.models.QuerySet(models.Campaign).update(digest=keep[-1][2])
    states._states.clear()
    done = import_campaign(away, played.users["olga"], match_names=True)
    assert done.events > 0
    with states.held(played.campaign_id) as state:
        assert "away" in state.part(Throws).sums
    assert verify_campaign(played.campaign_id).sound


def test_the_command_line_round_trip_verifies(played: Table, tmp_path: Path) -> None:
    file, out = tmp_path / "tide.gz", StringIO()
    call_command("export_campaign", str(played.campaign_id), str(file), stdout=out)
    call_command("verify", str(file), stdout=out)
    call_command("verify", stdout=out)
    assert out.getvalue().count("In order") == 2
    assert not list(tmp_path.glob("*.part"))


def test_an_export_reveals_the_seeds_it_needs(played: Table, tmp_path: Path) -> None:
    report = verify_file(whole(played, tmp_path / "tide.gz"))
    assert report.sound and (report.dice, report.sealed) == (4, 0)


def test_the_same_export_twice_has_the_same_events(played: Table, tmp_path: Path) -> None:
    first, second = whole(played, tmp_path / "1.gz"), whole(played, tmp_path / "2.gz")
    texts = [gzip.decompress(f.read_bytes()).splitlines()[1:-1] for f in (first, second)]
    assert texts[0] == texts[1]


def seen(table: Table, who: str, path: Path) -> Path:
    with path.open("wb") as target:
        export_seen(table.campaign_id, target, table.users[who])
    return path


def test_a_players_export_hides_what_they_may_not_see_and_verifies(played: Table, tmp_path: Path) -> None:
    played.send("olga", RenewSeeds())
    file = seen(played, "pia", tmp_path / "pia.gz")
    text = gzip.decompress(file.read_bytes()).decode()
    for canary in ("CanaryFoe", "CanaryNote", "CanaryThrow"):
        assert canary not in text
    with states.held(played.campaign_id) as state:
        for member in state.part(TablePart).members.values():
            assert f'"user\\":{member.user}' not in text
    report = verify_file(file)
    # The table's dice are theirs to check, the GM's are not.
    assert report.sound and report.dice == 3 and report.hidden > 0


def test_a_players_export_shows_exactly_the_fields_of_their_feed(played: Table, tmp_path: Path) -> None:
    from campaigns.store.checking import type_of
    from campaigns.transfer.lines import File
    from tests.campaigns.test_feed import feed

    for who in ("pia", "olga", "wim"):
        entries = {e.position: e.view for e in feed(played, played.viewer(who))}
        file = File(seen(played, who, tmp_path / f"{who}.gz"))
        shown = {s.position: s for s in file.shown() if s.leaves}
        assert shown.keys() == entries.keys()
        for position, view in entries.items():
            names = {n.removeprefix("data.") for n in shown[position].leaves if n.startswith("data.")}
            # What was taken back, and whether that holds, the feed finds out for whoever reads it.
            assert names == view["data"].keys() - {"entries", "holds"}
            assert type_of(shown[position]) == view["type"]


@pytest.mark.parametrize("what", ["event", "leaf"])
def test_tampered_files_are_refused_with_the_place(played: Table, tmp_path: Path, what: str) -> None:
    path = tmp_path / "x.gz"
    file = seen(played, "pia", path) if what == "leaf" else whole(played, path)

    def change(lines: list[str]) -> list[str]:
        return [line.replace("Talyne", "Talyna") for line in lines[:-1]] + [end_of(lines, "Talyne", "Talyna")]

    rewrite(file, change)
    first = verify_file(file).first_break
    assert first is not None and first.code == "digest"
    if what == "event":
        with pytest.raises(Refused) as caught:
            import_campaign(file, played.users["olga"])
        assert (caught.value.code, caught.value.value) == ("tampered_file", f"position {first.position}")


def end_of(lines: list[str], old: str, new: str) -> str:
    """The end mark as a forger would write it."""
    import hashlib

    text = "".join(lines[:-1]).replace(old, new)
    return json.dumps({"end": hashlib.sha256(text.encode()).hexdigest()}) + "\n"


def test_a_forger_without_the_end_mark_is_stopped_there(played: Table, tmp_path: Path) -> None:
    file = rewrite(whole(played, tmp_path / "x.gz"), lambda lines: [*lines[:3], *lines[4:]])
    with pytest.raises(Refused) as caught:
        verify_file(file)
    assert caught.value.code == "broken_file" and str(caught.value.value).startswith("line ")


@pytest.mark.parametrize("keep", [0.3, 0.9, 0.999])
def test_truncated_files_are_refused_and_leave_nothing(played: Table, tmp_path: Path, keep: float) -> None:
    file = whole(played, tmp_path / "x.gz")
    data = file.read_bytes()
    wipe()
    file.write_bytes(data[: int(len(data) * keep)])
    with pytest.raises(Refused) as caught:
        import_campaign(file, played.users["olga"])
    assert caught.value.code == "broken_file" and "line" in str(caught.value.value)
    assert not models.Campaign.objects.exists()


def test_cut_at_a_line_is_refused_too(played: Table, tmp_path: Path) -> None:
    file = rewrite(whole(played, tmp_path / "x.gz"), lambda lines: lines[:-3])
    with pytest.raises(Refused) as caught:
        verify_file(file)
    assert "end mark" in caught.value.message


def test_newer_files_and_strange_files_are_refused(played: Table, tmp_path: Path) -> None:
    file = whole(played, tmp_path / "x.gz")

    def newer(lines: list[str]) -> list[str]:
        return [json.dumps({**json.loads(lines[0]), "tidebook": FORMAT + 1}) + "\n", *lines[1:]]

    with pytest.raises(Refused) as caught:
        import_campaign(rewrite(file, newer), played.users["olga"])
    assert caught.value.code == "newer_file"
    for content in (b"", b"no gzip", gzip.compress(b"[1, 2]\n"), gzip.compress(b'{"tidebook": 1}\n')):
        file.write_bytes(content)
        with pytest.raises(Refused) as caught:
            verify_file(file)
        assert caught.value.code == "broken_file"
        with pytest.raises(CommandError):
            call_command("verify", str(file), stdout=StringIO())


def test_an_event_of_a_newer_program_is_refused_with_its_line(
    played: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from campaigns import events

    file = whole(played, tmp_path / "x.gz")
    wipe()
    monkeypatch.delitem(events._by_name, "test.thrown")
    with pytest.raises(Refused) as caught:
        import_campaign(file, played.users["olga"])
    assert "test.thrown" in caught.value.message and str(caught.value.value).startswith("line ")
    assert not models.Campaign.objects.exists() and not models.Event.objects.exists()


def test_whole_exports_are_the_owners_and_members_export_only_their_own_view(played: Table) -> None:
    for who in ("pia", "wim"):
        with pytest.raises(Refused):
            export_whole(played.campaign_id, BytesIO(), Actor(user=played.users[who]))
    with pytest.raises(Refused):
        export_seen(played.campaign_id, BytesIO(), played.users["stan"])


def test_a_seen_export_cannot_be_imported(played: Table, tmp_path: Path) -> None:
    with pytest.raises(Refused) as caught:
        import_campaign(seen(played, "olga", tmp_path / "x.gz"), played.users["olga"])
    assert caught.value.code == "not_whole"


def test_what_apps_enclose_travels_along(played: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[object] = []
    entry = registry.Enclosure(
        "stones", lambda _id, _state: [{"a": 1}, {"b": 2}], lambda _id, items: taken.extend(items)
    )
    monkeypatch.setitem(registry.enclosures, "stones", entry)
    file = whole(played, tmp_path / "x.gz")
    wipe()
    import_campaign(file, played.users["olga"])
    assert taken == [{"a": 1}, {"b": 2}]
    monkeypatch.delitem(registry.enclosures, "stones")
    wipe()
    with pytest.raises(Refused) as caught:
        import_campaign(file, played.users["olga"])
    assert "stones" in caught.value.message
