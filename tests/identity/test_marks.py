"""Marks through commands: who gives them, their limits, what is kept from whom. Ledger: SPI-036, 057, 059, 092, 093."""

from datetime import date
from typing import Any

import pytest

from campaigns.commands.calendar import PauseCalendar, StretchPeriod
from identity import models
from identity.commands import marks as mk
from rules.refusal import Refused
from tests.identity.season import Season, at, make_season, utc


def test_second_mark_of_a_week_is_refused_with_the_date_from_which_it_is_possible(season: Season) -> None:
    with at(2026, 1, 7, 20):
        season.award("bold", 2026, 1, 6, 19)
        with pytest.raises(Refused) as caught:
            season.award("cautious", 2026, 1, 7, 19)
    assert caught.value.code == "pair_marked_this_week"
    assert "Year 1, Spring" in caught.value.message
    assert caught.value.right == "conduct from Monday, 12 January 2026 on"
    with at(2026, 1, 12, 0):
        season.award("cautious", 2026, 1, 12, 0)
    assert models.Mark.objects.filter(subject=season.talyne).count() == 2


def test_limits_count_by_when_it_happened_in_the_campaigns_zone(transactional_db: None) -> None:
    """Monday begins in Auckland while it is Sunday noon in London (SPI-093)."""
    season = make_season(zone="Pacific/Auckland", starts_on=date(2026, 1, 5))
    with at(2026, 1, 12, 12):
        season.award("bold", 2026, 1, 11, 10, 59)
        season.award("bold", 2026, 1, 11, 11, 0)
        with pytest.raises(Refused) as caught:
            season.award("bold", 2026, 1, 11, 12)
    assert caught.value.right == "conduct from Monday, 19 January 2026 on"


def test_conduct_recorded_later_is_stamped_with_its_own_week(season: Season) -> None:
    with at(2026, 1, 20, 12):
        season.award("bold", 2026, 1, 6, 19)
        season.award("bold", 2026, 1, 13, 19)
    events = season.events("mark.awarded")
    assert [event.stamp.week for event in events] == [1, 2]
    assert events[0].happened_at == utc(2026, 1, 6, 19)


def test_players_propose_and_the_gm_answers(season: Season) -> None:
    with at(2026, 1, 8, 12):
        command = mk.ProposeMark(subject=season.talyne, side="bold", note="Leapt the gap", at=utc(2026, 1, 7, 20))
        first: Any = season.send("pia", command).events[0].event
        second: Any = season.send("pia", command).events[0].event
        assert models.Mark.objects.get(mark=first.proposal).state == "proposed"
        with pytest.raises(Refused) as caught:
            season.send("pia", mk.AcceptProposal(proposal=first.proposal))
        assert caught.value.code == "not_allowed"
        accepted: Any = season.send("olga", mk.AcceptProposal(proposal=first.proposal)).events[0].event
        assert (accepted.side, accepted.note, accepted.at) == ("bold", "Leapt the gap", utc(2026, 1, 7, 20))
        with pytest.raises(Refused) as caught:
            season.send("olga", mk.AcceptProposal(proposal=second.proposal))
        assert caught.value.code == "pair_marked_this_week"
        season.send("olga", mk.DeclineProposal(proposal=second.proposal, reason="Once a week"))
    assert [row.state for row in models.Mark.objects.all()] == ["awarded"]


def test_nobody_proposes_for_anothers_character(season: Season) -> None:
    with at(2026, 1, 8, 12), pytest.raises(Refused) as caught:
        season.send("paul", mk.ProposeMark(subject=season.talyne, side="bold", note="He did"))
    assert caught.value.code == "not_yours"


def test_a_critical_failure_marks_the_opposite_only(season: Season) -> None:
    with at(2026, 1, 8, 12):
        with pytest.raises(Refused) as caught:
            season.award("bold", 2026, 1, 7, source="critical_failure", tested="bold")
        assert (caught.value.code, caught.value.right) == ("wrong_side_for_source", "personality.cautious")
        season.award("cautious", 2026, 1, 7, source="critical_failure", tested="bold")


def test_a_voided_mark_frees_its_week(season: Season) -> None:
    with at(2026, 1, 8, 12):
        mark = season.award("bold", 2026, 1, 7)
        season.send("olga", mk.VoidMark(mark=mark, reason="Wrong scene"))
        season.award("cautious", 2026, 1, 7)
        with pytest.raises(Refused) as caught:
            season.send("olga", mk.VoidMark(mark=mark, reason="Again"))
    assert caught.value.code == "no_such_mark"


def test_a_collective_pair_takes_one_mark_a_season(season: Season) -> None:
    with at(2026, 2, 3, 12):
        season.award("dynastic", 2026, 1, 6, subject=season.house)
        with pytest.raises(Refused) as caught:
            season.award("individual", 2026, 1, 28, subject=season.house)
        assert caught.value.right == "conduct from Monday, 2 February 2026 on"
        season.award("individual", 2026, 2, 2, subject=season.house)


def test_no_mark_for_a_settled_season_nor_before_the_start(season: Season) -> None:
    season.run_jobs(2026, 2, 3)
    with at(2026, 2, 3):
        with pytest.raises(Refused) as caught:
            season.award("bold", 2026, 1, 30)
        assert (caught.value.code, caught.value.right) == (
            "season_already_settled",
            "conduct from Monday, 2 February 2026 on",
        )
        with pytest.raises(Refused) as caught:
            season.award("bold", 2026, 1, 4)
        assert caught.value.code == "before_calendar"


def test_a_stretched_season_takes_a_fifth_mark(season: Season) -> None:
    with at(2026, 1, 28):
        season.send("olga", StretchPeriod(weeks=1))
    with at(2026, 2, 8):
        for day in (6, 13, 20, 27):
            season.award("bold", 2026, 1, day)
        season.award("bold", 2026, 2, 3)
    assert models.Mark.objects.count() == 5
    assert season.run_jobs(2026, 2, 8) == 4
    assert season.run_jobs(2026, 2, 9) == 2


def test_in_a_pause_nothing_falls_due(season: Season) -> None:
    with at(2026, 1, 7):
        season.send("olga", PauseCalendar())
    assert season.run_jobs(2026, 6, 1) == 1


def test_sealed_marks_are_the_gms_alone_and_betray_themselves_to_nobody(season: Season) -> None:
    with at(2026, 1, 8, 12):
        season.award("bold", 2026, 1, 6, sealed=True, note="CanarySealed")
        for who in ("pia", "paul", "wim", "link"):
            assert "CanarySealed" not in repr(season.feed(who))
        season.send("pia", mk.ProposeMark(subject=season.talyne, side="bold", note="Open", at=utc(2026, 1, 7)))
        season.award("bold", 2026, 1, 7, note="CanaryOpen")
    assert "CanaryOpen" in repr(season.feed("pia"))
    for who in ("paul", "wim", "link"):
        assert not any(view["type"].startswith("mark.") for view in season.feed(who))
