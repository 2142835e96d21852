"""Pictures: the handouts of a campaign, a subject's portrait, the map under a board, and the bytes of each."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid5

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from msgspec.structs import replace

from campaigns import picture_files
from campaigns.commands.pictures import DescribePicture, ShowPicture, WithdrawPicture
from campaigns.models import Campaign
from campaigns.parts.pictures import HANDOUT, MAP, PORTRAIT, sees
from campaigns.picturing import MOST_BYTES
from campaigns.state import State
from encounters.commands.maps import LayMap, require_map, require_place
from frontend import pages, pictures
from frontend.numbers import number
from frontend.people import subjects
from frontend.seat import Seat, Stranger, at_table, look, require_gm
from frontend.sending import Sent, back, command_id_of, done, send
from frontend.views.encounters import once, prepared
from frontend.views.subjects import find, may_change
from rules.refusal import Refused

NO_MAP, NEW_MAP = "", "new"


def _form(state: State, seat: Seat, place: str) -> dict[str, Any]:
    return {
        **pages.frame(state, seat, place),
        "accepted": pictures.ACCEPTED,
        "most": MOST_BYTES >> 20,
        "audiences": pictures.SHOWN,
        "subjects": [one for one in subjects(state, seat) if one.players],
    }


def file(request: HttpRequest, campaign_id: UUID, picture: str) -> HttpResponse:
    """The bytes, for those who may see the picture; to everybody else there is nothing at this address."""
    try:
        with look(request, campaign_id) as (state, seat):
            found = picture_files.visible(state, seat.viewer, picture)
        return picture_files.answer(request, campaign_id, found)
    except (Stranger, Refused, Campaign.DoesNotExist):
        raise Http404 from None


@at_table
def every(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """The handouts and maps that this seat sees."""
    with look(request, campaign_id) as (state, seat):
        found = pictures.shown(state, seat)
        context = {
            **pages.frame(state, seat, "pictures"),
            "handouts": [one for one in found if one.use == HANDOUT],
            "maps": [one for one in found if one.use == MAP],
            "audiences": dict(pictures.SHOWN),
        }
    return pages.show(request, "pages/pictures.html", context)


@at_table
def new(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """A GM brings a handout or a map."""
    with look(request, campaign_id) as (state, seat):
        require_gm(seat)
        context = _form(state, seat, "pictures")
    if request.method != "POST":
        return pages.show(request, "pages/new_picture.html", context)
    use = MAP if request.POST.get("use") == MAP else HANDOUT
    sent = _brought(request, campaign_id, use)
    if sent.refusal is not None:
        return pages.show(request, "pages/new_picture.html", context, sent.refusal)
    return done(request, sent, "The picture is here.", reverse("pictures", args=[campaign_id]))


def _brought(request: HttpRequest, campaign_id: UUID, use: str, subject: str = "") -> Sent:
    try:
        return _at_file(send(request, campaign_id, pictures.read_form(request, use, subject)))
    except Refused as refusal:
        return _at_file(Sent(refusal=refusal))


def _at_file(sent: Sent) -> Sent:
    """What is wrong with the bytes is said where the form has its file."""
    refusal = sent.refusal
    if refusal is None or refusal.field != "data":
        return sent
    value, right = refusal.value, refusal.right
    return Sent(refusal=Refused(refusal.code, refusal.message, field="file", value=value, right=right))


@at_table
def change(request: HttpRequest, campaign_id: UUID, picture: str) -> HttpResponse:
    """Whom a handout or map is shown to, what it is called, or that it is withdrawn."""
    with look(request, campaign_id) as (state, seat):
        require_gm(seat)
        found = sees(state, seat.viewer, picture)
        if found is None or found.use == PORTRAIT:
            raise Http404
        context = {**_form(state, seat, "pictures"), "picture": pictures.view_of(state, seat, picture, found)}
    if request.method != "POST":
        return pages.show(request, "pages/change_picture.html", context)
    if request.POST.get("act") == "withdraw":
        sent, said = send(request, campaign_id, WithdrawPicture(picture=picture)), "The picture is withdrawn."
    elif request.POST.get("act") == "describe":
        sent, said = _described(request, campaign_id, picture), "The picture is described anew."
    else:
        audience, shown_to = pictures.audience_of(request)
        command = ShowPicture(picture=picture, audience=audience or "gm", shown_to=shown_to)  # type: ignore[arg-type]
        sent, said = send(request, campaign_id, command), "It is shown to them and nobody else."
    if sent.refusal is not None:
        return pages.show(request, "pages/change_picture.html", context, sent.refusal)
    return done(request, sent, said, reverse("pictures", args=[campaign_id]))


def _described(request: HttpRequest, campaign_id: UUID, picture: str) -> Sent:
    words = {name: request.POST.get(name, "").strip() for name in ("title", "alt")}
    return send(request, campaign_id, DescribePicture(picture=picture, **words))


@at_table
def portrait(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """A new portrait for a subject, other words for the one there is, or none; by its player or a GM."""
    with look(request, campaign_id) as (state, seat):
        line = find(state, seat, subject)
        if not may_change(seat, subject):
            raise Http404
        now = pictures.portrait(state, seat, subject)
        context = {**_form(state, seat, "subjects"), "subject": line, "portrait": now}
    to = reverse("subject", args=[campaign_id, subject])
    if request.method != "POST":
        return pages.show(request, "pages/portrait.html", context)
    if request.POST.get("act") == "withdraw":
        sent = send(request, campaign_id, WithdrawPicture(picture=now.id if now else ""))
        said = f"{line.name} has no portrait now."
    elif now is not None and not request.FILES.get("file"):
        sent, said = _described(request, campaign_id, now.id), "The portrait is described anew."
    else:
        sent, said = _brought(request, campaign_id, PORTRAIT, subject), f"{line.name} has a portrait."
    if sent.refusal is not None:
        return pages.show(request, "pages/portrait.html", context, sent.refusal)
    return done(request, sent, said, to)


@at_table
def under(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """The map under the grid of an encounter: one that is here, or a new one; seen or not."""
    brought: list[str] = []
    sent = Sent()
    if request.POST.get("act") == "show":
        return _shown(request, campaign_id, encounter)
    if request.method == "POST":
        try:
            sent = _laid(request, campaign_id, encounter, brought)
        except Refused as refusal:
            sent = _at_file(Sent(refusal=refusal))
    if request.method != "POST" or sent.refusal is not None:
        with look(request, campaign_id) as (state, seat):
            context = _map_form(state, seat, encounter)
        if request.method == "POST":
            # One that is here by now is not brought again.
            context["chosen"] = brought[0] if brought else request.POST.get("picture", NO_MAP)
            context["is_shown"] = request.POST.get("shown") == "on"
        return pages.show(request, "pages/map_of_encounter.html", context, sent.refusal)
    return done(request, sent, "The ground is changed.", reverse("encounter", args=[campaign_id, encounter]))


def _shown(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """Lets those at the table see the map that lies there: one press."""
    with look(request, campaign_id) as (state, seat):
        found, _ = prepared(state, seat, encounter)
    if found.map is None:
        refusal = Refused("no_such_map", "No map lies there any more.", field="picture", right="lay one first")
        sent = Sent(refusal=refusal)
    else:
        sent = send(
            request, campaign_id, ShowPicture(picture=found.map.picture, audience="all" if found.public else "table")
        )
    return back(request, sent, "Players see it.", reverse("encounter", args=[campaign_id, encounter]))


def _map_form(state: State, seat: Seat, encounter: str) -> dict[str, Any]:
    found, _ = prepared(state, seat, encounter)
    laid = found.map
    known = sees(state, seat.viewer, laid.picture) if laid else None
    maps = pictures.maps(state, seat)
    return {
        **_form(state, seat, "encounters"),
        "encounter": encounter,
        "found": found,
        "maps": maps,
        "laid": laid if known is not None else None,
        "chosen": laid.picture if laid and known is not None else NO_MAP if maps else NEW_MAP,
        "is_shown": known is not None and known.audience in ("table", "all"),
    }


def _laid(request: HttpRequest, campaign_id: UUID, encounter: str, brought: list[str]) -> Sent:
    """Brings a picture, if there is a new one (its id goes into ``brought``), lays it, shows it last; each under an id
    of its own. What could not be laid is neither brought nor shown; what is to be hidden is so before it lies there."""
    post, chosen = request.POST, request.POST.get("picture", NO_MAP)
    numbers = {name: number(post.get(name, "").strip() or "0", name) for name in ("across", "left", "top")}
    for name in ("left", "top"):
        # People count squares from 1.
        numbers[name] -= 1 if post.get(name, "").strip() else 0
    is_new = chosen == NEW_MAP or bool(request.FILES.get("file"))
    lays = LayMap(encounter=encounter, picture="" if is_new else chosen, **numbers)
    with look(request, campaign_id) as (state, seat):
        found, _ = prepared(state, seat, encounter)
        if is_new or chosen:
            require_place(found, lays)
        if not is_new and chosen:
            require_map(state, lays)
        seen_by = "all" if found.public else "table"
    if is_new:
        command = pictures.read_form(request, MAP)
        command = replace(command, title=command.title.strip() or found.title)
        chosen = once(request, campaign_id, command, uuid5(command_id_of(request), "picture"))[0].picture
        brought.append(chosen)
    is_shown = post.get("shown") == "on"
    show = ShowPicture(picture=chosen, audience=seen_by if is_shown else "gm")  # type: ignore[arg-type]
    show_id = uuid5(command_id_of(request), "shown")
    if chosen and not is_shown:
        once(request, campaign_id, show, show_id)
    sent = send(request, campaign_id, LayMap(encounter=encounter, picture=chosen, **numbers))
    if chosen and is_shown and sent.refusal is None:
        once(request, campaign_id, show, show_id)
    return sent
