"""Marks and their settling: the ledger's worked examples, restated."""

from fractions import Fraction
from typing import Any

import pytest

from rules import calendar, development
from rules.refusal import Refused
from tests.rules.spindrift import Table, calendar_rules, development_rules, no_die, pair_rules, utc

WEEKS = ["2026-01-07", "2026-01-14", "2026-01-21", "2026-01-28"]
SEASONS = ["2026-01-20", "2026-02-17", "2026-03-17", "2026-04-14"]
SEASON_END, YEAR_END = utc("2026-02-02T00:00:00Z"), utc("2026-04-26T23:00:00Z")


def only(face: int) -> Any:
    """A die that shows one face, once."""
    faces = [face]
    return lambda key: faces.pop()


def settle(pair: dict[str, int], marks: dict[str, int], face: int | None, kind: str = "character") -> dict[str, Any]:
    """A period closed over marks on one pair, given by side; one mark a week or season."""
    table = Table()
    side = next(iter(pair))
    table.holder("h", kind, **{side: pair[side]})
    days = iter(WEEKS if kind == "character" else SEASONS)
    for name, count in marks.items():
        for _ in range(count):
            table.mark(name, f"{next(days)}T20:00:00Z", "h")
    table.close(SEASON_END if kind == "character" else YEAR_END, no_die if face is None else only(face))
    settled = [event for event in table.log if isinstance(event, development.SubjectSettled)]
    assert table.marks.marks == {}
    (result,) = [result for event in settled for result in event.results]
    first = table.pairs.subjects["h"].ratings[result.pair]
    sides = dict(zip(pair, (first, 20 - first) if result.pair.startswith(side) else (20 - first, first), strict=True))
    return {
        "remaining": {result.toward: result.remaining} if result.toward else {},
        "rolled": result.outcome == "rolled",
        "bonus": result.bonus,
        "total": result.total,
        "shifted": result.toward if result.shifted else None,
        "pair": sides,
    }


BC, PI = ("bold", "cautious"), ("patient", "impulsive")


@pytest.mark.parametrize(
    "row",
    [
        ("SPI-029", BC, (14, 6), (1, 0), 14, (1, 0), 0, 14, None, (14, 6)),
        ("SPI-037", BC, (14, 6), (1, 1), None, (0, 0), None, None, None, (14, 6)),
        ("SPI-037", BC, (14, 6), (0, 4), 20, (0, 4), 3, 23, "cautious", (13, 7)),
        ("SPI-096", BC, (12, 8), (3, 1), 12, (2, 0), 1, 13, "bold", (13, 7)),
        ("SPI-096", BC, (12, 8), (1, 3), 7, (0, 2), 1, 8, None, (12, 8)),
        ("SPI-097", BC, (12, 8), (2, 2), None, (0, 0), None, None, None, (12, 8)),
        ("SPI-100", BC, (14, 6), (1, 0), 15, (1, 0), 0, 15, "bold", (15, 5)),
        ("SPI-100", BC, (14, 6), (3, 0), 12, (3, 0), 2, 14, None, (14, 6)),
        ("SPI-100", BC, (14, 6), (0, 1), 7, (0, 1), 0, 7, "cautious", (13, 7)),
        ("SPI-101", BC, (4, 16), (4, 0), 20, (4, 0), 3, 23, "bold", (5, 15)),
        ("SPI-102", PI, (19, 1), (1, 0), 20, (1, 0), 0, 20, "patient", (20, 0)),
        ("SPI-102", PI, (19, 1), (4, 0), 16, (4, 0), 3, 19, None, (19, 1)),
        ("SPI-102", PI, (19, 1), (4, 0), 17, (4, 0), 3, 20, "patient", (20, 0)),
        ("SPI-103", PI, (20, 0), (4, 0), None, (4, 0), None, None, None, (20, 0)),
        ("SPI-103", PI, (20, 0), (1, 2), 1, (0, 1), 0, 1, "impulsive", (19, 1)),
        ("SPI-105", BC, (14, 6), (2, 0), 3, (2, 0), 1, 4, None, (14, 6)),
        ("SPI-106", BC, (18, 2), (2, 0), 18, (2, 0), 1, 19, "bold", (19, 1)),
        ("SPI-107", BC, (12, 8), (1, 0), 13, (1, 0), 0, 13, "bold", (13, 7)),
    ],
)
def test_a_season_settles_a_pair(row: Any) -> None:
    """Rows: ledger id, sides, ratings, marks, face; marks left, bonus, total, side shifted to, ratings after."""
    _, sides, pair, marks, face, remaining, bonus, total, shifted, after = row
    got = settle(dict(zip(sides, pair, strict=True)), dict(zip(sides, marks, strict=True)), face)
    left = {side: count for side, count in zip(sides, remaining, strict=True) if count}
    assert got["remaining"] == left
    assert (got["bonus"], got["total"], got["shifted"]) == (bonus, total, shifted)
    assert got["rolled"] == (face is not None)
    assert tuple(got["pair"].values()) == after


