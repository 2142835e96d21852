"""Template tags that draw: icons, dice, pairs, pips, meters, charts, water. The markup lies in templates/components."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from django import template
from django.contrib import admin
from django.forms import BoundField, CheckboxInput
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from campaigns.sheet_reading import GroupRead
from frontend import drawing
from frontend.drawn import drawn
from frontend.entries import Line
from rules.dates import time_said
from rules.packs.wording import titled

register = template.Library()
HERE = "components/"


@register.simple_tag
@lru_cache(maxsize=1024)
def icon(name: str, label: str = "", css: str = "") -> SafeString:
    """An icon of the sprite; without a label it is decoration and a screen reader passes over it."""
    sprite = static("frontend/img/icons.svg")
    if label:
        return format_html(
            '<svg class="icon {}" role="img" aria-label="{}"><use href="{}#{}"/></svg>', css, label, sprite, name
        )
    return format_html('<svg class="icon {}" aria-hidden="true"><use href="{}#{}"/></svg>', css, sprite, name)


@register.simple_tag
@lru_cache(maxsize=1024)
def role(role: str, owner: bool = False) -> SafeString:
    """The badge of a role."""
    return drawn("role.html", role=role, owner=owner)


@register.simple_tag
@lru_cache(maxsize=4096)
def avatar(name: str, picture: str = "") -> SafeString:
    """A person's or character's initials on a ground that their name picks, under the portrait at the address
    ``picture``. The name stands beside it, so that there is nothing to be read out."""
    words = [word for word in str(name).split() if word[:1].isalnum()] or ["?"]
    initials = (words[0][:1] + (words[-1][:1] if len(words) > 1 else "")).upper()
    ground = sum(map(ord, str(name))) % 5
    if not picture:
        return format_html('<span class="avatar avatar--{}" aria-hidden="true">{}</span>', ground, initials)
    return format_html(
        '<span class="avatar avatar--{}" aria-hidden="true"><span class="avatar__initials">{}</span>'
        '<img class="avatar__image" src="{}" alt="" width="36" height="36" loading="lazy"></span>',
        ground,
        initials,
        picture,
    )


@register.filter(name="is")
def is_(one: object, other: object) -> bool:
    """Whether two things are equal, for passing the answer on to an included template."""
    return one == other


@register.filter
def below(height: int) -> int:
    """Where a bar of this height begins in a drawing whose floor lies at 115."""
    return 115 - int(height)


@register.filter
def words(value: str) -> str:
    """An id in words; of words that somebody wrote only the first letter changes."""
    return titled(str(value))


@register.filter
def stop(text: str) -> str:
    """A sentence with its full stop."""
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


@register.filter
def far(count: int, unit: Any) -> str:
    """A distance, in what the rules count it in (``one`` and ``many``)."""
    return f"{count} {unit.one if abs(count) == 1 else unit.many}"


@register.filter
def ago(instant: datetime) -> str:
    """How long ago something was, in its largest unit; what is younger than a minute is "just now"."""
    if timezone.now() - instant < timedelta(minutes=1):
        return "just now"
    return f"{timesince(instant, depth=1)} ago"


@register.filter
def moment(instant: datetime) -> str:
    """An instant by the clock of the campaign: "Tuesday, 1 December 2026, 12:00 (Europe/Lisbon)"."""
    zone = timezone.get_current_timezone_name()
    return f"{time_said(timezone.localtime(instant))} " + ("UTC" if zone == "UTC" else f"({zone})")


@register.filter
def plainly(value: object) -> object:
    """A value as people say it: yes, no, nothing where there is none."""
    return {True: "yes", False: "no", None: ""}.get(value, value) if value is None or isinstance(value, bool) else value


@register.filter
def get(mapping: Mapping[Any, Any], key: Any) -> Any:
    """An entry of a mapping, or nothing."""
    return mapping.get(key) if mapping else None


@register.filter
def seldom(fields: Any) -> int:
    """How many fields of a form are wanted seldom."""
    return sum(bool(one.more) for one in fields or ())


@register.simple_tag(takes_context=True)
def admin_open(context: template.Context) -> bool:
    """Whether whoever asks may enter the admin."""
    request = context.get("request")
    return request is not None and admin.site.has_permission(request)


def stat_name(pack: str, value: Any) -> str:
    """How a value of a sheet is called by those who say why it is so."""
    return f"stat:{pack}/{value.stat}" + (f"/{value.key}" if value.key else "")


def most_name(pack: str, value: Any) -> str:
    """The same of the most of a track."""
    return f"stat:{pack}/{value.most_of}"


@register.simple_tag
@lru_cache(maxsize=64)
def asset(path: str) -> str:
    """The address of one of our static files."""
    return static(path)


@register.simple_tag
def nav_item(  # noqa: PLR0913  (what a place has)
    to: str, icon_name: str, label: str, current: bool = False, css: str = "", li: str = "", count: int = 0
) -> SafeString:
    """One place of the navigation; ``css`` is of its link, ``li`` of its item."""
    return drawn("nav_item.html", to=to, icon_name=icon_name, label=label, current=current, css=css, li=li, count=count)


@register.simple_tag(takes_context=True)
def nav_campaign(context: template.Context, more: bool = False) -> SafeString:
    """The places of the campaign whose frame (``pages.frame``) the page has; or those that no phone's bar has."""
    seat = context["seat"]
    return drawn(
        "nav_campaign.html",
        id=seat.campaign_id,
        more=more,
        watches=seat.is_watcher,
        runs=seat.is_gm or seat.is_owner,
        **{name: context[name] for name in ("place", "waiting", "fights", "pursues")},
    )


