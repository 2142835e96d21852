"""What every page of a campaign shows beside its own matter: names, places of the navigation, the feed's cursor."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from campaigns import feed
from campaigns.answering import seated_of
from campaigns.erasing import grace
from campaigns.notices.reading import unread
from campaigns.packs import Packs
from campaigns.parts.calls import Calls
from campaigns.parts.pursuits import pursuit_rules
from campaigns.parts.table import Table
from campaigns.state import State
from encounters.parts.encounters import Encounters
from frontend.drawing import DICE
from frontend.entries import KINDS, Line, grouped, is_quiet, is_skipped, line_of, skipped
from frontend.refilled import refilled
from frontend.seat import Seat
from frontend.sending import kept_for
from identity.reads import rolls_owed
from rules.fight import their_turn

LINES = 25


def newest(state: State, seat: Seat, limit: int = LINES) -> list[Line]:
    """The newest lines of the ledger for this seat, newest first, without housekeeping."""
    skips, position = skipped(seat.is_watcher), state.position + 1
    lines: list[Line] = []
    while len(lines) < limit:
        entries = feed.older(state, seat.viewer, position, limit)
        lines += [line_of(entry) for entry in entries if not is_skipped(entry.view, skips)]
        if len(entries) < limit:
            break
        position = entries[-1].position
    return grouped(lines[:limit], echoes=False)


def whole(state: State, seat: Seat, cursor: str = "", limit: int = LINES) -> tuple[list[Line], str]:
    """A page of the whole ledger: the lines older than a cursor (the newest, without one), and the next cursor."""
    position = feed.position_of(seat.campaign_id, cursor) if cursor else state.position + 1
    lines: list[Line] = []
    while True:
        entries = feed.older(state, seat.viewer, position, limit - len(lines))
        lines += [line_of(entry) for entry in entries if not is_quiet(entry.view)]
        if len(lines) == limit or not _older_than(entries):
            return grouped(lines), _older_than(entries)
        position = entries[-1].position


def _older_than(entries: list[feed.Entry]) -> str:
    return entries[-1].cursor if entries and entries[-1].follows else ""


def setting(state: State, name: str, default: bool | int | str) -> bool | int | str:
    """A setting of the campaign."""
    return state.part(Table).setting(name, default)


def frame(state: State, seat: Seat, place: str) -> dict[str, Any]:
    """Context of the shell: ``place`` is the entry of the navigation that is lit."""
    newest_seen = feed.newest(state, seat.viewer, state.position)
    return {
        "seat": seat,
        "place": place,
        "cursor": feed.cursor_of(seat.campaign_id, newest_seen) if newest_seen else "",
        "entry_kinds": KINDS,
        "die_sizes": tuple(DICE),
        "skips": skipped(seat.is_watcher),
        "waiting": _waiting(state, seat),
        "news": unread(seat.viewer),
        "fights": any(pack.knows_fights for pack in Packs(state).all()),
        "asked_in": _asked_in(state, seat),
        "owed": rolls_owed(state, seat.viewer),
        "pursues": not seat.is_watcher and pursuit_rules(state) is not None,
        "erased_after": None if seat.is_watcher else _erased_after(state),
    }


def _asked_in(state: State, seat: Seat) -> list[tuple[str, str, str]]:
    """Encounters that wait for this seat's own: (id, title, what is waited for)."""
    found = []
    for encounter, one in state.part(Encounters).open.items():
        waiting, turn = one.fight.waiting, their_turn(one.fight) if one.fight.order else ""
        if not one.begun or one.fight.status != "running":
            continue
        if waiting is not None:
            answered = waiting.choices.get(waiting.ask.id, {}) if waiting.ask.kind == "window" else {}
            actor = waiting.doing.act.user if waiting.doing.act is not None else ""
            asked = set(waiting.ask.asked) - set(answered) or {waiting.ask.subject or actor}
            if waiting.ask.who != "gm" and asked & seat.viewer.plays:
                found.append((encounter, one.title, "You are asked"))
        elif turn in seat.viewer.plays:
            found.append((encounter, one.title, "Your turn"))
    return found


def _erased_after(state: State) -> datetime | None:
    """When a campaign whose owner asked for its erasure is gone; None where nobody did."""
    asked_at = state.part(Table).erase_asked_at
    return asked_at + grace() if asked_at else None


def _waiting(state: State, seat: Seat) -> int:
    """How many open tests wait for this seat."""
    me, count = seat.viewer.member, 0
    for call in state.part(Calls).open.values():
        due = seated_of(state, call.ask_of if call.state == "rolling" else call.rollers)
        to_agree = call.state == "awaiting_gm"
        count += seat.is_gm if to_agree else me in due if due else seat.is_gm
    return count if me else 0


def show(request: HttpRequest, template: str, context: dict[str, Any], refusal: Any = None) -> HttpResponse:
    """Renders a page; with a refusal it is answered as 422, and its form shows what was typed. In a dialog only the
    form's own part is sent."""
    htmx = request.htmx  # type: ignore[attr-defined]
    in_dialog = bool(htmx) and htmx.target == "dialog-body"
    kept = None if htmx else kept_for(request)
    context = {
        **context,
        "refusal": refusal,
        "kept": kept,
        "in_dialog": in_dialog,
        "base": "layouts/dialog.html" if in_dialog else "layouts/campaign.html",
    }
    answer = render(request, template, context, status=422 if refusal else 200)
    typed = kept["typed"] if kept else dict(request.POST.lists()) if refusal else None
    if typed:
        sent_to = kept["sent_to"] if kept else request.path
        answer.content = refilled(answer.content.decode(), typed, request.path, sent_to).encode()
    return answer
