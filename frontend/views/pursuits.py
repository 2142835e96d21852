"""What characters and the party are after: written, agreed to, moved on, closed; and what is still to be chosen."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import reverse

from campaigns.commands import pursuits as commands
from campaigns.entrance import utc_now
from campaigns.parts.pursuits import party_of, pursuit_rules
from campaigns.parts.subjects import Subjects
from campaigns.pursuing import inputs_of, pursuits_read
from campaigns.registry import Command
from frontend import pages
from frontend.seat import at_table, look, presses_only, require_gm
from frontend.sending import Sent, back, done, send
from rules.refusal import Refused


@at_table
def every(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """All of it, as this seat may see it."""
    with look(request, campaign_id) as (state, seat):
        read = pursuits_read(state, seat.viewer, utc_now())
        if read is None:
            raise Http404
        context: dict[str, Any] = {
            **pages.frame(state, seat, "pursuits"),
            "read": read,
            "party": [one for one in read.pursuits if not one.owner],
            "own": [one for one in read.pursuits if one.owner],
            "writable": [kind for kind in read.kinds if kind.party or kind.owners],
            "without": [kind for kind in read.kinds if kind.without],
        }
    return pages.show(request, "pages/pursuits.html", context)


@at_table
def new(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """The form that writes one; its kind is chosen in the address."""
    asked = request.POST if request.method == "POST" else request.GET
    with look(request, campaign_id) as (state, seat):
        read = pursuits_read(state, seat.viewer, utc_now())
        kinds = [kind for kind in read.kinds if kind.party or kind.owners] if read else []
        if not kinds:
            raise Http404
        kind = next((one for one in kinds if one.kind == asked.get("kind")), kinds[0])
        context: dict[str, Any] = {
            **pages.frame(state, seat, "pursuits"),
            "kinds": kinds,
            "kind": kind,
            "owner": asked.get("owner", ""),
            "inputs": list(inputs_of(state, kind.kind)),
        }
    if request.method != "POST":
        return pages.show(request, "pages/new_pursuit.html", context)
    sent = _send(request, campaign_id, lambda: _written(request.POST, context["inputs"]))
    if sent.refusal is not None:
        return pages.show(request, "pages/new_pursuit.html", context, sent.refusal)
    return done(request, sent, "It is written.", reverse("pursuits", args=[campaign_id]))


def _send(request: HttpRequest, campaign_id: UUID, command: Any) -> Sent:
    try:
        return send(request, campaign_id, command())
    except Refused as refusal:
        return Sent(refusal=refusal)


def _written(post: QueryDict, inputs: list[Any]) -> Command:
    return commands.WritePursuit(
        kind=post.get("kind", ""),
        words=post.get("words", ""),
        owner=post.get("owner", ""),
        stages=_lines(post.get("stages", "")),
        given={name: post.get(f"given-{name}", "") for name, _, _ in inputs},
        weeks=_number(post.get("weeks", "0"), "weeks"),
    )


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _number(text: str, field: str) -> int:
    try:
        return int(text or "0")
    except ValueError:
        raise Refused("wrong_value", "This is no number.", field=field, value=text, right="whole weeks") from None


def _command(pursuit: str, post: QueryDict) -> tuple[Command, str] | None:
    """What a button asks for, and what is said when it is done."""
    note = post.get("note", "")
    claim, moves = post.get("claim"), _number(post["moves"], "moves") if "moves" in post else None
    words, stages = post.get("words", ""), tuple(post.getlist("stages")) if "words" in post else None
    asked: dict[str, tuple[Command, str]] = {
        "agree": (commands.AgreePursuit(pursuit=pursuit, words=words, stages=stages), "You agree."),
        "disagree": (
            commands.AgreePursuit(pursuit=pursuit, agrees=False, words=words, stages=stages),
            "You do not agree.",
        ),
        "share": (commands.SharePursuit(pursuit=pursuit), "The table can read it now."),
        "claim": (commands.ClaimAdvance(pursuit=pursuit, note=note), "The game master answers."),
        "decline": (commands.DeclineAdvance(pursuit=pursuit, reason=note, claim=claim), "It is answered."),
        "advance": (commands.AdvancePursuit(pursuit=pursuit, note=note, claim=claim, moves=moves), "A step closer."),
        "stage": (commands.CompleteStage(pursuit=pursuit, note=note, moves=moves), "The stage is done."),
        "resolve": (
            commands.ResolvePursuit(pursuit=pursuit, note=note, earns=post.get("earns", "on") == "on"),
            "It is resolved.",
        ),
        "abandon": (commands.AbandonPursuit(pursuit=pursuit, reason=note), "It is let go."),
    }
    return asked.get(post.get("act", ""))


@presses_only
@at_table
def act(request: HttpRequest, campaign_id: UUID, pursuit: str) -> HttpResponse:
    """One button of one Pursuit."""
    with look(request, campaign_id) as (_, seat):
        if seat.is_watcher:
            raise Http404
    found = _command(pursuit, request.POST)
    if found is None:
        raise Http404
    if request.POST.get("act") == "resolve" and request.POST.get("sure") != "yes":
        asked = _resolving(request, campaign_id, pursuit)
        if asked is not None:
            return pages.show(request, "pages/confirm.html", asked)
    to = "campaign" if request.POST.get("from") == "table" else "pursuits"
    return back(request, send(request, campaign_id, found[0]), found[1], reverse(to, args=[campaign_id]))


def _resolving(request: HttpRequest, campaign_id: UUID, pursuit: str) -> dict[str, Any] | None:
    """The question before something of the party's is resolved: who is given what at once, and what is not done yet."""
    with look(request, campaign_id) as (state, seat):
        read, rules = pursuits_read(state, seat.viewer, utc_now()), pursuit_rules(state)
        one = next((one for one in read.pursuits if one.pursuit == pursuit), None) if read else None
        kind = rules[1].kind(one.kind) if rules and one else None
        if not seat.is_gm or one is None or rules is None or kind is None or one.owner or one.at != "resolve":
            return None
        known = state.part(Subjects).by_id
        names = sorted(known[subject].name for subject in party_of(state, rules[0], kind))
        frame = pages.frame(state, seat, "pursuits")
    left = [words for words, is_done in one.stages if not is_done]
    return {
        **frame,
        "heading": f"Is “{one.words}” resolved?",
        "say": f"It brings {one.gives}" + (f" to each of these: {', '.join(names)}." if names else "."),
        "ends": [f"Not done yet: {words}" for words in left] + [f"Gone unused: {words}" for words in one.lapsing],
        "carried": [
            *((name, value) for name in ("claim", "moves", "note", "from") if (value := request.POST.get(name))),
            ("act", "resolve"),
            ("sure", "yes"),
        ],
        "do": "It is resolved",
        "tone": "button--main",
        "no": reverse("pursuits", args=[campaign_id]),
    }


