"""Preview and close say the same; a close taken back and done again rolls the same; players may roll themselves."""

import copy
import datetime as dt
import hashlib
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules import calendar, development, pairs
from rules.refusal import Refused
from tests.rules.spindrift import Table, calendar_rules, development_rules, no_die, pair_rules, utc

SEASON_END = utc("2026-02-02T00:00:00Z")
SEASON = calendar.ClosePeriod(rung="season", number=1)


def seeded(key: development.FaceKey) -> int:
    """A face that follows from the key alone."""
    return hashlib.sha256(repr(key).encode()).digest()[0] % key.faces + 1


def marked_table(**rules: Any) -> Table:
    table = Table(**rules)
    table.holder("talyne", bold=14)
    table.holder("wren", proud=19)
    for day in ("2026-01-07", "2026-01-14"):
        table.mark("bold", f"{day}T20:00:00Z")
        table.mark("proud", f"{day}T20:00:00Z", "wren")
    table.mark("trusting", "2026-01-07T20:00:00Z")
    table.mark("suspicious", "2026-01-14T20:00:00Z")
    return table


def test_the_preview_says_who_rolls_what_with_exact_chances() -> None:
    table = marked_table()
    plan = development.plan_close(table.standing, calendar.period(table.calendar, "season", 1))
    assert (plan.name, plan.attempt) == ("Year 1, Spring", 1)
    told = [(one.subject, one.pair, one.outcome, one.rating, one.bonus, one.needed, one.chance) for one in plan.lines]
    assert told == [
        ("talyne", "bold_cautious", "roll", 14, 1, 14, Fraction(7, 20)),
        ("talyne", "trusting_suspicious", "cancelled", None, 0, None, Fraction(0)),
        ("wren", "proud_humble", "roll", 19, 1, 19, Fraction(2, 20)),
    ]


def test_one_event_a_subject_holds_its_whole_settling() -> None:
    table = marked_table()
    table.close(SEASON_END, lambda key: 19)
    talyne, wren = (event for event in table.log if isinstance(event, development.SubjectSettled))
    assert [result.outcome for result in talyne.results] == ["rolled", "cancelled"]
    assert (talyne.subject, talyne.rung, talyne.number, talyne.attempt) == ("talyne", "season", 1, 1)
    (proud,) = wren.results
    assert (proud.face, proud.bonus, proud.total, proud.rating, proud.before, proud.after) == (19, 1, 20, 19, 19, 20)
    stored = msgspec.json.decode(msgspec.json.encode(talyne), type=development.SubjectSettled)
    assert stored == talyne


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 20),
    st.lists(st.sampled_from(["bold", "cautious", None]), min_size=4, max_size=4),
    st.sampled_from(["over", "at_least"]),
    st.integers(0, 4),
)
def test_the_previewed_chance_is_the_share_of_faces_that_shift(
    rating: int, weeks: list[str | None], beats: str, cap: int
) -> None:
    table = Table(beats=beats, bonus_cap=cap)
    table.holder("talyne", bold=rating)
    for week, side in enumerate(weeks):
        if side is not None:
            table.mark(side, f"2026-01-{7 + 7 * week:02}T20:00:00Z")
    plan = development.plan_close(table.standing, calendar.period(table.calendar, "season", 1))
    shifted = 0
    for face in range(1, 21):
        for event in development.resolve_close(table.standing, plan, lambda key, face=face: face, SEASON_END):
            (result,) = event.results
            shifted += result.shifted
            assert abs(result.change) <= 1 and 0 <= result.after <= 20
            if result.outcome == "rolled":
                assert result.shifted == (face >= (plan.lines[0].needed or 99))
    chance = plan.lines[0].chance if plan.lines else Fraction(0)
    assert Fraction(shifted, 20) == chance


def test_deciding_changes_nothing() -> None:
    table = marked_table()
    before = copy.deepcopy((table.calendar, table.pairs, table.marks))
    for week in range(1, 5):
        table.time(calendar.ClosePeriod(rung="week", number=week), SEASON_END)
    before = copy.deepcopy((table.calendar, table.pairs, table.marks))
    development.close_period(table.standing, SEASON, SEASON_END, seeded)
    assert (table.calendar, table.pairs, table.marks) == before


