"""The shipped data of opposed pairs, calendar and development, and a small campaign to try them on."""

import datetime as dt
import functools
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from rules import calendar, development, pairs
from rules.packs import load_pack


@functools.cache
def section(name: str) -> Any:
    """One section of the pack as its struct."""
    return load_pack("spindrift-identity").source.sections[name]


def calendar_rules() -> calendar.CalendarRules:
    return section("calendar")


def pair_rules() -> pairs.PairRules:
    return section("pairs")


def development_rules() -> development.DevelopmentRules:
    return section("development")


def utc(text: str) -> dt.datetime:
    """An aware instant from its ISO form."""
    return dt.datetime.fromisoformat(text.replace("Z", "+00:00"))


def local(zone: str, *parts: int) -> dt.datetime:
    """An aware instant from local date and time in a zone."""
    return dt.datetime(*parts, tzinfo=ZoneInfo(zone))


def no_die(*asked: Any) -> int:
    """Dice for what must not roll."""
    raise AssertionError(f"a die was rolled that the rules do not allow: {asked}")


class Table:
    """A campaign without a database: states, and every command answered and applied at once."""

    def __init__(
        self,
        zone: str = "Europe/London",
        start: str = "2026-01-05",
        calendar_settings: dict[str, Any] | None = None,
        **changed: Any,
    ) -> None:
        self.calendar = calendar.CalendarState()
        self.pairs = pairs.PairsState()
        self.marks = development.MarksState()
        self.rules = msgspec.structs.replace(development_rules(), **changed)
        self.log: list[Any] = []
        begin = dt.date.fromisoformat(start)
        self.now = calendar.midnight(begin, ZoneInfo(zone))
        self.time(calendar.StartCalendar(zone=zone, starts_on=begin))

    @property
    def standing(self) -> development.Standing:
        return development.Standing(
            rules=self.rules,
            calendar_rules=calendar_rules(),
            pair_rules=pair_rules(),
            calendar=self.calendar,
            pairs=self.pairs,
            marks=self.marks,
        )

    def apply(self, events: list[Any]) -> list[Any]:
        for event in events:
            self.log.append(event)
            for fold, state in self.folds():
                fold(state, event)
        return events

    def folds(self) -> list[tuple[Any, Any]]:
        return [
            (calendar.evolve, self.calendar),
            (pairs.evolve, self.pairs),
            (development.evolve, self.marks),
            (development.evolve_pairs, self.pairs),
        ]

    def time(self, command: Any, now: dt.datetime | None = None) -> list[Any]:
        """A command to the calendar alone."""
        return self.apply(calendar.decide(calendar_rules(), self.calendar, command, now or self.now))

    def pair(self, command: Any, die: Any = no_die) -> list[Any]:
        return self.apply(pairs.decide(pair_rules(), self.pairs, command, die))

    def holder(self, subject: str = "talyne", kind: str = "character", **ratings: int) -> None:
        self.pair(pairs.OpenPairs(subject=subject, subject_kind=kind, ratings=ratings or {"bold": 14}))

    def develop(self, command: Any, now: dt.datetime | None = None, by: str = "gm", dice: Any = no_die) -> list[Any]:
        return self.apply(development.decide(self.standing, command, now or self.now, by, dice))

    def mark(self, side: str, at: str | dt.datetime, subject: str = "talyne", **more: Any) -> list[Any]:
        """A mark for conduct with consequences, recorded when it happened."""
        when = utc(at) if isinstance(at, str) else at
        number = more.pop("mark", f"m{len(self.log)}")
        more = {"consequential": True, "collective": True, "by": "gm", "now": when, **more}
        by, now = more.pop("by"), more.pop("now")
        return self.develop(development.AwardMark(mark=number, subject=subject, side=side, at=when, **more), now, by)

    def close(self, now: dt.datetime, dice: Any = no_die, limit: int | None = None) -> list[str]:
        """Close what is due, one command after the other, and say what was closed."""
        done = []
        while (limit is None or len(done) < limit) and (due := calendar.due_periods(self.calendar, now, limit=1)):
            ahead = due[0]
            command = calendar.ClosePeriod(rung=ahead.period.rung, number=ahead.period.number, attempt=ahead.attempt)
            self.apply(development.close_period(self.standing, command, now, dice))
            done.append(ahead.key)
        return done

    def ratings(self, pair: str, subject: str = "talyne") -> tuple[int, int]:
        first = self.pairs.subjects[subject].ratings[pair]
        return first, pair_rules().total - first
