"""The embedded broker: messages appear whole, and one that cannot be read ends nothing."""

from __future__ import annotations

from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from deploy.broker import Channel


@pytest.fixture
def channel(tmp_path: Path) -> Channel:
    options = {"data_folder_in": str(tmp_path), "data_folder_out": str(tmp_path), "control_folder": str(tmp_path / "c")}
    found = Connection("filesystem://", transport="deploy.broker:Transport", transport_options=options).channel()
    assert isinstance(found, Channel)
    return found


def test_what_is_put_is_got_once(channel: Channel, tmp_path: Path) -> None:
    channel._put("jobs", {"body": "x"})
    assert [path.suffix for path in tmp_path.iterdir() if path.is_file()] == [".msg"]
    assert channel._get("jobs") == {"body": "x"}
    with pytest.raises(Empty):
        channel._get("jobs")


@pytest.mark.parametrize("garbage", [b"", b"{", b"\xff\xfe"])
def test_garbage_is_passed_over(channel: Channel, tmp_path: Path, garbage: bytes) -> None:
    (tmp_path / "0_bad.jobs.msg").write_bytes(garbage)
    channel._put("jobs", {"body": "x"})
    assert channel._get("jobs") == {"body": "x"}


def test_what_is_not_finished_is_not_taken(channel: Channel, tmp_path: Path) -> None:
    (tmp_path / "0_half.jobs.msg.part").write_text('{"bo')
    with pytest.raises(Empty):
        channel._get("jobs")
