"""Who belongs to which body, from when to when, and what the rules let depend on it (SPI-007, 008, 139, 140)."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
import time_machine

from campaigns import models
from campaigns.belonging import stretches
from campaigns.commands.affiliations import BeginAffiliation, EndAffiliation
from campaigns.commands.calendar import StartCalendar
from campaigns.commands.calls import CallTest
from campaigns.commands.containers import OpenContainer
from campaigns.commands.subjects import CreateSubject
from campaigns.commands.voiding import VoidAction
from campaigns.feed import cursor_of, newer
from campaigns.projecting import project_all
from campaigns.store import states
from identity.commands.marks import ProposeMark
from identity.commands.pairs import EnterPairs
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table
from tests.identity.season import utc

PACK = "spindrift-identity"


class House:
    """A house that nobody plays; Talyne is Pia's, Orrin is Paul's."""

    def __init__(self) -> None:
        self.table: Table = make_table({PACK: ""})
        self.talyne, self.orrin = self.table.character("pia"), self.table.character("paul", "Orrin")
        self.id = self.send("olga", CreateSubject(kind="house", name="House Veld")).subject
        self.send("olga", EnterPairs(subject=self.id, ratings={"dynastic": 15}))

    def send(self, who: str, command: Any) -> Any:
        return self.table.send(who, command).events[0].event

    def take_in(self, subject: str, **more: Any) -> str:
        return str(self.send("olga", BeginAffiliation(subject=subject, body=self.id, **more)).affiliation)

    def knows(self, who: str) -> bool:
        return self.id in self.table.viewer(who).knows

    def call(self, who: str, **more: Any) -> Any:
        given = {"pair": "dynastic_individual"}
        command = CallTest(pack=PACK, test="identity", roles={"holder": self.id}, given=given, decision="Wed?", **more)
        return self.send(who, command)

    def deed(self, **more: Any) -> str:
        ties = {"concerning": (self.id,)}
        return str(self.send("olga", OpenContainer(kind="deed", title="The vows", ties=ties, **more)).container)


@pytest.fixture
def house(transactional_db: None) -> House:
    return House()


def test_a_members_player_knows_the_houses_sheet_and_no_longer_once_it_is_over(house: House) -> None:
    assert not house.knows("pia")
    belongs = house.take_in(house.talyne, standing="Heir")
    assert house.knows("pia") and not house.knows("paul") and not house.knows("wim")
    seen = _types(house.table, "pia")
    assert "pairs.opened" in seen and "pairs.opened" not in _types(house.table, "paul")
    house.send("olga", EndAffiliation(affiliation=belongs))
    assert not house.knows("pia")
    assert "pairs.opened" not in _types(house.table, "pia")


def _seen(table: Table, who: str) -> list[dict[str, Any]]:
    with states.held(table.campaign_id) as state:
        return [entry.view for entry in newer(state, table.viewer(who), 0, 500)]


def _types(table: Table, who: str) -> list[str]:
    return [view["type"] for view in _seen(table, who)]


def test_the_stretch_of_time_is_kept_and_belonging_again_is_another(house: House) -> None:
    with time_machine.travel(utc(2026, 3, 1, 12), tick=False):
        first = house.take_in(house.talyne, since=utc(2025, 5, 2), standing="Ward")
        house.send("olga", EndAffiliation(affiliation=first, until=utc(2026, 2, 3), reason="Came of age"))
        house.take_in(house.talyne, standing="Heir")
    with states.held(house.table.campaign_id) as state:
        told = stretches(state, house.table.viewer("paul"), house.talyne)
        assert stretches(state, house.table.viewer("wim"), house.talyne) == []
    assert [(s.standing, s.since, s.until) for s in told] == [
        ("Heir", utc(2026, 3, 1, 12), None),
        ("Ward", utc(2025, 5, 2), utc(2026, 2, 3)),
    ]
    assert {s.body_name for s in told} == {"House Veld"}


def test_the_day_that_is_told_is_that_of_the_campaigns_zone(house: House) -> None:
    with time_machine.travel(utc(2026, 3, 10, 12), tick=False):
        house.send("olga", StartCalendar(zone="America/Los_Angeles", starts_on=date(2026, 3, 2)))
        house.take_in(house.talyne, since=utc(2026, 3, 5, 3))
    said = [entry["says"] for entry in _seen(house.table, "paul") if entry["type"] == "affiliation.begun"]
    assert said == ["Talyne belongs to House Veld since 4 March 2026."]


def test_what_cannot_be_is_refused_and_says_what_could(house: House) -> None:
    belongs = house.take_in(house.talyne)
    later = utc(2026, 1, 1)
    wrong = [
        (BeginAffiliation(subject=house.talyne, body=house.id), "already_there", "subject"),
        (BeginAffiliation(subject=house.id, body=house.talyne), "wrong_kind", "body"),
        (BeginAffiliation(subject=house.id, body=house.id), "wrong_kind", "subject"),
        (EndAffiliation(affiliation="x"), "not_there", "affiliation"),
        (EndAffiliation(affiliation=belongs, until=later), "ends_before_it_begins", "until"),
        (BeginAffiliation(subject=house.orrin, body=house.id, since=_ahead()), "not_happened_yet", "since"),
    ]
    for command, code, field in wrong:
        with pytest.raises(Refused) as caught:
            house.table.send("olga", command)
        assert (caught.value.code, caught.value.field) == (code, field)
    with pytest.raises(Refused) as caught:
        house.table.send("pia", EndAffiliation(affiliation=belongs))
    assert caught.value.code == "not_allowed"


def _ahead() -> Any:
    from campaigns.entrance import utc_now

    return utc_now() + timedelta(days=1)


@pytest.mark.parametrize(
    ("members", "leaders", "roller"),
    [("pia", "", "pia"), ("both", "", ""), ("both", "paul", "paul"), ("both", "both", ""), ("", "", "")],
)
def test_who_rolls_for_a_house_that_nobody_plays(house: House, members: str, leaders: str, roller: str) -> None:
    """SPI-008: the one who leads for it; where none or several do, the GM names one of the members' players."""
    both = {"pia": house.talyne, "paul": house.orrin}
    for name, subject in both.items():
        if members in (name, "both"):
            house.take_in(subject)
    led = tuple(subject for name, subject in both.items() if leaders in (name, "both"))
    called = house.call("olga", container=house.deed(participants=tuple(both.values()), leaders=led))
    assert list(called.rollers) == ([house.table.member(roller)] if roller else [])


