"""Files whose chain was made to fit by a forger, and tables in which something flipped: refused or named, no fault."""

from __future__ import annotations

import gzip
import hashlib
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from campaigns.models import Campaign, Event
from campaigns.store import chain, guards
from campaigns.store.chain import Stored
from campaigns.transfer import importing
from campaigns.transfer.exporting import export_whole
from campaigns.transfer.importing import import_campaign
from campaigns.transfer.verifying import verify_file
from campaigns.verifying import verify_campaign
from rules.refusal import Refused
from tests.campaigns.tables import Table
from tests.campaigns.test_transfer import wipe
from tests.campaigns.throwing import Throw
from tests.identity.season import Season, make_season

COLUMN = {name: place + 1 for place, name in enumerate(Stored._fields)}
HUGE = 10**400
FAR, LONG_AGO = "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+00:00"


def exported(table: Table, path: Path) -> list[dict[str, Any]]:
    """The lines of an export of a campaign in which a die fell."""
    table.send("pia", Throw(name="a", sides=(20,)))
    with path.open("wb") as target:
        export_whole(table.campaign_id, target)
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def forge(lines: list[dict[str, Any]], path: Path) -> Path:
    """Writes the lines with digests and an end mark that fit them, as far as there can be any."""
    header, *body = lines[:-1]
    digest = chain.START
    for line in body:
        if "event" in line:
            position, *values, _ = line["event"]
            try:
                event = Stored(*values)
                event = event._replace(
                    command_hash=bytes.fromhex(event.command_hash),  # type: ignore[arg-type]
                    salt=bytes.fromhex(event.salt),  # type: ignore[arg-type]
                )
                digest = chain.digest_of(digest, position, event)
            except (TypeError, ValueError, OverflowError):
                continue
            line["event"][-1] = header["digest"] = digest.hex()
    text = b"".join(json.dumps(line).encode() + b"\n" for line in [header, *body])
    end = json.dumps({"end": hashlib.sha256(text).hexdigest()}).encode() + b"\n"
    path.write_bytes(gzip.compress(text + end))
    return path


@pytest.mark.parametrize(
    "column, value",
    [
        ("id", "zz"), ("type", "no.such"), ("type", "a\x00b"), ("version", "1"), ("version", HUGE), ("version", 0),
        ("data", "[]"), ("data", "null"), ("data", "{}"), ("actor", "x" * 500), ("command_id", None),
        ("command_seq", -1), ("command_hash", "x"), ("cause", HUGE), ("cause", 9999), ("recorded_at", "2026"),
        ("recorded_at", "9999-12-31T23:59:59-14:00"),
        ("recorded_at", FAR), ("happened_at", FAR), ("recorded_at", LONG_AGO), ("happened_at", LONG_AGO),
        ("recorded_at", 2**63), ("happened_at", "0" * 32),
        ("stamp", "[]"), ("packs", []), ("audience", "everybody"), ("audience", None), ("holders", "{}"),
        ("dice", '["x"]'), ("dice", "{}"), ("salt", ""),
    ],
)  # fmt: skip
def test_columns_of_a_wrong_type_are_refused_with_their_line(
    table: Table, tmp_path: Path, column: str, value: Any
) -> None:
    lines = exported(table, tmp_path / "x.gz")
    number = next(i for i, line in enumerate(lines) if line.get("event", [0])[0] == 2)
    lines[number]["event"][COLUMN[column]] = value
    file = forge(lines, tmp_path / "y.gz")
    wipe()
    with pytest.raises(Refused) as caught:
        import_campaign(file, table.users["olga"])
    assert caught.value.code in ("broken_file", "tampered_file")
    assert caught.value.value in (f"line {number + 1}", "position 2")
    assert not Campaign.objects.exists() and not Event.objects.exists()


def test_a_role_that_is_none_is_refused_with_its_line(table: Table, tmp_path: Path) -> None:
    lines = exported(table, tmp_path / "x.gz")
    number = next(i for i, line in enumerate(lines) if line.get("event", [0, "", ""])[2] == "member.joined")
    data = json.loads(lines[number]["event"][COLUMN["data"]])
    lines[number]["event"][COLUMN["data"]] = json.dumps({**data, "role": "emperor"})
    file = forge(lines, tmp_path / "y.gz")
    wipe()
    with pytest.raises(Refused) as caught:
        import_campaign(file, table.users["olga"])
    assert caught.value.code in ("broken_file", "tampered_file")
    assert not Campaign.objects.exists() and not Event.objects.exists()


