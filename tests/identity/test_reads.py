"""What each kind of viewer reads of pairs, closes and calendar (SPI-140)."""

from datetime import date
from typing import Any

import msgspec
import pytest

from campaigns.commands.calendar import TakeBackClose
from campaigns.store import states
from identity import reads
from identity.commands import marks as mk
from rules.refusal import Refused
from tests.identity.season import Season, at, utc


def ask(season: Season, who: str, function: Any, *arguments: Any) -> Any:
    viewer = season.table.viewer(who)
    with states.held(season.table.campaign_id) as state:
        return function(state, viewer, *arguments)


def bold(read: Any) -> Any:
    return next(pair for pair in read.pairs if pair.pair == "bold_cautious")


def test_holders_and_gm_read_ratings_marks_and_history(season: Season) -> None:
    with at(2026, 1, 8):
        season.award("bold", 2026, 1, 7, note="Leapt")
        season.send("pia", mk.ProposeMark(subject=season.talyne, side="proud", note="Boasted"))
    for who in ("olga", "pia"):
        read = ask(season, who, reads.subject_pairs, season.talyne, utc(2026, 1, 8))
        pair = bold(read)
        assert [side.rating for side in pair.sides] == [14, 6] and pair.stronger == "bold"
        assert [(mark.title, mark.when) for mark in pair.marks] == [("Bold", "Year 1, Spring, week 1")]
        assert (pair.markable, pair.why_not, pair.from_date) == (False, "pair_marked_this_week", date(2026, 1, 12))
        assert [point.rating for point in pair.history] == [14]
        assert sum(len(pair.proposals) for pair in read.pairs) == 1


def test_others_read_names_and_gists_only(season: Season) -> None:
    with at(2026, 1, 8):
        season.award("bold", 2026, 1, 7)
    seen = {
        who: ask(season, who, reads.subject_pairs, season.talyne, utc(2026, 1, 8)) for who in ("paul", "wim", "link")
    }
    assert len({msgspec.json.encode(read) for read in seen.values()}) == 1
    pair = bold(seen["paul"])
    assert pair.sides[0].gist and pair.sides[0].rating is None
    assert not (pair.marks or pair.history or pair.stronger or pair.why_not or seen["paul"].full)


def test_sealed_marks_are_read_by_the_gm_alone(season: Season) -> None:
    with at(2026, 1, 8):
        season.award("bold", 2026, 1, 7, sealed=True)
    assert len(bold(ask(season, "olga", reads.subject_pairs, season.talyne, utc(2026, 1, 8))).marks) == 1
    pair = bold(ask(season, "pia", reads.subject_pairs, season.talyne, utc(2026, 1, 8)))
    assert pair.marks == () and pair.markable


def close_a_season(season: Season) -> None:
    with at(2026, 1, 30):
        for side, day in (("cautious", 6), ("cautious", 13), ("bold", 20), ("suspicious", 20), ("severe", 20)):
            season.award(side, 2026, 1, day, note=f"Note on {side}")
    season.run_jobs(2026, 2, 2)


def test_report_for_holders_tells_marks_rolls_and_changes(season: Season) -> None:
    close_a_season(season)
    report = ask(season, "pia", reads.period_report, "season", 1)
    assert (report.title, report.starts, report.ends) == ("Year 1, Spring", date(2026, 1, 5), date(2026, 2, 2))
    pair = bold(report.subjects[0])
    assert [(mark.title, mark.counted) for mark in pair.marks] == [
        ("Cautious", True),
        ("Cautious", True),
        ("Bold", True),
    ]
    assert (pair.toward, pair.remaining, pair.bonus, pair.rating, pair.chance) == ("Cautious", 1, 0, 6, "7/10")
    assert pair.total == pair.face and pair.shifted == (pair.total > 6)
    assert pair.after == ((13, 7) if pair.shifted else (14, 6))


def test_report_for_others_tells_what_rose_only(season: Season) -> None:
    close_a_season(season)
    whole = ask(season, "olga", reads.period_report, "season", 1)
    rose = [pair.toward for pair in whole.subjects[0].pairs if pair.shifted]
    report = ask(season, "paul", reads.period_report, "season", 1)
    assert [title for subject in report.subjects for title in subject.rose] == rose
    assert not any(subject.full or subject.pairs for subject in report.subjects)
    for who in ("wim", "link"):
        assert ask(season, who, reads.period_report, "season", 1).subjects == ()


