"""The rules a campaign plays by: its packs, their settings, house rules, upgrades."""

from __future__ import annotations

import io
import zipfile
from typing import Any
from uuid import UUID

import msgspec
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from campaigns.commands import packs as commands
from campaigns.commands.own_packs import BringPack
from campaigns.commands.starting import ChangeSetting
from campaigns.packs import Packs
from campaigns.parts.packs import PackAdded, PackBrought, PacksState
from campaigns.registry import Command
from frontend import pages, rulebooks
from frontend.seat import at_table, look
from frontend.sending import Sent, done, send
from frontend.uploads import uploaded_files
from rules.packs.overlay import overlay_title
from rules.refusal import Refused

SAID = {
    "add": "The campaign plays the pack now.",
    "upgrade": "The campaign moved to the new version.",
    "bring": "Your pack is played now.",
    "overlay": "The house rules are in force.",
    "overlay_off": "The pack is played as written.",
    "setting": "The setting is changed.",
}


@at_table
def every(request: HttpRequest, campaign_id: UUID) -> HttpResponse:
    """All members read the rules in force; game masters change them."""
    with look(request, campaign_id) as (state, seat):
        if seat.is_watcher:
            raise Http404
        books = rulebooks.books(state)
        context = {**pages.frame(state, seat, "rules"), "books": books, "to_add": rulebooks.to_add(state)}
    act = request.POST.get("act", "")
    # The fold of the setting that was sent, or was just changed, stays open.
    source = request.POST if act == "setting" else request.GET
    context["at"] = (source.get("pack", ""), source.get("setting", ""))
    if request.method != "POST" or act not in SAID:
        return pages.show(request, "pages/rules.html", context)
    try:
        command = _asked(request, act, books)
    except Refused as refusal:
        return pages.show(request, "pages/rules.html", context, refusal)
    sent = send(request, campaign_id, command)
    if sent.refusal is not None:
        return pages.show(request, "pages/rules.html", context, sent.refusal)
    if act == "bring":
        return _brought(request, campaign_id, sent)
    to = reverse("rules", args=[campaign_id])
    if act == "setting":
        to = rulebooks.setting_at(to, *context["at"])
    return done(request, sent, SAID[act], to)


def _brought(request: HttpRequest, campaign_id: UUID, sent: Sent) -> HttpResponse:
    """A first version is played; a later one is looked at before the campaign moves to it."""
    events = [event.event for event in sent.answer.events] if sent.answer is not None else []
    new = next((event for event in events if isinstance(event, PackBrought)), None)
    if new is None:
        return done(request, sent, "This very pack was brought before.", reverse("rules", args=[campaign_id]))
    if any(isinstance(event, PackAdded) for event in events):
        return done(request, sent, SAID["bring"], reverse("rules", args=[campaign_id]))
    said = f"{new.title} {new.version} is here, and waits for you to move to it."
    return done(request, sent, said, reverse("upgrade_pack", args=[campaign_id, new.pack]))


def _asked(request: HttpRequest, act: str, books: list[rulebooks.Book]) -> Command:
    post, pack = request.POST, request.POST.get("pack", "")
    if act == "add":
        return commands.AddPack(pack=pack)
    if act == "upgrade":
        return commands.UpgradePack(pack=pack, version=post.get("version", ""), digest=post.get("digest", ""))
    if act == "bring":
        return BringPack(files=uploaded_files(request, "a zip of your pack's folder, or one YAML file"))
    if act == "overlay":
        return commands.LayOverlay(pack=pack, files=_house_rules(request))
    if act == "overlay_off":
        return commands.RemoveOverlay(pack=pack)
    name = post.get("setting", "")
    found = next((s for book in books if book.id == pack for s in book.settings if s.name == name), None)
    value = rulebooks.typed_value(found, post.get("value", "")) if found else post.get("value", "")
    return ChangeSetting(setting=f"{pack}/{name}", value=value)


def _house_rules(request: HttpRequest) -> dict[str, str]:
    """The files of house rules: as the page of their preview repeats them, or uploaded."""
    seen = request.POST.get("seen", "")
    if not seen:
        return uploaded_files(request, "overlay.yaml, or a zip of its folder")
    try:
        return msgspec.json.decode(seen, type=dict[str, str])
    except msgspec.MsgspecError:
        raise Refused("wrong_value", "These are no files.", field="files", right="the files once more") from None


@at_table
def try_house_rules(request: HttpRequest, campaign_id: UUID, pack: str) -> HttpResponse:
    """What uploaded house rules would change, before they are laid. Nothing is recorded."""
    if request.method != "POST":
        return HttpResponseRedirect(reverse("rules", args=[campaign_id]))
    with look(request, campaign_id) as (state, seat):
        if not seat.is_gm or pack not in Packs(state).ids():
            raise Http404
        frame: dict[str, Any] = {**pages.frame(state, seat, "rules"), "pack": pack}
        books = {"books": rulebooks.books(state), "to_add": rulebooks.to_add(state)}
    try:
        files = _house_rules(request)
        with look(request, campaign_id) as (state, _seat):
            compiles = commands.overlaid(Packs(state), pack, files)
        # Compiled with nobody held up by it.
        after = compiles()
    except Refused as refusal:
        return pages.show(request, "pages/rules.html", {**frame, **books}, refusal)
    title = overlay_title({name: text.encode() for name, text in files.items()})
    with look(request, campaign_id) as (state, _seat):
        frame["changing"] = rulebooks.laying(state, pack, after, title)
    return pages.show(request, "pages/house_rules.html", {**frame, "seen": msgspec.json.encode(files).decode()})


@at_table
def house_rules(request: HttpRequest, campaign_id: UUID, pack: str) -> HttpResponse:
    """The house rules over a pack as a zip, which can be laid over it again, here or elsewhere; for game masters."""
    with look(request, campaign_id) as (state, seat):
        overlay = state.part(PacksState).overlays.get(pack)
        if not seat.is_gm or overlay is None:
            raise Http404
        files = dict(overlay.files)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name), text)
    response = HttpResponse(packed.getvalue(), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{pack}-house-rules.zip"'
    return response


@at_table
def upgrade(request: HttpRequest, campaign_id: UUID, pack: str) -> HttpResponse:
    """What an upgrade would change, before it is done."""
    with look(request, campaign_id) as (state, seat):
        if not seat.is_gm or pack not in Packs(state).ids():
            raise Http404
        context = {**pages.frame(state, seat, "rules"), "pack": pack, "changing": rulebooks.upgrading(state, pack)}
    return pages.show(request, "pages/upgrade.html", context)