@pytest.mark.parametrize(
    "row",
    [
        ("SPI-125", "house", ("ancestral", "adaptive"), (12, 8), (0, 1), 9, 0, 9, "adaptive", (11, 9)),
        ("SPI-131", "faction", ("open", "secretive"), (9, 11), (2, 2), None, None, None, None, (9, 11)),
        ("SPI-131", "faction", ("open", "secretive"), (9, 11), (3, 1), 9, 1, 10, "open", (10, 10)),
        ("SPI-133", "house", ("dynastic", "individual"), (15, 5), (4, 0), 13, 3, 16, "dynastic", (16, 4)),
        ("SPI-133", "house", ("dynastic", "individual"), (15, 5), (1, 0), 13, 0, 13, None, (15, 5)),
        ("SPI-134", "faction", ("traditional", "reformist"), (13, 7), (0, 1), 8, 0, 8, "reformist", (12, 8)),
        ("SPI-134", "faction", ("traditional", "reformist"), (13, 7), (0, 1), 7, 0, 7, None, (13, 7)),
        ("SPI-135", "faction", ("traditional", "reformist"), (13, 7), (0, 4), 20, 3, 23, "reformist", (12, 8)),
        ("SPI-136", "house", ("harmonious", "competitive"), (16, 4), (3, 0), 11, 2, 13, None, (16, 4)),
        ("SPI-136", "house", ("harmonious", "competitive"), (16, 4), (3, 0), 15, 2, 17, "harmonious", (17, 3)),
        ("SPI-137", "house", ("insular", "entangled"), (10, 10), (0, 2), 10, 1, 11, "entangled", (9, 11)),
    ],
)
def test_a_year_settles_a_collective_pair(row: Any) -> None:
    """Rows: ledger id, holder, sides, ratings, marks, face; bonus, total, side shifted to, ratings after."""
    _, kind, sides, pair, marks, face, bonus, total, shifted, after = row
    got = settle(dict(zip(sides, pair, strict=True)), dict(zip(sides, marks, strict=True)), face, kind)
    assert (got["bonus"], got["total"], got["shifted"]) == (bonus, total, shifted)
    assert tuple(got["pair"].values()) == after


def test_one_roll_a_marked_pair_never_one_a_mark() -> None:
    """SPI-098, SPI-132."""
    table = Table()
    table.holder(bold=14)
    for day in WEEKS:
        table.mark("bold", f"{day}T20:00:00Z")
    table.mark("proud", f"{WEEKS[0]}T20:00:00Z")
    table.mark("patient", f"{WEEKS[0]}T20:00:00Z")
    table.mark("impulsive", f"{WEEKS[1]}T20:00:00Z")
    asked: list[development.FaceKey] = []
    table.close(SEASON_END, lambda key: asked.append(key) or 10)
    assert [key.pair for key in asked] == ["personality.bold_cautious", "personality.proud_humble"]
    assert {key.period for key in asked} == {"season:1"} and {key.faces for key in asked} == {20}


@pytest.mark.parametrize(("remaining", "bonus"), [(1, 0), (2, 1), (3, 2), (4, 3), (5, 3), (9, 3)])
def test_the_first_mark_left_adds_nothing_and_the_bonus_stops_at_three(remaining: int, bonus: int) -> None:
    """SPI-099."""
    assert development.mark_bonus(development_rules(), remaining) == bonus


@pytest.mark.parametrize(
    ("rating", "bonus", "shifts"), [(14, 0, 6), (14, 3, 9), (19, 2, 3), (3, 3, 20), (4, 3, 19), (0, 0, 20)]
)
def test_exact_chances(rating: int, bonus: int, shifts: int) -> None:
    """SPI-104, the printed examples."""
    assert development.advancement_chance(development_rules(), rating, bonus) == Fraction(shifts, 20)


