"""What runs at the table now: sessions, scenes and what packs put inside them, as one seat may see them."""

from __future__ import annotations

from dataclasses import dataclass

from campaigns.parts.containers import Containers
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table
from campaigns.state import State
from frontend.people import sees_subject
from frontend.seat import Seat


@dataclass(frozen=True)
class Running:
    """One open container; ``depth`` counts those around it."""

    id: str
    kind: str
    title: str
    number: int
    who: tuple[str, ...]
    paused: bool
    hidden: bool
    depth: int


def running(state: State, seat: Seat) -> list[Running]:
    """The open containers, each before what lies in it."""
    every = state.part(Containers).open
    found: list[Running] = []

    def walk(parent: str, depth: int) -> None:
        for container_id, one in every.items():
            inside = one.parent == parent or (not parent and one.parent not in every)
            if not inside or (one.hidden and not seat.is_gm):
                continue
            who = () if seat.is_watcher else _names(state, seat, one.participants)
            found.append(Running(container_id, one.kind, one.title, one.number, who, one.paused, one.hidden, depth))
            walk(container_id, depth + 1)

    walk("", 0)
    return found


def _names(state: State, seat: Seat, ids: list[str]) -> tuple[str, ...]:
    members, subjects = state.part(Table).members, state.part(Subjects).by_id
    names = []
    for one in ids:
        if one in members:
            names.append(members[one].name)
        elif one in subjects and sees_subject(seat, one, subjects[one]):
            names.append(subjects[one].name)
    return tuple(names)
