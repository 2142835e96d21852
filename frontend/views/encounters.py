"""Encounters in a list, and preparing one: what it is called and shows, who takes part, foes, how it begins."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid5

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse

from campaigns.api.bodies import require_storable
from campaigns.commands.subjects import RevealSubject
from campaigns.entrance import execute
from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.registry import Command
from campaigns.state import State
from encounters.board_reading import encounters_of
from encounters.commands import preparing as commands
from encounters.parts.encounters import Encounter, Encounters
from encounters.sizing import sizing_packs
from frontend import asking, pages
from frontend.fights import foes
from frontend.fights.ended import ended
from frontend.numbers import number, number_or_text
from frontend.people import subjects
from frontend.seat import Seat, actor_of, at_table, look, require_gm
from frontend.sending import Sent, command_id_of, done, send
from rules.packs import Pack
from rules.refusal import Refused

FOES = (("hidden", "nothing"), ("words", "words: unhurt, battered ..."), ("numbers", "numbers"))


@at_table
def every(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """Encounters that are not over, as far as this seat knows of them."""
    with look(request, campaign_id) as (state, seat):
        context = {
            **pages.frame(state, seat, "encounters"),
            "encounters": encounters_of(state, seat.viewer),
            "packs": fought(state),
            "ended": ended(state, seat),
            "sizes": bool(sizing_packs(state)),
        }
    return pages.show(request, "pages/encounters.html", context)


def fought(state: State) -> list[tuple[str, str]]:
    """The campaign's packs that know fights."""
    return [(pack.id, pack.manifest.title) for pack in Packs(state).all() if pack.knows_fights]


def prepared(state: State, seat: Seat, encounter: str) -> tuple[Encounter, Pack]:
    """An encounter that the GM works on; nobody else gets here."""
    require_gm(seat)
    found = state.part(Encounters).open.get(encounter)
    if found is None:
        raise Http404
    return found, Packs(state).get(found.pack)


