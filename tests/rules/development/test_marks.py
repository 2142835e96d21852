"""Who marks, what a refusal may tell, what frees a week again."""

import datetime as dt
from typing import Any

import pytest

from rules import calendar, development
from rules.refusal import Refused
from tests.rules.spindrift import Table, utc

MONDAY = "2026-01-05T20:00:00Z"
THURSDAY = "2026-01-08T20:00:00Z"
SEASON_END = utc("2026-02-02T00:00:00Z")


def table_with_talyne(**rules: Any) -> Table:
    table = Table(**rules)
    table.holder(bold=14)
    return table


def refused(table: Table, *args: Any, **more: Any) -> Refused:
    with pytest.raises(Refused) as no:
        table.mark(*args, **more)
    return no.value


def can(table: Table, when: str = THURSDAY, **more: Any) -> development.Eligibility:
    return development.eligibility(table.standing, "talyne", "bold_cautious", utc(when), **more)


def settled(table: Table) -> list[development.PairResult]:
    return [result for event in table.log if isinstance(event, development.SubjectSettled) for result in event.results]


def test_a_players_mark_is_a_proposal_that_counts_for_nothing_until_awarded() -> None:
    """SPI-059."""
    table = table_with_talyne()
    (proposed,) = table.mark("bold", MONDAY, by="holder", note="stood on the bridge")
    assert isinstance(proposed, development.MarkProposed)
    assert table.marks.marks == {} and can(table).possible
    (awarded,) = table.mark("bold", MONDAY, proposal=proposed.proposal, now=utc(THURSDAY))
    assert awarded.proposal == proposed.proposal and table.marks.proposals == {}
    assert not can(table).possible
    again = refused(table, "proud", MONDAY, proposal=proposed.proposal, now=utc(THURSDAY))
    assert again.code == "no_such_proposal"


def test_a_proposal_can_be_declined_and_lapses_with_its_season() -> None:
    table = table_with_talyne()
    (first,) = table.mark("bold", MONDAY, by="holder")
    table.develop(development.DeclineProposal(proposal=first.proposal, reason="no one was at risk"))
    assert table.marks.proposals == {}
    with pytest.raises(Refused, match="no such proposal"):
        table.develop(development.DeclineProposal(proposal=first.proposal))
    (second,) = table.mark("bold", THURSDAY, by="holder")
    table.close(SEASON_END)
    assert table.marks.proposals == {}
    (event,) = [event for event in table.log if isinstance(event, development.SubjectSettled)]
    assert (event.lapsed, event.results) == ((second.proposal,), ())


def test_a_table_may_let_players_mark_their_own() -> None:
    table = table_with_talyne(awarder="holder")
    assert isinstance(table.mark("bold", MONDAY, by="holder")[0], development.MarkAwarded)


def test_a_void_mark_frees_its_week() -> None:
    """SPI-059."""
    table = table_with_talyne()
    (mark,) = table.mark("bold", MONDAY)
    assert refused(table, "cautious", THURSDAY).code == "pair_marked_this_week"
    table.develop(development.VoidMark(mark=mark.mark, reason="wrong side"), utc(THURSDAY))
    assert table.mark("cautious", THURSDAY)


def test_a_settled_mark_is_not_voided() -> None:
    table = table_with_talyne()
    (mark,) = table.mark("bold", MONDAY)
    table.close(SEASON_END, lambda key: 1)
    with pytest.raises(Refused) as no:
        table.develop(development.VoidMark(mark=mark.mark), SEASON_END)
    assert no.value.code == "no_such_mark"


def test_conduct_counts_when_it_happened_however_late_it_is_recorded() -> None:
    """SPI-093."""
    table = table_with_talyne()
    table.mark("bold", THURSDAY)
    late = utc("2026-01-21T12:00:00Z")
    assert refused(table, "bold", MONDAY, now=late).code == "pair_marked_this_week"
    assert table.mark("bold", "2026-01-14T12:00:00Z", now=late)
    assert can(table, "2026-01-08T12:00:00Z").from_date == dt.date(2026, 1, 19)  # the next week is full too


