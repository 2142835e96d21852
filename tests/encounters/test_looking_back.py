"""An encounter as it stood, by entry and date; hidden then, or shown in error, is found by nobody who looks back."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import time_machine
from django.urls import reverse

from campaigns.commands.subjects import CreateSubject, RevealSubject
from campaigns.commands.voiding import VoidAction
from campaigns.feed import cursor_of
from campaigns.models import Campaign
from encounters.commands.hand import AdjustInEncounter, PlaceInEncounter
from encounters.commands.playing import EndTurn
from encounters.commands.preparing import BeginEncounter, EndEncounter, JoinEncounter, SetEncounter, ShowInEncounter
from tests.campaigns.tables import Table
from tests.encounters.test_encounters import CANARY, ana, begun, bo, dice, foe, prepared, strike, table
from tests.frontend.test_making import text_of
from tests.frontend.test_pages import client_of

__all__ = ["ana", "bo", "dice", "foe", "table"]


def entry(table: Table, position: int) -> str:
    return cursor_of(table.campaign_id, position)


def asked(table: Table, who: str, encounter: str = "", **query: str) -> Any:
    path = f"/api/campaigns/{table.campaign_id}/encounters" + (f"/{encounter}" if encounter else "")
    return client_of(table, who).get(path, query)


def names(table: Table, who: str, encounter: str, **query: str) -> list[str]:
    return [one["name"] for one in asked(table, who, encounter, **query).json()["fighters"]]


def page(table: Table, who: str, encounter: str, **query: str) -> Any:
    return client_of(table, who).get(reverse("encounter", args=[table.campaign_id, encounter]), query)


def test_a_board_as_of_each_entry_of_its_fight(table: Table, ana: str, bo: str, dice: list[int]) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"}, width=9, height=9)
    for subject, x in ((ana, 3), (bo, 4)):
        placed = table.send("olga", PlaceInEncounter(encounter=encounter, subject=subject, x=x, y=4)).position
    dice += [11, 5, 7]  # 7 + 2 of Bo's 9 hp
    struck = table.send("pia", strike(encounter, ana, bo)).position
    table.send("pia", EndTurn(encounter=encounter))
    moved = table.send("olga", PlaceInEncounter(encounter=encounter, subject=bo, x=8, y=8)).position
    over = table.send("olga", EndEncounter(encounter=encounter)).position

    def bo_at(position: int) -> tuple[int, int, int, str]:
        board = asked(table, "paul", encounter, entry=entry(table, position)).json()
        one = next(f for f in board["fighters"] if f["name"] == "Bo")
        return one["tracks"][0]["value"], one["x"], one["y"], board["turn"]

    assert bo_at(placed) == (9, 4, 4, ana)
    assert bo_at(struck) == (0, 4, 4, ana)
    assert bo_at(moved) == (0, 8, 8, bo)
    assert asked(table, "paul", encounter, entry=entry(table, over)).status_code == 404
    assert asked(table, "paul", encounter).status_code == 404
    then = asked(table, "paul", entry=entry(table, struck)).json()["encounters"]
    assert [(one["title"], one["fighters"]) for one in then] == [("At the Ford", 2)]


def test_a_board_as_of_a_date(table: Table, ana: str, bo: str, dice: list[int]) -> None:
    start = datetime.now(UTC) + timedelta(days=1)
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"})
    found = []
    for day, hp in enumerate((8, 6, 4)):
        with time_machine.travel(start + timedelta(days=day), tick=False):
            table.send("olga", AdjustInEncounter(encounter=encounter, reason="Rain.", set={bo: {"hp": hp}}))
    for day in range(3):
        board = asked(table, "paul", encounter, date=(start + timedelta(days=day, hours=1)).isoformat()).json()
        found.append(board["fighters"][1]["tracks"][0]["value"])
    assert found == [8, 6, 4]
    assert asked(table, "paul", encounter, date="2020-01-01").status_code == 404


def test_nothing_is_asked_and_nothing_can_be_done_in_the_past(table: Table, ana: str, bo: str, dice: list[int]) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"}, seconds=30)
    dice += [1, 1]  # a critical miss asks Bo
    struck = entry(table, table.send("pia", strike(encounter, ana, bo)).position)
    assert asked(table, "paul", encounter).json()["waiting"]["asked"] != []
    for who in ("olga", "paul"):
        board = asked(table, who, encounter, entry=struck).json()
        assert board["waiting"]["of"] == ["Bo"]
        assert (board["waiting"]["asked"], board["waiting"]["deadline"], board["actors"]) == ([], None, [])
        html = page(table, who, encounter, entry=struck).content.decode()
        main = html.split("<main")[1].split("</main>")[0]
        assert "Nothing can be done here" in main and "Waits for Bo" in main
        assert "data-my-turn" not in main
        assert 'method="post"' not in main and "hx-get" not in main


def test_who_was_hidden_then_is_hidden_in_looking_back(table: Table, ana: str, foe: str, dice: list[int]) -> None:
    encounter = prepared(table, {ana: "party"})
    table.send("olga", JoinEncounter(encounter=encounter, subject=foe, side="beasts", hidden=True))
    ready = Campaign.objects.get(pk=table.campaign_id).position
    before = table.send("olga", BeginEncounter(encounter=encounter, initiative={ana: 5, foe: 9})).position
    shown = table.send("olga", ShowInEncounter(encounter=encounter, subject=foe, hidden=False)).position
    for who in ("pia", "wim"):
        assert asked(table, who, encounter, entry=entry(table, ready)).status_code == 404
        assert names(table, who, encounter, entry=entry(table, before)) == ["Ana"]
        assert names(table, who, encounter, entry=entry(table, shown)) == ["Wolf", "Ana"]
        assert str(CANARY) not in asked(table, who, encounter, entry=entry(table, shown)).content.decode()
    assert names(table, "olga", encounter, entry=entry(table, before)) == ["Wolf", "Ana"]
    assert names(table, "olga", encounter, entry=entry(table, ready)) == ["Ana", "Wolf"]
    hidden = page(table, "pia", encounter, entry=entry(table, before)).content.decode()
    assert "Ana" in hidden and "Wolf" not in hidden


def test_what_was_shown_in_error_is_not_shown_by_looking_back(
    table: Table, ana: str, bo: str, foe: str, dice: list[int]
) -> None:
    ghost: Any = table.send("olga", CreateSubject(kind="adversary", name="Ghost", hidden=True)).events[0].event
    encounter = begun(table, [ana, foe, bo], {ana: "party", foe: "beasts", bo: "rivals"}, foes="words")
    table.send("olga", ShowInEncounter(encounter=encounter, subject=foe, hidden=True))
    more = {"title": "At the Ford", "seconds": 0, "width": 0, "height": 0}
    acts = (
        ShowInEncounter(encounter=encounter, subject=foe, hidden=False),
        SetEncounter(encounter=encounter, foes="numbers", **more),
        JoinEncounter(encounter=encounter, subject=ghost.subject, side="beasts", initiative=1),
        RevealSubject(subject=ghost.subject),
        ShowInEncounter(encounter=encounter, subject=ghost.subject, hidden=False),
    )
    done = [table.send("olga", act).position for act in acts]
    shown = entry(table, done[-1])
    assert names(table, "pia", encounter, entry=shown) == ["Ana", "Wolf", "Bo", "Ghost"]
    assert str(CANARY) in asked(table, "pia", encounter, entry=shown).content.decode()
    for position in (done[1], done[3]):
        table.send("olga", VoidAction(entry=entry(table, position), reason="Too early."))
    seen = json.dumps(asked(table, "pia", encounter, entry=shown).json())
    assert "Ghost" not in seen and str(CANARY) not in seen and "Wolf" in seen
    table.send("olga", VoidAction(entry=entry(table, done[0]), reason="Too early."))
    table.send("olga", EndEncounter(encounter=encounter))
    assert names(table, "pia", encounter, entry=shown) == ["Ana", "Bo"]
    assert names(table, "olga", encounter, entry=shown) == ["Ana", "Wolf", "Bo", "Ghost"]


def test_pages_lead_to_how_it_stood(table: Table, ana: str, bo: str, dice: list[int]) -> None:
    encounter = begun(table, [ana, bo], {ana: "party", bo: "rivals"}, width=9, height=9)
    dice += [11, 5, 7]
    struck = entry(table, table.send("pia", strike(encounter, ana, bo)).events[0].position)
    to = f"{reverse('encounter', args=[table.campaign_id, encounter])}?entry={struck}"
    assert to in page(table, "pia", encounter).content.decode()
    past = reverse("past", args=[table.campaign_id]) + f"?entry={struck}"
    assert to in client_of(table, "pia").get(past).content.decode()
    table.send("olga", EndEncounter(encounter=encounter))
    html = client_of(table, "pia").get(to).content.decode()
    # The attack itself, and the hit points that it cost, which are told behind it.
    assert "HP 0 / 9" in text_of(client_of(table, "pia").get(to))
    assert "As written down by" in html and "Ana: Attack (Bo): A hit." in html
    assert page(table, "pia", encounter, entry="nonsense").status_code == 404
    early = page(table, "pia", encounter, date="2020-01-01")
    assert early.status_code == 200 and " was not yet written down by " in early.content.decode()
