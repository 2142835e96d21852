"""The campaign's name and settings, and its end."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from campaigns.commands import starting
from campaigns.erasing import grace
from campaigns.notices.reading import hooks
from campaigns.parts.table import Table
from campaigns.registry import Command, notice_kinds
from campaigns.state import State
from frontend import pages
from frontend.seat import at_table, look
from frontend.sending import done, send
from rules.refusal import Refused

TEXTS = {
    "publish_tests": (
        "Publish tests as they happen",
        "Watchers see who was tested, over which decision, and what follows.",
    ),
    "publish_seasons": ("Publish what a season changed", "Watchers learn which sides of a character rose at a close."),
    "typed_dice": ("Dice from the table", "Faces of physical dice may be typed in; they are marked as such."),
}


def _settings(state: State) -> list[dict[str, Any]]:
    table = state.part(Table)
    found = []
    for key, default in starting.SETTINGS.items():
        if not isinstance(default, bool):
            continue
        title, say = TEXTS.get(key, (key.replace("_", " ").capitalize(), ""))
        on = bool(table.setting(key, default))
        found.append({"key": key, "title": title, "say": say, "on": on, "other": "off" if on else "on"})
    return found


def _asked(request: HttpRequest) -> tuple[Command, str] | None:
    post, act = request.POST, request.POST.get("act")
    if act == "rename":
        return starting.RenameCampaign(name=post.get("name", "")), "The campaign is renamed."
    if act == "setting":
        on = post.get("value") == "on"
        return starting.ChangeSetting(setting=post.get("setting", ""), value=on), "The setting is changed."
    if act == "erase":
        return starting.AskErasure(
            name=post.get("erase_name", "")
        ), "The erasure is asked for. You can still take it back."
    if act == "keep":
        return starting.WithdrawErasure(), "The campaign stays."
    return None


def _at_its_field(refusal: Refused, act: str) -> Refused:
    """The erasure form calls its field by another name, because the page has two names to type."""
    if act == "erase" and refusal.field == "name":
        refusal.field = "erase_name"
    return refusal


@at_table
def settings(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """For game masters; the end of the campaign for its owner."""
    with look(request, campaign_id) as (state, seat):
        if not (seat.is_gm or seat.is_owner):
            raise Http404
        asked_at = state.part(Table).erase_asked_at
        context = {
            **pages.frame(state, seat, "settings"),
            "settings": _settings(state),
            "hooks": (told := hooks(state, campaign_id) if seat.is_gm else []),
            "under_way": any(one.under_way for one in told),
            "kind_titles": notice_kinds,
            "erase_asked_at": asked_at,
            "erase_due_at": asked_at + grace() if asked_at else None,
        }
    asked = _asked(request) if request.method == "POST" else None
    if asked is None:
        return pages.show(request, "pages/settings.html", context)
    sent = send(request, campaign_id, asked[0])
    if sent.refusal is None:
        return done(request, sent, asked[1], reverse("settings", args=[campaign_id]))
    return pages.show(request, "pages/settings.html", context, _at_its_field(sent.refusal, request.POST["act"]))
