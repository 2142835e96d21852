"""The ends of periods, sessions, scenes and rests at the table: cards act, and what lasts until then ends."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import time_machine

from campaigns.audience import name_finder, view_event
from campaigns.commands import calendar as c
from campaigns.commands.calls import CallTest, RollTest
from campaigns.commands.containers import CloseContainer, OpenContainer, PauseContainer
from campaigns.commands.sheets import ApplyCard
from campaigns.commands.subjects import CreateSubject
from campaigns.commands.voiding import RestoreAction, VoidAction
from campaigns.events import Recorded
from campaigns.feed import cursor_of
from campaigns.packs import keep_shelf
from campaigns.parts.acts import CardActed
from campaigns.parts.sheets import Sheets
from campaigns.store import states
from campaigns.tasks import do_all
from identity.reads import period_report, preview
from rules.packs import folder
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table

PACK = """
id: moors
version: 1.0.0
title: The Moors
source: Our own.
rights: Our own.
"""
RULES = """
calendar:
  ladder:
    - {id: week, title: Week, unit: iso_monday}
    - {id: moon, title: Moon, of: week, count: 2}
  stamp: "Moon {moon}, week {week}"
  paused_stamp: "Moon {moon}"
kinds:
  hero:
    title: Hero
    stats: {debt: {type: int, min: 0, max: 200, default: 10}, meals: {type: int, min: 0, max: 5, default: 0}}
card_types:
  mood: {title: Mood, fields: {}}
  rule: {title: Rule, by_hand: true}
cards:
  mood:
    wary: {title: Wary, stacks: count}
    proud: {title: Proud}
  rule:
    lender:
      title: The lender
      triggers:
        - at: moon_end
          kinds: [hero]
          steps:
            - {roll: interest, count: 2, sides: 6}
            - {change: {holder.debt: interest.total}}
    spy:
      title: The spy
      triggers:
        - at: moon_end
          kinds: [hero]
          steps: [{roll: watch, sides: 20, seen: gm}, {set: {holder.meals: 1}}]
    glutton:
      title: The glutton
      triggers:
        - {at: scene_end, kinds: [hero], steps: [{change: {holder.meals: 1}}]}
        - {at: session_end, kinds: [hero], steps: [{set: {holder.meals: "5 if holder.meals == 3 else 0"}}]}
    careful:
      title: The careful
      triggers:
        - at: week_end
          kinds: [hero]
          when: holder.debt > 10
          steps: [{require: holder.debt > 99, reason: no, text: Too little.}]
tests:
  worry:
    title: Worry
    roles: {who: {kinds: [hero]}}
    inputs: {until: {type: name, options: [week, moon, scene, session]}}
    steps:
      - {apply: wary, of: who, until: {at: week_end, count: 2}, when: until == 'week'}
      - {apply: wary, of: who, until: {at: moon_end}, when: until == 'moon'}
      - {apply: wary, of: who, until: {at: scene_end}, when: until == 'scene'}
      - {apply: wary, of: who, until: {at: session_end}, when: until == 'session'}
  watch_over:
    title: Watch over
    roles: {who: {kinds: [hero]}, by: {kinds: [hero]}}
    steps: [{apply: proud, of: who, until: {at: long_rest_end, of: by}}]
  rest:
    title: A rest
    roles: {who: {kinds: [hero]}}
    steps: [{happens: long_rest_end, of: who}]