@at_table
def reword(request: HttpRequest, campaign_id: UUID, pursuit: str) -> HttpResponse:
    """Other words, or other stages still to come."""
    with look(request, campaign_id) as (state, seat):
        read = pursuits_read(state, seat.viewer, utc_now())
        found = next((one for one in read.pursuits if one.pursuit == pursuit), None) if read else None
        if found is None or not (found.mine or seat.is_gm):
            raise Http404
        kind = next(one for one in read.kinds if one.kind == found.kind) if read else None
        context: dict[str, Any] = {
            **pages.frame(state, seat, "pursuits"),
            "one": found,
            "kind": kind,
            "stages": "\n".join(words for words, is_done in found.stages if not is_done),
        }
    if request.method != "POST":
        return pages.show(request, "pages/reword_pursuit.html", context)
    post = request.POST
    stages = _lines(post["stages"]) if "stages" in post else None
    command = commands.RewordPursuit(pursuit=pursuit, words=post.get("words", ""), stages=stages)
    sent = send(request, campaign_id, command)
    if sent.refusal is not None:
        return pages.show(request, "pages/reword_pursuit.html", context, sent.refusal)
    return done(request, sent, "It is put otherwise.", reverse("pursuits", args=[campaign_id]))


@presses_only
@at_table
def award(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """A GM gives what a kind gives to one who has none open, and says why."""
    with look(request, campaign_id) as (_, seat):
        require_gm(seat)
    post = request.POST
    kind, _, owner = post.get("to", "").partition(" ")
    command = commands.AwardWithout(kind=kind, owner=owner, reason=post.get("reason", ""))
    return back(request, send(request, campaign_id, command), "It is given.", reverse("pursuits", args=[campaign_id]))
