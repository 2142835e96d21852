"""Where the campaign's calendar stands, in words and with real dates."""

from __future__ import annotations

from dataclasses import dataclass

from campaigns.entrance import utc_now
from campaigns.registry import stamp_of as stamp_at
from campaigns.state import State


@dataclass(frozen=True)
class Stamp:
    """Year, season and week in words, the real dates of the week, and how far the season has come."""

    when: str
    dates: str
    week: int
    weeks: int

    @property
    def level(self) -> float:
        """How far the season has come, 0 to 1."""
        return max(0.0, min(1.0, (self.week - 0.5) / self.weeks)) if self.weeks else 0.35


def stamp_of(state: State) -> Stamp | None:
    """The stamp of this moment, or nothing while the campaign has no calendar."""
    stamp = stamp_at(state, utc_now())
    if not stamp.year:
        return None
    return Stamp(f"Year {stamp.year}, season {stamp.season}, week {stamp.week}", "", stamp.week, 4)
