"""Streams that earlier versions recorded replay to the state they had then; recordings are added, never changed.

A new recording: play what should be covered, then ``manage.py record_stream CAMPAIGN tests/campaigns/streams/NAME``.
"""

from io import StringIO
from pathlib import Path

import msgspec
import pytest
from django.core.management import call_command

from campaigns import events
from campaigns.events import Event, event_type, upcaster
from campaigns.recording import lost, plain, record, replay
from campaigns.store import states
from rules.refusal import Refused
from tests import recordings
from tests.campaigns.playing import play
from tests.campaigns.tables import Table

STREAMS = sorted((Path(__file__).parent / "streams").glob("*.jsonl"))


@pytest.mark.parametrize("file", STREAMS, ids=lambda file: file.stem)
def test_a_recorded_stream_replays_to_its_state(file: Path) -> None:
    with file.open(encoding="utf-8") as lines:
        state, recorded = replay(lines)
    assert not list(lost(recorded, plain(state)))


# What stands in no recording, and why.
UNRECORDED: dict[str, str] = {}


def test_every_type_of_event_stands_in_a_recording() -> None:
    """All of today's, and each step of those that hold one of several; `tests.recordings` makes what is missing."""
    missing = {name for name, _ in recordings.registered() - recordings.recorded()}
    assert missing == set(UNRECORDED)


def test_the_recorder_writes_what_replays(table: Table, tmp_path: Path) -> None:
    play(table)
    file = tmp_path / "x.jsonl"
    call_command("record_stream", str(table.campaign_id), str(file), stdout=StringIO())
    with file.open(encoding="utf-8") as lines:
        state, recorded = replay(lines)
    with states.held(table.campaign_id) as now:
        assert plain(now) == plain(state) == recorded


def test_a_difference_is_named() -> None:
    assert list(lost({"a": {"b": 1, "c": 2}}, {"a": {"b": 3, "d": 4}})) == [".a.b was 1 and is 3", ".a.c is gone"]


def test_a_recording_cut_off_is_refused(table: Table) -> None:
    target = StringIO()
    record(table.campaign_id, target)
    with pytest.raises(Refused):
        replay(iter(target.getvalue().splitlines()[:-1]))


@pytest.fixture
def aged(monkeypatch: pytest.MonkeyPatch) -> type[Event]:
    """An event type at its third version, with the upcasters that its first two need."""
    for registry in ("_by_name", "_by_body", "_upcasters"):
        monkeypatch.setattr(events, registry, dict(getattr(events, registry)))

    @event_type("test.aged", version=3, shows={}, says=lambda d, names: "")
    class Aged(Event):
        amount: int
        unit: str

    @upcaster("test.aged", 1)
    def _one(data: dict[str, object]) -> dict[str, object]:
        return {"amount": data["value"]}

    @upcaster("test.aged", 2)
    def _two(data: dict[str, object]) -> dict[str, object]:
        return {**data, "unit": "step"}

    return Aged


@pytest.mark.parametrize(
    "version, data", [(1, b'{"value":3}'), (2, b'{"amount":3}'), (3, b'{"amount":3,"unit":"step"}')]
)
def test_every_old_version_is_lifted_to_todays(aged: type[Event], version: int, data: bytes) -> None:
    assert events.decode("test.aged", version, data) == aged(amount=3, unit="step")


def test_newer_versions_and_unknown_fields_are_refused(aged: type[Event]) -> None:
    with pytest.raises(Refused) as caught:
        events.decode("test.aged", 4, b"{}")
    assert caught.value.code == "newer_event"
    with pytest.raises(msgspec.ValidationError):
        events.decode("test.aged", 3, b'{"amount":3,"unit":"step","more":1}')


def test_every_event_type_of_an_old_version_has_its_upcasters() -> None:
    for kind in events.event_types():
        for version in range(1, kind.version):
            assert events.decoder_of(kind.name, version)
