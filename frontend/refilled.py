"""A refused form shows again what was typed into it, whatever its template says of its fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

Typed = Mapping[str, Sequence[str]]

FRESH = ("csrfmiddlewaretoken", "command_id", "finish_id")
"""hidden fields that hold something new each time a page is drawn"""
AS_DRAWN = {"data-making-form", "data-as-drawn"}
UNTOUCHED = ("hidden", "password", "file", "submit", "button", "image", "reset")
FIELDS = "input[name], select[name], textarea[name]"


def refilled(html: str, typed: Typed, page: str, sent_to: str) -> str:
    """The page with the form that ``typed`` was sent from filled as it was then; where none fits, the page as it is.

    ``page`` is the page's own address, where a form without one is sent to, and ``sent_to`` where ``typed`` was sent.
    What was written about one thing must never stand in the form of another, so address and hidden fields must agree.
    """
    tree = LexborHTMLParser(html, is_fragment="<html" not in html)
    forms = [form for form in tree.css("form") if _address(form, page) == sent_to]
    form = _sent(forms, typed)
    if form is None:
        return html
    _fill(form, typed)
    return tree.html or html


def _text(node: LexborNode, name: str, default: str = "") -> str:
    """An attribute; one without a value is the empty text."""
    return (node.attributes.get(name) or "") if name in node.attributes else default


def _address(form: LexborNode, page: str) -> str:
    """The path that a form is sent to."""
    return urlsplit(_text(form, "hx-post") or _text(form, "action")).path or page


def _sent(forms: Sequence[LexborNode], typed: Typed) -> LexborNode | None:
    """The form whose hidden fields and buttons say what was sent, and that has most of its fields."""
    able = [form for form in forms if _names(form) & typed.keys() and _fits(form, typed)]
    return max(able, key=lambda form: len(_names(form) & typed.keys()), default=None)


def _names(form: LexborNode) -> set[str]:
    """The names of a form's fields that are seen, where it is sent and its page does not say better what is in them."""
    sends = _text(form, "method").lower() == "post" or "hx-post" in form.attributes
    if not sends or AS_DRAWN & form.attributes.keys():
        return set()
    return {_text(one, "name") for one in form.css(FIELDS) if _text(one, "type") != "hidden"}


def _fits(form: LexborNode, typed: Typed) -> bool:
    told: dict[str, set[str]] = {}
    for one in form.css('input[type="hidden"][name], button[name]'):
        told.setdefault(_text(one, "name"), set()).add(_text(one, "value"))
    return all(name in FRESH or name not in typed or {*typed[name]} & values for name, values in told.items())


def _fill(form: LexborNode, typed: Typed) -> None:
    left = {name: list(values) for name, values in typed.items()}
    for one in form.css(FIELDS):
        name = _text(one, "name")
        if one.tag == "select" and name in typed:
            for option in one.css("option[value]"):
                _switch(option, "selected", _text(option, "value") in typed[name])
        elif one.tag == "textarea" and left.get(name):
            one.inner_html = escape(left[name].pop(0))
        elif one.tag == "input" and _text(one, "type", "text") not in UNTOUCHED:
            _fill_input(one, name, typed, left)


def _fill_input(one: LexborNode, name: str, typed: Typed, left: dict[str, list[str]]) -> None:
    """An input as it was sent; a box that was not sent was not ticked. Of several of one name each has its turn."""
    if _text(one, "type") == "checkbox" or (_text(one, "type") == "radio" and name in typed):
        _switch(one, "checked", _text(one, "value", "on") in typed.get(name, ()))
    elif _text(one, "type") != "radio" and left.get(name):
        one.attrs["value"] = left[name].pop(0)


def _switch(node: LexborNode, word: str, on: bool) -> None:
    if on:
        node.attrs[word] = ""
    elif word in node.attributes:
        del node.attrs[word]