@pytest.mark.parametrize("field, value", [("campaign", "x"), ("digest", "zz"), ("position", HUGE), ("position", -1)])
def test_headers_of_a_wrong_type_are_refused(table: Table, tmp_path: Path, field: str, value: Any) -> None:
    lines = exported(table, tmp_path / "x.gz")
    lines[0][field] = value
    file = tmp_path / "y.gz"
    file.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
    for reads in (lambda: import_campaign(file, table.users["olga"]), lambda: verify_file(file)):
        with pytest.raises(Refused) as caught:
            reads()
        assert caught.value.value == "line 1"


def test_a_file_of_empty_lines_is_refused_at_the_first(table: Table, tmp_path: Path) -> None:
    lines = exported(table, tmp_path / "x.gz")
    file = forge([lines[0], {}, *lines[1:]], tmp_path / "y.gz")
    with pytest.raises(Refused) as caught:
        verify_file(file)
    assert (caught.value.code, caught.value.value) == ("broken_file", "line 2")


def test_a_file_that_swells_beyond_all_measure_is_refused(table: Table, tmp_path: Path) -> None:
    """A gigabyte of blanks in a megabyte; what an export comes to is known from its size."""
    lines = exported(table, tmp_path / "x.gz")
    file = tmp_path / "y.gz"
    padded = {"enclosed": "packs", "item": " " * (1 << 20)}
    head = json.dumps(lines[0]) + "\n"
    file.write_bytes(gzip.compress((head + (json.dumps(padded) + "\n") * 40).encode()))
    assert file.stat().st_size < 1 << 20
    with pytest.raises(Refused) as caught:
        verify_file(file)
    assert "too long" in caught.value.message


def test_events_that_do_not_fit_together_leave_nothing(table: Table, tmp_path: Path) -> None:
    """A stream that begins with no beginning: each event is well formed."""
    lines = exported(table, tmp_path / "x.gz")
    events = [
        line for line in lines if "event" in line and line["event"][2] not in ("campaign.started", "member.joined")
    ]
    for position, line in enumerate(events, 1):
        line["event"][0] = position
        line["event"][COLUMN["cause"]] = None
    lines[0]["position"] = len(events)
    file = forge([lines[0], *events, lines[-1]], tmp_path / "y.gz")
    wipe()
    with pytest.raises(Refused):
        import_campaign(file, table.users["olga"])
    assert not Campaign.objects.exists() and not Event.objects.exists()


@pytest.mark.parametrize("item", [None, "x", {}, {"pack": "x", "version": "", "digest": "", "files": {"a": "***"}}])
def test_packs_in_a_file_that_are_none_are_refused(table: Table, tmp_path: Path, item: Any) -> None:
    lines = exported(table, tmp_path / "x.gz")
    file = forge([lines[0], {"enclosed": "packs", "item": item}, *lines[1:]], tmp_path / "y.gz")
    wipe()
    with pytest.raises(Refused) as caught:
        import_campaign(file, table.users["olga"])
    assert caught.value.code == "pack_problems"


@pytest.mark.parametrize(
    "kind, field, value",
    [
        ("seed.committed", "commitment", 0), ("seed.committed", "number", "x"), ("seed.committed", "nonce", None),
        ("seed.revealed", "seed", "zz"), ("seed.revealed", "number", True), ("test.thrown", "dice", ["x"]),
    ],
)  # fmt: skip
def test_a_table_whose_dice_say_nonsense_is_named_by_verify(table: Table, kind: str, field: str, value: Any) -> None:
    table.send("pia", Throw(name="a", sides=(20,)))
    with connection.cursor() as cursor:
        export_whole(table.campaign_id, BytesIO())
        cursor.execute("SELECT position, data, dice FROM campaigns_event WHERE type = %s", [kind])
        position, data, _ = cursor.fetchone()
        guards.remove(connection)
        if field == "dice":
            cursor.execute("UPDATE campaigns_event SET dice = %s WHERE position = %s", [json.dumps(value), position])
        else:
            changed = json.dumps({**json.loads(data), field: value}, separators=(",", ":"))
            cursor.execute("UPDATE campaigns_event SET data = %s WHERE position = %s", [changed, position])
        guards.install(connection)
    first = verify_campaign(table.campaign_id).first_break
    assert first is not None and first.position == position


