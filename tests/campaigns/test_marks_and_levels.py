"""Frontiers Fantasy: what Pursuits give by the pack's section `advancement`, and what is left to be chosen.

Ledger: FFA-188, FFC-080, FFC-083, FFC-090, FFC-091, FFC-094, FFC-099, FFC-100, FFC-106.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
import time_machine
from django.urls import reverse

from campaigns import registry
from campaigns.commands import pursuits as pc
from campaigns.commands.containers import CloseContainer, OpenContainer
from campaigns.commands.growth import GainLevel, TakeGrowth
from campaigns.commands.sheets import ChangeSheet
from campaigns.commands.voiding import RestoreAction, VoidAction
from campaigns.feed import cursor_of, newer
from campaigns.packs import Packs
from campaigns.previews import preview_restore
from campaigns.pursuing import pursuits_read
from campaigns.registry import Command
from campaigns.rolling import subject_of
from campaigns.store import states
from campaigns.tasks import do_all
from rules.refusal import Refused
from rules.sheets import Sheet
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_ledger_said import entries
from tests.frontend.test_pages import client_of

PACK = "frontiers-fantasy"
START = datetime(2026, 3, 4, 18, tzinfo=UTC)


@dataclass
class Party:
    table: Table
    rell: str
    osk: str

    def value(self, subject: str, stat: str) -> Any:
        with states.held(self.table.campaign_id) as state:
            pack = Packs(state).get(PACK)
            found = subject_of(state, subject, PACK)
            return Sheet(found, pack.kinds[found.kind], pack.settings)[stat]

    def levels(self) -> tuple[int, int]:
        return self.value(self.rell, "level"), self.value(self.osk, "level")

    def to_choose(self) -> list[tuple[str, str]]:
        with states.held(self.table.campaign_id) as state:
            return [(one.subject, one.title) for one in registry.choices_of(state)]

    def own(self) -> str:
        command = pc.WritePursuit(kind="individual", owner=self.rell, words="The sword my father sold")
        made: Any = self.table.send("pia", command).events[0].event
        return str(made.pursuit)

    def resolve(self) -> None:
        """The party agrees on something and resolves it."""
        made: Any = self.table.send("pia", pc.WritePursuit(kind="party", words="The vault")).events[0].event
        for who in ("paul", "olga"):
            self.table.send(who, pc.AgreePursuit(pursuit=made.pursuit))
        self.table.send("olga", pc.ResolvePursuit(pursuit=made.pursuit))

    def run_jobs(self, now: datetime = START) -> int:
        with time_machine.travel(now, tick=False):
            return do_all(self.table.campaign_id, now)

    def feed(self, who: str) -> list[Any]:
        viewer = self.table.viewer(who)
        with states.held(self.table.campaign_id) as state:
            return newer(state, viewer, 0, 1000)


@pytest.fixture
def party(transactional_db: None) -> Iterator[Party]:
    with time_machine.travel(START, tick=False):
        table = make_table({PACK: ""})
        rell, osk = table.character("pia", "Rell"), table.character("paul", "Osk")
        for who, subject in (("pia", rell), ("paul", osk)):
            table.send(who, ChangeSheet(subject=subject, pack=PACK, values={"calling": "fighter"}))
        yield Party(table, rell, osk)


def test_an_advance_is_a_mark_to_be_named_and_no_level(party: Party) -> None:
    party.table.send("olga", pc.AdvancePursuit(pursuit=party.own()))
    assert party.to_choose() == [(party.rell, "Marks awarded and not yet named: 1 to spend")]
    assert party.levels() == (1, 1)
    party.table.send("pia", TakeGrowth(subject=party.rell, pack=PACK, offer="reserve"))
    assert party.to_choose() == []
    assert party.value(party.rell, "reserve_marks") == 1


def test_nobody_else_reads_what_a_mark_was_given_for(party: Party) -> None:
    party.table.send("olga", pc.AdvancePursuit(pursuit=party.own()))
    assert "father sold" in str(party.feed("pia"))
    assert "father sold" not in str(party.feed("paul"))


def test_a_level_has_room_for_three(party: Party) -> None:
    pursuit = party.own()
    for _ in range(4):
        party.table.send("olga", pc.AdvancePursuit(pursuit=pursuit))
    given = [entry.view["data"] for entry in party.feed("pia") if entry.view["type"] == "pursuit.given"]
    assert [list(data["withheld"]) for data in given] == [[], [], [], [party.rell]]
    assert party.value(party.rell, "awards_open") == 3


def test_marks_that_nobody_named_are_gone_with_the_session(party: Party) -> None:
    opened: Any = party.table.send("olga", OpenContainer(kind="session", title="One")).events[0].event
    party.table.send("olga", pc.AdvancePursuit(pursuit=party.own()))
    party.table.send("olga", CloseContainer(container=opened.container))
    assert party.to_choose() == []


def test_the_party_levels_together_once_and_is_left_its_choices(party: Party) -> None:
    party.resolve()
    assert party.levels() == (1, 1)
    assert party.run_jobs() == 1
    assert party.run_jobs() == 0
    assert party.levels() == (2, 2)
    assert party.to_choose() == sorted([(party.rell, "A General Ability"), (party.osk, "A General Ability")])
    assert party.value(party.rell, "awards_open") == 0


def text(party: Party, who: str, name: str = "campaign") -> str:
    return unescape(client_of(party.table, who).get(reverse(name, args=[party.table.campaign_id])).content.decode())


def test_a_mark_that_a_level_would_take_is_told_before_and_after(party: Party) -> None:
    """FFC-083: an award that is open when a Level comes is void. Osk has named his, Rell has not."""
    party.table.send("olga", pc.AdvancePursuit(pursuit=party.own()))
    made: Any = party.table.send("pia", pc.WritePursuit(kind="party", words="The vault")).events[0].event
    waits = "Rell: Marks awarded and not yet named: 1 to spend"
    assert waits in text(party, "pia") and "gone with the next Level if it is not used before" in text(party, "pia")
    assert f"gone once this brings a Level:</strong> {waits}." not in text(party, "olga", "pursuits")
    for who in ("paul", "olga"):
        party.table.send(who, pc.AgreePursuit(pursuit=made.pursuit))
    assert f"gone once this brings a Level:</strong> {waits}." in text(party, "olga", "pursuits")
    assert "gone once this brings" not in text(party, "paul", "pursuits")
    party.table.send("olga", pc.ResolvePursuit(pursuit=made.pursuit))
    party.run_jobs()
    assert party.value(party.rell, "awards_open") == 0
    told = [e.view["says"] for e in party.feed("paul") if e.view["type"] == "growth.levelled"]
    lost = " Not used until then, and gone: Marks awarded and not yet named: 1."
    assert sorted(told) == ["Osk came to Level 2.", f"Rell came to Level 2.{lost}"]
    assert f"Rell came to Level 2.{lost}" in text(party, "pia")


def test_a_mark_that_was_named_is_kept_and_nothing_is_warned_of(party: Party) -> None:
    party.table.send("olga", pc.AdvancePursuit(pursuit=party.own()))
    party.table.send("pia", TakeGrowth(subject=party.rell, pack=PACK, offer="reserve"))
    party.resolve()
    party.run_jobs()
    assert party.value(party.rell, "reserve_marks") == 1
    told = [e.view["says"] for e in party.feed("pia") if e.view["type"] == "growth.levelled"]
    assert sorted(told) == ["Osk came to Level 2.", "Rell came to Level 2."]


def test_one_act_is_one_entry_of_the_ledger_and_an_award_is_said_once(party: Party) -> None:
    """The step, what it gave, and that in the words of the sheet; the whole ledger keeps every entry of the record."""
    party.table.send("olga", pc.AdvancePursuit(pursuit=party.own()))
    views = [e.view for e in party.feed("pia")][-4:]
    assert [v["type"] for v in views] == ["pursuit.advanced", "pursuit.given", "growth.awarded", "sheet.changed"]
    assert len({v["act"] for v in views}) == 1 and len({e.view["act"] for e in party.feed("pia")}) > 5
    given, rest = (
        "Rell gets a Mark.",
        [
            "Rell: Mark of advancement (Individual Pursuit).",
            "Rell: Marks awarded and not yet named 0 \N{RIGHTWARDS ARROW} 1",
        ],
    )
    step = "Rell came a step closer: “The sword my father sold”"
    assert entries(text(party, "pia"))[0] == [step, *rest]
    assert entries(text(party, "pia", "ledger"))[0] == [step, given, *rest]
    assert entries(text(party, "paul"))[0] == rest


def test_who_has_not_chosen_is_reminded_until_it_is_done(party: Party) -> None:
    party.resolve()
    party.run_jobs()
    choose = TakeGrowth(subject=party.rell, pack=PACK, offer="general_ability", choices={"ability": "journeyman"})
    party.table.send("pia", choose)
    assert party.run_jobs(START + timedelta(days=8)) == 1
    assert [e.view["data"]["titles"] for e in party.feed("paul") if e.view["type"] == "choice.reminded"] == [
        ("A General Ability",)
    ]
    assert not [e for e in party.feed("pia") if e.view["type"] == "choice.reminded"]


def test_five_is_the_last_and_a_capstone_waits_there(party: Party) -> None:
    for _ in range(4):
        party.resolve()
        party.run_jobs()
    assert party.levels() == (5, 5)
    assert (party.rell, "A Capstone") in party.to_choose()
    party.resolve()
    assert party.run_jobs() == 1
    assert party.levels() == (5, 5)
    last = [e.view["data"] for e in party.feed("olga") if e.view["type"] == "pursuit.given"][-1]
    assert set(last["withheld"]) == {party.rell, party.osk}


def test_taken_back_the_level_goes_with_what_was_chosen_for_it(party: Party) -> None:
    party.resolve()
    party.run_jobs()
    choose = TakeGrowth(subject=party.rell, pack=PACK, offer="general_ability", choices={"ability": "journeyman"})
    party.table.send("pia", choose)
    entry = [e for e in party.feed("olga") if e.view["type"] == "pursuit.resolved"][-1]
    party.table.send("olga", VoidAction(entry=entry.cursor, reason="Too soon"))
    assert party.levels() == (1, 1)
    assert party.to_choose() == []
    assert "journeyman" not in str(party.value(party.rell, "abilities"))
    assert party.run_jobs() == 0


def test_growth_is_taken_back_from_its_newest_on(party: Party) -> None:
    """Each growth holds all before it, so that an older one cannot go, or come again, under a newer."""
    level = GainLevel(subject=party.rell, pack=PACK)
    second, third = (party.table.send("olga", level).events[0].position for _ in range(2))

    def entry(position: int) -> str:
        return cursor_of(party.table.campaign_id, position)

    def refused(command: Command) -> str:
        with pytest.raises(Refused) as caught:
            party.table.send("olga", command)
        return caught.value.code

    assert refused(VoidAction(entry=entry(second), reason="Too early")) == "newer_stands"
    void = party.table.send("olga", VoidAction(entry=entry(third), reason="Too early")).events[0].position
    assert party.levels()[0] == 2
    party.table.send("olga", level)
    assert refused(RestoreAction(entry=entry(void))) == "newer_stands" and party.levels()[0] == 3
    with pytest.raises(Refused):
        preview_restore(party.table.campaign_id, entry(void))


def test_what_is_open_stands_on_the_sheet_for_its_player(party: Party) -> None:
    pursuit = party.own()
    assert party.value(party.rell, "pursuit") == "The sword my father sold"
    assert "father sold" not in str(party.feed("paul"))
    party.table.send("pia", pc.RewordPursuit(pursuit=pursuit, words="The sword, and the house"))
    assert party.value(party.rell, "pursuit") == "The sword, and the house"
    party.table.send("pia", pc.AbandonPursuit(pursuit=pursuit))
    assert party.value(party.rell, "pursuit") == ""


def test_what_a_sheet_was_made_with_waits_to_be_taken_up(party: Party) -> None:
    sheet = ChangeSheet(subject=party.rell, pack=PACK, values={"pursuit": "To carry the bell home"})
    party.table.send("pia", sheet)
    viewers = {who: party.table.viewer(who) for who in ("pia", "paul", "olga")}
    found = {}
    with states.held(party.table.campaign_id) as state:
        for who, viewer in viewers.items():
            read = pursuits_read(state, viewer, START)
            assert read is not None
            found[who] = next(kind.ready for kind in read.kinds if kind.kind == "individual")
    waits = [(party.rell, "Rell", "To carry the bell home")]
    assert found == {"pia": waits, "paul": [], "olga": waits}
