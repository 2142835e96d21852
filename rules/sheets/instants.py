"""Instants: the moments at which something that lasts can end. A closed list; packs choose from it."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from rules.sheets.subject import Ends, Held

INSTANTS: dict[str, bool] = {
    "turn_start": True,
    "turn_end": True,
    "round_start": False,
    "round_end": False,
    "encounter_start": False,
    "encounter_end": False,
    "hour_end": False,
    "scene_end": False,
    "deed_end": False,
    "session_end": False,
    "short_rest_end": True,
    "long_rest_end": True,
    "week_end": False,
    "season_end": False,
    "year_end": False,
    "used": False,
    "never": False,
}
"""instant -> whether it is somebody's (a turn, a rest) and so needs `of`"""

OF_CALENDARS = ("week_end", "season_end", "year_end")
"""the end of a rung of the calendar"""

CROSSINGS = ("enter", "leave")
"""what only triggers hear: somebody comes to stand in an area, or stands in it no more"""


def expire(held: Iterable[Held], at: str, of: str = "") -> tuple[list[Held], list[Held]]:
    """What stays and what ends when an instant comes; what must come several times is counted down."""
    stays: list[Held] = []
    ends: list[Held] = []
    for thing in held:
        if thing.ends is None or thing.ends.at != at or (thing.ends.of and thing.ends.of != of):
            stays.append(thing)
        elif thing.ends.count > 1:
            stays.append(replace(thing, ends=Ends(at=at, of=thing.ends.of, count=thing.ends.count - 1)))
        else:
            ends.append(thing)
    return stays, ends
