"""The calendar: where it stands, what its next close would do, its reports, and the game master's levers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from uuid import UUID
from zoneinfo import available_timezones

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_POST

from campaigns.commands import calendar as commands
from campaigns.entrance import utc_now
from campaigns.parts.calendar import Calendar, calendar_rules
from campaigns.registry import Command
from frontend import pages
from frontend.seasons import closed_periods, plans, report, takes_back
from frontend.seat import at_table, look, require_gm
from frontend.sending import Sent, back, send
from frontend.when import stamp_of, starts_on, zone_now
from rules.refusal import Refused


@at_table
def show(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """The calendar's page."""
    with look(request, campaign_id) as (state, seat):
        stamp, today = stamp_of(state), utc_now().date()
        clock = state.part(Calendar).clock
        context = {
            **pages.frame(state, seat, "calendar"),
            "has_rules": calendar_rules(state) is not None,
            "stamp": stamp,
            "level": stamp.level if stamp else 0.35,
            "starts_on": starts_on(state),
            "zone": zone_now(clock),
            "zones": sorted(available_timezones()) if seat.is_gm else [],
            "monday": today - timedelta(days=today.weekday()),
            "plans": plans(state, seat),
            "reports": closed_periods(state, campaign_id),
            "takes_back": takes_back(state) if seat.is_gm else [],
        }
    return pages.show(request, "pages/calendar.html", context)


@at_table
def closed(request: HttpRequest, campaign_id: UUID, rung: str, number: int) -> HttpResponse:
    """The report of a close."""
    with look(request, campaign_id) as (state, seat):
        found = report(state, seat, rung, number)
        context = {**pages.frame(state, seat, "calendar"), "report": found}
    if found is None:
        raise Http404
    return pages.show(request, "pages/report.html", context)


def _date(post: QueryDict, name: str) -> date | None:
    text = post.get(name, "")
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        right = "a date such as 2026-11-30"
        raise Refused("wrong_value", "This is no date.", field=name, value=text, right=right) from None


def _number(post: QueryDict, name: str) -> int:
    text = post.get(name, "").strip()
    try:
        return int(text)
    except ValueError:
        raise Refused("wrong_value", "This is no number.", field=name, value=text, right="a whole number") from None


def _start(post: QueryDict) -> Command:
    starts = _date(post, "starts_on")
    if starts is None:
        raise Refused("empty", "Say when it begins.", field="starts_on", right="a Monday")
    return commands.StartCalendar(zone=post.get("zone", ""), starts_on=starts)


def _take_back(post: QueryDict) -> Command:
    rung, _, number = post.get("period", "").partition(":")
    return commands.TakeBackClose(
        rung=rung, number=int(number) if number.isdecimal() else 0, reason=post.get("reason", "")
    )


LEVERS: dict[str, tuple[Callable[[QueryDict], Command], str]] = {
    "start": (_start, "The calendar is started."),
    "pause": (
        lambda p: commands.PauseCalendar(weeks=_number(p, "weeks") if p.get("weeks") else None),
        "The calendar pauses from next week on.",
    ),
    "resume": (lambda _: commands.ResumeCalendar(), "The calendar goes on."),
    "stretch": (lambda p: commands.StretchPeriod(weeks=_number(p, "weeks")), "It lasts longer now."),
    "end_early": (lambda _: commands.EndEarly(), "It ends with this week."),
    "zone": (lambda p: commands.ChangeZone(zone=p.get("zone", "")), "The next week follows the new zone."),
    "take_back": (_take_back, "The close is taken back."),
}


@require_POST
@at_table
def lever(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """One of the game master's levers."""
    with look(request, campaign_id) as (_, seat):
        require_gm(seat)
    to = reverse("calendar", args=[campaign_id])
    if request.POST.get("act") not in LEVERS:
        raise Http404
    make, said = LEVERS[request.POST["act"]]
    try:
        sent = send(request, campaign_id, make(request.POST))
    except Refused as refusal:
        sent = Sent(refusal=refusal)
    return back(request, sent, said, to)