def refold(table: Table, without: Any) -> Table:
    """The same campaign folded from its events, less those that are void."""
    again = Table()
    again.calendar, again.pairs, again.marks = calendar.CalendarState(), pairs.PairsState(), development.MarksState()
    again.rules, again.log = table.rules, []
    again.apply([event for event in table.log if not without(event)])
    return again


def test_a_close_taken_back_and_done_again_rolls_the_same_faces() -> None:
    table = marked_table()
    table.close(SEASON_END, seeded)
    first = [event for event in table.log if isinstance(event, development.SubjectSettled)]
    table.time(calendar.TakeBackClose(rung="season", number=1), SEASON_END)
    again = refold(table, lambda event: isinstance(event, development.SubjectSettled))
    assert again.ratings("bold_cautious") == (14, 6) and len(again.marks.marks) == 6
    again.mark("patient", "2026-01-20T20:00:00Z", now=SEASON_END)
    assert again.close(SEASON_END, seeded) == ["season:1:2"]
    second = [event for event in again.log if isinstance(event, development.SubjectSettled)]
    assert [event.attempt for event in second] == [2, 2]
    faces = [[result.face for result in event.results] for event in (*first, *second)]
    assert faces[2][:2] == faces[0] and faces[3] == faces[1]
    assert len(faces[2]) == len(faces[0]) + 1


def test_the_void_of_the_close_itself_leads_to_the_same() -> None:
    table = marked_table()
    table.close(SEASON_END, seeded)
    table.time(calendar.TakeBackClose(rung="season", number=1), SEASON_END)
    gone = (development.SubjectSettled, calendar.PeriodClosed)
    only_season = refold(table, lambda event: isinstance(event, gone) and event.rung == "season")
    assert [due.key for due in calendar.due_periods(only_season.calendar, SEASON_END)] == ["season:1:2"]


# -- players who roll themselves


def test_players_may_roll_until_the_grace_is_over() -> None:
    """SPI-107."""
    table = marked_table(roller="owner_player")
    table.close(SEASON_END, no_die)
    opened = [roll.key for roll in table.marks.open_rolls.values()]
    assert opened == ["season:1:talyne:bold_cautious", "season:1:wren:proud_humble"]
    assert table.ratings("bold_cautious") == (14, 6) and table.marks.marks == {}
    assert development.next_roll_due_at(table.marks) == utc("2026-02-09T00:00:00Z")

    roll = development.RollAdvancement(roll=opened[0])
    sixth, seventh = utc("2026-02-08T12:00:00Z"), utc("2026-02-09T00:00:00Z")
    for by in ("gm", "server"):
        with pytest.raises(Refused) as no:
            table.develop(roll, sixth, by=by)
        assert no.value.code == "player_rolls"
        # By the campaign's own clock, to the minute.
        assert no.value.right == "wait until Monday, 9 February 2026, 00:00"
    (done,) = table.develop(roll, sixth, by="holder", dice=lambda key: 14)
    assert (done.by, done.in_stead, done.result.total, done.result.shifted) == ("holder", False, 15, True)
    assert table.ratings("bold_cautious") == (15, 5)
    with pytest.raises(Refused) as no:
        table.develop(roll, sixth, by="holder")
    assert no.value.code == "no_such_roll"

    assert development.rolls_due(table.standing, sixth) == []
    for command in development.rolls_due(table.standing, seventh):
        (rest,) = table.develop(command, seventh, by="server", dice=lambda key: 1)
    assert (rest.by, rest.in_stead, rest.result.shifted) == ("server", True, False)
    assert table.marks.open_rolls == {}