def test_members_act_for_the_house_and_others_do_not(house: House) -> None:
    house.take_in(house.talyne)
    mark = ProposeMark(subject=house.id, side="dynastic", note="Stood by her own", collective=True)
    # The calendar has not begun: a mark comes no further than that, for those who may ask for one at all.
    for who, code in (("paul", "not_yours"), ("pia", "before_calendar")):
        with pytest.raises(Refused) as caught:
            house.table.send(who, mark)
        assert caught.value.code == code


def test_hidden_bodies_and_people_are_named_to_nobody(house: House) -> None:
    cult = house.send("olga", CreateSubject(kind="faction", name="The Drowned", hidden=True)).subject
    house.send("olga", BeginAffiliation(subject=house.talyne, body=cult))
    assert cult not in house.table.viewer("pia").knows
    assert "affiliation.begun" not in _types(house.table, "pia")
    with states.held(house.table.campaign_id) as state:
        assert stretches(state, house.table.viewer("pia"), house.talyne) == []
        assert len(stretches(state, house.table.viewer("olga"), house.talyne)) == 1


def test_taken_back_it_never_was_and_rows_made_anew_equal_those_grown(house: House) -> None:
    first = house.take_in(house.talyne)
    house.send("olga", EndAffiliation(affiliation=first))
    ended = house.table.send("olga", BeginAffiliation(subject=house.orrin, body=house.id)).position
    assert models.Affiliation.objects.count() == models.EndedAffiliation.objects.count() == 1

    def rows() -> list[Any]:
        tables: Any = (models.Affiliation, models.EndedAffiliation)
        return [[{k: v for k, v in r.items() if k != "id"} for r in t.objects.values()] for t in tables]

    grown = rows()
    with states.held(house.table.campaign_id) as state:
        project_all(house.table.campaign_id, state)
    assert rows() == grown
    house.table.send("olga", VoidAction(entry=cursor_of(house.table.campaign_id, ended), reason="Not yet"))
    assert models.Affiliation.objects.count() == 0 and not house.knows("paul")
