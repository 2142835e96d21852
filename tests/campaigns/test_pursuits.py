"""Pursuits through commands: who may what, who sees what, what is given when, and by the job once to everybody."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from campaigns import models, registry, tasks
from campaigns.commands import pursuits as pc
from campaigns.commands.containers import CloseContainer, OpenContainer
from campaigns.commands.seats import RemoveMember
from campaigns.commands.starting import ChangeSetting
from campaigns.commands.subjects import BringBackSubject, CreateSubject, HandOverSubject, PutAwaySubject
from campaigns.commands.voiding import RestoreAction, VoidAction
from campaigns.feed import newer
from campaigns.registry import Choice, Command
from campaigns.store import states
from rules.refusal import Refused
from tests.campaigns.crew import START, Crew, at
from tests.campaigns.tables import make_table


def refused(crew: Crew, who: str, command: Command) -> str:
    with pytest.raises(Refused) as error:
        crew.send(who, command)
    return error.value.code


def seen(crew: Crew, who: str, words: str) -> bool:
    """Whether a word stands anywhere in what a viewer has."""
    return words in str(crew.feed(who))


def test_a_player_writes_for_the_own_character_only(crew: Crew) -> None:
    assert refused(crew, "paul", pc.WritePursuit(kind="own", owner=crew.rell, words="Mine")) == "not_yours"
    assert refused(crew, "wim", pc.WritePursuit(kind="own", owner=crew.rell, words="Mine")) == "not_allowed"
    crew.own()
    assert [p.open for p in crew.kept().pursuits.values()] == [True]


def test_a_private_one_is_its_holders_and_the_gms_until_it_is_shared(crew: Crew) -> None:
    pursuit = crew.own("To find Aldous Vane")
    crew.send("olga", pc.AdvancePursuit(pursuit=pursuit, note="A letter from Vane"))
    assert [seen(crew, who, "Vane") for who in ("olga", "pia", "paul", "wim", "link")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert refused(crew, "paul", pc.ClaimAdvance(pursuit=pursuit, note="x")) == "no_such_pursuit"
    assert refused(crew, "olga", pc.SharePursuit(pursuit=pursuit)) == "players_own"
    crew.send("pia", pc.SharePursuit(pursuit=pursuit))
    assert [seen(crew, who, "Vane") for who in ("paul", "wim", "link")] == [True, False, False]
    assert not seen(crew, "paul", "A letter")
    assert refused(crew, "paul", pc.ClaimAdvance(pursuit=pursuit, note="x")) == "not_yours"


def test_a_word_counts_for_what_was_read(crew: Crew) -> None:
    """Put otherwise between reading and agreeing, by words or by stages, is not agreed to."""
    pursuit = crew.wrote("pia", kind="joint", words="The vault", stages=("The map", "The door"))
    read = pc.AgreePursuit(pursuit=pursuit, words="The vault", stages=("The map", "The door"))
    crew.send("paul", pc.RewordPursuit(pursuit=pursuit, words="The vault, all to Paul"))
    assert refused(crew, "olga", read) == "reworded"
    crew.send("paul", pc.RewordPursuit(pursuit=pursuit, words="The vault", stages=("The map",)))
    assert refused(crew, "olga", read) == "reworded"
    crew.send("olga", pc.AgreePursuit(pursuit=pursuit, words="The vault", stages=("The map",)))
    assert crew.kept().pursuits[pursuit].consents[crew.table.member("olga")]


def test_a_proposal_goes_on_when_the_last_who_was_against_leaves(crew: Crew) -> None:
    pursuit = crew.wrote("pia", kind="joint", words="The vault")
    crew.send("paul", pc.AgreePursuit(pursuit=pursuit, agrees=False))
    crew.send("olga", pc.AgreePursuit(pursuit=pursuit))
    assert not crew.read("pia", pursuit).may_agree and crew.read("pia", pursuit).against == ["Paul"]
    crew.send("olga", RemoveMember(member=crew.table.member("paul")))
    assert crew.read("pia", pursuit).may_agree and crew.read("pia", pursuit).against == []
    crew.send("pia", pc.AgreePursuit(pursuit=pursuit))
    assert crew.kept().pursuits[pursuit].open


def test_that_of_one_who_was_put_away_rests(crew: Crew) -> None:
    pursuit = crew.own()
    crew.send("olga", PutAwaySubject(subject=crew.rell))
    for command in (pc.AdvancePursuit(pursuit=pursuit), pc.ResolvePursuit(pursuit=pursuit)):
        assert refused(crew, "olga", command) == "put_away"
    assert crew.stat(crew.rell, "renown") == 0
    crew.send("olga", BringBackSubject(subject=crew.rell))
    crew.send("olga", pc.AdvancePursuit(pursuit=pursuit))
    assert crew.stat(crew.rell, "renown") == 1


def test_two_who_say_the_same_step_say_it_once(crew: Crew) -> None:
    """Two game masters, or one with two devices, before the same page; so with a word that is answered."""
    pursuit = crew.own()
    crew.send("pia", pc.ClaimAdvance(pursuit=pursuit, note="I know the house"))
    read = {"claim": "I know the house", "moves": 0}
    crew.send("olga", pc.AdvancePursuit(pursuit=pursuit, **read))
    assert refused(crew, "olga", pc.AdvancePursuit(pursuit=pursuit, **read)) == "answered_already"
    assert refused(crew, "olga", pc.DeclineAdvance(pursuit=pursuit, claim="I know the house")) == "answered_already"
    assert refused(crew, "olga", pc.AdvancePursuit(pursuit=pursuit, claim="", moves=0)) == "moved_already"
    assert crew.stat(crew.rell, "renown") == 1
    staged = crew.joint("The map", "The door", "The hoard")
    crew.send("olga", pc.CompleteStage(pursuit=staged, moves=0))
    assert refused(crew, "olga", pc.CompleteStage(pursuit=staged, moves=0)) == "moved_already"


def test_that_of_one_who_was_never_there_is_no_pursuit(crew: Crew) -> None:
    pursuit = crew.own()
    with states.held(crew.table.campaign_id) as state:
        entries = newer(state, crew.table.viewer("olga"), 0, 1000)
    made = next(e.cursor for e in entries if e.view["data"].get("subject") == crew.rell)
    crew.send("olga", VoidAction(entry=made, reason="Typed twice"))
    for command in (pc.AdvancePursuit(pursuit=pursuit), pc.ResolvePursuit(pursuit=pursuit)):
        assert refused(crew, "olga", command) == "no_such_pursuit"


def test_what_a_party_of_nobody_earned_waits_for_somebody(crew: Crew) -> None:
    pursuit = crew.joint()
    for subject in (crew.rell, crew.osk):
        crew.send("olga", PutAwaySubject(subject=subject))
    crew.send("olga", pc.ResolvePursuit(pursuit=pursuit))
    assert crew.run_jobs() == 0 and len(crew.kept().due) == 1
    crew.send("olga", BringBackSubject(subject=crew.osk))
    assert crew.run_jobs() == 1 and crew.kept().due == {}
    assert crew.stat(crew.osk, "tier") == 2


def test_what_a_gm_weighs_is_not_told_to_players(crew: Crew) -> None:
    pursuit = crew.own()
    for _ in range(2):
        crew.send("olga", pc.AdvancePursuit(pursuit=pursuit))
    told = [entry["data"] for entry in crew.feed("olga") if entry["type"] == "pursuit.advanced"]
    assert [data["remark"] for data in told] == [False, True]
    assert not any("remark" in entry["data"] or "in_session" in entry["data"] for entry in crew.feed("pia"))


def test_an_advance_gives_its_owner_alone_and_at_once(crew: Crew) -> None:
    crew.send("olga", pc.AdvancePursuit(pursuit=crew.own()))
    assert (crew.stat(crew.rell, "renown"), crew.stat(crew.osk, "renown")) == (1, 0)
    assert crew.tiers() == (1, 1)
    assert crew.run_jobs() == 0


def test_a_limit_of_the_rules_withholds_and_says_so(crew: Crew) -> None:
    pursuit = crew.own()
    for _ in range(4):
        crew.send("olga", pc.AdvancePursuit(pursuit=pursuit))
    assert crew.stat(crew.rell, "renown") == 3
    last: Any = crew.events("pursuit.given")[-1].event
    assert last.withheld == {crew.rell: "Three in a tier are all."}
    assert crew.feed("pia")[-1]["says"] == "Rell: Three in a tier are all."


def test_a_new_session_counts_anew(crew: Crew) -> None:
    pursuit = crew.own()
    crew.send("olga", pc.AdvancePursuit(pursuit=pursuit))
    made: Any = crew.send("olga", OpenContainer(kind="session", title="Two")).events[0].event
    told: Any = crew.send("olga", pc.AdvancePursuit(pursuit=pursuit)).events[0].event
    assert (told.in_session, told.remark) == (1, False)
    crew.send("olga", CloseContainer(container=made.container))


def test_a_claim_waits_for_the_gm(crew: Crew) -> None:
    pursuit = crew.own()
    crew.send("pia", pc.ClaimAdvance(pursuit=pursuit, note="I know the house"))
    assert refused(crew, "pia", pc.AdvancePursuit(pursuit=pursuit)) == "not_allowed"
    crew.send("olga", pc.DeclineAdvance(pursuit=pursuit, reason="Not yet"))
    assert crew.stat(crew.rell, "renown") == 0
    crew.send("pia", pc.ClaimAdvance(pursuit=pursuit, note="And the door"))
    told: Any = crew.send("olga", pc.AdvancePursuit(pursuit=pursuit)).events[0].event
    assert told.note == "And the door"


def test_the_partys_takes_everybody(crew: Crew) -> None:
    pursuit = crew.wrote("pia", kind="joint", words="The vault")
    assert refused(crew, "wim", pc.AgreePursuit(pursuit=pursuit)) == "not_allowed"
    crew.send("paul", pc.AgreePursuit(pursuit=pursuit, agrees=False))
    crew.send("olga", pc.AgreePursuit(pursuit=pursuit))
    assert refused(crew, "olga", pc.ResolvePursuit(pursuit=pursuit)) == "not_agreed"
    crew.send("paul", pc.AgreePursuit(pursuit=pursuit))
    assert crew.events("pursuit.opened")
    assert refused(crew, "pia", pc.AbandonPursuit(pursuit=pursuit)) == "gm_closes"


def test_a_proposal_is_its_writers_to_take_back(crew: Crew) -> None:
    pursuit = crew.wrote("pia", kind="joint", words="The vault")
    assert refused(crew, "paul", pc.AbandonPursuit(pursuit=pursuit)) == "gm_closes"
    crew.send("pia", pc.AbandonPursuit(pursuit=pursuit))
    assert not crew.kept().pursuits


def test_a_resolved_one_raises_everybody_once_by_the_job(crew: Crew) -> None:
    crew.table.send("olga", CreateSubject(kind="sailor", name="Mate"))
    crew.table.send("olga", CreateSubject(kind="sailor", name="Lurker", hidden=True))
    pursuit = crew.joint()
    crew.send("olga", pc.ResolvePursuit(pursuit=pursuit, note="The door fell"))
    assert crew.tiers() == (1, 1)
    assert tasks.due_campaigns(START, 10) == [crew.table.campaign_id]
    assert crew.run_jobs() == 1
    assert crew.run_jobs() == 0
    assert crew.tiers() == (2, 2)
    given: Any = crew.events("pursuit.given")[0]
    assert set(given.event.subjects) == {crew.rell, crew.osk}
    assert given.actor == "job:calendar"
    assert tasks.due_campaigns(START, 10) == []
    assert crew.stat(crew.rell, "renown") == 0


def test_who_is_highest_is_told_and_the_others_rise(crew: Crew) -> None:
    for _ in range(4):
        crew.send("olga", pc.ResolvePursuit(pursuit=crew.joint()))
        crew.run_jobs()
    assert crew.tiers() == (5, 5)
    late = crew.table.character("paul", "Late", "sailor")
    crew.send("olga", pc.ResolvePursuit(pursuit=crew.joint()))
    assert crew.run_jobs() == 1
    assert (crew.tiers(), crew.stat(late, "tier")) == ((5, 5), 2)
    given: Any = crew.events("pursuit.given")[-1].event
    assert given.withheld == dict.fromkeys((crew.rell, crew.osk), "There is no higher tier.")


def test_stages_at_the_faster_pace_are_given_in_order(crew: Crew) -> None:
    crew.send("olga", ChangeSetting(setting="wake/pacing.joint", value="faster"))
    pursuit = crew.joint("the road", "the gate")
    crew.send("olga", pc.CompleteStage(pursuit=pursuit))
    crew.send("olga", pc.ResolvePursuit(pursuit=pursuit))
    assert crew.run_jobs() == 2
    assert crew.tiers() == (3, 3)


def test_a_fight_holds_it(crew: Crew, monkeypatch: pytest.MonkeyPatch) -> None:
    fights = [True]
    monkeypatch.setattr(registry, "holding", [lambda state: bool(fights)])
    monkeypatch.setattr(pc, "holding", registry.holding)
    pursuit = crew.joint()
    resolved = crew.send("olga", pc.ResolvePursuit(pursuit=pursuit))
    assert crew.run_jobs() == 0
    assert refused(crew, "olga", pc.GiveAward(pursuit=pursuit, attempt=resolved.position)) == "held"
    fights.clear()
    assert crew.run_jobs() == 1
    assert crew.tiers() == (2, 2)


def test_taken_back_and_resolved_again_raises_once(crew: Crew) -> None:
    pursuit = crew.joint()
    crew.send("olga", pc.ResolvePursuit(pursuit=pursuit))
    crew.run_jobs()
    given = crew.entry("pursuit.given")
    assert refused(crew, "olga", VoidAction(entry=given, reason="Too soon")) == "has_to_stay"
    crew.send("olga", VoidAction(entry=crew.entry("pursuit.resolved"), reason="Too soon"))
    assert crew.tiers() == (1, 1)
    assert crew.kept().pursuits[pursuit].open
    assert crew.run_jobs() == 0
    crew.send("olga", pc.ResolvePursuit(pursuit=pursuit))
    assert crew.run_jobs() == 1
    assert crew.tiers() == (2, 2)


def test_taken_back_before_the_job_and_standing_again(crew: Crew) -> None:
    pursuit = crew.joint()
    crew.send("olga", pc.ResolvePursuit(pursuit=pursuit))
    crew.send("olga", VoidAction(entry=crew.entry("pursuit.resolved"), reason="Too soon"))
    assert crew.run_jobs() == 0
    crew.send("olga", RestoreAction(entry=crew.entry("events.voided")))
    assert crew.run_jobs() == 1
    assert crew.tiers() == (2, 2)


def test_a_gm_gives_without_one_for_a_reason(crew: Crew) -> None:
    crew.send("olga", pc.AwardWithout(kind="own", owner=crew.osk, reason="The party's doings"))
    assert crew.stat(crew.osk, "renown") == 1
    assert refused(crew, "paul", pc.AwardWithout(kind="own", owner=crew.osk, reason="x")) == "not_allowed"
    assert refused(crew, "olga", pc.AwardWithout(kind="own", owner=crew.osk, reason=" ")) == "empty"
    crew.send("olga", ChangeSetting(setting="wake/between", value="none_at_all"))
    assert refused(crew, "olga", pc.AwardWithout(kind="own", owner=crew.osk, reason="x")) == "needs_pursuit"


def schooled(crew: Crew, weeks: int) -> str:
    fields = {"kind": "schooling", "owner": crew.rell, "words": "To read the charts", "weeks": weeks}
    wrong = pc.WritePursuit(**fields, given={"craft": "chart"})
    assert refused(crew, "pia", wrong) == "wrong_value"
    pursuit = crew.wrote("pia", **fields, given={"craft": "charts"})
    crew.send("olga", pc.AgreePursuit(pursuit=pursuit))
    return pursuit


def test_schooling_is_over_when_its_weeks_are(crew: Crew) -> None:
    schooled(crew, 2)
    assert crew.run_jobs(START + timedelta(days=13)) == 0
    with at(2026, 3, 18, 18) as now:
        assert tasks.due_campaigns(now, 10) == [crew.table.campaign_id]
        assert crew.run_jobs(now) == 1
        assert crew.run_jobs(now) == 0
    knows = crew.stat(crew.rell, "knows")
    assert (knows.get("rigging", False), knows["charts"]) == (False, True)


def test_schooling_taken_back_is_the_gms_to_resolve(crew: Crew) -> None:
    pursuit = schooled(crew, 2)
    with at(2026, 3, 18, 18) as now:
        crew.run_jobs(now)
        crew.send("olga", VoidAction(entry=crew.entry("pursuit.resolved"), reason="She was away"))
        assert crew.run_jobs(now) == 0
        assert tasks.due_campaigns(now, 10) == []
        assert not crew.stat(crew.rell, "knows").get("charts", False)
        crew.send("olga", pc.ResolvePursuit(pursuit=pursuit))
    assert crew.stat(crew.rell, "knows")["charts"] is True


@pytest.fixture
def choosing(crew: Crew, monkeypatch: pytest.MonkeyPatch) -> list[Choice]:
    """Choices that wait, as an app with grants would name them."""
    open_choices: list[Choice] = []
    monkeypatch.setattr(registry, "waiting", [lambda state: open_choices])
    return open_choices


def test_players_are_reminded_until_they_have_chosen(crew: Crew, choosing: list[Choice]) -> None:
    choosing.append(Choice("c1", crew.rell, "An ability", START))
    assert crew.run_jobs(START + timedelta(days=6)) == 0
    with at(2026, 3, 11, 18) as now:
        assert crew.run_jobs(now) == 1
        assert crew.run_jobs(now) == 0
    with at(2026, 3, 18, 18) as now:
        assert crew.run_jobs(now) == 1
    assert [e.event.titles for e in crew.events("choice.reminded")] == [("An ability",), ("An ability",)]
    assert seen(crew, "pia", "An ability") and not seen(crew, "paul", "An ability")
    choosing.clear()
    with at(2026, 4, 18, 18) as now:
        assert crew.run_jobs(now) == 0


def test_a_subject_that_nobody_plays_is_no_party(crew: Crew) -> None:
    crew.send("olga", HandOverSubject(subject=crew.osk, players=()))
    crew.send("olga", pc.ResolvePursuit(pursuit=crew.joint()))
    crew.run_jobs()
    assert crew.tiers() == (2, 1)


def test_states_and_snapshots_keep_them(crew: Crew) -> None:
    crew.own()
    crew.joint("the road", "the gate")
    schooled(crew, 3)
    before = crew.kept()
    states.forget(crew.table.campaign_id)
    assert crew.kept() == before


def test_nothing_waits_in_a_campaign_without_pursuits(transactional_db: None) -> None:
    table = make_table({"spindrift-identity": ""})
    with pytest.raises(Refused) as error:
        table.send("olga", pc.WritePursuit(kind="own", words="x"))
    assert error.value.code == "no_pursuits"
    assert models.Campaign.objects.get(id=table.campaign_id).due_at is None
