"""Sending commands from forms: the command's id, refusals shown where they arose, a second press that says so."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.backends.utils import csrf_input
from django.urls import NoReverseMatch, reverse
from django.utils.safestring import SafeString

from campaigns.api.bodies import require_storable
from campaigns.entrance import Answer, execute
from campaigns.registry import Command
from frontend.seat import actor_of
from frontend.templatetags.tide import command_id
from rules.refusal import Refused

KEPT = "refused_form"
UNKEPT = ("csrfmiddlewaretoken", "command_id")
MOST_KEPT = 20_000
"""characters that a refused form may hold to be shown again"""
ALREADY = "That was done already; pressing again changed nothing."


@dataclass(frozen=True)
class Sent:
    """What became of a command: the answer, or why it was refused."""

    answer: Answer | None = None
    refusal: Refused | None = None


def command_id_of(request: HttpRequest, field: str = "command_id") -> UUID:
    """The id that the page gave its form. Refused where there is none, so that no second press can count twice."""
    given = request.POST.get(field, "")
    try:
        return UUID(given)
    except ValueError:
        raise Refused(
            "no_command_id",
            "This form came without its number, so nothing was done.",
            field="command_id",
            value=given,
            right="the page loaded anew",
        ) from None


def tokens(request: HttpRequest) -> SafeString:
    """What a form holds that no other has: the request's token, and the number of its command."""
    return csrf_input(request) + command_id()


def way_back(campaign_id: UUID, name: str, given: str) -> str:
    """Where a form says that it was pressed: the page of this name about ``given``; where there is none, the table."""
    try:
        return reverse(name, args=[campaign_id, given])
    except NoReverseMatch:
        return reverse("campaign", args=[campaign_id])


def pressed_on(request: HttpRequest, campaign_id: UUID, otherwise: str) -> str:
    """The page of this campaign on which a button was pressed, as far as the browser tells."""
    page = urlsplit(request.headers.get("Referer", ""))
    own = page.netloc == request.get_host() and page.path.startswith(reverse("campaign", args=[campaign_id]))
    return page.path if own else otherwise


def send(request: HttpRequest, campaign_id: UUID, command: Command, *, id_field: str = "command_id") -> Sent:
    """Sends the command as the signed-in user, once; ``id_field``: where a form of two commands has the other's id."""
    try:
        require_storable(command)
        answer = execute(campaign_id, command, actor_of(request), command_id=command_id_of(request, id_field))
    except Refused as refusal:
        return Sent(refusal=refusal)
    return Sent(answer=answer)


def done(request: HttpRequest, sent: Sent, said: str, to: str) -> HttpResponse:
    """After a command that was not refused: in a dialog close it and say so, else go to `to` and say it there."""
    text = ALREADY if sent.answer is not None and sent.answer.again else said
    if request.htmx:  # type: ignore[attr-defined]
        response = HttpResponse(status=204)
        response.headers["HX-Trigger"] = json.dumps({"tide:close-dialog": {}, "tide:toast": {"text": text}})
        return response
    messages.success(request, text)
    return HttpResponseRedirect(to)


def back(request: HttpRequest, sent: Sent, said: str, to: str) -> HttpResponse:
    """After a command of a one-button form: goes to `to` and says there what was done, or why not."""
    if sent.refusal is None:
        return done(request, sent, said, to)
    reason = sent.refusal.message + (f" Right would be: {sent.refusal.right}." if sent.refusal.right else "")
    if request.htmx:  # type: ignore[attr-defined]
        response = HttpResponse(status=204)
        response.headers["HX-Trigger"] = json.dumps({"tide:toast": {"text": reason, "tone": "bad"}})
        return response
    messages.error(request, reason)
    keep(request, sent.refusal, to)
    return HttpResponseRedirect(to)


def keep(request: HttpRequest, refusal: Refused, to: str) -> None:
    """Keeps what was typed into a refused form for the page that shows the form again, with what is wrong where."""
    typed = {name: request.POST.getlist(name) for name in request.POST if name not in UNKEPT}
    if sum(len(text) for texts in typed.values() for text in texts) <= MOST_KEPT:
        wrong = {"field": refusal.field, "message": refusal.message, "right": refusal.right}
        request.session[KEPT] = {"to": to.partition("#")[0], "sent_to": request.path, "typed": typed, "wrong": wrong}


def kept_for(request: HttpRequest) -> dict[str, Any] | None:
    """What was typed into a refused form of this page, once."""
    found = request.session.get(KEPT)
    if found is None or request.method != "GET" or found["to"] != request.path:
        return None
    del request.session[KEPT]
    return dict(found)