def test_the_whole_table_of_chances_follows_the_formula() -> None:
    """SPI-104: (20 + bonus - rating) in 20, held between 0 and 20."""
    for rating in range(21):
        for bonus in range(4):
            expected = Fraction(min(20, max(0, 20 + bonus - rating)), 20)
            assert development.advancement_chance(development_rules(), rating, bonus) == expected


@pytest.mark.parametrize(
    ("rule", "existing", "side", "at", "code"),
    [
        ("SPI-092", ("bold", "2026-02-09T19:00:00Z"), "bold", "2026-02-15T23:30:00Z", "pair_marked_this_week"),
        ("SPI-092", ("bold", "2026-02-09T19:00:00Z"), "cautious", "2026-02-13T19:00:00Z", "pair_marked_this_week"),
        ("SPI-092", ("bold", "2026-02-09T19:00:00Z"), "bold", "2026-02-16T00:10:00Z", None),
        ("SPI-092", ("bold", "2026-02-09T19:00:00Z"), "proud", "2026-02-09T19:05:00Z", None),
    ],
)
def test_one_mark_a_pair_in_a_real_week(rule: str, existing: Any, side: str, at: str, code: str | None) -> None:
    table = Table()
    table.holder(bold=14)
    table.mark(*existing)
    if code is None:
        assert table.mark(side, at)[0].side == side
        return
    with pytest.raises(Refused) as no:
        table.mark(side, at)
    assert (no.value.code, no.value.right) == (code, "conduct from Monday, 16 February 2026 on")
    assert no.value.message == "Bold / Cautious has its mark for Year 1, Summer, week 2 already."


@pytest.mark.parametrize(("zone", "accepted"), [("America/New_York", True), ("UTC", False)])
def test_the_week_is_that_of_the_campaigns_zone(zone: str, accepted: bool) -> None:
    """SPI-093."""
    table = Table(zone, "2026-02-09")
    table.holder(bold=14)
    table.mark("bold", "2026-03-02T03:30:00Z")
    if accepted:
        table.mark("bold", "2026-03-02T06:00:00Z")
    else:
        with pytest.raises(Refused, match="has its mark"):
            table.mark("bold", "2026-03-02T06:00:00Z")


@pytest.mark.parametrize(
    ("rule", "kind", "existing", "side", "at", "code"),
    [
        ("SPI-128", "faction", ("open", "2026-01-07"), "secretive", "2026-01-29T20:00:00Z", "pair_marked_this_season"),
        ("SPI-128", "faction", ("open", "2026-01-07"), "secretive", "2026-02-02T00:00:00Z", None),
        (
            "SPI-117",
            "faction",
            ("pragmatic", "2026-01-06"),
            "pragmatic",
            "2026-01-14T20:00:00Z",
            "pair_marked_this_season",
        ),
        ("SPI-125", "house", ("ancestral", "2026-01-30"), "ancestral", "2026-02-03T20:00:00Z", None),
        ("SPI-038", "house", ("dynastic", "2026-01-06"), "dynastic", "2026-01-28T20:00:00Z", "pair_marked_this_season"),
    ],
)
def test_one_mark_a_collective_pair_in_a_season(
    rule: str, kind: str, existing: Any, side: str, at: str, code: str | None
) -> None:
    table = Table()
    table.holder("h", kind, **{side: 10})
    table.mark(existing[0], f"{existing[1]}T20:00:00Z", "h")
    if code is None:
        table.mark(side, at, "h")
        return
    with pytest.raises(Refused) as no:
        table.mark(side, at, "h")
    assert (no.value.code, no.value.right) == (code, "conduct from Monday, 2 February 2026 on")


def test_kinds_do_not_share_marks() -> None:
    """SPI-138; and two subjects never do."""
    table = Table()
    table.holder("lamplighters", "faction", traditional=12)
    table.holder("merrow", "house", ancestral=12)
    table.mark("traditional", "2026-01-08T20:00:00Z", "lamplighters")
    table.mark("ancestral", "2026-01-09T20:00:00Z", "merrow")
    assert len(table.marks.marks) == 2