def test_times_that_cannot_be() -> None:
    table = table_with_talyne()
    assert refused(table, "bold", THURSDAY, now=utc(MONDAY)).code == "not_happened_yet"
    early = refused(table, "bold", "2025-12-30T12:00:00Z", now=utc(MONDAY))
    assert (early.code, early.right) == ("before_calendar", "conduct from Monday, 5 January 2026 on")
    naive = dt.datetime(2026, 1, 6, 12)  # noqa: DTZ001
    assert refused(table, "bold", naive, now=utc(THURSDAY)).code == "time_without_zone"
    table.calendar = calendar.CalendarState()
    assert refused(table, "bold", MONDAY).right == "start the calendar first"


def test_a_table_may_count_marks_by_when_they_are_recorded() -> None:
    table = table_with_talyne(mark_time="recorded_at")
    (mark,) = table.mark("bold", MONDAY, now=utc(THURSDAY))
    assert mark.at == utc(THURSDAY)


def test_an_id_is_used_once() -> None:
    table = table_with_talyne()
    command = development.AwardMark(mark="m", subject="talyne", side="bold", consequential=True)
    table.develop(command, utc(MONDAY))
    other = development.AwardMark(mark="m", subject="talyne", side="proud", consequential=True)
    with pytest.raises(Refused) as no:
        table.develop(other, utc(MONDAY))
    assert no.value.code == "mark_id_taken"


# -- sealed marks: nothing that a player can ask for tells of them


def test_a_sealed_mark_changes_no_answer_that_a_player_gets() -> None:
    table, plain = table_with_talyne(), table_with_talyne()
    table.mark("bold", MONDAY, sealed=True)
    assert can(table) == can(plain) and can(table).possible
    assert not can(table, sealed_too=True).possible
    running = calendar.period(table.calendar, "season", 1)
    assert development.plan_close(table.standing, running, sealed_too=False).lines == ()
    assert len(development.plan_close(table.standing, running).lines) == 1
    assert development.marks_in(table.standing, "week", 1) == []
    assert [mark.side for mark in development.marks_in(table.standing, "week", 1, sealed_too=True)] == ["bold"]
    assert table.mark("cautious", THURSDAY, by="holder")
    assert table.mark("cautious", THURSDAY)
    assert refused(table, "bold", THURSDAY).code == "pair_marked_this_week"


def test_where_a_sealed_mark_is_involved_the_limit_is_settled_at_the_close() -> None:
    table = table_with_talyne()
    (sealed,) = table.mark("bold", MONDAY, sealed=True)
    (open_one,) = table.mark("cautious", THURSDAY)
    table.close(SEASON_END, lambda key: 20)
    (result,) = settled(table)
    assert result.marks == {"bold": (sealed.mark,), "cautious": ()}
    assert result.surplus == (open_one.mark,)
    assert (result.toward, result.remaining, result.bonus) == ("bold", 1, 0)
    assert table.marks.marks == {}


def test_a_sealed_mark_beside_an_open_one_is_taken_and_counts_if_its_conduct_came_first() -> None:
    table = table_with_talyne()
    table.mark("cautious", MONDAY)
    (late,) = table.mark("bold", THURSDAY, sealed=True)
    table.close(SEASON_END, lambda key: 20)
    (result,) = settled(table)
    assert (result.toward, result.surplus) == ("cautious", (late.mark,))


def test_a_sealed_mark_is_held_to_everything_else() -> None:
    table = table_with_talyne()
    assert refused(table, "bold", MONDAY, sealed=True, consequential=False).code == "not_consequential"
    table.close(SEASON_END)
    assert refused(table, "bold", MONDAY, sealed=True, now=SEASON_END).code == "season_already_settled"
