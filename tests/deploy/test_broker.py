"""A broker that loses every connection and every message for a while: what is due is done once all the same."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

from redis import Redis

from tests.frontend.test_season import KEEP, MAKE
from tests.services.network import until
from tests.services.site import Hosted

CLOSED = """
import json
from campaigns.models import Event, Notice
rows = Event.objects.filter(campaign_id="{campaign}", type="period.closed").order_by("position")
closed = [[data["rung"], data["number"]] for data in (json.loads(row.data) for row in rows)]
notices = Notice.objects.filter(campaign_id="{campaign}", kind__in=("week", "season"))
told = sorted(notices.values_list("position", "member"))
print("found " + json.dumps({{"closed": closed, "told": len(told), "twice": len(told) - len(set(told))}}))
"""


def found(site: Hosted, campaign: str) -> dict[str, Any]:
    said = site.run(CLOSED.format(campaign=campaign))
    answer: dict[str, Any] = json.loads(said.rpartition("found ")[2])
    return answer


def test_a_broker_that_is_lost_and_comes_back_empty_costs_no_close_and_no_notice(hosted: Hosted) -> None:
    made = json.loads(hosted.run(MAKE).rpartition("made ")[2])
    broker, over = Redis.from_url(hosted.environment["TIDEBOOK_REDIS_URL"]), threading.Event()
    lost = 0

    def lose() -> None:
        nonlocal lost
        while not over.is_set():
            lost += broker.client_kill_filter(_type="normal", skipme=True)
            broker.flushdb()
            time.sleep(0.1)

    loser = threading.Thread(target=lose)
    loser.start()
    try:
        hosted.run(KEEP.format(**made))
        time.sleep(3)
    finally:
        over.set()
        loser.join()
    assert lost > 0
    # Five weeks and a season are over; two members are told of each.
    expected = [["week", 1], ["week", 2], ["week", 3], ["week", 4], ["season", 1], ["week", 5]]
    until(lambda: found(hosted, made["campaign"])["told"] == 2 * len(expected), 300, "closes and notices")
    after = found(hosted, made["campaign"])
    assert after["closed"] == expected and after["twice"] == 0
