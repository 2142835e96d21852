"""Pursuits without a database: who must agree, what gives what at which pace, stages, and when weeks are over.

Ledger: FFA-188, FFA-241, FFC-099 to 102, 105, 106, 108, 109.
"""

from __future__ import annotations

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest

from rules import calendar as rc
from rules import pursuits as ru
from rules.bindings import with_settings
from rules.packs import load_pack
from rules.problems import PackError
from rules.refusal import Refused
from tests.rules.pursuits.wake import PURSUITS, rules_of, wake
from tests.rules.small import problems

NOW = dt.datetime(2026, 3, 4, 18, tzinfo=dt.UTC)
TABLE = ru.Company(
    members={"olga": True, "pia": False, "paul": False}, subjects={"rell": "sailor", "osk": "sailor", "tern": "ship"}
)


class Log:
    """A state, and commands decided and folded one after another."""

    def __init__(self, **settings: Any) -> None:
        self.rules = with_settings(rules_of(wake()), settings)
        self.state, self.position, self.company = ru.PursuitsState(), 0, TABLE

    def do(self, command: ru.PursuitCommand, by: ru.By = "gm", now: dt.datetime = NOW) -> list[Any]:
        at = ru.At(now=now, by=by, position=self.position + 1)
        told = ru.decide(self.rules, self.state, command, self.company, at)
        for event in told:
            self.position += 1
            ru.evolve(self.state, event, self.position)
        return told

    def refused(self, command: ru.PursuitCommand, by: ru.By = "gm") -> str:
        before = msgspec.json.encode(self.state)
        with pytest.raises(Refused) as refused:
            self.do(command, by)
        assert msgspec.json.encode(self.state) == before
        return refused.value.code

    def own(self, owner: str = "rell", pursuit: str = "p1") -> None:
        self.do(ru.WritePursuit(pursuit=pursuit, kind="own", owner=owner, words="The sword", member="pia"), "holder")

    def joint(self, *stages: str, pursuit: str = "p1") -> None:
        write = ru.WritePursuit(pursuit=pursuit, kind="joint", words="The vault", member="pia", stages=stages)
        self.do(write, "holder")
        for member in ("paul", "olga"):
            self.do(ru.AgreePursuit(pursuit=pursuit, member=member))


def test_ones_own_is_open_at_once_and_private() -> None:
    log = Log()
    log.own()
    found = log.state.pursuits["p1"]
    assert (found.open, found.shared, found.owner, found.words) == (True, False, "rell", "The sword")


def test_a_second_of_ones_own_waits_until_the_first_is_closed() -> None:
    log = Log()
    log.own()
    again = ru.WritePursuit(pursuit="p2", kind="own", owner="rell", words="The shield", member="pia")
    assert log.refused(again, "holder") == "still_open"
    log.own("osk", "p3")
    log.do(ru.AbandonPursuit(pursuit="p1"), "holder")
    log.do(again, "holder")
    assert set(log.state.pursuits) == {"p2", "p3"}


def test_the_party_has_no_owner_and_a_ship_no_wish() -> None:
    log = Log()
    assert log.refused(ru.WritePursuit(pursuit="p", kind="joint", owner="rell", words="x")) == "not_one_owners"
    assert log.refused(ru.WritePursuit(pursuit="p", kind="own", owner="tern", words="x")) == "wrong_kind"
    assert log.refused(ru.WritePursuit(pursuit="p", kind="own", words="x")) == "wrong_kind"
    assert log.refused(ru.WritePursuit(pursuit="p", kind="won", owner="rell", words="x")) == "unknown_kind"


