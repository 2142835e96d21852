"""Opening, pausing and closing sessions, scenes and what packs put inside them; the game master's."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from campaigns.commands import containers as commands
from campaigns.registry import container_kinds
from frontend import pages
from frontend.people import subjects
from frontend.running import running
from frontend.seat import at_table, look, require_gm
from frontend.sending import back, done, send


@at_table
def new(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """The form that opens one; its kind is chosen in the address, because each has its own ties."""
    asked = request.POST if request.method == "POST" else request.GET
    with look(request, campaign_id) as (state, seat):
        require_gm(seat)
        kinds = container_kinds(state)
        kind = asked.get("kind") if asked.get("kind") in kinds else next(iter(kinds))
        context: dict[str, Any] = {
            **pages.frame(state, seat, "table"),
            "kinds": list(kinds),
            "kind": kind,
            "ties": kinds[kind or ""],
            "subjects": subjects(state, seat),
            "running": running(state, seat),
        }
    if request.method != "POST":
        return pages.show(request, "pages/new_running.html", context)
    post = request.POST
    command = commands.OpenContainer(
        kind=kind or "",
        title=post.get("title", ""),
        parent=post.get("parent", ""),
        participants=tuple(post.getlist("participants")),
        ties={tie: tuple(post.getlist(f"tie-{tie}")) for tie in context["ties"] if post.getlist(f"tie-{tie}")},
        hidden=post.get("hidden") == "on",
    )
    sent = send(request, campaign_id, command)
    if sent.refusal is not None:
        return pages.show(request, "pages/new_running.html", context, sent.refusal)
    return done(request, sent, f"{command.title} begins.", reverse("campaign", args=[campaign_id]))


ACTS = {
    "pause": (commands.PauseContainer, "It pauses."),
    "resume": (commands.ResumeContainer, "It goes on."),
    "close": (commands.CloseContainer, "It is over."),
}


@require_POST
@at_table
def act(request: HttpRequest, campaign_id: UUID, container: str) -> HttpResponse:
    """Pauses, resumes or closes one."""
    with look(request, campaign_id) as (_, seat):
        require_gm(seat)
    if request.POST.get("act") not in ACTS:
        raise Http404
    command, said = ACTS[request.POST["act"]]
    sent = send(request, campaign_id, command(container=container))
    return back(request, sent, said, reverse("campaign", args=[campaign_id]))
