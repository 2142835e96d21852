"""What looks across campaigns walks their heads: beside slow transactions it passes nothing and sees nothing twice."""

from __future__ import annotations

from uuid import UUID

import pytest

from campaigns import models
from campaigns.store import read
from encounters.reading import heads
from tests.campaigns import throwing  # noqa: F401  (its events are read here)
from tests.campaigns.outside import finish, start
from tests.campaigns.tables import make_table

pytestmark = pytest.mark.django_db(transaction=True)

# Each command lies open between its append and its commit for another while, so that commits come in another order
# than appends did.
SLOW = """
import time
from campaigns import entrance
project = entrance.project
waits = [int(text) / 1000 for text in sys.argv[3].split(",")]
def slow(*arguments):
    project(*arguments)
    time.sleep(waits.pop(0))
entrance.project = slow
sys.stdin.readline()
while waits:
    execute(campaign_id, Throw(name="slow", events=2), actor, command_id=uuid4())
"""


def test_a_walker_over_all_campaigns_passes_no_event_that_is_committed_late() -> None:
    tables = [make_table() for _ in range(3)]
    waits = ["60,5,40,5,30,5", "5,50,5,40,5,30", "20,20,20,20,20,20"]
    seen: dict[UUID, list[int]] = {table.campaign_id: [] for table in tables}
    writers = [
        start(SLOW, table.campaign_id, table.users["pia"], wait) for table, wait in zip(tables, waits, strict=True)
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    while True:
        over = all(writer.poll() is not None for writer in writers)
        moved = False
        for campaign_id, position in heads(seen).items():
            known = seen[campaign_id]
            found = read.events_after(campaign_id, known[-1] if known else 0)
            # What a head says is there: nothing below it is still to come.
            assert {e.position for e in found} >= set(range((known[-1] if known else 0) + 1, position + 1))
            known += [e.position for e in found]
            moved = moved or bool(found)
        if over and not moved:
            break
    for writer in writers:
        finish(writer)
    for campaign in models.Campaign.objects.all():
        assert seen[campaign.pk] == list(range(1, campaign.position + 1))
        assert sum(e.type == "test.thrown" for e in read.events_after(campaign.pk, 0)) == 12