@at_table
def new(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """Prepares one."""
    with look(request, campaign_id) as (state, seat):
        require_gm(seat)
        packs = fought(state)
        if not packs:
            raise Http404
        context: dict[str, Any] = {**pages.frame(state, seat, "encounters"), "packs": packs, "foes": FOES}
    if request.method != "POST":
        return pages.show(request, "pages/new_encounter.html", context)
    sent = _sent(request, campaign_id, lambda: _prepare(request.POST))
    if sent.answer is None:
        return pages.show(request, "pages/new_encounter.html", context, sent.refusal)
    event: Any = sent.answer.events[0].event
    to = reverse("encounter", args=[campaign_id, event.encounter])
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse(status=204, headers={"HX-Redirect": to})
    return HttpResponseRedirect(to)


def _sent(request: HttpRequest, campaign_id: UUID, command: Any) -> Sent:
    """Sends a command read from a form, of which a field may hold no number."""
    try:
        return send(request, campaign_id, command())
    except Refused as refusal:
        return Sent(refusal=refusal)


def _prepare(post: QueryDict) -> Command:
    return commands.PrepareEncounter(pack=post.get("pack", ""), public=post.get("watched") == "on", **_settings(post))


def _settings(post: QueryDict) -> dict[str, Any]:
    found: dict[str, Any] = {"title": post.get("title", ""), "foes": post.get("foes", "hidden")}
    if found["foes"] not in dict(FOES):
        raise Refused("wrong_value", "There is no such choice.", field="foes", right="one of those offered")
    for name in ("seconds", "width", "height"):
        found[name] = number(post.get(name, "") or "0", name)
    return found


@at_table
def change(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """How it is called, shown and timed, anew."""
    with look(request, campaign_id) as (state, seat):
        found, _ = prepared(state, seat, encounter)
        context = {**pages.frame(state, seat, "encounters"), "found": found, "encounter": encounter, "foes": FOES}
    if request.method != "POST":
        return pages.show(request, "pages/new_encounter.html", context)
    sent = _sent(request, campaign_id, lambda: commands.SetEncounter(encounter=encounter, **_settings(request.POST)))
    if sent.refusal is not None:
        return pages.show(request, "pages/new_encounter.html", context, sent.refusal)
    return done(request, sent, "It is changed.", reverse("encounter", args=[campaign_id, encounter]))


@at_table
def bring(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """Brings in some who are in the story already."""
    with look(request, campaign_id) as (state, seat):
        found, pack = prepared(state, seat, encounter)
        able = [s for s in subjects(state, seat) if s.kind in pack.encounter.kinds and not _is_in(found, s.id)]
        squares = foes.free_squares(found, far=False)
        context = {
            **pages.frame(state, seat, "encounters"),
            "encounter": encounter,
            "able": able,
            "running": found.begun,
            **_sides(state, found),
        }
    if request.method != "POST":
        return pages.show(request, "pages/bring_in_encounter.html", context)

    def steps() -> None:
        chosen = request.POST.getlist("subject")
        if not chosen:
            raise Refused("missing", "Choose somebody.", field="subject")
        for number_, subject in enumerate(chosen):
            command = commands.JoinEncounter(
                encounter=encounter,
                subject=subject,
                side=request.POST.get("side", ""),
                hidden=request.POST.get("hidden") == "on",
                initiative=_initiative(request.POST, found),
                **_square(found, squares),
            )
            once(request, campaign_id, command, uuid5(command_id_of(request), f"join {number_} {subject}"))

    return _after(request, campaign_id, encounter, context, "pages/bring_in_encounter.html", steps)


def _is_in(found: Encounter, subject: str) -> bool:
    return subject in found.fight.members and found.fight.members[subject].present


def _sides(state: State, found: Encounter) -> dict[str, Any]:
    """The sides there are, first that of those whom players play, then the others."""
    known, members = state.part(Subjects).by_id, found.fight.members.items()
    own = dict.fromkeys(member.side for one, member in members if one in known and known[one].players)
    others = dict.fromkeys(member.side for _, member in members if member.side not in own)
    return {"sides": [*(own or ["party"]), *(others or ["foes"])]}


def _initiative(post: QueryDict, found: Encounter) -> int | None:
    return number(post.get("initiative", "") or "0", "initiative") if found.begun else None


def _square(found: Encounter, squares: Any) -> dict[str, Any]:
    if not found.width:
        return {}
    x, y = next(squares, (0, 0))
    return {"x": x, "y": y}


def once(request: HttpRequest, campaign_id: UUID, command: Command, command_id: UUID) -> list[Any]:
    """One of several commands of a form, under an id of its own; answers its events."""
    require_storable(command)
    answer = execute(campaign_id, command, actor_of(request), command_id=command_id)
    return [one.event for one in answer.events]


def _after(  # noqa: PLR0913  (a form of several commands: where it stands, what it does)
    request: HttpRequest, campaign_id: UUID, encounter: str, context: dict[str, Any], template: str, steps: Any
) -> HttpResponse:
    """Carries several commands out; the first refusal is shown at its form, what came before it stands."""
    try:
        steps()
    except Refused as refusal:
        return pages.show(request, template, context, refusal)
    return done(request, Sent(), "They are there.", reverse("encounter", args=[campaign_id, encounter]))


@at_table
def make_foes(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """Makes several of one sort and brings them in."""
    with look(request, campaign_id) as (state, seat):
        found, pack = prepared(state, seat, encounter)
        context = {
            **pages.frame(state, seat, "encounters"),
            "encounter": encounter,
            "models": foes.models(state, pack, found),
            "most": foes.MOST,
            "running": found.begun,
            **_sides(state, found),
        }
        press = command_id_of(request) if request.method == "POST" else None
        key = request.POST.get("model", "")
        maker = _maker(request, campaign_id, state, pack, key, press) if press else None
        taken, squares = dict(state.part(Subjects).by_id), foes.free_squares(found, far=True)
    if request.method != "POST":
        return pages.show(request, "pages/make_foes.html", context)

    def steps() -> None:
        if isinstance(maker, Refused) or maker is None:
            raise maker or Refused("missing", "Say of what they are made.", field="model")
        _make(request.POST, maker, found, encounter, taken, squares)

    return _after(request, campaign_id, encounter, context, "pages/make_foes.html", steps)


def _maker(  # noqa: PLR0913
    request: HttpRequest, campaign_id: UUID, state: State, pack: Pack, key: str, press: UUID
) -> foes.Maker | Refused:
    def tell(command: Command, command_id: UUID) -> list[Any]:
        return once(request, campaign_id, command, command_id)

    try:
        return foes.Maker(state, pack, key, press, tell)
    except Refused as refusal:
        return refusal


def _make(post: QueryDict, maker: foes.Maker, found: Encounter, encounter: str, taken: Any, squares: Any) -> None:  # noqa: PLR0913
    count = number(post.get("count", "1"), "count", f"1 to {foes.MOST}")
    if not 1 <= count <= foes.MOST:
        raise Refused("out_of_range", "Not so many at once.", field="count", value=count, right=f"1 to {foes.MOST}")
    names = foes.numbered(post.get("name", "").strip() or maker.title, count, taken)
    for place, name in enumerate(names):
        hidden = post.get("hidden") == "on"
        subject = maker.made(name, place, hidden)
        more = {"side": post.get("side", ""), "initiative": _initiative(post, found), **_square(found, squares)}
        maker.joined(encounter, subject, place, hidden=hidden, **more)


@at_table
def begin(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """Begins it: who is seen from the start, initiatives as typed, else as the pack's rules give them."""
    with look(request, campaign_id) as (state, seat):
        found, pack = prepared(state, seat, encounter)
        rows = _rows(state, seat, found, pack, request.POST)
        context = {**pages.frame(state, seat, "encounters"), "encounter": encounter, "title": found.title, "rows": rows}
    if request.method != "POST":
        return pages.show(request, "pages/begin_encounter.html", context)

    def steps() -> None:
        press, post = command_id_of(request), request.POST
        begun = _begun(encounter, rows, pack, post)
        for row in rows:
            if row["hidden"] and post.get(f"seen-{row['subject']}") == "on":
                _reveal(request, campaign_id, encounter, row, press)
        once(request, campaign_id, begun, press)

    return _after(request, campaign_id, encounter, context, "pages/begin_encounter.html", steps)


def _reveal(request: HttpRequest, campaign_id: UUID, encounter: str, row: dict[str, Any], press: UUID) -> None:
    subject = row["subject"]
    if row["hidden_everywhere"]:
        once(request, campaign_id, RevealSubject(subject=subject), uuid5(press, f"reveal {subject}"))
    shown = commands.ShowInEncounter(encounter=encounter, subject=subject, hidden=False)
    once(request, campaign_id, shown, uuid5(press, f"show {subject}"))


def _rows(state: State, seat: Seat, found: Encounter, pack: Pack, post: QueryDict) -> list[dict[str, Any]]:
    known, test = state.part(Subjects).by_id, pack.encounter.initiative
    rows = []
    for subject, member in found.fight.members.items():
        if subject not in known or not member.present:
            continue
        typed = _of(subject, post)
        fields = asking.fields_of(seat, pack, test, "", typed, every=True) if test else []
        rows.append(
            {
                "subject": subject,
                "name": known[subject].name,
                "hidden": member.hidden or known[subject].hidden,
                "hidden_everywhere": known[subject].hidden,
                "typed": post.get(f"initiative-{subject}", ""),
                "fields": [(f"{subject}.{one.name}", one) for one in fields],
            }
        )
    return rows


def _of(subject: str, post: QueryDict) -> dict[str, str]:
    """What was typed for one of them."""
    start = f"{subject}.given-"
    return {key[len(start) :]: value for key, value in post.items() if key.startswith(start)}


def _begun(encounter: str, rows: list[dict[str, Any]], pack: Pack, post: QueryDict) -> Command:
    initiative: dict[str, int] = {}
    given: dict[str, dict[str, Any]] = {}
    for row in rows:
        subject, text = row["subject"], row["typed"].strip()
        if text:
            value = number_or_text(text)
            if not isinstance(value, int):
                raise Refused("wrong_value", "This is no number.", field=f"initiative-{subject}", value=text[:80])
            initiative[subject] = value
        elif pack.encounter.initiative:
            typed = {f"given-{name}": value for name, value in _of(subject, post).items()}
            given[subject] = asking.given(pack, pack.encounter.initiative, typed)
    return commands.BeginEncounter(encounter=encounter, initiative=initiative, given=given)
