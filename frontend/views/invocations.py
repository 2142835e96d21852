"""Drawing on a pair, inspiring another, putting waiting dice on rolls, and the game master's word on each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import reverse

from campaigns.registry import Command
from campaigns.sections import section
from campaigns.state import State
from frontend import pages
from frontend.pairs import PairsView, pairs_view
from frontend.seat import Seat, at_table, look, presses_only
from frontend.sending import Sent, back, done, send, way_back
from frontend.views.subjects import acts_for, find
from frontend.words import others
from identity.commands import invocations as commands
from identity.reads import hindered, places
from rules.invocations import InvocationRules
from rules.pairs import PairKind, PairRules


def _page(request: HttpRequest, state: State, seat: Seat, subject: str) -> dict[str, Any]:
    """What both forms need: whose pair, which pairs, where. Not for those who do not play the subject."""
    found, rules = find(state, seat, subject), section(state, "invocations", InvocationRules)
    view = pairs_view(state, seat, subject)
    if rules is None or view is None or not view.full or view.stage != "ready" or not acts_for(seat, subject):
        raise Http404
    asked = request.POST if request.method == "POST" else request.GET
    around = [(place, hindered(state, subject, place.container)) for place in places(state, seat.viewer)]
    return {
        **pages.frame(state, seat, "subjects"),
        "subject": found,
        "view": view,
        "rules": rules[1],
        "places": [place for place, why in around if not why],
        "hindered": [(place, why) for place, why in around if why],
        "pair": asked.get("pair", ""),
        "side": asked.get("side", ""),
        "container": asked.get("container", ""),
    }


def _pair_of(view: PairsView, side: str) -> str:
    return next((pair.id for pair in view.pairs if side in (pair.key_a, pair.key_b)), "")


def _called(request: HttpRequest, campaign_id: UUID, sent: Sent, said: str) -> HttpResponse:
    """After the test is called: on to its dice."""
    assert sent.answer is not None
    event: Any = sent.answer.events[0].event
    to = reverse("test", args=[campaign_id, event.call])
    response = done(request, sent, said, to)
    if response.status_code == 204:
        response.headers["HX-Redirect"] = to
    return response


@at_table
def draw(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """The form that draws on a pair for an action."""
    with look(request, campaign_id) as (state, seat):
        context = _page(request, state, seat, subject)
    if request.method != "POST":
        return pages.show(request, "pages/draw.html", context)
    post = request.POST
    command = commands.DrawOn(
        holder=subject,
        pair=_pair_of(context["view"], post.get("side", "")),
        side=post.get("side", ""),
        helps=post.get("helps", ""),
        stake=post.get("stake", ""),
        container=post.get("container", ""),
        decision=post.get("decision", ""),
        secret=post.get("secret") == "on",
    )
    sent = send(request, campaign_id, command)
    if sent.refusal is not None:
        return pages.show(request, "pages/draw.html", context, sent.refusal)
    return _called(request, campaign_id, sent, "The test is called.")


@at_table
def inspire(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """The form that shows a conviction to another."""
    with look(request, campaign_id) as (state, seat):
        context = _page(request, state, seat, subject)
        context.update(_recipients(request, state, seat, subject))
    if request.method != "POST":
        return pages.show(request, "pages/inspire.html", context)
    post = request.POST
    command = commands.Inspire(
        holder=subject,
        pair=_pair_of(context["view"], post.get("side", "")),
        side=post.get("side", ""),
        recipient=post.get("recipient", ""),
        recipient_side=post.get("recipient_side", ""),
        connection=post.get("connection", ""),
        container=post.get("container", ""),
        decision=post.get("decision", ""),
        secret=post.get("secret") == "on",
    )
    sent = send(request, campaign_id, command)
    if sent.refusal is not None:
        return pages.show(request, "pages/inspire.html", context, sent.refusal)
    return _called(request, campaign_id, sent, "It is stated.")


def _recipients(request: HttpRequest, state: State, seat: Seat, subject: str) -> dict[str, Any]:
    """Who can be inspired, who of them is chosen, and the sides that those of their kind have, pair by pair."""
    pairs, asked = section(state, "pairs", PairRules), request.POST if request.method == "POST" else request.GET
    kinds = {kind.holder: kind for kind in pairs[1].kinds} if pairs else {}
    able = [(i, name, kind) for i, name, kind in others(state, seat, subject) if kind in kinds]
    chosen = next((one for one in able if one[0] == asked.get("recipient")), able[0] if able else ("", "", ""))
    return {"others": able, "recipient": chosen[0], "sides": _sides(kinds[chosen[2]]) if able else []}


def _sides(kind: PairKind) -> list[tuple[str, list[tuple[str, str]]]]:
    """(names of the pair, its two sides by key and title), so that no two sides read alike."""
    return [
        (
            " / ".join(side.title for side in pair.sides),
            [(f"{kind.id}.{side.id}", side.title) for side in pair.sides],
        )
        for pair in kind.pairs
    ]


def _claim(post: QueryDict) -> Command:
    """What the action expresses is what the die is for, if whoever asks says so."""
    expresses = post.get("side", "") if post.get("expresses") == "on" else ""
    die, call = post.get("die", ""), post.get("call", "")
    return commands.ClaimDie(die=die, call=call, expresses=expresses, name_of=post.get("name_of", ""))


ACTS: dict[str, tuple[Callable[[QueryDict], Command], str]] = {
    "claim": (_claim, "The die is asked for."),
    "decline": (
        lambda p: commands.DeclineClaim(die=p.get("die", ""), call=p.get("call", "")),
        "The die waits on.",
    ),
    "close": (
        lambda p: commands.ConfirmInspiration(call=p.get("call", ""), accepted=True),
        "They lie close. The dice may fall.",
    ),
    "not_close": (
        lambda p: commands.ConfirmInspiration(call=p.get("call", ""), accepted=False),
        "It is withdrawn, unspent.",
    ),
    "recast": (
        lambda p: commands.RecastInspiration(call=p.get("call", ""), recipient_side=p.get("recipient_side", "")),
        "It is recast.",
    ),
}


@presses_only
@at_table
def answer(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """One of the words on what was invoked; who may say which, the entrance knows."""
    with look(request, campaign_id) as (_, seat):
        if seat.is_watcher or request.POST.get("act") not in ACTS:
            raise Http404
    make, said = ACTS[request.POST["act"]]
    to = reverse("campaign", args=[campaign_id])
    if request.POST.get("from") == "test":
        to = way_back(campaign_id, "test", request.POST.get("call", ""))
    if request.POST["act"] == "claim" and seat.is_gm:
        said = "The die lies on the roll."
    return back(request, send(request, campaign_id, make(request.POST)), said, to)
