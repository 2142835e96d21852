"""Tests: those that are open, calling for one, rolling it, its result."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse

from campaigns.commands import calls as commands
from campaigns.modes import barred_for
from campaigns.packs import Packs
from campaigns.parts.calls import Call, Calls
from campaigns.parts.subjects import Subjects
from campaigns.registry import Command
from campaigns.rolling import dice_to_throw
from campaigns.state import State
from frontend import asking, chances, pages
from frontend.adjusting import adjusting, moves_of
from frontend.calls import CallView, call_view, fate_of, find_result, given_of_result, open_calls, recent_results, sees
from frontend.dice import dice_said, draws_of_test
from frontend.numbers import number, number_or_text
from frontend.people import players
from frontend.running import innermost, running
from frontend.seat import Seat, at_table, look
from frontend.sending import ALREADY, Sent, done, send
from frontend.words import earned, followed
from identity.reads import claimable, lying, refused, stated, waiting
from rules.refusal import Refused

NO_TEST = (
    "The game master calls the tests; those that wait for your dice stand here.",
    "When a choice that matters strains somebody, call for one; it waits here for the dice.",
)


@at_table
def every(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """What waits for dice, and what they said lately."""
    with look(request, campaign_id) as (state, seat):
        may = asking.may_call(state, seat)
        context = {
            **pages.frame(state, seat, "tests"),
            "tests": open_calls(state, seat),
            "no_test": NO_TEST[may],
            "results": recent_results(state, seat),
            "may_call": may,
        }
    return pages.show(request, "pages/tests.html", context)


@at_table
def new(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """The form that calls for a test; which test and whose can be chosen already in the address."""
    with look(request, campaign_id) as (state, seat):
        asked = request.POST if request.method == "POST" else request.GET
        every = asking.offered(state, seat)
        theirs = asking.offered(state, seat, asked.get("subject", "")) or every
        more = seat.is_gm and "more" in asked
        only = [t for t in theirs if t.kind == "test"]
        tests = theirs if more else only or (theirs if seat.is_gm else [])
        about = asking.pair_test(state, seat, asked.get("subject", "")) if asked.get("pair") else ""
        wanted = asked.get("test", about)
        chosen = next((t for t in every if t.key == wanted), next(iter(tests), None))
        if chosen is None or seat.is_watcher:
            raise Http404
        pack_id, _, test = chosen.key.partition("/")
        pack = Packs(state).get(pack_id)
        role_names = list(pack.test(test).spec.roles)
        subject = _subject(asked, role_names) or next(
            iter(sorted(seat.viewer.plays & state.part(Subjects).here().keys())), ""
        )
        roles = asking.roles_of(state, seat, pack, test, subject, {name: str(value) for name, value in asked.items()})
        first = roles[0]["value"] if roles else subject
        found = state.part(Subjects).by_id.get(first)
        frame = asking.Frames(state, seat, pack).of(pack.test(test), first)
        known = {name.removeprefix("given-"): value for name, value in asked.items()}
        if asked.get("pair"):
            known.setdefault(asking.pair_input(pack, test), asked["pair"])
        context: dict[str, Any] = {
            **pages.frame(state, seat, "tests"),
            "tests": tests,
            "shelves": asking.shelves(state, tests),
            "more": more,
            "others": 0 if more or not seat.is_gm else len(theirs) - len(tests),
            "chosen": chosen,
            "subject": subject,
            "roles": roles,
            "running": running(state, seat),
            "container": asked["container"] if "container" in asked else innermost(state, first),
            "astray": asking.not_to_call(state, seat, wanted) if wanted and wanted != chosen.key else "",
            "barred": barred_for(state, pack, test, first if roles else ""),
            "left_to_gm": asking.left_to_gm(state, seat),
            "decision_needed": pack.test(test).spec.decision == "required",
            "fields": asking.fields_of(seat, pack, test, found.kind if found else "", known, frame=frame),
        }
        values = asking.given(pack, test, request.POST.dict())
    if request.method != "POST":
        return pages.show(request, "pages/new_test.html", context)
    command = commands.CallTest(
        pack=pack_id,
        test=test,
        roles={name: request.POST[f"role-{name}"] for name in role_names if request.POST.get(f"role-{name}")},
        given=values,
        decision=request.POST.get("decision", ""),
        secret=request.POST.get("secret") == "on",
        container=request.POST.get("container", ""),
        anyway=request.POST.get("anyway") == "on",
    )
    return _called(request, campaign_id, context, send(request, campaign_id, command))


def _subject(asked: QueryDict, roles: list[str]) -> str:
    """Whose test it is to be: who was put into its first role, or whose page it was called from."""
    return (asked.get(f"role-{roles[0]}") if roles else "") or asked.get("subject", "")


def _called(request: HttpRequest, campaign_id: UUID, context: dict[str, Any], sent: Sent) -> HttpResponse:
    """After a call: whoever rolls it goes to the dice, everybody else stays where they were."""
    if sent.refusal is not None or sent.answer is None:
        return pages.show(request, "pages/new_test.html", context, sent.refusal)
    event: Any = sent.answer.events[0].event
    to = reverse("test", args=[campaign_id, event.call])
    rolls = context["seat"].viewer.member in event.rollers and event.state == "open"
    response = done(request, sent, "The test is called." if event.state == "open" else "The game master is asked.", to)
    if rolls and response.status_code == 204:
        response.headers["HX-Redirect"] = to
    return response


@at_table
def one(request: HttpRequest, campaign_id: UUID, call: str) -> HttpResponse:
    """A test: open, waiting for a choice, or done."""
    context, view = _page(request, campaign_id, call)
    if request.method != "POST" or view is None:
        return pages.show(request, "pages/test.html", context)
    try:
        command = _asked(request, call, view, context["given"])
    except Refused as refusal:
        return pages.show(request, "pages/test.html", context, refusal)
    if (
        isinstance(command, commands.DropTest)
        and view.called_by_gm
        and not view.gone
        and request.POST.get("sure") != "yes"
    ):
        return pages.show(request, "pages/confirm.html", _dropping(context, view, campaign_id))
    sent = send(request, campaign_id, command)
    if sent.refusal is not None:
        return pages.show(request, "pages/test.html", context, sent.refusal)
    response = HttpResponseRedirect(reverse("test", args=[campaign_id, call]))
    if sent.answer is not None and sent.answer.again:
        response.headers["X-Already"] = ALREADY
    return response


def _dropping(context: dict[str, Any], view: CallView, campaign_id: UUID) -> dict[str, Any]:
    """The question before somebody drops what the game master called."""
    return {
        **context,
        "heading": f"Drop {view.title}?",
        "say": "The game master called this test. Drop it only where what it decides is off: the game master is told "
        "that you did.",
        "carried": [("act", "drop"), ("sure", "yes")],
        "do": "Drop it",
        "tone": "button--danger",
        "no": reverse("test", args=[campaign_id, view.id]),
    }


@at_table
def odds(request: HttpRequest, campaign_id: UUID, call: str) -> HttpResponse:
    """The exact odds of an open test, for those who may know what they hang on."""
    with look(request, campaign_id) as (state, seat):
        found = state.part(Calls).open.get(call)
        if found is None or not sees(seat, found) or not chances.may_ask(state, seat, found):
            raise Http404
        context: dict[str, Any] = {**pages.frame(state, seat, "tests"), "title": found.title, "call": call}
        known = chances.known(state, seat, call, found)
    context["chances"], context["of"], context["why"] = chances.chances(known)
    return pages.show(request, "pages/test_odds.html", context)


def _page(request: HttpRequest, campaign_id: UUID, call: str) -> tuple[dict[str, Any], CallView | None]:
    with look(request, campaign_id) as (state, seat):
        found = state.part(Calls).open.get(call)
        view = call_view(state, seat, call, found) if found is not None and sees(seat, found) else None
        result = find_result(state, seat, call) if found is None else None
        draws = draws_of_test(state, seat, call) if result is not None and not seat.is_watcher else []
        context = {
            **pages.frame(state, seat, "tests"),
            "test": view,
            "result": replace(result, typed=any(one.typed for one in draws)) if result is not None else None,
            "followed": [] if result is None or seat.is_watcher else followed(state, seat, result),
            "earned": None if result is None or seat.is_watcher else earned(state, seat, result),
            "may_ask_odds": view is not None and found is not None and chances.may_ask(state, seat, found),
            "draws": draws,
            "was_given": given_of_result(state, seat, call) if result is not None and not seat.is_watcher else (),
            "to_throw": dice_said(dice_to_throw(state, found)) if view is not None and found and view.mine else "",
            "people": players(state, seat) if seat.is_gm else [],
            "typed": bool(pages.setting(state, "typed_dice", False)),
            "fate": fate_of(state, seat, call) if found is None and result is None and seat.viewer.member else None,
            **_invoked(state, seat, call, view),
            **_dice(request, state, seat, found if view is not None and view.mine else None),
            **_agreeing(request, state, found if view is not None and view.may_agree else None),
        }
    if view is None and result is None and (found is not None or not context["seat"].viewer.member):
        raise Http404
    return context, view


def _dice(request: HttpRequest, state: State, seat: Seat, call: Call | None) -> dict[str, Any]:
    """What whoever rolls gives beside the dice before they fall, and the dice that they may turn once they lie."""
    if call is None:
        return {"given": {}}
    pack, before = Packs(state).get(call.pack), not call.subjects
    return {
        "adjust": adjusting(state, seat, call, request.GET.get("moves", "")),
        "fields": asking.rollers_fields(pack, call.test) if before else [],
        "given": asking.rollers_given(pack, call.test, request.POST.dict()) if before else {},
    }


def _agreeing(request: HttpRequest, state: State, call: Call | None) -> dict[str, Any]:
    """What is the game master's to give to a test that somebody asks for."""
    if call is None:
        return {}
    pack = Packs(state).get(call.pack)
    return {
        "to_give": asking.gms_fields(pack, call.test, call.given),
        "given": asking.gms_given(pack, call.test, request.POST.dict()),
    }


