"""The chronicle: a season, a whole year, or all there is of one subject; to be read and to be printed."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse

from campaigns.audience import Viewer
from campaigns.chronicle import Chapter, StorySection, chapters, sections
from campaigns.entrance import utc_now
from campaigns.state import State
from frontend import pages
from frontend.entries import KINDS, OTHER
from frontend.seat import at_table, look
from frontend.views.subjects import find
from frontend.when import calendar_of, dates


def _told(state: State, viewer: Viewer, chapter: Chapter, subject: str = "") -> dict[str, Any]:
    """A chapter for the template: title, real dates, sessions with their lines."""
    found = sections(state, viewer, chapter, subject)
    return {
        "chapter": chapter,
        "dates": dates(chapter.starts, chapter.ends) if chapter.starts else "",
        "sections": [{"title": one.title, "begins": one.begins, "lines": _lines(one)} for one in found],
    }


def _lines(section: StorySection) -> list[dict[str, Any]]:
    lines = []
    for entry in section.entries:
        kind, icon = KINDS.get(entry.type.partition(".")[0], OTHER)
        lines.append({"entry": entry, "kind": kind, "icon": icon})
    return lines


def _around(every: list[Chapter], chosen: list[Chapter]) -> dict[str, Any]:
    """The chapters before and behind, and the years to go to."""
    first, last = every.index(chosen[0]), every.index(chosen[-1])
    return {
        "earlier": every[first - 1] if first else None,
        "later": every[last + 1] if last + 1 < len(every) else None,
        "years": list(dict.fromkeys(chapter.year for chapter in every if chapter.year)),
    }


@at_table
def show(request: HttpRequest, campaign_id: UUID, year: int | None = None, season: int | None = None) -> HttpResponse:
    """The season that runs, or the season or year of the address."""
    with look(request, campaign_id) as (state, seat):
        every = chapters(state, utc_now())
        chosen = [c for c in every if c.year == year and season in (None, c.season)] if year is not None else every[-1:]
        if not chosen:
            raise Http404
        lowest = calendar_of(state, seat).periods[:1]
        context: dict[str, Any] = {
            **pages.frame(state, seat, "chronicle"),
            **_around(every, chosen),
            "chapters": [_told(state, seat.viewer, chapter) for chapter in chosen],
            "year": year if season is None else None,
            "shortest": lowest[0].rung if lowest else "",
        }
    return pages.show(request, "pages/chronicle.html", context)


@at_table
def of(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """All that is told of one subject, on one page."""
    with look(request, campaign_id) as (state, seat):
        found = find(state, seat, subject)
        told = [_told(state, seat.viewer, chapter, subject) for chapter in chapters(state, utc_now())]
        context: dict[str, Any] = {
            **pages.frame(state, seat, "chronicle"),
            "subject": found,
            "chapters": [one for one in told if one["sections"]],
        }
    return pages.show(request, "pages/chronicle_of.html", context)
