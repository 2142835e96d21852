"""Opening, putting right, pausing and closing sessions, scenes and what packs put inside them; the game master's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import reverse

from campaigns.commands import containers as commands
from campaigns.commands import publishing
from campaigns.commands.containers import closes_with
from campaigns.events import WATCHER
from campaigns.parts.containers import SCENE, SESSION, Container, Containers
from campaigns.parts.table import Table
from campaigns.registry import Command, container_kinds
from campaigns.state import State
from frontend import pages
from frontend.people import subjects
from frontend.running import running
from frontend.seat import Seat, at_table, look, presses_only, require_gm
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
            "subjects": subjects(state, seat),
            "members": _people_of(state, kind or ""),
            "running": running(state, seat),
            "usual": _usual(state, kind or ""),
            **_who(kinds[kind or ""], request.POST, None),
        }
    if request.method != "POST":
        return pages.show(request, "pages/new_running.html", context)
    post = request.POST
    command = commands.OpenContainer(
        kind=kind or "",
        title=post.get("title", ""),
        parent=post.get("parent", ""),
        hidden=post.get("hidden") == "on",
        **_people(post, context["ties"]),
    )
    sent = send(request, campaign_id, command)
    if sent.refusal is not None:
        return pages.show(request, "pages/new_running.html", context, sent.refusal)
    return done(request, sent, f"{command.title} begins.", reverse("campaign", args=[campaign_id]))


def _people_of(state: State, kind: str) -> list[tuple[str, str]]:
    """Of a session, the people (id, name) who may be present: all at the table who play."""
    members = state.part(Table).members.items() if kind == SESSION else ()
    return [(i, one.name) for i, one in members if one.role != WATCHER]


def _people(post: QueryDict, ties: list[Any]) -> dict[str, Any]:
    """Who takes part, who leads, and what it is tied to, as the form says."""
    chosen = {tie["name"]: tuple(post.getlist(f"tie-{tie['name']}")) for tie in ties}
    return {
        "participants": tuple(post.getlist("participants")),
        "leaders": tuple(post.getlist("leaders")),
        "ties": {tie: subjects for tie, subjects in chosen.items() if subjects},
    }


def _who(ties: dict[str, str], post: QueryDict, found: Container | None) -> dict[str, Any]:
    """What the form shows as chosen: what was typed, or what stands."""
    known = found.ties if found else {}
    return {
        "participants": post.getlist("participants") or (found.participants if found else []),
        "leaders": post.getlist("leaders") or (found.leaders if found else []),
        "ties": [
            {"name": tie, "says": says, "chosen": post.getlist(f"tie-{tie}") or known.get(tie, [])}
            for tie, says in ties.items()
        ],
    }


@at_table
def change(request: HttpRequest, campaign_id: UUID, container: str) -> HttpResponse:
    """Puts right what it is called, who takes part and what it is tied to, until the first die in it has fallen."""
    with look(request, campaign_id) as (state, seat):
        require_gm(seat)
        found = state.part(Containers).open.get(container)
        if found is None:
            raise Http404
        context: dict[str, Any] = {
            **pages.frame(state, seat, "table"),
            "container": found,
            "subjects": subjects(state, seat),
            "members": _people_of(state, found.kind),
            **_who(container_kinds(state).get(found.kind, {}), request.POST, found),
        }
    if request.method != "POST":
        return pages.show(request, "pages/change_running.html", context)
    post = request.POST
    command = commands.CorrectContainer(
        container=container, title=post.get("title", ""), **_people(post, context["ties"])
    )
    sent = send(request, campaign_id, command)
    if sent.refusal is not None:
        return pages.show(request, "pages/change_running.html", context, sent.refusal)
    return done(request, sent, "It is put right.", reverse("campaign", args=[campaign_id]))


ACTS: dict[str, tuple[Callable[..., Command], str]] = {
    "publish": (publishing.PublishContainer, "Watchers are told what is tested there."),
    "unpublish": (partial(publishing.PublishContainer, published=False), "No more of it is published."),
    "pause": (commands.PauseContainer, "It pauses."),
    "resume": (commands.ResumeContainer, "It goes on."),
    "close": (commands.CloseContainer, "It is over."),
}


def _usual(state: State, kind: str) -> str:
    """What holds one of this kind where nobody says: the session that runs, for a scene."""
    containers = state.part(Containers)
    session = containers.running(SESSION) if kind == SCENE else ""
    return f"{containers.open[session].title} (session)" if session else ""


def _sure(state: State, seat: Seat, campaign_id: UUID, container: str) -> dict[str, Any] | None:
    """The question before something closes that holds others, or that nothing holds: what ends, and what goes on."""
    containers = state.part(Containers)
    found = containers.open.get(container)
    if found is None:
        return None
    every = running(state, seat)
    with_it = closes_with(state, container)
    inside = [one for one in every if one.id != container and one.id in with_it]
    if found.parent in containers.open and not inside:
        return None
    ended = {container, *(one.id for one in inside)}
    others = [one.title for one in every if one.id not in ended]
    stays = f"{' and '.join(others)} go{'es' if len(others) == 1 else ''} on."
    say = f"{found.title} ends{', and with it:' if inside else ', and what lasts as long as it.'}"
    return {
        **pages.frame(state, seat, "table"),
        "heading": f"Close {found.title}?",
        "say": f"{say} {stays if others and not inside else ''}".strip(),
        "ends": [f"{one.title} ({one.kind.replace('_', ' ')})" for one in inside],
        "carried": [("act", "close"), ("sure", "yes")],
        "do": "Close it",
        "tone": "button--main",
        "no": reverse("campaign", args=[campaign_id]),
    }


@presses_only
@at_table
def act(request: HttpRequest, campaign_id: UUID, container: str) -> HttpResponse:
    """Pauses, resumes, closes or publishes one."""
    with look(request, campaign_id) as (state, seat):
        require_gm(seat)
        asks = request.POST.get("act") == "close" and request.POST.get("sure") != "yes"
        asked = _sure(state, seat, campaign_id, container) if asks else None
    if asked is not None:
        return pages.show(request, "pages/confirm.html", asked)
    if request.POST.get("act") not in ACTS:
        raise Http404
    command, said = ACTS[request.POST["act"]]
    sent = send(request, campaign_id, command(container=container))
    return back(request, sent, said, reverse("campaign", args=[campaign_id]))