def _invoked(state: State, seat: Seat, call: str, view: CallView | None) -> dict[str, Any]:
    """What was invoked for a test, which dice could go on it, and what of that waits for the game master's word."""
    if view is None:
        return {}
    found = waiting(state, seat.viewer)
    claims = [one for one in found.claims if one.call == call]
    claimed = {one.die for one in claims}
    return {
        "stated": stated(state, seat.viewer, call),
        "lying": lying(state, seat.viewer, call),
        "dice": [one for one in claimable(state, seat.viewer, call) if one.die not in claimed],
        "claims": claims,
        "refused_dice": refused(state, seat.viewer, call) if not seat.is_gm else (),
        "inspirations": [one for one in found.inspirations if one.call == call],
    }


def _asked(request: HttpRequest, call: str, view: CallView, given: dict[str, Any]) -> Command:
    post, act = request.POST, request.POST.get("act")
    if act == "agree":
        return commands.AgreeTest(call=call, given=given)
    if act == "drop":
        return commands.DropTest(call=call)
    if act == "assign":
        return commands.AssignRoller(call=call, member=post.get("member", ""))
    return commands.RollTest(
        call=call, choices=_choices(view, post), faces=faces_in(post.get("faces", "")), given=given
    )


def _choices(view: CallView, post: QueryDict) -> dict[str, Any]:
    """The answer to what the test asks, in the type that it asks for."""
    text, kind = post.get("choice", ""), view.ask["kind"] if view.ask else ""
    if view.ask is None or (not text and kind not in ("adjust", "subjects")):
        return {}
    if kind == "adjust":
        return {view.ask["id"]: "best" if post.get("best") else moves_of(text)}
    if kind == "subjects":
        return {view.ask["id"]: post.getlist("choice")}
    if kind == "flag":
        return {view.ask["id"]: text == "yes"}
    if kind in ("int", "die"):
        return {view.ask["id"]: number_or_text(text)}
    return {view.ask["id"]: text}


def faces_in(text: str) -> tuple[int, ...]:
    """Faces typed in from physical dice, apart by blanks or commas."""
    return tuple(number(word, "faces", "whole numbers such as 14 or 14 3") for word in text.replace(",", " ").split())
