"""The past of a campaign, and why a number is what it is."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse

from campaigns.feed import cursor_of
from campaigns.past import explain, require_known
from encounters.board_reading import encounters_of
from frontend import pages
from frontend.past import look_back, offered, since, subjects_then
from frontend.people import people
from frontend.seat import at_table, look
from frontend.when import stamp_of
from identity.reads import calendar_info
from rules.refusal import Refused


@at_table
def show(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """The campaign as it stood: who was in the story, who fought, who was at the table, where the calendar was."""
    with look(request, campaign_id) as (state, seat):
        back = look_back(request, state, seat)
        context = {
            **pages.frame(state, seat, "table"),
            "back": back,
            "offered": offered(state, seat),
            "subjects": subjects_then(back, state, seat),
            "encounters": encounters_of(back.state, seat.viewer, since(back, state, seat)),
            "people": [] if seat.is_watcher else people(back.state, seat),
            "stamp": stamp_of(calendar_info(back.state, seat.viewer, back.at)),
            "before": cursor_of(campaign_id, back.state.position + 1) if back.said else "",
        }
    return pages.show(request, "pages/past.html", context)


@at_table
def why(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """Why a value of a subject is what it is, now or as of then."""
    with look(request, campaign_id) as (state, seat):
        back = look_back(request, state, seat)
        try:
            require_known(seat.viewer, subject, state, back.state)
            found = explain(back.state, seat.viewer, subject, request.GET.get("name", "")[:200])
        except Refused:
            raise Http404 from None
        context = {**pages.frame(state, seat, "subjects"), "why": found, "back": back, "subject": subject}
    return pages.show(request, "pages/why.html", context)