@pytest.mark.parametrize(
    ("rule", "side", "more", "code"),
    [
        ("SPI-036", "bold", {"source": "critical_success", "tested": "bold"}, None),
        ("SPI-036", "cautious", {"source": "critical_failure", "tested": "bold"}, None),
        ("SPI-036", "bold", {"source": "critical_failure", "tested": "bold"}, "wrong_side_for_source"),
        (
            "SPI-036",
            "bold",
            {"source": "critical_success", "tested": "bold", "consequential": False},
            "not_consequential",
        ),
        ("SPI-036", "bold", {"source": "critical_success"}, "name_the_tested_side"),
        ("SPI-057", "severe", {}, None),
        ("SPI-130", "self_directed", {"collective": False}, None),
        ("SPI-003", "brave", {}, "unknown_side"),
        ("SPI-001", "ethos.open", {}, "pair_not_of_this_kind"),
        ("SPI-001", "bold", {"source": "whim"}, "unknown_source"),
    ],
)
def test_what_a_mark_comes_of(rule: str, side: str, more: Any, code: str | None) -> None:
    table = Table()
    table.holder(bold=14)
    if code is None:
        assert table.mark(side, "2026-01-07T20:00:00Z", **more)[0].side == side
        return
    with pytest.raises(Refused) as no:
        table.mark(side, "2026-01-07T20:00:00Z", **more)
    assert no.value.code == code


def test_one_members_act_does_not_mark_the_whole() -> None:
    """SPI-129, SPI-130."""
    table = Table()
    table.holder("merrow", "house", individual=10)
    with pytest.raises(Refused) as no:
        table.mark("individual", "2026-01-15T20:00:00Z", "merrow", collective=False)
    assert no.value.code == "not_a_collective_decision"
    assert table.mark("entangled", "2026-01-15T20:00:00Z", "merrow")


def test_season_settles_persons_and_year_settles_all() -> None:
    """SPI-058, SPI-127, SPI-132: what is due at the ends of seasons 2, 4 and 5."""
    table = Table()
    table.holder("talyne", bold=14)
    table.holder("lamps", "faction", open=9)
    table.holder("merrow", "house", dynastic=15)
    settled: dict[str, set[str]] = {}
    for season in range(1, 6):
        running = calendar.period(table.calendar, "season", season)
        assert running is not None and running.ends_at is not None
        at = running.begins_at
        table.mark("bold", at)
        table.mark("open", at, "lamps")
        table.mark("dynastic", at, "merrow")
        seen = len(table.log)
        table.close(running.ends_at, lambda key: 1)
        settled[str(season)] = {
            event.kind for event in table.log[seen:] if isinstance(event, development.SubjectSettled)
        }
    every = {"personality", "ethos", "traditions"}
    assert settled == {
        "1": {"personality"},
        "2": {"personality"},
        "3": {"personality"},
        "4": every,
        "5": {"personality"},
    }


def test_conduct_of_a_settled_season_is_refused_and_names_the_first_day_that_counts() -> None:
    """SPI-095."""
    table = Table()
    table.holder(bold=14)
    table.close(SEASON_END)
    with pytest.raises(Refused) as no:
        table.mark("bold", "2026-01-28T20:00:00Z", now=utc("2026-02-03T12:00:00Z"))
    assert (no.value.code, no.value.right) == ("season_already_settled", "conduct from Monday, 2 February 2026 on")


def test_marks_of_the_season_that_has_begun_are_untouched() -> None:
    """SPI-105, and SPI-095: conduct after the end belongs to the next season, settled or not."""
    table = Table()
    table.holder(bold=14)
    table.mark("bold", "2026-01-28T20:00:00Z")
    table.mark("cautious", "2026-02-02T00:00:00Z")
    table.close(utc("2026-02-04T00:00:00Z"), only(3))
    assert [(mark.side) for mark in table.marks.marks.values()] == ["cautious"]


def test_a_stretched_season_can_hold_five_marks_and_gives_three() -> None:
    """SPI-095, SPI-099."""
    table = Table()
    table.holder(bold=14)
    table.time(calendar.StretchPeriod(weeks=1), utc("2026-01-07T00:00:00Z"))
    for day in [*WEEKS, "2026-02-04"]:
        table.mark("bold", f"{day}T20:00:00Z")
    table.close(utc("2026-02-09T00:00:00Z"), only(11))
    (result,) = [event.results[0] for event in table.log if isinstance(event, development.SubjectSettled)]
    assert (result.remaining, result.bonus, result.total, result.shifted) == (5, 3, 14, False)


def test_the_packs_data_is_sound() -> None:
    assert development.check_development(development_rules(), calendar_rules(), pair_rules()) == []