def test_lines_nested_beyond_all_measure_are_refused_with_their_line(table: Table, tmp_path: Path) -> None:
    lines = exported(table, tmp_path / "x.gz")
    deep = "[" * 200_000 + "]" * 200_000
    head, file = json.dumps(lines[0]), tmp_path / "y.gz"
    for text, place in ((f'{{"tebook": 2, "x": {deep}}}', 1), (f'{head}\n{{"enclosed": "packs", "item": {deep}}}', 2)):
        file.write_bytes(gzip.compress(text.encode() + b"\n"))
        for reads in (lambda: import_campaign(file, table.users["olga"]), lambda: verify_file(file)):
            with pytest.raises(Refused) as caught:
                reads()
            assert (caught.value.code, caught.value.value) == ("broken_file", f"line {place}")


def test_an_event_nested_beyond_all_measure_is_refused(table: Table, tmp_path: Path) -> None:
    lines = exported(table, tmp_path / "x.gz")
    number = next(i for i, line in enumerate(lines) if line.get("event", [0, "", ""])[2] == "campaign.started")
    lines[number]["event"][COLUMN["data"]] = '{"name": ' + "[" * 100_000 + "]" * 100_000 + "}"
    text = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    file = tmp_path / "y.gz"
    file.write_bytes(gzip.compress(text))
    for reads in (lambda: import_campaign(file, table.users["olga"]), lambda: verify_file(file)):
        with pytest.raises(Refused) as caught:
            reads()
        assert caught.value.code in ("broken_file", "tampered_file")


def began_on(season: Season, folder: Path, day: str) -> Path:
    """The campaign's file in which its calendar began on another day; the campaign is gone."""
    source = folder / "x.gz"
    with source.open("wb") as target:
        export_whole(season.table.campaign_id, target)
    lines = [json.loads(line) for line in gzip.decompress(source.read_bytes()).splitlines()]
    number = next(i for i, line in enumerate(lines) if line.get("event", [0, "", ""])[2] == "calendar.started")
    data = json.loads(lines[number]["event"][COLUMN["data"]])
    lines[number]["event"][COLUMN["data"]] = json.dumps({**data, "starts_on": day})
    wipe()
    return forge(lines, folder / "y.gz")


@pytest.mark.parametrize("day", ["0001-01-01", "0001-01-08", "1900-01-01", "2000-01-03", "9999-12-27"])
def test_a_calendar_of_another_age_is_refused(transactional_db: None, tmp_path: Path, day: str) -> None:
    """It would have a worker close weeks for hours, or fail at every tick."""
    season = make_season()
    with pytest.raises(Refused) as caught:
        import_campaign(began_on(season, tmp_path, day), season.table.users["olga"])
    assert caught.value.code == "broken_file"
    assert not Campaign.objects.exists() and not Event.objects.exists()


def test_a_calendar_that_stood_still_for_years_is_taken_in(transactional_db: None, tmp_path: Path) -> None:
    season = make_season()
    import_campaign(began_on(season, tmp_path, "2016-01-04"), season.table.users["olga"])
    assert Campaign.objects.count() == 1


def test_ids_that_are_none_are_refused_with_their_line(table: Table, tmp_path: Path) -> None:
    """They become parts of addresses."""
    table.character("pia")
    lines = exported(table, tmp_path / "x.gz")
    number = next(i for i, line in enumerate(lines) if line.get("event", [0, "", ""])[2] == "subject.created")
    data = json.loads(lines[number]["event"][COLUMN["data"]])
    for field, value in (("subject", '../../x y?#"<script>'), ("players", ["a/b"])):
        lines[number]["event"][COLUMN["data"]] = json.dumps({**data, field: value})
        file = forge(lines, tmp_path / "y.gz")
        wipe()
        with pytest.raises(Refused) as caught:
            import_campaign(file, table.users["olga"])
        assert (caught.value.code, caught.value.value) == ("broken_file", f"line {number + 1}")
        assert "is no id" in caught.value.message and not Campaign.objects.exists()


def test_who_comes_second_with_the_same_file_is_told_that_it_is_here(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both had looked before either had written."""
    exported(table, tmp_path / "x.gz")
    monkeypatch.setattr(importing, "lock_head", lambda _campaign_id: None)
    with pytest.raises(Refused) as caught:
        import_campaign(tmp_path / "x.gz", table.users["olga"], new=True)
    assert caught.value.code == "here_already"
