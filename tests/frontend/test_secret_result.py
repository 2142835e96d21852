"""A secret test goes on saying that it is one after its dice fell, wherever its result is shown."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.commands.calls import CallTest, RollTest
from tests.frontend.test_pages import address, client_of
from tests.identity.season import Season, make_season

BADGE = "</svg> Secret</span>"


@pytest.fixture
def season(transactional_db: None) -> Season:
    return make_season()


def rolled(season: Season, *, secret: bool) -> str:
    call = CallTest(
        pack="spindrift-identity",
        test="identity",
        roles={"holder": season.talyne},
        given={"pair": "bold_cautious"},
        decision="Leap",
        secret=secret,
    )
    called: Any = season.send("olga", call).events[0].event
    season.send("pia", RollTest(call=called.call))
    return str(called.call)


@pytest.mark.parametrize("secret", [True, False])
def test_the_badge_stays_when_the_dice_have_fallen(season: Season, secret: bool) -> None:
    call = rolled(season, secret=secret)
    for who in ("pia", "olga"):
        client = client_of(season.table, who)
        for where in (address(season.table, "test", call), address(season.table, "tests")):
            assert (BADGE in client.get(where).content.decode()) is secret, (who, where)
    told = client_of(season.table, "pia").get(f"/api/campaigns/{season.table.campaign_id}/feed?limit=200").json()
    assert [one["few"] for one in told["entries"] if one["type"] == "test.resolved"] == [secret]