@register.simple_tag
def bell(campaign_id: uuid.UUID, news: int) -> SafeString:
    """How many notices are unread."""
    return drawn("bell.html", id=campaign_id, news=news)


@register.simple_tag
def finish_id() -> SafeString:
    """The id of the second command of a form that sends two."""
    return format_html('<input type="hidden" name="finish_id" value="{}">', uuid.uuid4())


@register.simple_tag
def command_id() -> SafeString:
    """The hidden id that makes a second press of the same form change nothing."""
    return format_html('<input type="hidden" name="command_id" value="{}">', uuid.uuid4())


@register.simple_tag
@lru_cache(maxsize=1024)
def die(sides: int, face: int | None = None, label: str = "", size: str = "", tone: str = "") -> SafeString:
    """One die on its face. `size`: big, small or nothing; `tone`: b, extra, critical, fumble, dropped or nothing."""
    shape = drawing.die_shape(int(sides))
    return drawn("die.html", sides=sides, face=face, label=label, size=size, tones=tone.split(), shape=shape)


@register.simple_tag(takes_context=True)
def entry(context: template.Context, line: Line, moments: bool = False) -> SafeString:
    """One line of the ledger; ``moments``: it leads to how things stood then."""
    seat = context.get("seat")
    return drawn(
        "entry.html",
        line=line,
        campaign_id=seat.campaign_id if seat else None,
        gm=bool(seat and seat.is_gm),
        moments=moments,
    )


def _of_encounter(context: template.Context) -> dict[str, Any]:
    """Whose encounter a page shows, and whether the viewer runs it."""
    seat = context["seat"]
    return {"id": seat.campaign_id, "encounter": context["encounter"], "gm": seat.is_gm}


@register.simple_tag(takes_context=True)
def board_order(context: template.Context, plain: bool = False) -> SafeString:
    """Those who take part, in the order of turns; ``plain``: on a screen for all, without links."""
    return drawn("board_order.html", board=context["board"], plain=plain, **_of_encounter(context))


@register.simple_tag(takes_context=True)
def board_actors(context: template.Context) -> SafeString:
    """What can be done by those whom the viewer acts for."""
    return drawn("board_actors.html", board=context["board"], **_of_encounter(context))


@register.simple_tag(takes_context=True)
def board_log(context: template.Context, plain: bool = False, moments: bool = False) -> SafeString:
    """What happened, newest first; ``moments``: each entry leads to how things stood then."""
    past = bool(context.get("back"))
    log = context["log"]
    return drawn("board_log.html", log=log, plain=plain, moments=moments, past=past, **_of_encounter(context))


@register.simple_tag(takes_context=True)
def board_map(context: template.Context, acting: str, pick: str) -> SafeString:
    """The grid as a drawing. ``acting``: from whom distances count; ``pick``: what a tap fills in, "" for nothing."""
    grid, foreseen, can = context["board"].grid, context.get("foreseen"), context.get("can")
    reach = context.get("reach", "")
    return drawn(
        "board_map.html",
        unit=context["read"].unit,
        grid=grid,
        acting=acting,
        pick=pick,
        foreseen=foreseen,
        can=can,
        reach=reach,
    )


