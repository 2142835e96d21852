"""Marks of a period whose close does not settle them: those of a week, and of a season for what moves by the year."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from campaigns.audience import Viewer, name_finder, view_event
from campaigns.events import GM
from campaigns.parts.calendar import Calendar
from campaigns.sections import section
from campaigns.state import State
from identity.parts import marks as m
from identity.parts import pairs as p
from identity.reads.reports import MarkTold, SubjectReport, came_of, mark_told
from rules import calendar as rc
from rules import development as rd


@dataclass(frozen=True)
class Earned:
    """A mark of a subject, by the cycle that settles it."""

    subject: str
    cycle: rd.Cycle
    mark: MarkTold


def with_earned(state: State, viewer: Viewer, rung: str, number: int, told: list[SubjectReport]) -> list[SubjectReport]:
    """The subjects of a report, each with the marks that its conduct in the period earned, as the viewer may know
    them; those of whom there is nothing else to tell come last."""
    found = [one for one in _earned(state, viewer, rung, number) if _listed(state, one.cycle, rung)]
    by_subject = {one.subject: one for one in told}
    names = name_finder(state)
    for subject in dict.fromkeys(one.subject for one in found):
        own = [one for one in found if one.subject == subject]
        before = by_subject.get(subject) or SubjectReport(subject=subject, name=names(subject), rose=(), full=False)
        marks = tuple(sorted((one.mark for one in own), key=lambda mark: mark.at))
        renewed = any(one.cycle.unit == rung for one in own)
        by_subject[subject] = msgspec.structs.replace(before, earned=marks, renewed=renewed)
    return list(by_subject.values())


def _listed(state: State, cycle: rd.Cycle, rung: str) -> bool:
    """In the shortest periods all are told, else those that count by such periods; never where they are settled."""
    return rung in (state.part(Calendar).clock.rungs[0], cycle.unit) and rung != cycle.settles


def _earned(state: State, viewer: Viewer, rung: str, number: int) -> Iterable[Earned]:
    """Those that wait for their close, and those that it settled."""
    rules, clock = section(state, "development", rd.DevelopmentRules), state.part(Calendar).clock
    period = rc.period(clock, rung, number) if rules is not None else None
    if rules is None or period is None or period.ends_at is None:
        return
    for mark in m.here_of(state).marks.values():
        cycle = rd.cycle_of(rules[1], mark.kind)
        seen = viewer.role == GM or (mark.subject in viewer.knows and not mark.sealed)
        if cycle is not None and seen and period.begins_at <= mark.at < period.ends_at:
            title = m.side_title(p.pair_rules(state), mark.kind, mark.side)
            yield Earned(mark.subject, cycle, mark_told(state, msgspec.structs.asdict(mark), title))
    names = name_finder(state)
    for settles in dict.fromkeys(cycle.settles for cycle in rules[1].cycles):
        whole = rc.period_at(clock, settles, period.begins_at)
        for event in came_of(state, viewer, settles, whole.number) if whole is not None else ():
            body = event.event
            if not isinstance(body, m.SubjectSettled) or view_event(event, viewer, names) is None:
                continue
            for mark in body.marks:
                cycle = rd.cycle_of(rules[1], mark.kind)
                if cycle is not None and cycle.settles == settles and period.begins_at <= mark.at < period.ends_at:
                    title = m.side_title(p.pair_rules(state), mark.kind, mark.side)
                    yield Earned(mark.subject, cycle, mark_told(state, msgspec.structs.asdict(mark), title))
