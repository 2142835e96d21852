"""Pictures: the handouts of a campaign, a subject's portrait, the map under a board, and the bytes of each."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid5

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from campaigns import picture_files
from campaigns.commands.pictures import ShowPicture, WithdrawPicture
from campaigns.models import Campaign
from campaigns.parts.pictures import HANDOUT, MAP, PORTRAIT, sees
from campaigns.picturing import MOST_BYTES
from campaigns.state import State
from encounters.commands.maps import LayMap
from frontend import pages, pictures
from frontend.numbers import number
from frontend.people import subjects
from frontend.seat import Seat, Stranger, at_table, look, require_gm
from frontend.sending import Sent, command_id_of, done, send
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
    """Whom a handout or map is shown to, or that it is withdrawn."""
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
    else:
        audience, shown_to = pictures.audience_of(request)
        command = ShowPicture(picture=picture, audience=audience or "gm", shown_to=shown_to)  # type: ignore[arg-type]
        sent, said = send(request, campaign_id, command), "It is shown to them and nobody else."
    if sent.refusal is not None:
        return pages.show(request, "pages/change_picture.html", context, sent.refusal)
    return done(request, sent, said, reverse("pictures", args=[campaign_id]))


@at_table
def portrait(request: HttpRequest, campaign_id: UUID, subject: str) -> HttpResponse:
    """A new portrait for a subject, or none; by its player or a GM."""
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
    else:
        sent, said = _brought(request, campaign_id, PORTRAIT, subject), f"{line.name} has a portrait."
    if sent.refusal is not None:
        return pages.show(request, "pages/portrait.html", context, sent.refusal)
    return done(request, sent, said, to)


@at_table
def under(request: HttpRequest, campaign_id: UUID, encounter: str) -> HttpResponse:
    """The map under the grid of an encounter: one that is here, or a new one; seen or not."""
    with look(request, campaign_id) as (state, seat):
        found, _ = prepared(state, seat, encounter)
        laid = found.map
        known = sees(state, seat.viewer, laid.picture) if laid else None
        context = {
            **_form(state, seat, "encounters"),
            "encounter": encounter,
            "found": found,
            "maps": pictures.maps(state, seat),
            "laid": laid if known is not None else None,
            "is_shown": known is not None and known.audience in ("table", "all"),
        }
        audience = "all" if found.public else "table"
    if request.method != "POST":
        return pages.show(request, "pages/map_of_encounter.html", context)
    try:
        sent = _laid(request, campaign_id, encounter, audience, context)
    except Refused as refusal:
        sent = Sent(refusal=refusal)
    if sent.refusal is not None:
        return pages.show(request, "pages/map_of_encounter.html", context, _at_file(sent).refusal)
    return done(request, sent, "The ground is changed.", reverse("encounter", args=[campaign_id, encounter]))


def _laid(request: HttpRequest, campaign_id: UUID, encounter: str, audience: str, context: dict[str, Any]) -> Sent:
    """Brings a picture, if there is a new one, shows or hides it, and lays it; each under an id of its own."""
    post, chosen = request.POST, request.POST.get("picture", NO_MAP)
    numbers = {name: number(post.get(name, "").strip() or "0", name) for name in ("across", "left", "top")}
    for name in ("left", "top"):
        # People count squares from 1.
        numbers[name] -= 1 if post.get(name, "").strip() else 0
    if chosen == NEW_MAP or request.FILES.get("file"):
        command = pictures.read_form(request, MAP)
        chosen = once(request, campaign_id, command, uuid5(command_id_of(request), "picture"))[0].picture
    if chosen:
        wanted: Any = audience if post.get("shown") == "on" else "gm"
        show = ShowPicture(picture=chosen, audience=wanted)
        once(request, campaign_id, show, uuid5(command_id_of(request), "shown"))
    return send(request, campaign_id, LayMap(encounter=encounter, picture=chosen, **numbers))
