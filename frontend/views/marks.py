"""Marks: proposed by players, awarded by game masters, answered, taken back."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from campaigns.registry import Command
from campaigns.sections import section
from frontend import pages
from frontend.pairs import pairs_view
from frontend.seat import at_table, look, presses_only
from frontend.sending import Sent, back, done, pressed_on, send, way_back
from frontend.views.subjects import find
from frontend.when import calendar_of
from identity.commands import marks as commands
from identity.commands.development import RollAdvancement
from identity.parts.marks import AdvancementRolled
from identity.parts.pairs import side_said
from rules.development import DevelopmentRules
from rules.refusal import Refused


@at_table
def new(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """The form that awards a mark, or for its player proposes one."""
    with look(request, campaign_id) as (state, seat):
        found = find(state, seat, subject)
        view, rules = pairs_view(state, seat, subject), section(state, "development", DevelopmentRules)
        if view is None or not view.full or rules is None or view.stage != "ready":
            raise Http404
        develops = rules[1]
        zone = calendar_of(state, seat).zone or "UTC"
        context: dict[str, Any] = {
            **pages.frame(state, seat, "subjects"),
            "subject": found,
            "view": view,
            "pair": next((p for p in view.pairs if p.id == request.GET.get("pair")), None),
            "sources": [(source.id, source.title, source.side) for source in develops.sources],
            "consequential": develops.consequential,
            "collective": any(c.collective and _has(c.kinds, view.pairs[0].key_a) for c in develops.cycles),
            "zone": zone,
            "now": datetime.now(ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M"),
        }
    if request.method != "POST":
        return pages.show(request, "pages/new_mark.html", context)
    sent = _send(request, campaign_id, subject, zone, seat.is_gm)
    if sent.refusal is not None:
        return pages.show(request, "pages/new_mark.html", context, sent.refusal)
    said = "The mark is awarded." if seat.is_gm else "The mark is proposed; the game master answers."
    return done(request, sent, said, reverse("subject", args=[campaign_id, subject]))


def _has(kinds: tuple[str, ...], side_key: str) -> bool:
    return side_key.partition(".")[0] in kinds


def _send(request: HttpRequest, campaign_id: UUID, subject: str, zone: str, is_gm: bool) -> Sent:
    try:
        return send(request, campaign_id, _command(request, subject, zone, is_gm))
    except Refused as refusal:
        return Sent(refusal=refusal)


def _command(request: HttpRequest, subject: str, zone: str, is_gm: bool) -> Command:
    post = request.POST
    common: dict[str, Any] = {
        "subject": subject,
        "side": post.get("side", ""),
        "at": instant(post.get("at", ""), zone),
        "consequential": post.get("consequential") == "on",
        "collective": post.get("collective") == "on",
        "source": post.get("source", ""),
        "tested": post.get("tested") or None,
        "note": post.get("note", ""),
    }
    if is_gm:
        return commands.AwardMark(**common, sealed=post.get("sealed") == "on")
    return commands.ProposeMark(**common)


def instant(text: str, zone: str, field: str = "at") -> datetime | None:
    """The instant of a date and time typed in the campaign's zone; nothing typed means now."""
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))
    except ValueError:
        right = "a date and time such as 2026-11-17T20:30"
        raise Refused("wrong_value", "This is no date and time.", field=field, value=text, right=right) from None


@presses_only
@at_table
def answer(request: HttpRequest, campaign_id: UUID, mark: str) -> HttpResponse:
    """Accepts or declines a proposal, or takes a mark back."""
    with look(request, campaign_id) as (_, seat):
        if seat.is_watcher:
            raise Http404
    reason, act = request.POST.get("reason", ""), request.POST.get("act")
    command: Command
    if act == "accept":
        command, said = commands.AcceptProposal(proposal=mark), "The mark is awarded."
    elif act == "decline":
        command, said = commands.DeclineProposal(proposal=mark, reason=reason), "The proposal is answered."
    else:
        command, said = commands.VoidMark(mark=mark, reason=reason), "The mark is taken back."
    to = way_back(campaign_id, "subject", request.POST.get("subject", ""))
    if request.POST.get("from") == "table":
        to = reverse("campaign", args=[campaign_id])
    return back(request, send(request, campaign_id, command), said, to)


@presses_only
@at_table
def advance(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """Makes a roll that a close left to its player, and says there what came of it."""
    sent = send(request, campaign_id, RollAdvancement(roll=request.POST.get("roll", "")))
    rolled = [
        one.event for one in (sent.answer.events if sent.answer else ()) if isinstance(one.event, AdvancementRolled)
    ]
    said = " ".join(_rolled_said(one) for one in rolled) or "The die is cast."
    to = way_back(campaign_id, "subject", request.POST.get("subject", ""))
    return back(request, sent, said, pressed_on(request, campaign_id, to))


def _rolled_said(rolled: AdvancementRolled) -> str:
    result = rolled.result
    total = f"{result.face} + {result.bonus} = {result.total}" if result.bonus else f"{result.face}"
    end = "it rises" if result.shifted else "nothing moves"
    return f"{total} against {side_said(result.toward or '')} {result.rating}: {end}."
