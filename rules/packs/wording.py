"""Values as people read them, each by its declaration: cards by their titles, records by the titles of their fields.

    said(pack, spec, value)      every value in words
    told(pack, spec, value)      the same, but "" for what says nothing: what is empty, or stands at its default

No name of the language leaves here: what has a title is called by it, and every id is told with spaces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rules.packs.schema import Spec, Stat
from rules.packs.values import NONE, default_of

if TYPE_CHECKING:
    from rules.packs.pack import Pack

Named = Callable[[str], str]
EMPTY = ("", NONE)
ARROW = "\N{RIGHTWARDS ARROW}"


def titled(name: str) -> str:
    """An id in words, as a title begins."""
    words = spaced(name)
    return words[:1].upper() + words[1:]


def spaced(name: str) -> str:
    """An id in words."""
    return name.replace("_", " ").strip()


def counted(spec: Stat | None, stat: str, number: int) -> str:
    """So many of what a stat counts, a single one by its own name: 2 Free Actions, 1 Free Action."""
    title = (spec.title if spec is not None else "") or titled(stat)
    return f"{number} {spec.one if spec is not None and spec.one and abs(number) == 1 else title}"


def setting_title(name: str, spec: Spec) -> str:
    """What a setting is about: its title, else its sentence, which says it better than its id."""
    return spec.title or spec.text.removesuffix(".") or titled(name.rpartition(".")[2])


def setting_said(spec: Spec, value: Any) -> str:
    """The value of a setting as people read it."""
    if spec.type == "name":
        return sentence(spec.titles().get(value) or spaced(str(value)))
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, list) and all(isinstance(one, str | int) for one in value):
        return ", ".join(spaced(str(one)) for one in value)
    if isinstance(value, dict):
        return ", ".join(f"{spaced(str(name))}: {one}" for name, one in value.items())
    return str(value)


def sentence(text: str) -> str:
    """The text with a capital letter in front."""
    return text[:1].upper() + text[1:]


def told(pack: Pack, spec: Spec, value: Any, named: Named = str) -> str:
    """A value in words, "" where it says nothing that was not so anyway."""
    if empty(value) or same(value, spec.default if spec.default is not None else 0):
        return ""
    return said(pack, spec, value, named)


def empty(value: Any) -> bool:
    """Whether nothing was said; a number always says something."""
    if isinstance(value, int) and not isinstance(value, bool):
        return False
    return not value or value == NONE


def same(value: Any, default: Any) -> bool:
    """Whether a value stands at its default; a flag is no number."""
    return type(value) is type(default) and bool(value == default)


def said(pack: Pack, spec: Spec, value: Any, named: Named = str) -> str:
    """A value in words."""
    if spec.each is not None and isinstance(value, Mapping):
        inner = _one(spec)
        parts = (f"{card_title(pack, key)} {said(pack, inner, one, named)}" for key, one in value.items())
        return ", ".join(parts) or "nothing"
    match spec.type:
        case "list" if isinstance(value, list | tuple):
            of = spec.of or Spec(type="text")
            return _listed(pack, of, value, named)
        case "modifiers" if isinstance(value, list | tuple):
            return ", ".join(map(modifier, value)) or "nothing"
        case "record" if isinstance(value, Mapping):
            return record(pack, spec, value, named)
        case "card" if isinstance(value, str) and value not in EMPTY:
            return card_title(pack, value, spec.card)
        case "name" if isinstance(value, str) and value not in EMPTY:
            return spec.titles().get(value) or spaced(value)
        case "subject" if isinstance(value, str):
            return named(value) or "nobody"
        case "text" if isinstance(value, str) and value:
            return value
    return plainly(value)


def _one(spec: Spec) -> Spec:
    """What a value has for each card, as a declaration of its own."""
    from msgspec.structs import replace

    return replace(spec, each=None)


def _listed(pack: Pack, of: Spec, value: Sequence[Any], named: Named) -> str:
    apart = "; " if of.type in ("record", "list", "modifiers") else ", "
    return apart.join(said(pack, of, one, named) for one in value) or "nothing"


def record(pack: Pack, spec: Spec, value: Mapping[str, Any], named: Named = str) -> str:
    """A record: its words as they are, its numbers behind the titles of their fields, what is at its default left
    out; where all of it is, all of it is told."""
    parts = [(name, inner) for name, inner in spec.fields.items() if name in value]
    shown = [p for p in parts if told(pack, p[1], value[p[0]], named)] or parts
    words = []
    for name, inner in sorted(shown, key=lambda part: part[1].type in ("int", "flag")):
        title = inner.title or titled(name)
        if inner.type == "flag":
            words.append(title.lower() if value[name] else f"not {title.lower()}")
        elif inner.type == "int":
            words.append(f"{title.lower()} {value[name]}")
        else:
            words.append(said(pack, inner, value[name], named))
    return ", ".join(words) or "nothing"


def modifier(value: Any) -> str:
    """One modifier: its number with its sign, and where it comes from."""
    if not isinstance(value, Mapping):
        return plainly(value)
    number = value.get("value", 0)
    from_ = [str(value[name]) for name in ("source", "type") if value.get(name)]
    signed = f"{number:+d}" if isinstance(number, int) else plainly(number)
    return f"{signed} ({', '.join(map(spaced, from_))})" if from_ else signed


def card_title(pack: Pack, card: str, kind: str | None = None) -> str:
    """A card's title; an id in words where the rules have no such card any more."""
    if kind is not None and card in pack.cards.get(kind, {}):
        return pack.cards[kind][card].title
    found = next((cards[card].title for cards in pack.cards.values() if card in cards), None)
    return found if found is not None else spaced(card)


