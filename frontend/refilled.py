"""A refused form shows again what was typed into it, whatever its template says of its fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape, unescape

Typed = Mapping[str, Sequence[str]]

TAG = re.compile(r"<(/?)(form|input|select|option|textarea|button)\b((?:\"[^\"]*\"|'[^']*'|[^>\"'])*)>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"([\w:-]+)(?:=\"([^\"]*)\"|='([^']*)'|=(\S+))?")
ID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}")
TOKENS = ("csrfmiddlewaretoken", "command_id")
AS_DRAWN = {"data-making-form", "data-as-drawn"}
UNTOUCHED = ("hidden", "password", "file", "submit", "button", "image", "reset")


@dataclass
class _Form:
    """One form of a page: from where to where, its visible fields, its hidden fields and buttons by name."""

    start: int
    end: int = 0
    names: set[str] = field(default_factory=set)
    told: dict[str, set[str]] = field(default_factory=dict)


def refilled(html: str, typed: Typed) -> str:
    """The page with the form that ``typed`` was sent from filled as it was then; where none fits, the page as it is."""
    form = _sent(html, typed)
    if form is None:
        return html
    return html[: form.start] + _filled(html[form.start : form.end], typed) + html[form.end :]


def _attributes(text: str) -> dict[str, str]:
    return {
        found[1].lower(): unescape(next((part for part in found.groups()[1:] if part is not None), ""))
        for found in ATTRIBUTE.finditer(text)
    }


def _forms(html: str) -> Iterator[_Form]:
    """The forms that are sent, but for those whose page says better what stands in them."""
    form: _Form | None = None
    for tag in TAG.finditer(html):
        name, own = tag[2].lower(), _attributes(tag[3])
        if name == "form":
            if form is not None and tag[1]:
                form.end = tag.end()
                yield form
            sent = own.get("method", "").lower() == "post" or "hx-post" in own
            form = _Form(tag.start()) if not tag[1] and sent and not own.keys() & AS_DRAWN else None
        elif form is not None and "name" in own:
            if own.get("type") == "hidden" or name == "button":
                form.told.setdefault(own["name"], set()).add(own.get("value", ""))
            else:
                form.names.add(own["name"])


def _sent(html: str, typed: Typed) -> _Form | None:
    """The form whose hidden fields and buttons say what was sent, and that has most of its fields."""
    able = [form for form in _forms(html) if form.names & typed.keys() and _fits(form, typed)]
    return max(able, key=lambda form: len(form.names & typed.keys()), default=None)


def _fits(form: _Form, typed: Typed) -> bool:
    return all(
        name in TOKENS or name not in typed or any(ID.fullmatch(one) for one in values) or {*typed[name]} & values
        for name, values in form.told.items()
    )


def _filled(form: str, typed: Typed) -> str:
    left = {name: list(values) for name, values in typed.items()}
    chosen: Sequence[str] | None = None
    found, at = [], 0
    for tag in TAG.finditer(form):
        name, own = tag[2].lower(), _attributes(tag[3])
        if tag.start() < at:
            continue
        new = tag[0]
        if name == "input" and own.get("type", "text") not in UNTOUCHED and "name" in own:
            new = _input(tag[0], own, typed, left)
        elif name == "select":
            chosen = None if tag[1] else typed.get(own.get("name", ""))
        elif name == "option" and not tag[1] and chosen is not None and "value" in own:
            new = _switched(tag[0], "selected", own["value"] in chosen)
        elif name == "textarea" and not tag[1] and left.get(own.get("name", "")):
            end = form.index("</textarea", tag.end())
            found += [form[at : tag.end()], escape(left[own["name"]].pop(0))]
            at = end
            continue
        found += [form[at : tag.start()], new]
        at = tag.end()
    return "".join([*found, form[at:]])


def _input(tag: str, own: dict[str, str], typed: Typed, left: dict[str, list[str]]) -> str:
    """An input as it was sent; a box that was not sent was not ticked. Of several of one name each has its turn."""
    if own.get("type") in ("checkbox", "radio"):
        if own["type"] == "radio" and own["name"] not in typed:
            return tag
        return _switched(tag, "checked", own.get("value", "on") in typed.get(own["name"], ()))
    if not left.get(own["name"]):
        return tag
    value = f'value="{escape(left[own["name"]].pop(0))}"'
    bare = re.sub(r'\svalue=(?:"[^"]*"|\'[^\']*\'|\S+)', "", tag)
    return f"{bare.rstrip('/>').rstrip()} {value}>"


def _switched(tag: str, word: str, on: bool) -> str:
    bare = re.sub(rf"\s{word}(?:=\"[^\"]*\")?(?=[\s/>])", "", tag)
    return f"{bare.rstrip('/>').rstrip()} {word}>" if on else bare
