"""Instants: the moments at which something that lasts can end. A closed list; packs choose from it.

Beside it, a pack knows the ends of what it declares itself: `<id>_end` of each rung of its calendar and of each kind of
container.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

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
    "scene_start": False,
    "scene_end": False,
    "scene_pause": False,
    "scene_resume": False,
    "deed_end": False,
    "session_start": False,
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

PERIODS = ("week_end", "season_end", "year_end")
"""ends of periods that a pack without a calendar of its own can wait for: another pack's calendar brings them"""

CROSSINGS = ("enter", "leave")
"""what only triggers hear: somebody comes to stand in an area, or stands in it no more"""


def end_of(thing: str) -> str:
    """The instant at which a period or a container of this kind ends."""
    return f"{thing}_end"


def start_of(thing: str) -> str:
    """The instant at which a container of this kind begins."""
    return f"{thing}_start"


def instants_of(sections: Mapping[str, Any]) -> dict[str, bool]:
    """The instants that a pack with these sections knows. With a calendar of its own, periods end as its rungs do."""
    calendar, invocations = sections["calendar"], sections["invocations"]
    found = dict(INSTANTS)
    if calendar is not None:
        found = {name: whose for name, whose in found.items() if name not in PERIODS}
        found |= {end_of(rung.id): False for rung in calendar.ladder}
    if invocations is not None:
        found |= {end_of(container.id): False for container in invocations.containers}
    return found


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
