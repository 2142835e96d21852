"""The rules a campaign plays by: its packs, their settings, house rules, upgrades; and trying a test by hand."""

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
from campaigns.parts.subjects import Subjects
from campaigns.registry import Command
from campaigns.rolling import subject_of
from campaigns.rule_files import with_manifest
from frontend import asking, pages, rulebooks
from frontend.numbers import number, number_or_text
from frontend.seat import at_table, look
from frontend.sending import Sent, done, send
from frontend.uploads import uploaded_files
from rules.dice import ChosenDice, SystemDice
from rules.packs.overlay import overlay_title
from rules.problems import RulesError
from rules.refusal import Refused
from rules.tests import ChoiceNeeded, odds, run
from rules.tests.trace import line

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
        return BringPack(files=with_manifest(uploaded_files(request, "a zip of your pack's folder, or one YAML file")))
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


@at_table
def try_out(request: HttpRequest, campaign_id: UUID, pack: str, test: str) -> HttpResponse:
    """A test by hand with chosen dice, and its exact odds. Nothing is recorded; for game masters, who see all."""
    with look(request, campaign_id) as (state, seat):
        packs = Packs(state)
        if not seat.is_gm or pack not in packs.ids() or test not in packs.get(pack).tests:
            raise Http404
        played = packs.get(pack)
        roles = list(played.test(test).spec.roles)
        known_subjects = state.part(Subjects).by_id
        chosen = {role: request.GET.get(f"role-{role}", "") for role in roles}
        first = next(iter(chosen.values()), "")
        known = {name.removeprefix("given-"): value for name, value in request.GET.items()}
        context: dict[str, Any] = {
            **pages.frame(state, seat, "rules"),
            "book": played.manifest.title,
            "pack": pack,
            "test": played.test(test).spec,
            "roles": [
                {**role, "value": request.GET.get(role["name"], "")}
                for role in asking.roles_of(state, seat, played, test, first)
            ],
            "fields": asking.fields_of(seat, played, test, "", known, every=True),
            "faces": request.GET.get("faces", ""),
            "choices": request.GET.get("choices", ""),
        }
        if request.GET.get("go"):
            subjects = {role: subject_of(state, i, pack) for role, i in chosen.items() if i in known_subjects}
            context |= _tried(played, test, asking.given(played, test, request.GET.dict()), subjects, request)
    return pages.show(request, "pages/try.html", context, context.pop("refusal", None))


def _tried(
    played: Any, test: str, given: dict[str, Any], subjects: dict[str, Any], request: HttpRequest
) -> dict[str, Any]:
    """The run with its trace, or the odds; or why there is none."""
    try:
        choices = _choices(request.GET.get("choices", ""))
        if request.GET["go"] == "odds":
            found = odds(played, test, given, choices, subjects=subjects)
            outcomes = played.test(test).spec.outcomes
            table = [
                (outcomes[name].title if name in outcomes else name, float(chance) * 100, found.ways(name))
                for name, chance in sorted(found.outcomes.items(), key=lambda item: -item[1])
            ]
            return {"odds": table, "of": found.of}
        words = request.GET.get("faces", "").replace(",", " ").split()
        dice = ChosenDice([number(word, "faces") for word in words]) if words else SystemDice()
        result = run(played, test, given, dice, choices, subjects=subjects)
    except Refused as refused:
        return {"refusal": refused}
    except ValueError:
        message = "These are no faces of dice."
        return {"refusal": Refused("wrong_value", message, field="faces", right="whole numbers such as 14 3")}
    except ChoiceNeeded as needed:
        return {"refusal": Refused("choose_first", str(needed), field="choices", right="an answer such as first=left")}
    except RulesError as error:
        return {"refusal": error}
    lines = [line(step) for step in result.trace]
    outcome = played.test(test).spec.outcomes.get(result.outcome or "")
    return {"run": result, "lines": lines, "outcome": outcome.title if outcome else ""}


def _choices(text: str) -> dict[str, Any]:
    """``first=left, push=true`` as choices by id."""
    found: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        plain: Any = {"true": True, "false": False}.get(value.strip(), value.strip())
        found[name.strip()] = number_or_text(plain) if isinstance(plain, str) else plain
    return found