@register.simple_tag
def sheet_group(group: GroupRead) -> SafeString:
    """One part of a sheet that says nothing of why its numbers are so."""
    return drawn("sheet_group.html", group=group)


@register.inclusion_tag(HERE + "pair.html")
def pair(
    view: Any, total: int = 20, campaign_id: uuid.UUID | None = None, subject: str = "", carry: str = ""
) -> dict[str, Any]:
    """An opposed pair from an object or mapping with name_a, name_b, rating_a, rating_b and, where the viewer may see
    them, marks_a and marks_b (numbers of marks). With a campaign and subject its ratings say why they are so; then the
    pair has id, key_a and key_b as well."""

    def get(key: str, default: Any = None) -> Any:
        return view.get(key, default) if isinstance(view, Mapping) else getattr(view, key, default)

    def shown(side: str, rating: int) -> object:
        if not campaign_id:
            return rating
        return why(campaign_id, subject, f"rating:{get('id')}/{get(side).rpartition('.')[2]}", rating, carry)

    rating_a, rating_b = get("rating_a"), get("rating_b")
    known = rating_a is not None
    share = 100 * rating_a / total if known else 50
    return {
        "name_a": get("name_a"),
        "name_b": get("name_b"),
        "rating_a": rating_a,
        "rating_b": rating_b,
        "known": known,
        "shown_a": shown("key_a", rating_a) if known else "",
        "shown_b": shown("key_b", rating_b) if known else "",
        "strong": ("both" if rating_a == rating_b else "a" if rating_a > rating_b else "b") if known else "",
        "share": f"{share:g}%",
        "knob": f"{min(98.5, max(1.5, share)):g}%",
        "ticks": [f"{100 * step / total:g}%" for step in range(1, total)],
        "marks_a": range(get("marks_a") or 0),
        "marks_b": range(get("marks_b") or 0),
    }


@register.simple_tag
def why(campaign_id: uuid.UUID, subject: str, name: str, value: object, carry: str = "") -> SafeString:
    """A value that says why it is so when pressed. ``name`` as its explainer knows it (``stat:<pack>/<stat>``,
    ``rating:<pair>/<side>``); ``carry`` is the query of the past moment that the page shows."""
    # A sheet has dozens of these: written here, for a template of their own costs each of them a context.
    return format_html(
        '<a class="why" href="{0}" hx-get="{0}" hx-target="#dialog-body">{1}<span class="unseen">, why?</span></a>',
        why_address(campaign_id, subject) + urlencode({"name": name}) + (f"&{carry}" if carry else ""),
        value,
    )


@lru_cache(maxsize=256)
def why_address(campaign_id: uuid.UUID, subject: str) -> str:
    """Where a subject's values say why they are so; the name of the value comes after it."""
    return reverse("why", args=[campaign_id, subject]) + "?"


@register.inclusion_tag(HERE + "pair.html")
def pair_row(names: tuple[str, str], ratings: tuple[int, int]) -> dict[str, Any]:
    """A pair from its two names and two ratings alone."""
    view = {"name_a": names[0], "name_b": names[1], "rating_a": ratings[0], "rating_b": ratings[1]}
    return pair(view, sum(ratings))


@register.inclusion_tag(HERE + "pips.html")
def pips(count: int, of: int | None = None, label: str = "") -> dict[str, Any]:
    """`count` filled dots of `of`; the label is what a screen reader hears."""
    whole = max(count, of or count)
    return {"dots": [index < count for index in range(whole)], "label": label or f"{count} of {whole}"}


@register.simple_tag
def meter(value: int, most: int, label: str, numbers: str = "") -> SafeString:
    """A bar from 0 to `most` with its numbers beside it, which may be written out: as ways to why they are so."""
    share = max(0, min(100, 100 * value / most)) if most else 0
    return drawn(
        "meter.html", value=value, most=most, label=label, numbers=numbers, share=f"{share:g}%", low=share <= 25
    )


