"""The campaign's home and its ledger."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from campaigns.entrance import utc_now
from campaigns.packs import Packs
from campaigns.pursuing import pursuits_read
from campaigns.state import State
from encounters.board_reading import encounters_of
from frontend import asking, pages
from frontend.calls import open_calls, recent_results
from frontend.people import own_subjects, people
from frontend.running import lately, running
from frontend.seat import Seat, at_table, look
from frontend.when import calendar_of, stamp_of
from frontend.words import words
from rules.refusal import Refused

# A result stays on the table for this long.
NEWS = timedelta(minutes=20)


@at_table
def home(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """Where the calendar stands, who is in the story and at the table, and the newest lines of the ledger."""
    with look(request, campaign_id) as (state, seat):
        info = calendar_of(state, seat)
        stamp = stamp_of(info)
        context = {
            **pages.frame(state, seat, "table"),
            "unruled": seat.is_gm and not Packs(state).ids(),
            "may_begin": seat.is_gm and info.has_calendar and not info.started,
            "lines": pages.newest(state, seat),
            "tests": open_calls(state, seat),
            "latest": next(iter(recent_results(state, seat, 1, utc_now() - NEWS)), None),
            "may_call": asking.may_call(state, seat),
            "words": None if seat.is_watcher else words(state, seat),
            "running": running(state, seat),
            "lately": lately(state, seat),
            "encounters": encounters_of(state, seat.viewer),
            **_pursued(state, seat),
            "subjects": own_subjects(state, seat),
            "makes": any(pack.creations for pack in Packs(state).all()),
            "people": [] if seat.is_watcher else people(state, seat),
            "stamp": stamp,
            "level": stamp.level if stamp else 0.35,
        }
    return pages.show(request, "pages/table.html", context)


def _pursued(state: State, seat: Seat) -> dict[str, Any]:
    """What the party and this seat's own are after, and what is still to be chosen."""
    read = pursuits_read(state, seat.viewer, utc_now())
    if read is None:
        return {}
    shown = [one for one in read.pursuits if not one.owner or one.mine or seat.is_gm]
    return {"pursued": shown, "to_choose": read.choices}


@at_table
def ledger(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """The whole ledger, a page at a time; a cursor that is none leads to the newest page."""
    with look(request, campaign_id) as (state, seat):
        try:
            lines, older = pages.whole(state, seat, request.GET.get("before", ""))
        except Refused:
            return redirect("ledger", campaign_id)
        context = {**pages.frame(state, seat, "table"), "lines": lines, "older": older}
    return pages.show(request, "pages/ledger.html", context)
