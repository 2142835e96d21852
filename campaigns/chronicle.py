"""The campaign's story by year, season and session, made of events as one viewer may see them.

An app's event is told here when it is declared with `@in_story`; it says its own sentence. What was taken back is told
as well, struck through.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

import msgspec

from campaigns import registry
from campaigns.audience import Viewer, name_finder, view_event
from campaigns.events import WATCHER
from campaigns.models import StoryLine
from campaigns.parts.calendar import Calendar, calendar_rules
from campaigns.parts.containers import SESSION
from campaigns.parts.voids import Voids
from campaigns.state import State
from campaigns.store import read
from rules import calendar as rc

# So many events of one chapter are told; no table plays more in a season.
MOST = 3000
PAGE = 400


class Chapter(msgspec.Struct, frozen=True, kw_only=True):
    """A season of the calendar; year and season 0 is what lies before it (or all of it, without a calendar). ``ends``
    is the first day after it, None while that is open. It tells what happened from ``begins_at`` on, before
    ``ends_at``; None is without bound."""

    year: int
    season: int
    title: str
    starts: date | None = None
    ends: date | None = None
    begins_at: datetime | None = None
    ends_at: datetime | None = None


class StoryEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One event: its type, its sentence, when it happened, whether it was taken back. ``rung`` and ``number`` name the
    period of a close, for its report."""

    type: str
    says: str
    at: datetime
    voided: bool
    rung: str = ""
    number: int = 0


class StorySection(msgspec.Struct, frozen=True, kw_only=True):
    """A session with what happened in it, or (without a title) what lies between two."""

    title: str
    begins: datetime | None
    entries: tuple[StoryEntry, ...]


def chapters(state: State, now: datetime) -> list[Chapter]:
    """The chapters up to now, oldest first; they follow from the calendar alone, as it is known now, and so tell of
    nothing hidden. What happened belongs to the season that its instant lies in: where a season was ended early, or a
    pause was told late, what was written down before that moves along."""
    before = Chapter(year=0, season=0, title="Before the calendar")
    clock, rules = state.part(Calendar).clock, calendar_rules(state)
    if rules is None or clock.start is None or len(clock.rungs) < 2:
        return [msgspec.structs.replace(before, title="The story so far")]
    rung = clock.rungs[1]
    found = [msgspec.structs.replace(before, ends_at=rc.instant_of(clock, 0))]
    last = rc.period_at(clock, rung, now)
    for number in range(1, (last.number if last else 0) + 1):
        period = rc.period(clock, rung, number)
        if period is None:
            break
        stamp = registry.stamp_of(state, period.begins_at)
        title = rc.period_name(rules, clock, rung, number)
        found.append(
            Chapter(
                year=stamp.year,
                season=stamp.season,
                title=title,
                starts=period.starts,
                ends=period.ends,
                begins_at=period.begins_at,
                ends_at=period.ends_at,
            )
        )
    return found


def sections(state: State, viewer: Viewer, chapter: Chapter, subject: str = "") -> list[StorySection]:
    """A chapter, of a subject where it is named: sessions and what lies between them, in the order of happening."""
    found: list[StorySection] = []
    title, begins, entries = "", None, list[StoryEntry]()

    def close() -> None:
        nonlocal title, begins, entries
        if entries or title:
            found.append(StorySection(title=title, begins=begins, entries=tuple(entries)))
        title, begins, entries = "", None, []

    for view in _views(state, viewer, chapter, subject):
        data, at = view["data"], datetime.fromisoformat(view["at"])
        session = data.get("kind") == SESSION and not view["voided"]
        if view["type"] == "container.opened" and session:
            close()
            number = f" {data['number']}" if data["number"] else ""  # what began hidden has none
            title, begins = f"{data['kind'].title()}{number}: {data['title']}", at
        elif view["type"] == "container.closed" and session:
            close()
        else:
            entries.append(_entry(view, at))
    close()
    return found


def _entry(view: dict[str, Any], at: datetime) -> StoryEntry:
    data = view["data"]
    closed = view["type"] == "period.closed"
    about = data.get("decision", "") if view["type"] == "test.resolved" else ""
    return StoryEntry(
        type=view["type"],
        says=f"{view['says'].rstrip('.')} ({about})" if about and about not in view["says"] else view["says"],
        at=at,
        voided=view["voided"],
        rung=data["rung"] if closed else "",
        number=data["number"] if closed else 0,
    )


def _views(state: State, viewer: Viewer, chapter: Chapter, subject: str) -> Iterator[dict[str, Any]]:
    """What the viewer may see of a chapter's events."""
    rows = StoryLine.objects.filter(campaign_id=viewer.campaign_id, subject=subject)
    if chapter.begins_at is not None:
        rows = rows.filter(at__gte=chapter.begins_at)
    if chapter.ends_at is not None:
        rows = rows.filter(at__lt=chapter.ends_at)
    positions = list(rows.order_by("at", "position").values_list("position", flat=True)[:MOST])
    names, voids = name_finder(state), state.part(Voids).by
    # Watchers are told of a test what was published; everybody else has seen the test itself.
    twice = "test.published" if viewer.role != WATCHER else ""
    for start in range(0, len(positions), PAGE):
        page = positions[start : start + PAGE]
        events = {event.position: event for event in read.events_at(viewer.campaign_id, page)}
        for position in page:
            if position not in events or events[position].type == twice:
                continue
            view = view_event(events[position], viewer, names, voided=position in voids)
            if view is not None and not _is_bookkeeping(view):
                yield view


def _is_bookkeeping(view: dict[str, Any]) -> bool:
    """What nobody would tell of a season: what was done with a thing, without anything being at stake or coming to
    good or ill; and who has not entered the story yet, though its game master knows of them."""
    data = view["data"]
    if view["type"] == "test.resolved":
        return data.get("success") is None and not data.get("decision")
    return view["type"] == "subject.created" and bool(data.get("hidden"))