def test_the_partys_opens_with_the_last_consent() -> None:
    log = Log()
    write = ru.WritePursuit(pursuit="p1", kind="joint", words="The vault", member="pia")
    assert [event.open for event in log.do(write, "holder")] == [False]
    assert [type(e).__name__ for e in log.do(ru.AgreePursuit(pursuit="p1", member="paul"))] == ["PursuitAgreed"]
    assert log.refused(ru.ResolvePursuit(pursuit="p1")) == "not_agreed"
    log.do(ru.AgreePursuit(pursuit="p1", member="paul", agrees=False))
    assert not log.state.pursuits["p1"].open
    assert [type(e).__name__ for e in log.do(ru.AgreePursuit(pursuit="p1", member="olga"))] == ["PursuitAgreed"]
    told = log.do(ru.AgreePursuit(pursuit="p1", member="paul"))
    assert [type(e).__name__ for e in told] == ["PursuitAgreed", "PursuitOpened"]
    assert log.state.pursuits["p1"].open


def test_whoever_leaves_is_not_waited_for_and_whoever_joins_is() -> None:
    log = Log()
    log.do(ru.WritePursuit(pursuit="p1", kind="joint", words="The vault", member="pia"), "holder")
    log.do(ru.AgreePursuit(pursuit="p1", member="paul"))
    log.company = ru.Company(members={"pia": False, "paul": False, "zoe": False}, subjects=TABLE.subjects)
    assert log.refused(ru.AgreePursuit(pursuit="p1", member="olga")) == "not_asked"
    log.company = ru.Company(members={"pia": False, "paul": False}, subjects=TABLE.subjects)
    told = log.do(ru.AgreePursuit(pursuit="p1", member="pia"))
    assert [type(e).__name__ for e in told] == ["PursuitOpened"]


def test_other_words_of_a_proposal_need_consent_anew() -> None:
    log = Log()
    log.do(ru.WritePursuit(pursuit="p1", kind="joint", words="The vault", member="pia"), "holder")
    log.do(ru.AgreePursuit(pursuit="p1", member="paul"))
    log.do(ru.RewordPursuit(pursuit="p1", words="The tower", member="pia"), "holder")
    assert log.state.pursuits["p1"].consents == {"pia": True}
    for member in ("paul", "olga"):
        log.do(ru.AgreePursuit(pursuit="p1", member=member))
    assert log.refused(ru.RewordPursuit(pursuit="p1", words="The crypt", member="pia"), "holder") == "agreed_already"


@pytest.mark.parametrize(
    ("pace", "advance", "resolve"),
    [("usual", True, True), ("faster", True, True), ("slower", False, True)],
)
def test_what_an_advance_and_a_resolution_of_ones_own_give(pace: str, advance: bool, resolve: bool) -> None:
    log = Log(**{"pacing.own": pace})
    log.own()
    assert bool(log.do(ru.AdvancePursuit(pursuit="p1"))[0].award) is advance
    assert bool(log.do(ru.ResolvePursuit(pursuit="p1"))[0].award) is resolve
    assert not log.state.due, "one's own never waits for a job"


def test_a_resolution_may_bring_nothing_more_where_advances_are_paid() -> None:
    log = Log()
    log.own()
    assert log.do(ru.ResolvePursuit(pursuit="p1", earns=False))[0].award == ""


@pytest.mark.parametrize(("pace", "remarks"), [("usual", [False, True, True]), ("faster", [False, False, False])])
def test_the_gm_is_told_of_a_second_in_a_session(pace: str, remarks: list[bool]) -> None:
    log = Log(**{"pacing.own": pace})
    log.own()
    told = [log.do(ru.AdvancePursuit(pursuit="p1"))[0] for _ in range(3)]
    assert [event.remark for event in told] == remarks
    assert [event.in_session for event in told] == [1, 2, 3]
    ru.session_began(log.state)
    assert log.do(ru.AdvancePursuit(pursuit="p1"))[0].in_session == 1


def test_every_award_has_a_name_of_its_own() -> None:
    log = Log()
    log.own()
    awards = [log.do(ru.AdvancePursuit(pursuit="p1"))[0].award for _ in range(3)]
    assert awards == ["p1:2", "p1:3", "p1:4"]


def test_a_closed_one_moves_no_more() -> None:
    log = Log()
    log.own()
    log.do(ru.AbandonPursuit(pursuit="p1", reason="It burned"), "holder")
    assert log.refused(ru.AdvancePursuit(pursuit="p1")) == "no_such_pursuit"