@register.inclusion_tag(HERE + "pair_chart.html")
def pair_chart(history: Sequence[drawing.ChartPoint], name: str, other: str = "", total: int = 20) -> dict[str, Any]:
    """One side of a pair through the seasons, with the same as a table for those who do not see the picture."""
    return {
        "plot": drawing.plot(history, total),
        "history": history,
        "name": name,
        "other": other,
        "last": len(history) - 1,
    }


@register.inclusion_tag(HERE + "water.html")
def water(level: float = 0.4) -> dict[str, Any]:
    """The water of a cover, filled to `level` (0 to 1) of the way up."""
    near = 0.12 + 0.62 * max(0.0, min(1.0, float(level)))
    return {
        "far": drawing.wave(near + 0.13, 11, 60),
        "near": drawing.wave(near, 9, 0),
        "line": drawing.crest(near, 9, 0),
    }


@register.inclusion_tag(HERE + "sea.html")
def sea() -> dict[str, Any]:
    """Three waves along the foot of a page."""
    return {
        "far": drawing.wave(0.75, 26, 40),
        "mid": drawing.wave(0.55, 22, 120),
        "near": drawing.wave(0.33, 18, 0),
    }


@register.inclusion_tag(HERE + "weeks.html")
def weeks(now: int, of: int = 4) -> dict[str, Any]:
    """The weeks of a season: past ones filled, the present one half; `now` counts from 1."""
    states = ["past" if week < now else "now" if week == now else "" for week in range(1, of + 1)]
    return {"states": states, "now": now, "of": of}


@register.inclusion_tag(HERE + "field.html")
def field(bound: BoundField, optional: bool = False) -> dict[str, Any]:
    """A field of a Django form with its label, help, and errors that say what would be right."""
    ticks = isinstance(bound.field.widget, CheckboxInput)
    described = [f"{bound.id_for_label}_help"] if bound.help_text else []
    described += [f"{bound.id_for_label}_error"] if bound.errors else []
    attrs: dict[str, Any] = {} if ticks else {"class": f"input {bound.field.widget.attrs.get('class', '')}".strip()}
    if described:
        attrs["aria-describedby"] = " ".join(described)
    if bound.errors:
        attrs["aria-invalid"] = "true"
    return {
        "field": bound,
        "widget": bound.as_widget(attrs=attrs),
        "ticks": ticks,
        "optional": optional or not bound.field.required,
    }


def _kept_of(context: template.Context, form: str) -> dict[str, Any] | None:
    """What was typed into a refused form, where it is the one that these hidden fields and buttons tell."""
    found: dict[str, Any] | None = context.get("kept")
    if found is None:
        return None
    told = dict(part.partition("=")[::2] for part in form.split("&") if part)
    return found if all(found["typed"].get(k, [""])[-1] in v.split(",") for k, v in told.items()) else None


@register.simple_tag(takes_context=True)
def kept(context: template.Context, name: str, form: str, value: Any = "") -> Any:
    """What stands in a field of a form that was refused, else ``value``; ``form`` as `enter` has it."""
    found = _kept_of(context, form)
    return value if found is None else found["typed"].get(name, [value])[-1]


@register.inclusion_tag(HERE + "input.html", takes_context=True)
def enter(context: template.Context, name: str, label: str, kind: str = "text", **more: Any) -> dict[str, Any]:
    """A field of a command's form. ``more``: value, help, options ((key, text) pairs), longest, optional, and of a form
    that is one of several on its page ``form``: hidden fields and pressed buttons that tell it from the others
    (``act=pause,stretch&period=...``).

    Where the command was refused because of this field, it shows why and what would be right, and keeps what was typed.
    """
    refusal = context.get("refusal")
    wrong: Any = refusal if refusal is not None and refusal.field == name else None
    request = context.get("request")
    typed = request.POST.get(name) if request is not None and refusal is not None else None
    form = more.pop("form", None)
    found = _kept_of(context, form) if form is not None else None
    if found is not None:
        typed = found["typed"].get(name, [None])[-1]
        wrong = found["wrong"] if found["wrong"]["field"] == name else None
    where = f"field-{more.pop('id', name)}"
    described = [f"{where}-help"] * bool(more.get("help")) + [f"{where}-error"] * bool(wrong)
    return {
        **more,
        "id": where,
        "name": name,
        "label": label,
        "kind": kind,
        "value": more.get("value", "") if typed is None else typed,
        "wrong": wrong,
        "described": " ".join(described),
    }
