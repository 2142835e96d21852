"""The live board: looking, acting, answering, ending a turn, and the game master's hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid5

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from campaigns.audience import Viewer
from campaigns.commands.subjects import RevealSubject
from campaigns.events import PLAYER
from campaigns.parts.pictures import Pictures
from campaigns.parts.subjects import Subjects
from campaigns.registry import Command
from campaigns.state import State
from campaigns.store.states import bounded
from campaigns.wording import is_bookkeeping
from encounters.board_reading import BoardRead, encounters_of
from encounters.commands import hand as hand_commands
from encounters.commands import playing, preparing
from encounters.parts.encounters import Encounter
from frontend import pages, sheets
from frontend.fights import ground
from frontend.fights.board import Bar, BoardView, bar, board_view, found_encounter
from frontend.fights.ended import ended
from frontend.fights.forms import ActForm, act_form, act_of, answer_of, judged
from frontend.fights.grid import outlined
from frontend.fights.log import log_of
from frontend.fights.trying import Trial
from frontend.numbers import number
from frontend.past import Back, encounter_not_yet, look_back, since
from frontend.seat import Seat, at_table, look, presses_only
from frontend.sending import Sent, back, command_id_of, done, send
from frontend.views.calls import faces_in
from frontend.views.encounters import once, prepared
from frontend.views.past import not_yet_page
from rules.packs import Pack
from rules.refusal import Refused
from rules.sizing import ready_types
from rules.tests.perform import Act

SHORT_LOG = 8
PARTS = frozenset({"b-turn", "b-ask", "b-gm", "b-order", "b-map", "b-acts", "b-log"})
"""the parts of the board that follow the table, by their ids in its template"""


def board_context(state: State, seat: Seat, encounter: str, viewer: Viewer | None = None) -> dict[str, Any]:
    """What the board's templates read."""
    viewer = viewer or seat.viewer
    try:
        board = board_view(state, viewer, encounter)
    except Refused:
        raise Http404 from None
    log = log_of(state, viewer, encounter)
    return {
        **pages.frame(state, seat, "encounters"),
        "board": board,
        "read": board.read,
        "encounter": encounter,
        "log": log,
        "unseen_map": seat.is_gm and not _is_map_shown(state, board.read.map),
        "typed": bool(pages.setting(state, "typed_dice", False)),
        "last": next((one for one in log if not one.voided), None),
    }


def _is_map_shown(state: State, laid: Any) -> bool:
    """Whether all at the table see the picture under the grid; so too where there is none."""
    found = state.part(Pictures).by_id.get(laid.picture) if laid is not None else None
    return found is None or found.audience in ("all", "table")