def test_a_week_lists_its_marks_to_those_who_may_know_them_before_and_after_they_are_settled(season: Season) -> None:
    """By when the conduct was (SPI-096): what was told late, taken back or sealed is there for whom it is."""
    with at(2026, 1, 16):
        season.award("bold", 2026, 1, 7, note="Leapt")
        season.award("proud", 2026, 1, 6, sealed=True)
        season.award("trusting", 2026, 1, 13)
        gone = season.award("open", 2026, 1, 8)
        season.send("olga", mk.VoidMark(mark=gone, reason="not she"))
        season.award("dynastic", 2026, 1, 9, subject=season.house)
    season.run_jobs(2026, 1, 19)

    def earned(who: str, rung: str, number: int) -> dict[str, tuple[list[str], bool]]:
        told = ask(season, who, reads.period_report, rung, number).subjects
        return {one.subject: ([mark.title for mark in one.earned], one.renewed) for one in told if one.earned}

    everything = {season.talyne: (["Proud", "Bold"], True), season.house: (["Dynastic"], False)}
    assert earned("olga", "week", 1) == everything
    assert earned("pia", "week", 1) == {season.talyne: (["Bold"], True)}
    assert earned("paul", "week", 1) == {season.house: (["Dynastic"], False)}
    assert earned("wim", "week", 1) == earned("link", "week", 1) == {}
    assert earned("pia", "week", 2) == {season.talyne: (["Trusting"], True)}
    season.run_jobs(2026, 2, 2)
    assert earned("olga", "week", 1) == everything
    assert earned("pia", "week", 1) == {season.talyne: (["Proud", "Bold"], True)}
    # The season lists what it settles by pairs, and of what the year settles the marks that count by seasons.
    assert earned("olga", "season", 1) == {season.house: (["Dynastic"], True)}


def test_a_close_taken_back_has_no_report(season: Season) -> None:
    close_a_season(season)
    info = ask(season, "olga", reads.calendar_info, utc(2026, 2, 2, 1))
    assert [(last.rung, last.may_take_back) for last in info.last_closes] == [("week", False), ("season", True)]
    with at(2026, 2, 2, 1):
        season.send("olga", TakeBackClose(rung="season", number=1))
    assert ask(season, "olga", reads.period_report, "season", 1) is None
    info = ask(season, "olga", reads.calendar_info, utc(2026, 2, 2, 1))
    assert [(w.rung, w.number, w.attempt, w.left_to_gm_until) for w in info.waiting] == [
        ("season", 1, 2, utc(2026, 2, 3, 1))
    ]


def test_preview_is_the_gms(season: Season) -> None:
    with at(2026, 1, 8):
        season.award("bold", 2026, 1, 7)
    told = ask(season, "olga", reads.preview, utc(2026, 1, 8))
    line = told.lines[0]
    assert (told.title, told.ends, told.over) == ("Year 1, Spring", date(2026, 2, 2), False)
    assert (line.name, line.toward, line.needed, line.chance, line.percent) == ("Talyne", "Bold", 15, "3/10", 30)
    for who in ("pia", "paul", "wim", "link"):
        with pytest.raises(Refused):
            ask(season, who, reads.preview, utc(2026, 1, 8))


def test_calendar_in_words_and_dates(season: Season) -> None:
    for who in ("olga", "pia", "link"):
        info = ask(season, who, reads.calendar_info, utc(2026, 1, 14))
        assert info.text == "Year 1, Spring, week 2" and info.zone == "Europe/London"
        assert [(p.rung, p.starts, p.ends) for p in info.periods] == [
            ("week", date(2026, 1, 12), date(2026, 1, 19)),
            ("season", date(2026, 1, 5), date(2026, 2, 2)),
            ("year", date(2026, 1, 5), date(2026, 4, 27)),
        ]
        assert info.next_at == utc(2026, 1, 12)
        assert bool(info.waiting) == (who == "olga")


def test_closed_periods_newest_first(season: Season) -> None:
    season.run_jobs(2026, 4, 28)
    told = reads.closed_periods(season.table.viewer("link"), "season")
    assert [period.title for period in told] == [f"Year 1, {name}" for name in ("Winter", "Autumn", "Summer", "Spring")]
