"""The past of a campaign, and why a number is what it is."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse

from campaigns.feed import cursor_of
from campaigns.past import explain, require_known
from campaigns.state import State
from encounters.board_reading import encounters_of
from frontend import pages
from frontend.past import Back, NotYet, first_entry, look_back, offered, since, subject_not_yet, subjects_then
from frontend.people import knows, people
from frontend.seat import Seat, at_table, look
from frontend.when import stamp_of
from identity.reads import calendar_info
from rules.refusal import Refused


@at_table
def show(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """The campaign as it was written down by a moment: who was in the story, who fought, who was at the table; and
    where that moment lies on the calendar as it is known now."""
    with look(request, campaign_id) as (state, seat):
        back = look_back(request, state, seat)
        context = {
            **pages.frame(state, seat, "table"),
            "back": back,
            "offered": offered(state, seat),
            "subjects": subjects_then(back, state, seat),
            "encounters": encounters_of(back.state, seat.viewer, since(back, state, seat)),
            "people": [] if seat.is_watcher else people(back.state, seat),
            "stamp": stamp_of(calendar_info(state, seat.viewer, back.at)),
            "first_at": None if back.state.position else first_entry(campaign_id),
            "before": cursor_of(campaign_id, back.state.position + 1) if back.said else "",
        }
    return pages.show(request, "pages/past.html", context)


def not_yet_page(
    request: HttpRequest, state: State, seat: Seat, back: Back, found: NotYet, place: str = "subjects"
) -> HttpResponse:
    """The page of something that was not yet written down at the moment that is looked at."""
    context = {**pages.frame(state, seat, place), "back": back, "offered": offered(state, seat), "found": found}
    return pages.show(request, "pages/not_yet.html", context)


@at_table
def why(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """Why a value of a subject is what it is, now or as of then."""
    with look(request, campaign_id) as (state, seat):
        back = look_back(request, state, seat)
        try:
            require_known(seat.viewer, subject, state)
            if back.said and not knows(back.state, seat, subject):
                return not_yet_page(request, state, seat, back, subject_not_yet(back, state, seat, subject))
            found = explain(back.state, seat.viewer, subject, request.GET.get("name", "")[:200])
        except Refused:
            raise Http404 from None
        context = {**pages.frame(state, seat, "subjects"), "why": found, "back": back, "subject": subject}
    return pages.show(request, "pages/why.html", context)