@at_table
def show(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """The board, or how it stood; while it is prepared, the GM's table of who takes part."""
    with look(request, campaign_id) as (state, seat):
        back = look_back(request, state, seat)
        if back.said:
            return _then(request, state, seat, encounter, back)
        try:
            context = board_context(state, seat, encounter)
        except Http404:  # over, or nothing that this seat knows of
            return redirect(_where_it_went(state, seat, encounter))
    context["wanted"] = request.headers.get("X-Live", "").split()
    if context["wanted"] and PARTS.issuperset(context["wanted"]):
        return render(request, "pages/board_live.html", context)
    return pages.show(request, "pages/board.html", context)


def _then(request: HttpRequest, state: State, seat: Seat, encounter: str, back: Back) -> HttpResponse:
    """The board of a moment of the past, to be read only."""
    try:
        board = board_view(back.state, seat.viewer, encounter, since(back, state, seat))
    except Refused:
        return not_yet_page(
            request, state, seat, back, encounter_not_yet(back, state, seat, encounter), place="encounters"
        )
    context = {
        **pages.frame(state, seat, "encounters"),
        "board": board,
        "read": board.read,
        "encounter": encounter,
        "log": log_of(state, seat.viewer, encounter, then=back.state),
        "back": back,
        "running": is_known(state, seat, encounter),
    }
    return pages.show(request, "pages/board_then.html", context)


def is_known(state: State, seat: Seat, encounter: str) -> bool:
    """Whether an encounter that this seat knows of is not over."""
    return any(one.encounter == encounter for one in encounters_of(state, seat.viewer))


@at_table
def screen(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """The board for a screen that the whole table sees: what every player may see, whoever opened it."""
    with look(request, campaign_id) as (state, seat):
        viewer = seat.viewer if seat.is_watcher else Viewer(campaign_id, PLAYER, "table")
        try:
            context = board_context(state, seat, encounter, viewer)
        except Http404:
            return redirect(_where_it_went(state, seat, encounter, "?screen=1"))
        context["log"] = context["log"][:SHORT_LOG]
    return pages.show(request, "pages/board_screen.html", context)


def _where_it_went(state: State, seat: Seat, encounter: str, more: str = "") -> str:
    """The page of a fight that is over, as far as this seat knows of it; else the list."""
    if any(one.encounter == encounter for one in ended(state, seat)):
        return reverse("ended_encounter", args=[seat.campaign_id, encounter]) + more
    return reverse("encounters", args=[seat.campaign_id])


def led_to(request: HttpRequest, to: str) -> HttpResponse:
    """Another page, also from a dialog, which has no room for a whole one."""
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse(status=204, headers={"HX-Redirect": to})
    return redirect(to)


@at_table
def act(request: HttpRequest, campaign_id: UUID, encounter: str, user: str, action: str) -> HttpResponse:
    """The form of one action: whom, what, at what cost; what it would do before any die falls."""
    typed = request.POST if request.method == "POST" else request.GET
    with look(request, campaign_id) as (state, seat):
        try:
            context = board_context(state, seat, encounter)
        except Http404:  # over, or nothing that this seat knows of
            return led_to(request, _where_it_went(state, seat, encounter))
        found, pack = found_encounter(state, encounter)
        form = act_form(state, context["read"], found, pack, user, action, typed)
        if form is None:
            if "foresee" in request.GET:  # the board has moved on under the open form
                return HttpResponse(status=204)
            if request.method == "POST" and not request.htmx:  # type: ignore[attr-defined]
                return _gone(request, campaign_id, encounter)
            context |= _moved_on(context["read"], seat, found, pack, user, action)
            refusal = Refused("not_now", context["why"]) if request.method == "POST" else None
            return pages.show(request, "pages/act_gone.html", context, refusal)
        chosen, trial = act_of(form, pack, typed), Trial(state, context["read"], found, pack)
    # Tried on a copy, when the campaign is free again for others: it may be hundreds of squares.
    with bounded():
        foreseen = trial.foresee(chosen) if _is_plain(chosen) else None
        if "foresee" not in request.GET:
            form = judged(form, chosen, trial)
            context["reach"] = reached(trial, chosen, form.places)
    can = {one.subject for role in form.roles for one in (*role.among, *role.friends) if not one.bars}
    actor = next(one for one in context["board"].actors if one.subject == user)
    context |= {
        "form": form,
        "foreseen": foreseen,
        "can": can,
        "budgets": (*actor.budgets, *has(context["board"], form)),
    }
    if request.method != "POST":
        return pages.show(request, "pages/act.html", context)
    try:
        faces = faces_in(request.POST.get("faces", ""))
        command = playing.ActInEncounter(
            encounter=encounter, action=action, user=user, roles=chosen.roles, given=chosen.given, faces=faces
        )
        sent = send(request, campaign_id, command)
    except Refused as refusal:
        sent = Sent(refusal=refusal)
    if sent.refusal is not None:
        return pages.show(request, "pages/act.html", context, sent.refusal)
    return done(request, sent, f"{form.name}: {form.action.title}", _board(campaign_id, encounter))


def has(board: BoardView, form: ActForm) -> list[Bar]:
    """What somebody has of what an action takes in its course."""
    own = next((one.read for one in board.fighters if one.read.subject == form.subject), None)
    metered = {one.stat for one in own.budgets} if own else set()
    return [
        bar(one) for one in (own.tracks if own else ()) if one.stat in form.action.besides and one.stat not in metered
    ]


def reached(trial: Trial, chosen: Act, places: tuple[Any, ...]) -> str:
    """The squares that an act with one place can be aimed at, as a path of the drawing."""
    if len(places) != 1:
        return ""
    return outlined("", "", trial.reach(chosen, places[0].name)).path


def _is_plain(chosen: Any) -> bool:
    """Whether everything that was typed can be read; what cannot is for the entrance to refuse."""
    places = [one for one in chosen.given.values() if isinstance(one, dict)]
    return all(isinstance(axis, int) for place in places for axis in place.values())


def _moved_on(  # noqa: PLR0913
    read: BoardRead, seat: Seat, found: Encounter, pack: Pack, user: str, action: str
) -> dict[str, Any]:
    """What the page of an act says that cannot be done any more. There is none about whom the seat does not play."""
    fighter = next((one for one in read.fighters if one.subject == user), None)
    if user not in found.fight.members or not (seat.is_gm or user in seat.viewer.plays):
        raise Http404
    turn = next((one.name for one in read.fighters if one.turn and one.subject != user), "")
    if fighter is None:
        why = "They take part in this fight no more."
    elif read.status != "running":
        why = "The fight is paused." if read.status == "paused" else "The fight has not begun."
    elif turn:
        why = f"The fight has moved on: it is {turn}'s turn now."
    else:
        why = "The fight has moved on: this cannot be done now."
    return {"title": pack.action(action).spec.title if action in pack.actions else "Not any more", "why": why}


def _gone(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """The board has moved on since the form was opened; if this was its second press, it was done."""
    refusal = Refused("not_now", "The board has moved on: this cannot be done now.", right="what the board offers")
    return back(request, Sent(refusal=refusal), "", _board(campaign_id, encounter))


def _board(campaign_id: UUID, encounter: str) -> str:
    return reverse("encounter", args=[campaign_id, encounter])


@presses_only
@at_table
def answer(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """Answers what is waited for, for one of those asked."""
    subject = request.POST.get("subject", "")
    with look(request, campaign_id) as (state, seat):
        context = board_context(state, seat, encounter)
        waiting = context["read"].waiting
    asked = next((one for one in waiting.asked if one.subject == subject), None) if waiting else None
    if asked is None:
        refusal = Refused("not_asked", "This is asked no more, or not of you.", right="what the board shows now")
        return back(request, Sent(refusal=refusal), "", _board(campaign_id, encounter))
    try:
        command = playing.AnswerInEncounter(
            encounter=encounter,
            answer=answer_of(asked, request.POST),
            subject=subject if asked.kind == "window" else "",
            faces=faces_in(request.POST.get("faces", "")),
        )
        sent = send(request, campaign_id, command)
    except Refused as refusal:
        sent = Sent(refusal=refusal)
    return back(request, sent, "Answered.", _board(campaign_id, encounter))


SIMPLE: dict[str, tuple[Any, str]] = {
    "end_turn": (lambda one: playing.EndTurn(encounter=one), "The turn is over."),
    "close": (lambda one: playing.CloseMoment(encounter=one), "The rest pass."),
    "cancel": (lambda one: playing.CancelAct(encounter=one), "It is not done after all."),
    "pause": (lambda one: preparing.PauseEncounter(encounter=one, paused=True), "The fight is paused."),
    "resume": (lambda one: preparing.PauseEncounter(encounter=one, paused=False), "The fight goes on."),
    "end": (lambda one: preparing.EndEncounter(encounter=one), "The fight is over."),
    "drop": (lambda one: preparing.DropEncounter(encounter=one), "It came to nothing."),
}


@presses_only
@at_table
def run(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """The buttons of the board; the entrance says who may press which."""
    with look(request, campaign_id) as (state, seat):
        board_context(state, seat, encounter)
    if request.POST.get("act") not in SIMPLE:
        raise Http404
    make, said = SIMPLE[request.POST["act"]]
    stays = bool(request.htmx) and "stay" in request.POST  # type: ignore[attr-defined]
    try:
        command = make(encounter)
        if request.POST.get("faces", "").strip() and isinstance(command, playing.EndTurn):
            command = playing.EndTurn(encounter=encounter, faces=faces_in(request.POST["faces"]))
        sent = send(request, campaign_id, command)
    except Refused as refusal:
        sent = Sent(refusal=refusal)
    if stays:
        return _held_up(request, campaign_id, encounter, said if sent.refusal is None else sent.refusal.message)
    over = request.POST["act"] in ("end", "drop") and sent.refusal is None
    to = reverse("encounters", args=[campaign_id]) if over else _board(campaign_id, encounter)
    answer_ = back(request, sent, said, to)
    if over and request.htmx:  # type: ignore[attr-defined]
        answer_.headers["HX-Redirect"] = to
    return answer_


def _held_up(request: HttpRequest, campaign_id: UUID, encounter: str, said: str) -> HttpResponse:
    """For a form that something held up: what was just done about it, and what it has to wait for still."""
    with look(request, campaign_id) as (state, seat):
        context = board_context(state, seat, encounter)
    context |= {"went_on": said, "in_dialog": True}
    return render(request, "components/board/held_up.html", context)


@at_table
def hand(request: HttpRequest, campaign_id: UUID, encounter: str, subject: str) -> HttpResponse:
    """The GM's hand on somebody: a number, a card given or ended, seen or not, initiative, a square, out of it."""
    asked = request.POST if request.method == "POST" else request.GET
    with look(request, campaign_id) as (state, seat):
        found, pack = prepared(state, seat, encounter)
        if subject not in found.fight.members or subject not in state.part(Subjects).by_id:
            raise Http404
        context = board_context(state, seat, encounter)
        fighter = next((one for one in context["board"].fighters if one.read.subject == subject), None)
        if fighter is None:
            raise Http404
        tracks = [one.stat for one in (*fighter.read.tracks, *fighter.read.budgets)]
        stats = sheets.changeable(state, seat, subject, pack)
        stats = [one for one in stats if one[0] in tracks or not is_bookkeeping(pack, one[0])]
        stats.sort(key=lambda one: tracks.index(one[0]) if one[0] in tracks else len(tracks))
        stat = asked.get("stat", "") if asked.get("stat", "") in dict(stats) else stats[0][0]
        field = sheets.stat_field(state, seat, subject, pack, stat, asked.get("key", ""))
        context |= {
            "fighter": fighter,
            "stats": stats,
            "field": field,
            "gives": gives(pack),
            "needs_why": found.begun,
            "hidden_everywhere": state.part(Subjects).by_id[subject].hidden,
        }
    if request.method != "POST":
        return pages.show(request, "pages/hand.html", context)
    sent = _handed(request, campaign_id, encounter, subject, context)
    if sent.refusal is not None:
        return pages.show(request, "pages/hand.html", context, sent.refusal)
    return done(request, sent, "Done.", _board(campaign_id, encounter))


def gives(pack: Any) -> list[tuple[str, list[tuple[str, str]]]]:
    """Cards that the GM gives by hand in a fight: those that the board shows, and those that are given by hand and do
    something to whoever holds them. What somebody is made of and what lies on the ground is given otherwise."""
    made = {card_type for kind in pack.encounter.kinds for card_type in ready_types(pack, kind)}
    lies = {card for _, cards in ground.grounds(pack) for card, _ in cards}
    types = {n: t for n, t in pack.card_types.items() if n in pack.encounter.shows or (t.by_hand and _does(pack, n))}
    types = {n: t for n, t in types.items() if n not in made and not lies & set(pack.cards.get(n, {}))}
    shown = sorted((name for name in types if pack.cards.get(name)), key=lambda name: name not in pack.encounter.shows)
    return [(types[name].title, by_title(pack.cards[name])) for name in shown]


def by_title(cards: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Cards by their titles; those of one title say what tells them apart, where they do."""
    titles = Counter(one.title for one in cards.values())
    said = {
        card: f"{one.title}: {one.text}" if titles[one.title] > 1 and one.text else one.title
        for card, one in cards.items()
    }
    return sorted(said.items(), key=lambda one: one[1].casefold())


def _does(pack: Any, card_type: str) -> bool:
    """Whether cards of a type change anything about whoever holds them."""
    cards = pack.cards.get(card_type, {}).values()
    by_card = any(c.modifiers or c.triggers or c.actions or c.reactions or c.grants for c in cards)
    return bool(pack.card_types[card_type].modifiers) or by_card


def _handed(request: HttpRequest, campaign_id: UUID, encounter: str, subject: str, context: dict[str, Any]) -> Sent:
    try:
        if request.POST.get("act") == "show" and context["hidden_everywhere"]:
            reveal = RevealSubject(subject=subject)
            once(request, campaign_id, reveal, uuid5(command_id_of(request), "reveal"))
        return send(request, campaign_id, _hand_command(request, encounter, subject, context["field"]))
    except Refused as refusal:
        return Sent(refusal=refusal)


def _hand_command(request: HttpRequest, encounter: str, subject: str, field: Any) -> Command:
    post = request.POST
    match post.get("act", ""):
        case "show" | "hide":
            return preparing.ShowInEncounter(encounter=encounter, subject=subject, hidden=post["act"] == "hide")
        case "leave":
            return preparing.LeaveEncounter(encounter=encounter, subject=subject)
        case "rank":
            value = number(post.get("initiative", ""), "initiative")
            return hand_commands.RankInEncounter(encounter=encounter, subject=subject, initiative=value)
        case "place":
            x, y = number(post.get("x", ""), "x") - 1, number(post.get("y", ""), "y") - 1
            return hand_commands.PlaceInEncounter(encounter=encounter, subject=subject, x=x, y=y)
    adjust = hand_commands.AdjustInEncounter(
        encounter=encounter, reason=post.get("reason", ""), secret=post.get("secret") == "on"
    )
    match post.get("act", ""):
        case "give":
            adjust.give[subject] = [post.get("card", "")]
        case "end":
            adjust.end[subject] = [post.get("held", "")]
        case "set":
            value = sheets.typed(field, post.get("value", ""))
            adjust.set[subject] = {field.stat: {field.key: value} if field.keys else value}
        case _:
            raise Refused("missing", "Say what is to be done.", field="act")
    return adjust


@at_table
def place(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """Puts somebody on the square that was tapped, by the GM's hand."""
    asked = request.POST if request.method == "POST" else request.GET
    with look(request, campaign_id) as (state, seat):
        prepared(state, seat, encounter)
        context = board_context(state, seat, encounter)
        context |= {"who": asked.get("who", ""), "x": asked.get("x", ""), "y": asked.get("y", "")}
    if request.method != "POST":
        return pages.show(request, "pages/place_in_encounter.html", context)
    try:
        x, y = number(context["x"], "x") - 1, number(context["y"], "y") - 1
        command = hand_commands.PlaceInEncounter(encounter=encounter, subject=context["who"], x=x, y=y)
        sent = send(request, campaign_id, command)
    except Refused as refusal:
        sent = Sent(refusal=refusal)
    if sent.refusal is not None:
        return pages.show(request, "pages/place_in_encounter.html", context, sent.refusal)
    return done(request, sent, "There they stand.", _board(campaign_id, encounter))


@at_table
def lift(request: HttpRequest, campaign_id: UUID, encounter: str, area: str) -> HttpResponse:
    """Takes an area away, with a reason."""
    with look(request, campaign_id) as (state, seat):
        prepared(state, seat, encounter)
        context = board_context(state, seat, encounter)
        found = next((one for one in context["read"].areas if one.area == area), None)
        if found is None:
            raise Http404
        context["area"] = found
    if request.method != "POST":
        return pages.show(request, "pages/lift_area.html", context)
    command = hand_commands.AdjustInEncounter(encounter=encounter, reason=request.POST.get("reason", ""), lift=[area])
    sent = send(request, campaign_id, command)
    if sent.refusal is not None:
        return pages.show(request, "pages/lift_area.html", context, sent.refusal)
    return done(request, sent, f"{found.title} is gone.", _board(campaign_id, encounter))
