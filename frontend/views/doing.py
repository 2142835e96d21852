"""Doing something that is no test: the small form of an act, and doing it in one step."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from campaigns import feed
from campaigns.commands.calls import DoTest
from campaigns.packs import Packs
from campaigns.parts.calls import TestAdvanced, TestCalled, TestResolved
from campaigns.rolling import foreseen
from campaigns.state import State
from frontend import asking, pages
from frontend.calls import result_of
from frontend.entries import is_quiet, line_of
from frontend.seat import Seat, at_table, look
from frontend.sending import Sent, back, done, send
from frontend.views.subjects import acts_for, find


@at_table
def do(request: HttpRequest, campaign_id: UUID, subject: str, pack: str, test: str) -> HttpResponse:
    """What it needs to know of somebody who is about to do it; sent, it is done."""
    with look(request, campaign_id) as (state, seat):
        context = _form(request, state, seat, subject, pack, test)
        played = Packs(state).get(pack)
        given = asking.given(played, test, request.POST.dict())
        roles = {name: request.POST.get(f"role-{name}", "") for name in played.test(test).spec.roles}
        if request.method != "POST" and seat.is_gm:
            alone = {name: who or _alone(context, name, subject) for name, who in roles.items()}
            context["ahead"] = foreseen(state, played, test, alone, given)
    if request.method != "POST":
        return pages.show(request, "pages/do.html", context)
    roles = {name: who or _alone(context, name, subject) for name, who in roles.items()}
    anyway = request.POST.get("anyway") == "on"
    sent = send(request, campaign_id, DoTest(pack=pack, test=test, roles=roles, given=given, anyway=anyway))
    if sent.refusal is not None and request.POST.get("from") == "sheet":
        return back(request, sent, "", reverse("subject", args=[campaign_id, subject]))
    if sent.refusal is not None:
        return pages.show(request, "pages/do.html", context, sent.refusal)
    return _after(request, campaign_id, subject, sent, context["act"].title)


def _form(request: HttpRequest, state: State, seat: Seat, subject: str, pack: str, test: str) -> dict[str, Any]:
    asked = request.POST if request.method == "POST" else request.GET
    line = find(state, seat, subject)
    if not acts_for(seat, subject) or pack not in Packs(state).ids():
        raise Http404
    played = Packs(state).get(pack)
    known = {one.key: one for one in asking.offered(state, seat, subject)}
    known |= {one.key: one for one in asking.offered(state, seat) if not one.first}
    # What has no role of its own is nobody's in particular: whose page it is bars nothing there.
    act = known.get(f"{pack}/{test}")
    if act is None or act.kind == "test":
        raise Http404
    program = played.test(test)
    typed = {name.removeprefix("given-"): value for name, value in asked.items()}
    frame = asking.Frames(state, seat, played).of(program, subject)
    fields = asking.fields_of(seat, played, test, line.kind, typed, frame=frame)
    at = program.spec.at.input if program.spec.at else ""
    return {
        **pages.frame(state, seat, "subjects"),
        "subject": line,
        "act": act,
        "roles": asking.roles_of(state, seat, played, test, subject)[1:],
        "main_role": next(iter(program.spec.roles), ""),
        "with_card": next(
            ((f.name, f.value, _title(f)) for f in fields if f.name == f"given-{at}" and at in typed), None
        ),
        "fields": [one for one in fields if not (at in typed and one.name == f"given-{at}")],
    }


def _title(field: asking.Asked) -> str:
    """What the chosen option of a select is called."""
    return next((text for _, options in field.groups for key, text in options if key == field.value), "")


def _alone(context: dict[str, Any], role: str, subject: str) -> str:
    """Who takes a role that the form does not ask for: the subject, or the only one who can."""
    if role == context["main_role"]:
        return subject
    takers = next((one["takers"] for one in context["roles"] if one["name"] == f"role-{role}"), [])
    return takers[0].id if len(takers) == 1 else ""


def _after(request: HttpRequest, campaign_id: UUID, subject: str, sent: Sent, title: str) -> HttpResponse:
    """What was done, and what changed by it; where it asks for a choice, the page that asks."""
    to = reverse("subject", args=[campaign_id, subject])
    events = [one.event for one in sent.answer.events] if sent.answer is not None else []
    called = next((event for event in events if isinstance(event, TestCalled)), None)
    asks = called is not None and any(isinstance(event, TestAdvanced) for event in events)
    if called is not None and called.state != "open":
        return done(request, sent, "The game master is asked.", to)
    if asks and called is not None:
        response = done(
            request, sent, f"{title}: a choice comes first.", reverse("test", args=[campaign_id, called.call])
        )
        if response.status_code == 204:
            response.headers["HX-Redirect"] = reverse("test", args=[campaign_id, called.call])
        return response
    return done(request, sent, _said(request, campaign_id, sent, title), to)


def _said(request: HttpRequest, campaign_id: UUID, sent: Sent, title: str) -> str:
    """What it came to by the facts that people read, and what changed, in the words of the ledger."""
    if sent.answer is None:
        return title
    with look(request, campaign_id) as (state, seat):
        own = {one.position for one in sent.answer.events if one.type.partition(".")[0] not in ("test", "container")}
        first = min((one.position for one in sent.answer.events), default=0)
        told = feed.newer(state, seat.viewer, first - 1, len(sent.answer.events) + 1)
        lines = [entry.view["says"].rstrip(".") for entry in told if entry.position in own and not is_quiet(entry.view)]
        results = [result_of(state, seat, line_of(one)) for one in told if one.view["type"] == "test.resolved"]
    facts = ", ".join(f"{name} {value}".strip() for one in results for name, value in one.facts)
    done = next((one.event for one in sent.answer.events if isinstance(one.event, TestResolved)), None)
    lead = done.title if done is not None else title
    lines = lines or ([done.outcome_title] if done is not None and done.outcome_title else [])
    said = f"{lead}: {'; '.join(lines)}." if lines else f"{lead}."
    return f"{said} {facts}." if facts else said