def test_a_player_asks_and_the_gm_confirms() -> None:
    log = Log()
    log.own()
    assert log.refused(ru.AdvancePursuit(pursuit="p1"), "holder") == "gm_confirms"
    assert log.refused(ru.ResolvePursuit(pursuit="p1"), "holder") == "gm_confirms"
    log.do(ru.ClaimAdvance(pursuit="p1", note="I know the house"), "holder")
    assert log.refused(ru.ClaimAdvance(pursuit="p1", note="And the door"), "holder") == "claimed_already"
    assert log.do(ru.AdvancePursuit(pursuit="p1"))[0].note == "I know the house"
    assert log.refused(ru.DeclineAdvance(pursuit="p1")) == "nothing_claimed"


def test_the_partys_leaves_something_due_once() -> None:
    log = Log()
    log.joint()
    award = log.do(ru.ResolvePursuit(pursuit="p1"))[0].award
    assert {key: (due.pursuit, due.kind) for key, due in log.state.due.items()} == {award: ("p1", "joint")}
    assert log.refused(ru.ResolvePursuit(pursuit="p1")) == "no_such_pursuit"
    ru.award_given(log.state, award)
    assert not log.state.due


@pytest.mark.parametrize(("pace", "dues"), [("usual", 1), ("faster", 3)])
def test_stages_give_at_the_faster_pace_only(pace: str, dues: int) -> None:
    log = Log(**{"pacing.joint": pace})
    log.joint("the road", "the gate", "the hall")
    log.do(ru.CompleteStage(pursuit="p1"))
    log.do(ru.CompleteStage(pursuit="p1"))
    assert log.refused(ru.CompleteStage(pursuit="p1")) == "no_stage"
    log.do(ru.ResolvePursuit(pursuit="p1"))
    assert len(log.state.due) == dues


def test_stages_still_to_come_may_be_cut_otherwise() -> None:
    log = Log()
    log.joint("the road", "the gate", "the hall")
    log.do(ru.CompleteStage(pursuit="p1"))
    log.do(ru.RewordPursuit(pursuit="p1", words="The vault", stages=("the wall",), member="olga"))
    assert log.state.pursuits["p1"].stages == ["the road", "the wall"]
    assert log.state.pursuits["p1"].open


def test_a_gm_may_give_without_one_but_not_beside_one() -> None:
    log = Log()
    without = ru.AwardWithout(kind="own", owner="rell", reason="The party's doings")
    assert log.refused(without, "holder") == "gm_confirms"
    told = log.do(without)[0]
    assert (told.award, told.owner) == (":1", "rell")
    log.own()
    assert log.refused(without) == "has_pursuit"
    assert log.refused(ru.AwardWithout(kind="joint", owner="", reason="x")) == "needs_pursuit"
    assert Log(between="none_at_all").refused(ru.AwardWithout(kind="own", owner="osk", reason="x")) == "needs_pursuit"


def schooling(log: Log, weeks: int = 2, now: dt.datetime = NOW) -> None:
    command = ru.WritePursuit(
        pursuit="s1",
        kind="schooling",
        owner="rell",
        words="Charts",
        member="pia",
        weeks=weeks,
        given={"craft": "charts"},
    )
    log.do(command, "holder", now)
    log.do(ru.AgreePursuit(pursuit="s1", member="olga"), now=now)


def test_schooling_takes_a_gms_consent_and_what_it_brings() -> None:
    log = Log()
    empty = ru.WritePursuit(pursuit="s1", kind="schooling", owner="rell", words="x", member="pia", weeks=2)
    assert log.refused(empty, "holder") == "missing"
    short = msgspec.structs.replace(empty, weeks=0, given={"craft": "charts"})
    assert log.refused(short, "holder") == "wrong_weeks"
    log.do(msgspec.structs.replace(short, weeks=2), "holder")
    assert log.refused(ru.AgreePursuit(pursuit="s1", member="paul"), "holder") == "not_asked"
    assert not log.state.pursuits["s1"].open