"""


@pytest.fixture
def table(transactional_db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    monkeypatch.setattr(folder, "SHELF", tmp_path)
    (tmp_path / "moors").mkdir()
    (tmp_path / "moors" / "pack.yaml").write_text(PACK)
    (tmp_path / "moors" / "rules.yaml").write_text(RULES)
    keep_shelf()
    with time_machine.travel(datetime(2026, 1, 1, 12, tzinfo=UTC), tick=False):
        made = make_table({"moors": ""})
        made.send("olga", c.StartCalendar(zone="Europe/London", starts_on=date(2026, 1, 5)))
    return made


def hero(table: Table, *cards: str, name: str = "Ana", secret: bool = False, who: str = "pia") -> str:
    subject = table.send(who, CreateSubject(kind="hero", name=name)).events[0].event.subject
    for card in cards:
        table.send("olga", ApplyCard(subject=subject, pack="moors", card=card, secret=secret))
    return subject


def test_(table: Table, test: str, roles: dict[str, str], **given: Any) -> list[Recorded]:
    call = table.send("olga", CallTest(pack="moors", test=test, roles=roles, given=given)).events[0].event.call
    who = "pia"
    return list(table.send(who, RollTest(call=call)).events)


test_.__test__ = False  # type: ignore[attr-defined]


def sheet(table: Table, subject: str) -> tuple[int, int, list[str]]:
    """Debt, meals and the cards in force."""
    with states.held(table.campaign_id) as state:
        found = state.part(Sheets).sheet(subject, "moors")
        return found.values.get("debt", 10), found.values.get("meals", 0), sorted(h.card for h in found.held)


def close(table: Table, rung: str, number: int, day: int, attempt: int = 1) -> list[Recorded]:
    with time_machine.travel(datetime(2026, 1, day, 12, tzinfo=UTC), tick=False):
        return list(table.send("olga", c.ClosePeriod(rung=rung, number=number, attempt=attempt)).events)


def acted(events: list[Recorded]) -> list[CardActed]:
    return [e.event for e in events if isinstance(e.event, CardActed)]


def faces(events: list[Recorded]) -> list[int]:
    return [face for e in events for draw in e.dice for face in draw.faces]


def test_a_period_that_closes_ends_what_lasts_until_then(table: Table) -> None:
    ana = hero(table)
    test_(table, "worry", {"who": ana}, until="week")
    test_(table, "worry", {"who": ana}, until="moon")
    first = close(table, "week", 1, 13)
    assert sheet(table, ana)[2] == ["wary", "wary"]
    # The one that must see two weeks is put back with one to go, in the week's own command.
    assert [e.type for e in first if e.type.startswith("card")] == ["card.ended", "card.applied"]
    close(table, "week", 2, 20)
    assert sheet(table, ana)[2] == ["wary"]
    moon = close(table, "moon", 1, 20)
    assert sheet(table, ana)[2] == []
    ended = next(e for e in moon if e.type == "card.ended")
    assert ended.cause == moon[0].position and ended.happened_at == moon[0].happened_at


def test_cards_act_by_the_job_and_roll_the_same_when_the_close_is_taken_back_and_done_again(table: Table) -> None:
    ana, bo = hero(table, "lender"), hero(table, "lender", name="Bo", who="paul")
    with time_machine.travel(datetime(2026, 1, 20, 12, tzinfo=UTC), tick=False):
        assert do_all(table.campaign_id, datetime(2026, 1, 20, 12, tzinfo=UTC)) == 3
    owed = [sheet(table, one)[0] for one in (ana, bo)]
    assert all(12 <= debt <= 22 for debt in owed)
    table.send("olga", c.TakeBackClose(rung="moon", number=1, reason="Too soon"))
    assert [sheet(table, one)[0] for one in (ana, bo)] == [10, 10]
    again = close(table, "moon", 1, 21, attempt=2)
    assert [sheet(table, one)[0] for one in (ana, bo)] == owed
    told = acted(again)
    assert [(e.subject, e.title, e.when) for e in told] == [
        (ana, "The lender", "Moon 1 ends"),
        (bo, "The lender", "Moon 1 ends"),
    ]
    assert faces(again) == [die["face"] for e in told for die in e.dice["interest"]]
    assert [10 + sum(die["face"] for die in e.dice["interest"]) for e in told] == owed


def test_the_report_tells_what_cards_did_and_the_preview_what_they_would(table: Table) -> None:
    ana = hero(table, "lender")
    bo = hero(table, "lender", name="Bo", who="paul", secret=True)
    test_(table, "worry", {"who": ana}, until="moon")
    with states.held(table.campaign_id) as state:
        would = preview(state, table.viewer("olga"), datetime(2026, 1, 6, tzinfo=UTC), "moon").cards
        with pytest.raises(Refused):
            preview(state, table.viewer("pia"), datetime(2026, 1, 6, tzinfo=UTC), "moon")
    assert [(one.subject, one.card, one.does) for one in would] == [
        (ana, "The lender", "acts"),
        (ana, "Wary", "ends"),
        (bo, "The lender", "acts"),
    ]
    for number, day in ((1, 13), (2, 20)):
        close(table, "week", number, day)
    moon = close(table, "moon", 1, 20)
    (rolled, _) = acted(moon)
    with states.held(table.campaign_id) as state:
        told = period_report(state, table.viewer("pia"), "moon", 1)
        whole = period_report(state, table.viewer("olga"), "moon", 1)
    assert told is not None and whole is not None
    (mine,) = told.subjects
    assert mine.cards[0].dice == {"interest": tuple(die["face"] for die in rolled.dice["interest"])}
    assert [card.says for card in mine.cards][::2] == ["Ana: The lender (Moon 1 ends)", "Wary ended for Ana."]
    assert [subject.name for subject in whole.subjects] == ["Ana", "Bo"]


def test_a_close_sent_twice_acts_once(table: Table) -> None:
    ana = hero(table, "lender")
    close(table, "week", 1, 20)
    close(table, "week", 2, 20)
    command, key = c.ClosePeriod(rung="moon", number=1), c.close_id(table.campaign_id, "moon", 1, 1)
    with time_machine.travel(datetime(2026, 1, 20, 12, tzinfo=UTC), tick=False):
        table.send("job:calendar", command, key)
        owed = sheet(table, ana)
        assert table.send("job:calendar", command, key).again
    assert sheet(table, ana) == owed


def test_what_cannot_act_is_told_the_game_master_and_holds_nothing_up(table: Table) -> None:
    ana = hero(table, "lender", "careful")
    for rung, number, day in (("week", 1, 13), ("week", 2, 20), ("moon", 1, 20)):
        assert not [e for e in acted(close(table, rung, number, day)) if e.failed]
    third = close(table, "week", 3, 27)
    (failed,) = [e for e in third if isinstance(e.event, CardActed)]
    assert failed.event.failed == "Too little." and failed.audience == "gm"
    assert sheet(table, ana)[0] > 10


def test_dice_that_few_may_know_are_told_apart_and_a_secret_card_acts_in_secret(table: Table) -> None:
    ana = hero(table, "spy")
    bo = hero(table, "spy", name="Bo", who="paul", secret=True)
    for number, day in ((1, 13), (2, 20)):
        close(table, "week", number, day)
    moon = close(table, "moon", 1, 20)
    with states.held(table.campaign_id) as state:
        names = name_finder(state)
    seen = [view for e in moon if (view := view_event(e, table.viewer("pia"), names)) is not None]
    about = [v["data"] for v in seen if v["type"].startswith("card")]
    assert [d["subject"] for d in about] == [ana] and about[0]["dice"] == {}
    # Who sees an event may look up its dice: those of the watch lie on what is the game master's.
    assert [e.audience for e in moon if e.dice and e.type.startswith("card")] == ["gm", "gm"]
    changed = [e for e in moon if e.type == "sheet.changed"]
    assert [(e.event.subject, e.audience) for e in changed] == [(ana, "table"), (bo, "gm")]


def test_a_scene_ends_and_then_the_session_in_one_command(table: Table) -> None:
    ana = hero(table, "glutton")
    session = table.send("olga", OpenContainer(kind="session", title="First")).events[0].event.container
    table.send("olga", OpenContainer(kind="scene", title="The mill"))
    test_(table, "worry", {"who": ana}, until="scene")
    test_(table, "worry", {"who": ana}, until="session")
    closed = table.send("olga", CloseContainer(container=session)).events
    kinds = [e.type for e in closed if not e.type.startswith("seed")]
    one = ["container.closed", "card.acted", "sheet.changed", "card.ended"]
    # The glutton's meal of the scene is known to what it does when the session ends: 1 is not 3.
    assert kinds == one + one
    assert sheet(table, ana) == (10, 0, ["glutton"])
    assert [e.when for e in acted(list(closed))] == ["The mill ends", "First ends"]
    table.send("olga", VoidAction(entry=cursor_of(table.campaign_id, closed[0].position), reason="Not yet"))
    assert sheet(table, ana) == (10, 0, ["glutton", "wary", "wary"])


def test_taking_back_the_end_of_a_scene_puts_things_back_and_letting_it_stand_ends_them(table: Table) -> None:
    ana = hero(table, "glutton")
    scene = table.send("olga", OpenContainer(kind="scene", title="The mill")).events[0].event.container
    test_(table, "worry", {"who": ana}, until="scene")
    closed = table.send("olga", CloseContainer(container=scene)).events
    assert sheet(table, ana) == (10, 1, ["glutton"])
    void = table.send("olga", VoidAction(entry=cursor_of(table.campaign_id, closed[0].position), reason="Not yet"))
    assert sheet(table, ana) == (10, 0, ["glutton", "wary"])
    table.send("olga", RestoreAction(entry=cursor_of(table.campaign_id, void.events[-1].position)))
    assert sheet(table, ana) == (10, 1, ["glutton"])


def test_a_scene_ends_for_those_who_are_in_no_other(table: Table) -> None:
    ana, bo, cy = hero(table), hero(table, name="Bo", who="pia"), hero(table, name="Cy", who="pia")
    for one in (ana, bo, cy):
        test_(table, "worry", {"who": one}, until="scene")
    mill = table.send("olga", OpenContainer(kind="scene", title="The mill", participants=(ana,))).events[0]
    table.send("olga", PauseContainer(container=mill.event.container))
    ford = table.send("olga", OpenContainer(kind="scene", title="The ford", participants=(bo,))).events[0]
    table.send("olga", CloseContainer(container=ford.event.container))
    assert [sheet(table, one)[2] for one in (ana, bo, cy)] == [["wary"], [], []]
    table.send("olga", CloseContainer(container=mill.event.container))
    assert sheet(table, ana)[2] == []


def test_the_end_of_a_hidden_scene_shows_the_table_nothing(table: Table) -> None:
    ana = hero(table, "glutton")
    shade = table.send("olga", CreateSubject(kind="hero", name="Shade", hidden=True)).events[0].event.subject
    table.send("olga", ApplyCard(subject=shade, pack="moors", card="glutton"))
    den = table.send("olga", OpenContainer(kind="scene", title="The den", hidden=True)).events[0]
    closed = table.send("olga", CloseContainer(container=den.event.container)).events
    assert sheet(table, ana)[1] == 0 and sheet(table, shade)[1] == 1
    with states.held(table.campaign_id) as state:
        names = name_finder(state)
    assert [view_event(e, table.viewer("pia"), names) for e in closed] == [None] * len(closed)


def test_a_rest_ends_what_others_keep_until_then(table: Table) -> None:
    ana, bo = hero(table), hero(table, name="Bo", who="pia")
    test_(table, "watch_over", {"who": bo, "by": ana})
    test_(table, "rest", {"who": bo})
    assert sheet(table, bo)[2] == ["proud"]
    events = test_(table, "rest", {"who": ana})
    assert sheet(table, bo)[2] == []
    assert [e.type for e in events] == ["test.resolved", "card.ended"] and events[1].holders == (bo,)
