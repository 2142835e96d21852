"""Where the campaign's calendar stands, in words and with real dates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from campaigns.entrance import utc_now
from campaigns.parts.calendar import Calendar, calendar_rules
from campaigns.state import State
from rules import calendar as rc


@dataclass(frozen=True)
class Stamp:
    """Now: in words, the real dates of the week, its place in the period above, when that ends, whether it pauses."""

    when: str
    dates: str
    week: int
    weeks: int
    ends_at: datetime | None
    ends: date | None
    paused: bool
    zone: str
    title: str

    @property
    def level(self) -> float:
        """How far the season has come, 0 to 1."""
        return max(0.05, min(1.0, (self.week - 0.5) / self.weeks)) if self.weeks else 0.35


def dates(first: date, after: date | None) -> str:
    """The days from ``first`` up to, not including, ``after``: "16 to 22 November 2026"."""
    if after is None:
        return f"from {_day(first)} {first:%B %Y}"
    last = after - timedelta(days=1)
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day} to {last.day} {last:%B %Y}"
    if first.year == last.year:
        return f"{_day(first)} {first:%B} to {_day(last)} {last:%B %Y}"
    return f"{_day(first)} {first:%B %Y} to {_day(last)} {last:%B %Y}"


def _day(day: date) -> str:
    return str(day.day)


def stamp_of(state: State) -> Stamp | None:
    """The stamp of this moment, or nothing while the campaign has no calendar that runs."""
    rules, clock, now = calendar_rules(state), state.part(Calendar).clock, utc_now()
    found = rc.stamp_of(rules, clock, now) if rules and clock.start else None
    if rules is None or found is None:
        return None
    lowest, above = clock.rungs[0], clock.rungs[min(1, len(clock.rungs) - 1)]
    week, season = rc.period_at(clock, lowest, now), rc.period_at(clock, above, now)
    weeks = 0
    if season is not None and season.ends is not None:
        weeks = (season.ends - season.starts).days // 7
    return Stamp(
        when=found.text,
        dates=dates(found.week_starts, week.ends if week else found.week_starts + timedelta(days=7)),
        week=found.places[lowest] or 1,
        weeks=weeks,
        ends_at=season.ends_at if season else None,
        ends=season.ends if season else None,
        paused=found.paused,
        zone=str(rc.zone_at(clock, rc.week_at(clock, now))),
        title=rc.period_name(rules, clock, above, season.number) if season else "",
    )


def starts_on(state: State) -> date | None:
    """The first day of a calendar that has been started, be it in the future; None without one."""
    return state.part(Calendar).clock.start


def zone_now(clock: rc.CalendarState) -> str:
    """Name of the time zone that the calendar follows now; UTC while it has none."""
    if not clock.zones or clock.start is None:
        return "UTC"
    return str(rc.zone_at(clock, max(0, rc.week_at(clock, utc_now()))))
