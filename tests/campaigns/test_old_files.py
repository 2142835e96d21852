"""Files that earlier versions exported are read for ever; recordings are added, never changed."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table
from campaigns.store import states
from campaigns.transfer.importing import import_campaign
from campaigns.transfer.lines import FORMAT, SEEN, WHOLE, File
from campaigns.transfer.verifying import verify_file
from campaigns.verifying import verify_campaign

FILES = sorted((Path(__file__).parent / "files").glob("*.gz"))


def test_every_format_before_todays_is_recorded_both_ways() -> None:
    kinds = {(file.header.tidebook, file.header.kind) for file in map(File, FILES)}
    assert {(number, kind) for number in range(1, FORMAT) for kind in (WHOLE, SEEN)} <= kinds


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_an_old_file_is_checked_and_taken_in(file: Path, transactional_db: None) -> None:
    report = verify_file(file)
    assert report.sound and report.events == File(file).header.position
    if File(file).header.kind == SEEN:
        assert report.hidden
        return
    done = import_campaign(file, User.objects.create_user("olga").pk)
    with states.held(done.campaign_id) as state:
        assert state.part(Table).name == "The Long Tide"
        names = {subject.name: subject.hidden for subject in state.part(Subjects).by_id.values()}
        assert names == {"Talyne": False, "CanaryFoe": True}
    assert verify_campaign(done.campaign_id).sound
