"""Ids of jobs' commands: nobody else can send one, so nobody stops what a job has to do."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from campaigns.commands.calendar import close_id
from campaigns.commands.seats import Leave
from campaigns.context import Actor
from campaigns.entrance import execute
from campaigns.job_ids import is_job_id, job_id
from rules.refusal import Refused
from tests.campaigns.tables import Table


def test_the_same_thing_has_one_id_in_every_campaign_another() -> None:
    one, other = uuid4(), uuid4()
    assert job_id(one, "close week:2:1") == close_id(one, "week", 2, 1) != job_id(other, "close week:2:1")
    assert job_id(one, "close week:2:1") != job_id(one, "close week:2:2")


def test_ids_of_people_are_none_of_a_job() -> None:
    assert is_job_id(job_id(uuid4(), "anything"))
    assert not is_job_id(uuid4())
    assert not is_job_id(UUID("01980000-0000-7000-8000-000000000000"))


def test_nobody_sends_a_job_s_id(table: Table) -> None:
    taken = close_id(table.campaign_id, "week", 2, 1)
    with pytest.raises(Refused) as refused:
        execute(table.campaign_id, Leave(), Actor(user=table.users["pia"]), command_id=taken)
    assert (refused.value.code, refused.value.field, refused.value.value) == (
        "reserved_command_id",
        "command_id",
        str(taken),
    )
