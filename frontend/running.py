"""What runs at the table now: sessions, scenes and what packs put inside them, as one seat may see them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from campaigns.commands.containers import closes_with, ends_with
from campaigns.instants import Expected, expected
from campaigns.parts.containers import Container, Containers
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table
from campaigns.state import State
from frontend.people import sees_subject
from frontend.seat import Seat


@dataclass(frozen=True)
class Running:
    """One open container; ``depth`` counts those around it, ``ties`` are (tie, names)."""

    id: str
    kind: str
    title: str
    number: int
    who: tuple[str, ...]
    paused: bool
    hidden: bool
    depth: int
    leaders: tuple[str, ...] = ()
    ties: tuple[tuple[str, tuple[str, ...]], ...] = ()
    published: bool = False
    ahead: tuple[Expected, ...] = ()
    """for game masters: what cards would do if it closed now"""


def running(state: State, seat: Seat) -> list[Running]:
    """The open containers, each before what lies in it."""
    every = state.part(Containers).open
    found: list[Running] = []

    def walk(parent: str, depth: int) -> None:
        for container_id, one in every.items():
            inside = one.parent == parent or (not parent and one.parent not in every)
            if not inside or (one.hidden and not seat.is_gm):
                continue
            found.append(_line(state, seat, container_id, one, depth))
            walk(container_id, depth + 1)

    walk("", 0)
    return found


def innermost(state: State, subject: str) -> str:
    """In what of all that runs a test of somebody would stand: the innermost, as long as there is no choice; "" where
    nothing runs."""
    every, known = state.part(Containers).open, state.part(Subjects).by_id.get(subject)
    own = {subject, *(known.players if known is not None else ())}
    at = ""
    while True:
        inside = [
            i
            for i, one in every.items()
            if (one.parent == at or (not at and one.parent not in every))
            and not one.paused
            and not one.hidden
            and (not subject or not one.participants or not own.isdisjoint(one.participants))
        ]
        if len(inside) != 1:
            return at
        at = inside[0]


def lately(state: State, seat: Seat) -> list[Running]:
    """What ended lately, the newest first, for GMs: what was tested there can still be published."""
    over = state.part(Containers).over if seat.is_gm else {}
    return [
        Running(i, one.kind, one.title, one.number, (), False, False, 0, published=one.published)
        for i, one in reversed(over.items())
        if not one.hidden
    ]


def _line(state: State, seat: Seat, container_id: str, one: Container, depth: int) -> Running:
    """One line; watchers are not told who takes part."""
    line = Running(container_id, one.kind, one.title, one.number, (), one.paused, one.hidden, depth)
    line = replace(line, published=one.published)
    if seat.is_watcher:
        return line
    ties = tuple((tie, names) for tie, ids in one.ties.items() if (names := _names(state, seat, ids)))
    who, leaders = _names(state, seat, one.participants), _names(state, seat, one.leaders)
    ends = [ends_with(state, inner) for inner in closes_with(state, container_id)] if seat.is_gm else []
    return replace(line, who=who, leaders=leaders, ties=ties, ahead=tuple(expected(state, ends)))


def _names(state: State, seat: Seat, ids: list[str]) -> tuple[str, ...]:
    members, subjects = state.part(Table).members, state.part(Subjects).by_id
    names = []
    for one in ids:
        if one in members:
            names.append(members[one].name)
        elif one in subjects and not subjects[one].away and sees_subject(seat, one, subjects[one]):
            names.append(subjects[one].name)
    return tuple(names)
