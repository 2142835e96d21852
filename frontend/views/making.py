"""Making characters: beginning, the guided steps, finishing, bringing a file, and taking one home."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import msgspec
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from campaigns.api.bodies import from_json
from campaigns.character_files import CharacterFile, export
from campaigns.commands import making as commands
from campaigns.packs import Packs
from campaigns.registry import Command
from campaigns.sheet_reading import audience_of
from frontend import making, pages
from frontend.people import players
from frontend.seat import at_table, look, presses_only
from frontend.sending import Sent, back, done, send
from frontend.views.subjects import find
from rules.refusal import Refused

BIGGEST_FILE = 500_000


@at_table
def every(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """What can be made here, what is half made, and the door for files."""
    return pages.show(request, "pages/making.html", _home(request, campaign_id))


def _home(request: HttpRequest, campaign_id: UUID) -> dict[str, Any]:
    with look(request, campaign_id) as (state, seat):
        if seat.is_watcher:
            raise Http404
        return {
            **pages.frame(state, seat, "subjects"),
            "makers": making.makers(state),
            "drafts": making.drafts(state, seat),
            "elsewhere": making.elsewhere(state),
        }


@presses_only
@at_table
def begin(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """Begins a draft and goes to its first step."""
    pack, _, kind = request.POST.get("kind", "").partition("/")
    command = commands.BeginDraft(
        pack=pack, kind=kind, ready=request.POST.get("ready", ""), subject=request.POST.get("subject", "")
    )
    sent = send(request, campaign_id, command)
    if sent.answer is None:
        return pages.show(request, "pages/making.html", _home(request, campaign_id), sent.refusal)
    event: Any = sent.answer.events[0].event
    step = making.FINISH if command.ready else making.FIRST
    return HttpResponseRedirect(f"{reverse('draft', args=[campaign_id, event.draft])}?step={step}")


@at_table
def one(request: HttpRequest, campaign_id: UUID, draft: str) -> HttpResponse:
    """A draft at one of its steps."""
    step = request.POST.get("step", "") if request.method == "POST" else request.GET.get("step", "")
    if request.method != "POST":
        return _shown(request, campaign_id, draft, step)
    act = request.POST.get("act", "keep")
    if act == "discard":
        sent = send(request, campaign_id, commands.DiscardDraft(draft=draft))
        return back(request, sent, "It is given up.", reverse("making", args=[campaign_id]))
    chosen = _chosen(request, campaign_id, draft)
    if chosen is None:  # pressed twice, or finished on another device: the draft is a character by now
        return _finished(request, campaign_id, draft) if act == "finish" else _shown(request, campaign_id, draft, step)
    sent = send(request, campaign_id, chosen)
    if sent.refusal is not None and sent.refusal.code == "changed_meanwhile":
        lost: Any = sent.refusal.value
        query = urlencode([("step", step), *(("elsewhere", name) for name in lost)])
        return HttpResponseRedirect(f"{reverse('draft', args=[campaign_id, draft])}?{query}")
    if sent.refusal is None and act == "finish":
        return _finished(request, campaign_id, draft)
    if sent.refusal is not None or act == "keep":
        context = _page(request, campaign_id, draft, step)
        return pages.show(request, "pages/draft.html", context, sent.refusal)
    view = _page(request, campaign_id, draft, step)["draft"]
    query = {"step": view.after or making.FINISH}
    if view.after != making.FINISH and any(step == one[0] for one in view.all_wrong):
        query["left"] = step
    return HttpResponseRedirect(f"{reverse('draft', args=[campaign_id, draft])}?{urlencode(query)}")


def _shown(request: HttpRequest, campaign_id: UUID, draft: str, step: str) -> HttpResponse:
    """The page of a draft; one that was finished meanwhile leads to who came of it."""
    with look(request, campaign_id) as (state, seat):
        gone = making.draft_of(state, seat, draft) is None
        subject = making.finished_as(state, seat, draft) if gone else ""
    if subject:
        return HttpResponseRedirect(reverse("subject", args=[campaign_id, subject]))
    return pages.show(request, "pages/draft.html", _page(request, campaign_id, draft, step))


def _left(view: making.DraftView, step: str) -> dict[str, str] | None:
    """What was left open in the step that somebody came from."""
    found = next(((title, wrongs[0]) for one, title, wrongs in view.all_wrong if one == step), None)
    if found is None or step == view.step.id:
        return None
    return {"step": step, "title": found[0], "choice": found[1].choice, "says": found[1].message}


def _page(request: HttpRequest, campaign_id: UUID, draft_id: str, step: str) -> dict[str, Any]:
    untouched = request.method != "POST" and "open" not in request.GET
    with look(request, campaign_id) as (state, seat):
        draft = making.draft_of(state, seat, draft_id)
        if draft is None:
            raise Http404
        view = making.draft_view(state, seat, draft_id, draft, step, untouched=untouched)
        titles = {commands.NAME: "Name", **{one.id: one.title for one in view.choices}}
        return {
            **pages.frame(state, seat, "subjects"),
            "draft": view,
            "left": _left(view, request.GET.get("left", "")),
            "elsewhere_chosen": [titles[name] for name in request.GET.getlist("elsewhere") if name in titles],
            "people": players(state, seat) if seat.is_gm else [],
            "maker": draft.member,
            "elsewhere": making.elsewhere(state, draft.kind),
        }


def _chosen(request: HttpRequest, campaign_id: UUID, draft_id: str) -> Command | None:
    """The choices that the form sent, with the marks of those it was filled from; None where there is no such draft any
    more."""
    with look(request, campaign_id) as (state, seat):
        draft = making.draft_of(state, seat, draft_id)
        finishing = request.POST.get("act") == "finish"
        if draft is None and (finishing or making.finished_as(state, seat, draft_id)):
            return None
        if draft is None:
            raise Http404
        choices = Packs(state).get(draft.pack).creations[draft.kind].choices
        sent = making.chosen_in(request.POST, choices)
    was = dict(part.partition("=")[::2] for part in request.POST.get("was", "").split())
    return commands.ChooseDraft(draft=draft_id, choices=sent, name=request.POST.get("name"), was=was)


def _finished(request: HttpRequest, campaign_id: UUID, draft: str) -> HttpResponse:
    """The second command of the same press, under an id of its own that the page gave it."""
    chosen = tuple(request.POST.getlist("players")) if "says_players" in request.POST else None
    command = commands.FinishDraft(draft=draft, players=chosen, hidden=request.POST.get("hidden") == "on")
    sent = send(request, campaign_id, command, id_field="finish_id")
    if sent.answer is None:
        context = _page(request, campaign_id, draft, making.FINISH)
        return pages.show(request, "pages/draft.html", context, sent.refusal)
    event: Any = next(e.event for e in sent.answer.events if e.type == "draft.finished")
    return done(request, sent, "Ready for play.", reverse("subject", args=[campaign_id, event.subject]))


@presses_only
@at_table
def bring(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """A character from a file."""
    sent = _brought(request, campaign_id)
    if sent.answer is None:
        return pages.show(request, "pages/making.html", _home(request, campaign_id), sent.refusal)
    event: Any = sent.answer.events[0].event
    return done(
        request, sent, "The file has become a character.", reverse("subject", args=[campaign_id, event.subject])
    )


def _brought(request: HttpRequest, campaign_id: UUID) -> Sent:
    upload = request.FILES.get("file")
    size = (upload.size or 0) if upload is not None else 0
    if upload is None or size > BIGGEST_FILE:
        right = f"a JSON file of at most {BIGGEST_FILE // 1000} KB"
        return Sent(refusal=Refused("missing", "There is no such file.", field="file", right=right))
    try:
        character = from_json(upload.read(), CharacterFile)
    except Refused as refusal:
        return Sent(refusal=refusal)
    return send(
        request, campaign_id, commands.ImportCharacter(character=character, again=request.POST.get("again") == "on")
    )


@at_table
def take_home(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """The character as a file, as far as this seat knows it."""
    with look(request, campaign_id) as (state, seat):
        line = find(state, seat, subject)
        audience = audience_of(seat.viewer, subject)
        if not audience:
            raise Http404
        text = msgspec.json.format(msgspec.json.encode(export(state, subject, audience)), indent=1)
    response = HttpResponse(text, content_type="application/json")
    plain = "".join(c if c.isascii() and c.isalnum() else "-" for c in line.name).strip("-") or "character"
    response.headers["Content-Disposition"] = f'attachment; filename="{plain}.json"'
    return response