def test_open_rolls_come_before_the_next_close_of_their_kind() -> None:
    """SPI-106: seasons are settled in order."""
    table = marked_table(roller="owner_player", grace_days=60)
    table.close(SEASON_END, no_die)
    table.mark("bold", "2026-02-04T20:00:00Z")
    table.close(utc("2026-03-02T00:00:00Z"), lambda key: 20)
    rolled = [event for event in table.log if isinstance(event, development.AdvancementRolled)]
    assert [(event.number, event.in_stead) for event in rolled] == [(1, True), (1, True)]
    assert table.ratings("bold_cautious") == (15, 5)
    (second,) = table.marks.open_rolls.values()
    assert (second.number, second.remaining) == (2, 1)


def test_players_have_their_grace_also_after_a_late_close() -> None:
    table = marked_table(roller="owner_player")
    late = utc("2026-02-20T15:00:00Z")
    table.close(late, no_die)
    assert development.next_roll_due_at(table.marks) == utc("2026-02-27T00:00:00Z")


def test_players_roll_the_face_the_server_would_have_rolled() -> None:
    by_server, by_player = marked_table(), marked_table(roller="owner_player")
    by_server.close(SEASON_END, seeded)
    by_player.close(SEASON_END, no_die)
    for key in list(by_player.marks.open_rolls):
        by_player.develop(development.RollAdvancement(roll=key), SEASON_END, by="holder", dice=seeded)
    assert by_player.pairs == by_server.pairs


# -- data that does not fit


@pytest.mark.parametrize(
    ("change", "path", "right"),
    [
        ({"kinds": ("personalty",)}, "cycles.0.kinds.0", "personality"),
        ({"unit": "wek"}, "cycles.0.unit", "week"),
        ({"settles": "seasons"}, "cycles.0.settles", "season"),
        ({"unit": "year"}, "cycles.0.unit", "week, season"),
        ({"kinds": ("personality", "ethos")}, "cycles", "one cycle a kind"),
    ],
)
def test_faults_of_the_data_name_place_and_right(change: dict[str, Any], path: str, right: str) -> None:
    rules = development_rules()
    first = msgspec.structs.replace(rules.cycles[0], **change)
    wrong = msgspec.structs.replace(rules, cycles=(first, *rules.cycles[1:]))
    faults = development.check_development(wrong, calendar_rules(), pair_rules())
    assert [(fault.path, fault.right) for fault in faults] == [(path, right)]


def test_marks_whose_pair_is_gone_are_settled_without_a_roll_and_say_so() -> None:
    table = marked_table()
    del table.pairs.subjects["wren"]
    table.close(SEASON_END, lambda key: 1)
    wren = [event for event in table.log if isinstance(event, development.SubjectSettled)][1]
    assert [(result.outcome, result.before) for result in wren.results] == [("no_ratings", None)]
    assert table.marks.marks == {}


def test_a_pair_that_the_pack_has_dropped_does_not_stop_a_close() -> None:
    table = marked_table(roller="owner_player")
    table.close(SEASON_END, no_die)
    rules = pair_rules()
    person = rules.kinds[0]
    fewer = msgspec.structs.replace(person, pairs=tuple(pair for pair in person.pairs if pair.id != "proud_humble"))
    changed = msgspec.structs.replace(rules, kinds=(fewer, *rules.kinds[1:]))
    standing = msgspec.structs.replace(table.standing, pair_rules=changed)
    commands = development.rolls_due(standing, utc("2026-02-10T00:00:00Z"))
    outcomes = [
        development.decide(standing, command, utc("2026-02-10T00:00:00Z"), "server", lambda key: 1)[0].result.outcome
        for command in commands
    ]
    assert outcomes == ["rolled", "no_ratings"]


def test_thirty_years_leave_no_trace_in_the_state() -> None:
    """What a state holds does not grow with the age of the campaign."""
    table = Table()
    table.holder("talyne", bold=10)
    now = table.now
    sizes = []
    for year in range(30):
        for season in range(4):
            now = calendar.period(table.calendar, "season", year * 4 + season + 1).begins_at
            table.close(now, seeded)
            table.mark("bold" if season % 2 else "cautious", now + dt.timedelta(hours=1))
        sizes.append(len(msgspec.json.encode((table.calendar, table.marks, table.pairs))))
    assert max(sizes) < sizes[0] + 20
