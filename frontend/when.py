"""Where the campaign's calendar stands, in words and with real dates, for covers and stamps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from zoneinfo import available_timezones

from campaigns.entrance import utc_now
from campaigns.state import State
from frontend.seat import Seat
from identity.reads import CalendarInfo, calendar_info


@dataclass(frozen=True)
class Stamp:
    """Now: in words, the real dates of the week, its place in the period above it, and that period's name and end;
    ``pause`` says what pause runs or is to come."""

    when: str
    dates: str
    week: int
    weeks: int
    title: str
    ends: date | None
    paused: bool
    pause: str

    @property
    def level(self) -> float:
        """How far the period above has come, 0 to 1."""
        return max(0.05, min(1.0, (self.week - 0.5) / self.weeks)) if self.weeks else 0.35


def dates(first: date, after: date | None) -> str:
    """The days from ``first`` up to, not including, ``after``: "16 to 22 November 2026"."""
    if after is None:
        return f"from {first.day} {first:%B %Y} on"
    last = after - timedelta(days=1)
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day} to {last.day} {last:%B %Y}"
    begin = f"{first.day} {first:%B}" if first.year == last.year else f"{first.day} {first:%B %Y}"
    return f"{begin} to {last.day} {last:%B %Y}"


def calendar_of(state: State, seat: Seat) -> CalendarInfo:
    """The calendar at this moment, as this seat may know it."""
    return calendar_info(state, seat.viewer, utc_now())


def stamp_of(info: CalendarInfo) -> Stamp | None:
    """The stamp of a calendar that runs; None before its start."""
    if not info.text or not info.periods:
        return None
    week, above = info.periods[0], info.periods[min(1, len(info.periods) - 1)]
    weeks = (above.ends - above.starts).days // 7 if above.ends else 0
    return Stamp(
        when=info.text,
        dates=dates(week.starts, week.ends),
        week=(week.starts - above.starts).days // 7 + 1,
        weeks=weeks,
        title=above.name,
        ends=above.ends,
        paused=info.paused,
        pause=pause_said(info),
    )


def pause_said(info: CalendarInfo) -> str:
    """The pause that runs or is to come ("Paused from 7 December 2026 until it is resumed"), or nothing."""
    return paused_said(info.pause_from, info.pause_until) if info.pause_from else ""


def paused_said(first: date, after: date | None) -> str:
    """A pause in words."""
    if after is None:
        return f"Paused from {first.day} {first:%B %Y} until it is resumed"
    return f"Paused from {dates(first, after)}"


def host_zone(link: Path = Path("/etc/localtime")) -> str:
    """The time zone that the server's own clock is set to, as far as the machine says; else UTC. What the process is
    told (TZ) does not count: Django sets it."""
    zone = str(link.resolve()).rpartition("zoneinfo/")[2]
    return zone if zone in available_timezones() else "UTC"
