"""What holds of all marks: each is settled exactly once, limits hold, and sealed ones are unheard of."""

import datetime as dt
import hashlib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rules import calendar, development, pairs
from rules.refusal import Refused
from tests.rules.spindrift import Table, calendar_rules

SUBJECTS = {"talyne": ("bold", "cautious", "proud"), "lamps": ("open", "secretive"), "merrow": ("dynastic",)}


def seeded(key: development.FaceKey) -> int:
    return hashlib.sha256(repr(key).encode()).digest()[0] % key.faces + 1


def campaign() -> Table:
    table = Table()
    for subject, kind in (("talyne", "character"), ("lamps", "faction"), ("merrow", "house")):
        table.holder(subject, kind, **{SUBJECTS[subject][0]: 10})
    return table


mark = st.tuples(
    st.just("mark"),
    st.sampled_from([(subject, side) for subject, sides in SUBJECTS.items() for side in sides]),
    st.integers(0, 20),
)
step = st.tuples(
    st.integers(0, 21),
    st.one_of(mark, mark, st.just(("close",)), st.just(("void",)), st.just(("stretch",)), st.just(("pause",))),
)
steps = st.lists(step, max_size=40)


def act(table: Table, now: dt.datetime, what: tuple[Any, ...]) -> Refused | None:
    try:
        if what[0] == "mark":
            (subject, side), ago = what[1], what[2]
            table.mark(side, now - dt.timedelta(days=ago), subject, now=now, mark=f"at {now}")
        elif what[0] == "close":
            table.close(now, seeded)
        elif what[0] == "void" and table.marks.marks:
            table.develop(development.VoidMark(mark=next(reversed(table.marks.marks))), now)
        elif what[0] == "stretch":
            table.time(calendar.StretchPeriod(weeks=1), now)
        elif what[0] == "pause":
            table.time(calendar.PauseCalendar(weeks=1), now)
    except Refused as no:
        return no
    return None


@settings(max_examples=120, deadline=None)
@given(steps)
def test_every_mark_is_settled_or_voided_exactly_once(played: list[tuple[int, tuple[Any, ...]]]) -> None:
    table = campaign()
    now = table.now
    for days, what in played:
        now += dt.timedelta(days=days, hours=3)
        act(table, now, what)
    table.close(now, seeded)
    given_, gone = [], []
    for event in table.log:
        if isinstance(event, development.MarkAwarded):
            given_.append(event.mark)
        elif isinstance(event, development.MarkVoided):
            gone.append(event.mark)
        elif isinstance(event, development.SubjectSettled):
            for result in event.results:
                gone += [*(one for side in result.marks.values() for one in side), *result.surplus]
                assert result.remaining <= sum(len(side) for side in result.marks.values())
    assert len(gone) == len(set(gone))
    assert set(given_) == set(gone) | set(table.marks.marks)
    again = pairs.PairsState()
    for event in table.log:
        pairs.evolve(again, event)
        development.evolve_pairs(again, event)
    assert again == table.pairs


@settings(max_examples=120, deadline=None)
@given(steps)
def test_a_pair_never_moves_more_than_one_in_its_period_and_holds_its_limit(
    played: list[tuple[int, tuple[Any, ...]]],
) -> None:
    table = campaign()
    now = table.now
    for days, what in played:
        now += dt.timedelta(days=days, hours=3)
        act(table, now, what)
        units: set[Any] = set()
        for one in table.marks.marks.values():
            unit = "week" if one.kind == "personality" else "season"
            if what[0] in ("mark", "close", "void"):
                period = calendar.period_at(table.calendar, unit, one.at)
                assert unit == "season" or (one.subject, one.pair, period.key) not in units
                units.add((one.subject, one.pair, period.key))
    moved: dict[Any, int] = {}
    for event in table.log:
        if isinstance(event, development.SubjectSettled):
            for result in event.results:
                key = (event.subject, result.pair, event.rung, event.number)
                moved[key] = moved.get(key, 0) + abs(result.change)
    assert all(points <= 1 for points in moved.values())


def told(table: Table, now: dt.datetime) -> Any:
    """All that a player can ask for."""
    answers: list[Any] = [
        development.eligibility(table.standing, subject, pair, now - dt.timedelta(days=ago))
        for subject, pair in (("talyne", "bold_cautious"), ("talyne", "proud_humble"), ("lamps", "open_secretive"))
        for ago in (0, 7, 14)
    ]
    for rung in ("week", "season", "year"):
        running = calendar.period_at(table.calendar, rung, now)
        plan = development.plan_close(table.standing, running, sealed_too=False)
        answers.append([(line.pair, line.remaining, line.toward, len(line.surplus)) for line in plan.lines])
        answers.append([one.side for one in development.marks_in(table.standing, rung, running.number)])
    return answers, calendar.stamp_of(calendar_rules(), table.calendar, now)


@settings(max_examples=120, deadline=None)
@given(steps, st.lists(st.tuples(st.integers(0, 39), mark), max_size=8))
def test_until_the_close_sealed_marks_change_no_answer_and_no_refusal(
    played: list[tuple[int, tuple[Any, ...]]], sealed: list[tuple[int, tuple[Any, ...]]]
) -> None:
    plain, hiding = campaign(), campaign()
    now = plain.now
    for place, (days, what) in enumerate(played):
        now += dt.timedelta(days=days, hours=3)
        if what[0] in ("close", "void"):
            continue
        for at, (_, (subject, side), ago) in sealed:
            if at == place:
                try:
                    hiding.mark(side, now - dt.timedelta(days=ago), subject, now=now, sealed=True)
                except Refused:
                    assert now - dt.timedelta(days=ago) < hiding.now
        first, second = act(plain, now, what), act(hiding, now, what)
        assert (first and (first.code, first.message, first.right)) == (
            second and (second.code, second.message, second.right)
        )
        assert told(plain, now) == told(hiding, now)
