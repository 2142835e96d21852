"""The calendar: where it stands, what its next close would do, its reports, and the game master's levers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import available_timezones

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import reverse

from campaigns.commands import calendar as commands
from campaigns.entrance import utc_now
from campaigns.parts.calendar import Calendar
from campaigns.registry import Command
from campaigns.sections import section
from campaigns.state import State
from frontend import pages, rulebooks
from frontend.numbers import number
from frontend.pairs import PairView, pairs_view
from frontend.seat import Gone, Seat, at_table, look, presses_only, require_gm
from frontend.sending import Sent, back, send
from frontend.when import calendar_of, dates, host_zone, pause_said, paused_said, stamp_of
from identity.reads import (
    CalendarInfo,
    EndMoved,
    Preview,
    Report,
    catching_up,
    closed_periods,
    moved,
    period_report,
    preview,
)
from rules import calendar as rc
from rules.dates import day_said
from rules.development import DevelopmentRules
from rules.packs.wording import titled
from rules.refusal import Refused

NEWEST, A_PAGE = 20, 40
"""closed periods of a kind on the calendar's page, and on a page of their own"""


@at_table
def show(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """The calendar's page."""
    with look(request, campaign_id) as (state, seat):
        info, today = calendar_of(state, seat), utc_now().date()
        stamp = stamp_of(info)
        context = {
            **pages.frame(state, seat, "calendar"),
            "info": info,
            "stamp": stamp,
            "level": stamp.level if stamp else 0.35,
            "zones": sorted(available_timezones()) if seat.is_gm else [],
            "zone": host_zone(),
            "monday": today - timedelta(days=today.weekday()),
            "ends_now_on": _ends_now_on(info),
            "previews": _previews(state, seat, info),
            "pause": pause_said(info),
            "rolling": (rolling := section(state, "development", DevelopmentRules)),
            "roller_at": _setting_of(campaign_id, rolling, "roller"),
            **_reports(seat, info),
        }
    return pages.show(request, "pages/calendar.html", context)


def _setting_of(campaign_id: UUID, found: tuple[str, DevelopmentRules] | None, value: str) -> str:
    """The address of the setting that a value of the rules follows; of all rules where it follows none."""
    to = reverse("rules", args=[campaign_id])
    name = found[1].settings.get(value, "") if found is not None else ""
    return rulebooks.setting_at(to, found[0], name) if found is not None and name else to


def _reports(seat: Seat, info: CalendarInfo) -> dict[str, Any]:
    """The newest closed periods with their dates: the longer ones, and apart from them those of weeks; ``more`` names
    the kinds of which there are others, with the way to them."""
    found: dict[str, Any] = {"reports": [], "short_reports": [], "more": [], "more_short": []}
    titles = {one.rung: one.title for one in info.periods}
    for rung in info.rungs:
        short = "short_" if rung == info.rungs[0] and len(info.rungs) > 1 else ""
        every = closed_periods(seat.viewer, rung, NEWEST + 1)
        found[f"{short}reports"] += [(one, dates(one.starts, one.ends)) for one in every[:NEWEST]]
        if len(every) > NEWEST:
            found["more_short" if short else "more"].append((titles.get(rung, titled(rung)), rung))
    found["reports"].sort(key=lambda told: (told[0].ends, told[0].starts), reverse=True)
    return found


@at_table
def closes(request: HttpRequest, campaign_id: UUID, rung: str) -> HttpResponse:
    """The closed periods of a rung, page by page, back to the first."""
    with look(request, campaign_id) as (state, seat):
        info = calendar_of(state, seat)
        if rung not in info.rungs:
            raise Http404
        try:
            before = max(0, number(request.GET.get("before", "0"), "before"))
        except Refused:
            raise Http404 from None
        newest = next((one.number for one in closed_periods(seat.viewer, rung, 1)), 0)
        every = closed_periods(seat.viewer, rung, A_PAGE, before)
        titles = {one.rung: one.title for one in info.periods}
        context = {
            **pages.frame(state, seat, "calendar"),
            "title": titles.get(rung, titled(rung)),
            "reports": [(one, dates(one.starts, one.ends)) for one in every],
            "newer": f"?before={before + A_PAGE}" if every and every[0].number < newest else "",
            "older": f"?before={every[-1].number}" if every and every[-1].number > 1 else "",
        }
    return pages.show(request, "pages/closes.html", context)


def _ends_now_on(info: CalendarInfo) -> date | None:
    """The Monday with which the period above the weeks can end at once; None in its first week, or in a pause."""
    week, *above = info.periods or (None,)
    if week is None or not above or info.paused or week.starts <= above[0].starts:
        return None
    return week.starts


def _previews(state: State, seat: Seat, info: CalendarInfo) -> list[Preview]:
    """What the next close of each rung that settles marks, or that cards wait for, would do; the GM's alone."""
    if not seat.is_gm or not info.started:
        return []
    rules = section(state, "development", DevelopmentRules)
    settling = {cycle.settles for cycle in rules[1].cycles} if rules else set()
    found = [preview(state, seat.viewer, utc_now(), one.rung) for one in info.periods]
    return [one for one in found if one.rung in settling or one.cards]


@at_table
def closed(request: HttpRequest, campaign_id: UUID, rung: str, number: int) -> HttpResponse:
    """The report of a close."""
    with look(request, campaign_id) as (state, seat):
        found = period_report(state, seat.viewer, rung, number)
        taken_back = _taken_back(state, seat, rung, number) if found is None else None
        rules = section(state, "development", DevelopmentRules)
        context = {
            **pages.frame(state, seat, "calendar"),
            "report": found,
            "die": rules[1].die if rules else 20,
            "charts": _charts(state, seat, found),
        }
    if found is None:
        raise taken_back or Http404
    pauses = [paused_said(one.starts, one.until) for one in found.pauses]
    return pages.show(
        request, "pages/report.html", {**context, "dates": dates(found.starts, found.ends), "pauses": pauses}
    )


def _taken_back(state: State, seat: Seat, rung: str, number: int) -> Gone | None:
    """What is said of a period whose close was taken back, to all that are told of it."""
    if seat.is_watcher or rc.period_key(rung, number) not in state.part(Calendar).clock.attempts:
        return None
    title = f"The close of {commands.title_of(state, rung, number)} was taken back"
    to = reverse("calendar", args=[seat.campaign_id])
    return Gone(title, "Its report comes again when it closes anew.", to, "To the calendar")


def _charts(state: State, seat: Seat, found: Report | None) -> dict[str, dict[str, PairView]]:
    """By subject and pair, what has moved through the seasons, of the pairs that a report tells of in full."""
    charts = {}
    for one in found.subjects if found else ():
        view = pairs_view(state, seat, one.subject) if one.full else None
        if view is not None:
            told = {pair.pair for pair in one.pairs}
            charts[one.subject] = {pair.id: pair for pair in view.charts() if pair.id in told}
    return charts


def _date(post: QueryDict, name: str) -> date | None:
    text = post.get(name, "")
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        right = "a date such as 2026-11-30"
        raise Refused("wrong_value", "This is no date.", field=name, value=text, right=right) from None


def _number(post: QueryDict, name: str) -> int:
    return number(post.get(name, ""), name)


def _start(post: QueryDict) -> Command:
    starts = _date(post, "starts_on")
    if starts is None:
        raise Refused("empty", "Say when it begins.", field="starts_on", right="a Monday")
    return commands.StartCalendar(zone=post.get("zone", ""), starts_on=starts)


def _take_back(post: QueryDict) -> Command:
    rung, _, which = post.get("period", "").partition(":")
    return commands.TakeBackClose(rung=rung, number=number(which, "period"), reason=post.get("reason", ""))


def _close(post: QueryDict) -> Command:
    rung, which, attempt = [*post.get("period", "").split(":"), "", ""][:3]
    return commands.ClosePeriod(
        rung=rung, number=number(which, "period"), attempt=number(attempt, "period") if attempt else 1
    )


def _in_the_past(request: HttpRequest, campaign_id: UUID) -> dict[str, Any] | None:
    """The question before a start that lies in the past: what closes at once. None where nothing does, or the start is
    refused anyway."""
    with look(request, campaign_id) as (state, seat):
        require_gm(seat)
        try:
            starts = _date(request.POST, "starts_on")
            found = catching_up(state, utc_now(), request.POST.get("zone", ""), starts) if starts else ()
        except Refused:
            return None
        frame = pages.frame(state, seat, "calendar")
    if not found or starts is None:
        return None
    days = f"{starts.day} {starts:%B %Y}"
    return {
        **frame,
        "heading": f"Start on {days}?",
        "say": "That lies in the past, so as soon as it starts there close, one after the other:",
        "ends": [
            f"{one.count} {one.title.lower()}{'s' if one.count > 1 else ''}, the last is {one.last}" for one in found
        ],
        "carried": [("act", "start"), ("sure", "yes"), *((n, request.POST.get(n, "")) for n in ("zone", "starts_on"))],
        "do": "Start it so",
        "tone": "button--main",
        "no": reverse("calendar", args=[campaign_id]),
    }


def _ending(request: HttpRequest, campaign_id: UUID, act: str) -> dict[str, Any] | None:
    """The question before a period ends early: which ends move, and what may still be done about it. None where it is
    refused anyway."""
    with look(request, campaign_id) as (state, seat):
        require_gm(seat)
        try:
            ends_on = _date(request.POST, "ends_on") if act == "end_now" else None
            found = moved(state, utc_now(), rc.EndEarly(ends_on=ends_on))
        except Refused:
            return None
        frame = pages.frame(state, seat, "calendar")
    if not found:
        return None
    now = act == "end_now"
    after = "It closes in a moment, and what happened since counts to what follows. " if now else ""
    return {
        **frame,
        "heading": f"End {found[0].name} {'now' if now else 'with this week'}?",
        "say": f"{after}You can let it go on later, from the calendar, after taking back what closed meanwhile.",
        "ends": [_moved_said(one) for one in found],
        "carried": [("act", act), ("sure", "yes"), ("ends_on", request.POST.get("ends_on", ""))],
        "do": "End it",
        "tone": "button--danger",
        "no": reverse("calendar", args=[campaign_id]),
    }


def _moved_said(one: EndMoved) -> str:
    """One end that moves: "Year 1 closes on Monday, 22 February 2027 instead of Monday, 8 March 2027"."""
    after, before = (day_said(day) if day else "when the pause is over" for day in (one.after, one.before))
    return f"{one.name} closes {'on ' if one.after else ''}{after} instead of {before}"


LEVERS: dict[str, tuple[Callable[[QueryDict], Command], str]] = {
    "start": (_start, "The calendar is started."),
    "pause": (
        lambda p: commands.PauseCalendar(weeks=_number(p, "weeks") if p.get("weeks") else None),
        "The calendar pauses from next week on.",
    ),
    "resume": (lambda _: commands.ResumeCalendar(), "The calendar goes on."),
    "stretch": (lambda p: commands.StretchPeriod(weeks=_number(p, "weeks")), "It lasts longer now."),
    "end_early": (lambda _: commands.EndEarly(), "It ends with this week."),
    "end_now": (lambda p: commands.EndEarly(ends_on=_date(p, "ends_on")), "It has ended, and closes in a moment."),
    "lift_end": (lambda p: commands.LiftEnd(number=_number(p, "number")), "It goes on."),
    "zone": (lambda p: commands.ChangeZone(zone=p.get("zone", "")), "The next week follows the new zone."),
    "close": (_close, "The period is closed."),
    "take_back": (_take_back, "The close is taken back."),
}


@presses_only
@at_table
def lever(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """One of the game master's levers."""
    with look(request, campaign_id) as (_, seat):
        require_gm(seat)
    to = reverse("calendar", args=[campaign_id])
    act = request.POST.get("act", "")
    if act in ("start", "end_early", "end_now") and request.POST.get("sure") != "yes":
        asked = _in_the_past(request, campaign_id) if act == "start" else _ending(request, campaign_id, act)
        if asked is not None:
            return pages.show(request, "pages/confirm.html", asked)
    if act not in LEVERS:
        raise Http404
    make, said = LEVERS[act]
    try:
        sent = send(request, campaign_id, make(request.POST))
    except Refused as refusal:
        sent = Sent(refusal=refusal)
    return back(request, sent, said, to)
