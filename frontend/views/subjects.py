"""Characters, factions, houses: their list, their pages, making and changing them."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from campaigns.belonging import stretches
from campaigns.commands import subjects as commands
from campaigns.commands.affiliations import members_taken
from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.registry import Command
from campaigns.sections import section
from campaigns.state import State
from frontend import asking, pages, pictures
from frontend.calls import open_calls
from frontend.packs import kinds
from frontend.pairs import pairs_view
from frontend.past import Back, look_back, offered, subject_not_yet
from frontend.people import SubjectLine, face_of, knows, players, sees_subject, subject_line, subjects
from frontend.seat import Seat, at_table, look
from frontend.sending import done, send, tokens
from frontend.sheet_page import sheets_drawn, sheets_then
from frontend.views.past import not_yet_page
from frontend.words import words
from rules.invocations import InvocationRules


@at_table
def every(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """All that exist for this seat, by kind."""
    with look(request, campaign_id) as (state, seat):
        context = {**pages.frame(state, seat, "subjects"), "subjects": subjects(state, seat), "makes": makes(state)}
        context["away"] = [] if seat.is_watcher else subjects(state, seat, away=True)
    return pages.show(request, "pages/subjects.html", context)


def makes(state: State) -> bool:
    """Whether a pack of the campaign makes somebody step by step."""
    return any(pack.creations for pack in Packs(state).all())


@at_table
def new(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """The form that lets somebody into the story."""
    with look(request, campaign_id) as (state, seat):
        if seat.is_watcher:
            raise Http404
        context: dict[str, Any] = {
            **pages.frame(state, seat, "subjects"),
            "kinds": kinds(state, gm=seat.is_gm),
            "people": players(state, seat),
        }
    if request.method != "POST":
        return pages.show(request, "pages/new_subject.html", context)
    command = commands.CreateSubject(
        kind=request.POST.get("kind", ""),
        name=request.POST.get("name", ""),
        players=tuple(request.POST.getlist("players")),
        hidden=request.POST.get("hidden") == "on",
    )
    sent = send(request, campaign_id, command)
    if sent.refusal is not None:
        return pages.show(request, "pages/new_subject.html", context, sent.refusal)
    assert sent.answer is not None
    event: Any = sent.answer.events[0].event
    to = reverse("subject", args=[campaign_id, event.subject])
    response = done(request, sent, f"{command.name} has entered the story.", to)
    if response.status_code == 204:
        response.headers["HX-Redirect"] = to
    return response


def find(state: State, seat: Seat, subject: str, now: State | None = None) -> SubjectLine:
    """The subject, if it exists for this seat; ``state`` may be one of the past."""
    found = state.part(Subjects).by_id.get(subject)
    if found is None or not sees_subject(seat, subject, found):
        raise Http404
    return subject_line(state, subject, found, face_of(state, seat, subject, now))


def may_change(seat: Seat, subject: str) -> bool:
    """Its players and the game masters."""
    return seat.is_gm or subject in seat.viewer.plays


def acts_for(seat: Seat, subject: str) -> bool:
    """Its players, those of its members where it is a body, and the game masters."""
    return seat.is_gm or subject in seat.viewer.knows


def may_put_away(state: State, seat: Seat, subject: str) -> bool:
    """Whether this seat may put a subject away and bring it back."""
    if not may_change(seat, subject):
        return False
    return commands.may_put_away(state, subject, gm=seat.is_gm, member=seat.viewer.member)


@at_table
def one(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """The page of one subject, or as it stood at a moment of the past."""
    with look(request, campaign_id) as (state, seat):
        line, back = find(state, seat, subject), look_back(request, state, seat)
        if back.said and not knows(back.state, seat, subject):
            return not_yet_page(request, state, seat, back, subject_not_yet(back, state, seat, subject))
        mine = may_change(seat, subject)
        if back.said or line.away:
            return _then(request, state, seat, subject, back)
        context = {
            **pages.frame(state, seat, "subjects"),
            "subject": line,
            "portrait": pictures.portrait(state, seat, subject),
            "back": back,
            "offered": offered(state, seat),
            "may_change": mine,
            "may_call": asking.may_call(state, seat),
            "tests": open_calls(state, seat, subject),
            "view": pairs_view(state, seat, subject),
            "pair_test": "" if seat.is_watcher else asking.pair_test(state, seat, subject),
            "words": words(state, seat, subject),
            "stretches": stretches(state, seat.viewer, subject),
            "takes_members": bool(members_taken(state, line.kind)),
            "may_gain": seat.is_gm and _gains(state, line.kind),
            "may_invoke": acts_for(seat, subject) and section(state, "invocations", InvocationRules) is not None,
            "sheets": sheets_drawn(state, seat, subject, partial(tokens, request), may_change=mine),
        }
    return pages.show(request, "pages/subject.html", context)


def _gains(state: State, kind: str) -> bool:
    """Whether anything could belong to a kind, or it to anything."""
    kinds = {one.kind for one in state.part(Subjects).by_id.values()}
    return any(kind in members_taken(state, other) for other in kinds) or bool(members_taken(state, kind))


def _then(request: HttpRequest, state: State, seat: Seat, subject: str, back: Back) -> HttpResponse:
    """To be read only; no part of it follows the table. So is one that was put away."""
    context = {
        "may_bring_back": not back.said and may_put_away(state, seat, subject),
        **pages.frame(state, seat, "subjects"),
        "subject": find(back.state, seat, subject, state),
        "portrait": pictures.portrait(back.state, seat, subject, state),
        "view": pairs_view(back.state, seat, subject),
        "sheets": sheets_then(back, seat, subject),
        "back": back,
        "offered": offered(state, seat),
    }
    return pages.show(request, "pages/subject_then.html", context)


def _asked(request: HttpRequest, subject: str) -> tuple[Command, str] | None:
    act = request.POST.get("act")
    if act == "rename":
        return commands.RenameSubject(subject=subject, name=request.POST.get("name", "")), "The name is changed."
    if act == "players":
        chosen = tuple(request.POST.getlist("players"))
        return commands.HandOverSubject(subject=subject, players=chosen), "It is handed over."
    if act == "reveal":
        return commands.RevealSubject(subject=subject), "The table sees it now."
    if act == "away":
        put = commands.PutAwaySubject(subject=subject, reason=request.POST.get("reason", ""))
        return put, "It is put away. Whoever runs the game finds it under Characters."
    if act == "back":
        return commands.BringBackSubject(subject=subject), "It is back."
    return None


@at_table
def change(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """Renaming, handing over, revealing, putting away and bringing back."""
    with look(request, campaign_id) as (state, seat):
        context = {
            **pages.frame(state, seat, "subjects"),
            "subject": find(state, seat, subject),
            "people": players(state, seat),
            "may_put_away": may_put_away(state, seat, subject),
        }
    if not may_change(seat, subject):
        raise Http404
    asked = _asked(request, subject) if request.method == "POST" else None
    if asked is None:
        return pages.show(request, "pages/change_subject.html", context)
    sent = send(request, campaign_id, asked[0])
    if sent.refusal is not None:
        return pages.show(request, "pages/change_subject.html", context, sent.refusal)
    return done(request, sent, asked[1], reverse("subject", args=[campaign_id, subject]))
