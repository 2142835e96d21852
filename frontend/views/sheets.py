"""Changing a value of a sheet by hand, with a reason."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from campaigns.commands.sheets import ChangeSheet
from campaigns.packs import Packs
from frontend import pages, sheets
from frontend.seat import at_table, look
from frontend.sending import back, done, send
from frontend.views.subjects import find, may_change


@at_table
def change(request: HttpRequest, campaign_id: UUID, subject: str, pack: str) -> HttpResponse:
    """One value of those that this seat sees: which, what it is to be, and why."""
    asked = request.POST if request.method == "POST" else request.GET
    if request.POST.get("act") == "begin":
        sent = send(request, campaign_id, ChangeSheet(subject=subject, pack=pack, values={}))
        return back(request, sent, "These rules count from now on.", reverse("subject", args=[campaign_id, subject]))
    with look(request, campaign_id) as (state, seat):
        line = find(state, seat, subject)
        packs = Packs(state)
        if not may_change(seat, subject) or pack not in packs.ids() or line.kind not in packs.get(pack).kinds:
            raise Http404
        stats = sheets.changeable(state, seat, subject, packs.get(pack))
        if not stats:
            raise Http404
        stat = asked.get("stat", "") if asked.get("stat", "") in dict(stats) else stats[0][0]
        field = sheets.stat_field(state, seat, subject, packs.get(pack), stat, asked.get("key", ""))
        context: dict[str, Any] = {
            **pages.frame(state, seat, "subjects"),
            "subject": line,
            "pack": pack,
            "stats": stats,
            "field": field,
        }
    if request.method != "POST":
        return pages.show(request, "pages/change_sheet.html", context)
    value = sheets.typed(field, request.POST.get("value", ""))
    command = ChangeSheet(
        subject=subject,
        pack=pack,
        values={stat: {field.key: value} if field.keys else value},
        reason=request.POST.get("reason", ""),
    )
    sent = send(request, campaign_id, command)
    if sent.refusal is not None:
        return pages.show(request, "pages/change_sheet.html", context, sent.refusal)
    return done(request, sent, f"{field.title} is changed.", reverse("subject", args=[campaign_id, subject]))
