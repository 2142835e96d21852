"""Putting away who was entered by mistake: they leave lists, choices and what comes to all; nothing is lost."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.api.problems import status_of
from campaigns.chronicle import chapters, sections
from campaigns.commands import subjects as sc
from campaigns.commands.affiliations import BeginAffiliation
from campaigns.commands.calls import CallTest, DropTest, RollTest
from campaigns.commands.containers import OpenContainer
from campaigns.commands.pursuits import WritePursuit
from campaigns.commands.voiding import RestoreAction, VoidAction
from campaigns.entrance import utc_now
from campaigns.feed import newer
from campaigns.models import Subject
from campaigns.parts.affiliations import known_by, players_for
from campaigns.parts.pursuits import company_of, party_of, pursuit_rules
from campaigns.parts.subjects import Subjects
from campaigns.pursuing import pursuits_read
from campaigns.store import states
from campaigns.verifying import verify_campaign
from rules.refusal import Refused
from tests.campaigns.crew import START, Crew
from tests.campaigns.tables import Table, make_table


def seen(crew: Crew, who: str) -> set[str]:
    """The Pursuits that somebody sees."""
    with states.held(crew.table.campaign_id) as state:
        found = pursuits_read(state, crew.table.viewer(who), START)
    assert found is not None
    return {one.pursuit for one in found.pursuits}


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({"spindrift-identity": ""})


def refused(table: Table, who: str, command: Any) -> str:
    with pytest.raises(Refused) as found:
        table.send(who, command)
    return found.value.code


def away(table: Table, subject: str) -> bool:
    with states.held(table.campaign_id) as state:
        return state.part(Subjects).by_id[subject].away


def test_a_player_puts_away_their_own_while_nothing_is_made_of_it(table: Table) -> None:
    brock = table.character("pia", "Brock Tarn")
    assert refused(table, "paul", sc.PutAwaySubject(subject=brock)) == "not_yours"
    table.send("pia", sc.PutAwaySubject(subject=brock, reason="Typed twice"))
    assert away(table, brock) and Subject.objects.get(subject=brock).away
    assert not table.send("pia", sc.PutAwaySubject(subject=brock)).events
    table.send("pia", sc.BringBackSubject(subject=brock))
    assert not away(table, brock) and not Subject.objects.get(subject=brock).away


def test_of_whom_something_was_made_is_put_away_by_a_gm_alone(table: Table) -> None:
    from identity.commands.pairs import EnterPairs

    talyne = table.character("pia")
    table.send("olga", EnterPairs(subject=talyne, ratings={"bold": 14}))
    assert refused(table, "pia", sc.PutAwaySubject(subject=talyne)) == "gm_only"
    table.send("olga", sc.PutAwaySubject(subject=talyne))
    assert refused(table, "pia", sc.BringBackSubject(subject=talyne)) == "gm_only"


def test_nothing_is_done_with_or_to_who_was_put_away(table: Table) -> None:
    talyne, house = table.character("pia"), table.send("olga", sc.CreateSubject(kind="house", name="Veld"))
    body: Any = house.events[0].event
    table.send("olga", sc.PutAwaySubject(subject=talyne))
    for command in (
        sc.RenameSubject(subject=talyne, name="X"),
        BeginAffiliation(subject=talyne, body=body.subject),
        OpenContainer(kind="session", title="One", participants=(talyne,)),
    ):
        assert refused(table, "olga", command) == "put_away"
    assert status_of(Refused("put_away", "", field="subject")) == 409


def test_what_belonged_rests_with_it(table: Table) -> None:
    talyne = table.character("pia")
    made: Any = table.send("olga", sc.CreateSubject(kind="house", name="Veld")).events[0].event
    table.send("olga", BeginAffiliation(subject=talyne, body=made.subject))

    def acting() -> tuple[list[str], bool]:
        with states.held(table.campaign_id) as state:
            return players_for(state, made.subject), made.subject in known_by(state, table.member("pia"))

    pia = table.member("pia")
    assert acting() == ([pia], True)
    table.send("olga", sc.PutAwaySubject(subject=talyne))
    assert acting() == ([], False)
    table.send("olga", sc.BringBackSubject(subject=talyne))
    assert acting() == ([pia], True)


def test_not_while_a_test_waits_and_a_secret_one_is_not_betrayed(table: Table) -> None:
    from identity.commands.pairs import EnterPairs

    talyne, osk = table.character("pia"), table.character("paul", "Osk")
    table.send("olga", EnterPairs(subject=talyne, ratings={"bold": 14}))
    call = CallTest(
        pack="spindrift-identity",
        test="identity",
        roles={"holder": talyne},
        given={"pair": "bold_cautious"},
        decision="Leap",
    )
    called: Any = table.send("olga", call).events[0].event
    assert refused(table, "olga", sc.PutAwaySubject(subject=talyne)) == "in_the_middle"
    with states.held(table.campaign_id) as state:
        asked = newer(state, table.viewer("olga"), 0, 1000)[-1].cursor
    table.send("olga", VoidAction(entry=asked, reason="Not yet"))
    table.send("olga", sc.PutAwaySubject(subject=talyne))
    with states.held(table.campaign_id) as state:
        voided = newer(state, table.viewer("olga"), 0, 1000)[-2].cursor
    table.send("olga", RestoreAction(entry=voided))
    assert refused(table, "pia", RollTest(call=called.call)) == "put_away"
    table.send("olga", DropTest(call=called.call))
    table.send("paul", sc.PutAwaySubject(subject=osk))


def test_it_is_told_in_the_ledger_and_the_chronicle_and_the_chain_holds(table: Table) -> None:
    brock = table.character("pia", "Brock Tarn")
    table.send("pia", sc.PutAwaySubject(subject=brock, reason="Typed twice"))
    table.send("olga", sc.BringBackSubject(subject=brock))
    for who, said in (("paul", "Brock Tarn was put away: Typed twice"), ("link", "Brock Tarn was put away.")):
        with states.held(table.campaign_id) as state:
            viewer, every = table.viewer(who), chapters(state, utc_now())
            story = [e.says for one in every for s in sections(state, viewer, one) for e in s.entries]
        assert [said, "Brock Tarn is back."] == story[-2:], who
    assert verify_campaign(table.campaign_id).sound


def test_a_hidden_one_goes_unseen(table: Table) -> None:
    made: Any = table.send("olga", sc.CreateSubject(kind="character", name="Wraith", hidden=True)).events[0].event
    assert refused(table, "pia", sc.PutAwaySubject(subject=made.subject)) == "no_such_subject"
    (told,) = table.send("olga", sc.PutAwaySubject(subject=made.subject)).events
    assert told.audience == "gm"


def test_the_party_goes_on_without_it_and_its_own_pursuits_rest(crew: Crew) -> None:
    pursuit = crew.own()
    assert pursuit in seen(crew, "pia")
    crew.send("olga", sc.PutAwaySubject(subject=crew.rell))
    assert pursuit not in seen(crew, "pia")
    with states.held(crew.table.campaign_id) as state:
        found = pursuit_rules(state)
        assert found is not None
        assert crew.rell not in company_of(state).subjects
        assert all(crew.rell not in party_of(state, found[0], kind) for kind in found[1].kinds)
    assert refused(crew.table, "pia", WritePursuit(kind="own", owner=crew.rell, words="More")) == "put_away"
    crew.send("olga", sc.BringBackSubject(subject=crew.rell))
    assert pursuit in seen(crew, "pia")
