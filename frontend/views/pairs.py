"""Making a subject's pairs: rolling the array, placing it, entering ratings, confirming."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from campaigns.registry import Command
from frontend import pages
from frontend.numbers import number
from frontend.pairs import PairsView, PairView, pairs_view
from frontend.seat import at_table, look, presses_only, require_gm
from frontend.sending import back, done, send
from frontend.views.subjects import find
from identity.commands import pairs as commands
from rules.pairs import Change


def _page(request: HttpRequest, campaign_id: UUID, subject: str) -> dict[str, Any]:
    with look(request, campaign_id) as (state, seat):
        found = find(state, seat, subject)
        view = pairs_view(state, seat, subject)
        if view is None or not view.full:
            raise Http404
        return {**pages.frame(state, seat, "subjects"), "subject": found, "view": view}


@presses_only
@at_table
def roll(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """Rolls the whole array in the open."""
    sent = send(request, campaign_id, commands.RollArray(subject=subject))
    return back(request, sent, "The array is rolled.", reverse("place_pairs", args=[campaign_id, subject]))


def placement(view: PairsView, chosen: dict[str, str], sides: dict[str, str]) -> dict[str, int]:
    """Full side key -> number of the result on it, from what the form says for each pair."""
    placed = {}
    for pair in view.pairs:
        if text := chosen.get(pair.id, "").strip():
            key = pair.key_b if sides.get(pair.id) == "b" else pair.key_a
            placed[key] = number(text, f"result-{pair.id}", "the number of a result")
    return placed


def _rows(view: PairsView, post: dict[str, str] | None) -> list[dict[str, Any]]:
    """One line a pair for the form: which result lies on it, and on which side."""
    placed = view.creation.placed if view.creation else {}
    rows = []
    for pair in view.pairs:
        on_b = pair.key_b in placed
        number = str(placed.get(pair.key_a, placed.get(pair.key_b, "")))
        side = "b" if on_b else "a"
        if post is not None:
            number, side = post.get(f"result-{pair.id}", ""), post.get(f"side-{pair.id}", "a")
        rows.append({"pair": pair, "number": number, "side": side})
    return rows


@at_table
def place(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """Puts each result on one side of one pair; sent with "ready" it also confirms them."""
    context = _page(request, campaign_id, subject)
    view: PairsView = context["view"]
    if view.creation is None:
        raise Http404
    context["results"] = [(str(i), value) for i, value in enumerate(view.creation.results, 1)]
    post = request.POST.dict() if request.method == "POST" else None
    context["rows"] = _rows(view, post)
    if post is None:
        return pages.show(request, "pages/place_pairs.html", context)
    chosen = {pair.id: post.get(f"result-{pair.id}", "") for pair in view.pairs}
    sides = {pair.id: post.get(f"side-{pair.id}", "a") for pair in view.pairs}
    sent = send(request, campaign_id, commands.PlaceArray(subject=subject, placed=placement(view, chosen, sides)))
    if sent.refusal is not None:
        return pages.show(request, "pages/place_pairs.html", context, sent.refusal)
    return done(request, sent, "The results lie where you put them.", reverse("subject", args=[campaign_id, subject]))


@presses_only
@at_table
def confirm(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """The ratings stand."""
    sent = send(request, campaign_id, commands.ConfirmPairs(subject=subject))
    return back(request, sent, "Ready for play.", reverse("subject", args=[campaign_id, subject]))


def _entered(pairs: tuple[PairView, ...], post: dict[str, str]) -> dict[str, int]:
    given = {pair.key_a: post.get(f"rating-{pair.id}", "").strip() for pair in pairs}
    return {key: number(text, "ratings") for key, text in given.items() if text}


@at_table
def enter(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """The game master enters the ratings of the first sides; what is left empty stands even."""
    context = _page(request, campaign_id, subject)
    require_gm(context["seat"])
    if context["view"].stage == "ready":
        raise Http404
    if request.method != "POST":
        return pages.show(request, "pages/enter_pairs.html", context)
    ratings = _entered(context["view"].pairs, request.POST.dict())
    sent = send(request, campaign_id, commands.EnterPairs(subject=subject, ratings=ratings))
    if sent.refusal is not None:
        return pages.show(request, "pages/enter_pairs.html", context, sent.refusal)
    return done(request, sent, "The ratings are entered.", reverse("subject", args=[campaign_id, subject]))


# So many changes one form takes; more go by another.
CHANGES = 6


def _lifepath(subject: str, post: dict[str, str]) -> Command:
    """The changes in their order; a line without a side is none."""
    changes = []
    for line in range(CHANGES):
        toward, by = post.get(f"toward-{line}", ""), post.get(f"by-{line}", "").strip()
        if toward:
            changes.append(Change(toward=toward, by=number(by, "changes")))
    return commands.ApplyLifepath(subject=subject, changes=tuple(changes), cause=post.get("cause", ""))


@at_table
def lifepath(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """What happened before play moves pairs that are still being made; the game master's."""
    context = _page(request, campaign_id, subject)
    require_gm(context["seat"])
    if context["view"].stage != "creation":
        raise Http404
    context["lines"] = [
        (str(n), request.POST.get(f"toward-{n}", ""), request.POST.get(f"by-{n}", "1")) for n in range(CHANGES)
    ]
    if request.method != "POST":
        return pages.show(request, "pages/lifepath.html", context)
    sent = send(request, campaign_id, _lifepath(subject, request.POST.dict()))
    if sent.refusal is not None:
        return pages.show(request, "pages/lifepath.html", context, sent.refusal)
    return done(request, sent, "It left its trace.", reverse("subject", args=[campaign_id, subject]))