def clock_from(starts_on: dt.date, *commands: Any) -> rc.CalendarState:
    rules = load_pack("spindrift-identity").source.sections["calendar"]
    state, zone = rc.CalendarState(), "Europe/London"
    now = dt.datetime.combine(starts_on, dt.time(0), ZoneInfo(zone))
    for command in (rc.StartCalendar(zone=zone, starts_on=starts_on), *commands):
        for event in rc.decide(rules, state, command, now):
            rc.evolve(state, event)
    return state


def test_weeks_of_the_calendar_are_whole_ones() -> None:
    """Taken up on Wednesday 4 March: the weeks of 9 and 16 March count, so it is over on Monday the 23rd."""
    log = Log()
    schooling(log)
    clock = clock_from(dt.date(2026, 3, 2))
    assert ru.next_ripe(log.rules, log.state, clock) == (dt.datetime(2026, 3, 23, tzinfo=dt.UTC), "s1")


def test_weeks_of_a_pause_do_not_count_and_summer_time_is_local() -> None:
    """The week of 16 March pauses: those of 9 and 23 March count; Monday 30 March begins at 23:00 UTC on the 29th."""
    log = Log()
    schooling(log)
    pause = rc.PauseCalendar(from_date=dt.date(2026, 3, 16), weeks=1)
    clock = clock_from(dt.date(2026, 3, 2), pause)
    assert ru.next_ripe(log.rules, log.state, clock) == (dt.datetime(2026, 3, 29, 23, tzinfo=dt.UTC), "s1")
    endless = clock_from(dt.date(2026, 3, 2), rc.PauseCalendar(from_date=dt.date(2026, 3, 16)))
    assert ru.next_ripe(log.rules, log.state, endless) is None


def test_without_a_calendar_weeks_are_days() -> None:
    log = Log()
    schooling(log)
    assert ru.next_ripe(log.rules, log.state, rc.CalendarState()) == (NOW + dt.timedelta(days=14), "s1")


def test_what_is_over_is_resolved_once_by_the_calendar() -> None:
    log = Log()
    schooling(log)
    told = log.do(ru.ResolvePursuit(pursuit="s1", by_calendar=True), "server")
    assert [type(event).__name__ for event in told] == ["PursuitRipened", "PursuitResolved"]
    assert ru.next_ripe(log.rules, log.state, rc.CalendarState()) is None
    log.own()
    assert log.refused(ru.ResolvePursuit(pursuit="p1", by_calendar=True), "server") == "not_by_calendar"


WRONG = {
    "kinds: [sailor]\n      seen": ("kinds: [sailer]\n      seen", "no kind of subject is called 'sailer'"),
    "pace: usual\n      paces:\n        - {id: usual, title: Usual, gives: advance": (
        "pace: useful\n      paces:\n        - {id: usual, title: Usual, gives: advance",
        "no pace 'useful'",
    ),
    "test: earn,": ("test: urn,", "no test is called 'urn'"),
    "inputs: [craft]": ("inputs: []", "nobody gives the input 'craft'"),
    "{title: Renown, test: earn, role: who}": ("{title: Renown, grant: fame}", "no grant 'fame'"),
    "consent: gm": ("consent: everyone", "what is one subject's own asks not everyone"),
}


@pytest.mark.parametrize("right", WRONG)
def test_the_loader_refuses_what_cannot_be(right: str) -> None:
    wrong, message = WRONG[right]
    assert right in PURSUITS
    with pytest.raises(PackError) as error:
        wake(PURSUITS.replace(right, wrong))
    assert message in str(error.value)
    assert "pursuits.yaml" in str(error.value)


def test_other_packs_have_none() -> None:
    assert problems("kinds: {hero: {title: Hero}}") == []


def test_frontiers_fantasy_has_six_suggestions_for_a_first_one() -> None:
    rules = load_pack("frontiers-fantasy").source.sections["pursuits"]
    own = next(kind for kind in rules.kinds if kind.owner == "subject" and kind.suggestions)
    assert len(own.suggestions) == 6 and len({suggestion.of for suggestion in own.suggestions}) == 6
