"""Who answers what a test asks, and that no answer looks past a die that has not fallen."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns import seeds
from campaigns.commands.calls import CallTest, DropTest, RollTest
from campaigns.commands.seats import RemoveMember
from campaigns.commands.sheets import ApplyCard
from campaigns.commands.subjects import CreateSubject
from campaigns.parts.calls import Calls
from campaigns.parts.seeds import Seeds
from campaigns.store import states
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table

PACK = "trait-tests"


@pytest.fixture(autouse=True)
def _five(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every die shows a 5: no chance result ends a test before anybody is asked."""
    monkeypatch.setattr(seeds, "face", lambda seed, counter, sides: 5)


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({PACK: ""})


@pytest.fixture
def hero(table: Table) -> str:
    return table.character("pia")


def hard_test(table: Table, hero: str, goal: int = 1000) -> str:
    """A test of Pia's character that nobody can pass; afterwards she is asked whether to push through."""
    given = {"trait": "physique", "goal": goal}
    made: Any = table.send("olga", CallTest(pack=PACK, test="trait_test", roles={"hero": hero}, given=given)).events[0]
    return str(made.event.call)


def refused(table: Table, who: str, command: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        table.send(who, command)
    return caught.value


def told(refusal: Refused) -> tuple[Any, ...]:
    return refusal.code, refusal.message, refusal.field, refusal.value, refusal.right


def test_no_refusal_tells_what_the_dice_are_going_to_show(table: Table, hero: str) -> None:
    """Certain success and certain failure answer alike, whatever is sent along, and a test so tried can be dropped."""
    for choices in ({"none": 1}, {"roll.push": "no such option"}, {"roll.push": "stop"}):
        answers = set()
        for goal in (-1000, 1000):
            test = hard_test(table, hero, goal)
            answers.add(told(refused(table, "pia", RollTest(call=test, choices=choices))))
            table.send("pia", DropTest(call=test))
        assert len(answers) == 1
    with states.held(table.campaign_id) as state:
        assert state.part(Seeds).running["table"].next == 0


def test_nobody_answers_for_another_along_with_their_own(table: Table, hero: str) -> None:
    test = hard_test(table, hero)
    waits: Any = table.send("pia", RollTest(call=test)).events[-1].event
    push, consent = waits.ask["id"], waits.ask["id"].replace("push", "consent")
    both = RollTest(call=test, choices={push: "disadvantage", consent: True})
    assert refused(table, "pia", both).code == "not_yours_to_choose"
    waits = table.send("pia", RollTest(call=test, choices={push: "disadvantage"})).events[-1].event
    assert (waits.ask["id"], waits.ask_of) == (consent, ())
    assert refused(table, "pia", RollTest(call=test, choices={consent: True})).code == "not_your_roll"
    table.send("olga", RollTest(call=test, choices={consent: True}))


def test_the_gm_s_word_is_not_given_by_the_player_who_begins(table: Table, hero: str) -> None:
    board: Any = table.send("olga", CreateSubject(kind="table", name="Table")).events[0].event
    table.send("olga", ApplyCard(subject=hero, pack=PACK, card="mark_of_fate"))
    roles = {"hero": hero, "table": board.subject}
    call = CallTest(pack=PACK, test="offer_mark", roles=roles, given={"change": "detail"})
    test = table.send("pia", call).events[0].event.call
    accept = RollTest(call=test, choices={"gm_accepts": True, "table_accepts": True})
    assert refused(table, "pia", accept).code == "not_yours_to_choose"
    table.send("pia", RollTest(call=test))
    table.send("olga", accept)
    with states.held(table.campaign_id) as state:
        assert test not in state.part(Calls).open


def test_what_a_removed_player_was_asked_falls_to_the_gm(table: Table, hero: str) -> None:
    test = hard_test(table, hero)
    waits: Any = table.send("pia", RollTest(call=test)).events[-1].event
    table.send("olga", RemoveMember(member=table.member("pia")))
    table.send("olga", RollTest(call=test, choices={waits.ask["id"]: "stop"}))
    with states.held(table.campaign_id) as state:
        assert test not in state.part(Calls).open