def plainly(value: Any) -> str:
    """A value of which nothing is declared."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ("", NONE):
        return "nothing"
    if isinstance(value, Mapping):
        parts = (f"{spaced(str(key))} {plainly(one)}" for key, one in value.items() if not empty(one))
        return ", ".join(parts) or "nothing"
    if isinstance(value, list | tuple):
        return ", ".join(map(plainly, value)) or "nothing"
    return spaced(str(value))


# ------------------------------------------------------------------------------------------------ what changed


def changed(pack: Pack, name: str, spec: Spec, key: str, before: Any, after: Any, named: Named = str) -> str:
    """One kept value that changed: an arrow between two numbers, what came to a list or went, else what it is now."""
    title = spec.title or titled(name)
    if key:
        title, spec = f"{title} ({card_title(pack, key, spec.each)})", _one(spec)
    elif spec.each is not None and isinstance(after, Mapping):
        return _each_changed(pack, name, spec, before or {}, after, named)
    if spec.type == "list" and isinstance(after, list | tuple):
        return f"{title}: {_list_changed(pack, spec, list(before or ()), list(after), named)}"
    if isinstance(before, int) and isinstance(after, int) and not isinstance(after, bool):
        return f"{title} {before} {ARROW} {after}"
    return f"{title}: {said(pack, spec, after, named)}"


def _each_changed(pack: Pack, name: str, spec: Spec, before: Any, after: Mapping[str, Any], named: Named) -> str:
    keys = [key for key in after if not isinstance(before, Mapping) or before.get(key) != after[key]]
    start = default_of(_one(spec))
    was = before if isinstance(before, Mapping) else {}
    return ", ".join(changed(pack, name, spec, key, was.get(key, start), after[key], named) for key in keys)


def _list_changed(pack: Pack, spec: Spec, before: list[Any], after: list[Any], named: Named) -> str:
    """What came and what went; where only the order changed or one entry did, how it stands now."""
    of = spec.of or Spec(type="text")
    came, went = [one for one in after if one not in before], [one for one in before if one not in after]
    if came and not went:
        return f"{_listed(pack, of, came, named)} {'comes' if len(came) == 1 else 'come'} to it"
    if went and not came:
        return f"without {_listed(pack, of, went, named)} now"
    if came:
        return f"{_listed(pack, of, came, named)} in place of {_listed(pack, of, went, named)}"
    return said(pack, spec, after, named)
