"""The ground of a fight by the GM's hand: areas to lay with who would stand in them, and distances by word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec
from django.http import QueryDict

from encounters.board_reading import BoardRead
from encounters.parts.encounters import Encounter
from frontend.fights.grid import Ground, ground
from frontend.numbers import number, number_or_text
from rules.board import Area, Scene
from rules.board.scene import apart, covers
from rules.fight.commands import Laid
from rules.packs import Pack
from rules.refusal import Refused

LARGEST, SQUARE_ALONE = 60, "square"
Groups = list[tuple[str, list[tuple[str, str]]]]


@dataclass(frozen=True)
class Laying:
    """An area as it would lie: where, and who stands in it."""

    areas: tuple[Ground, ...]
    within: tuple[str, ...]


def grounds(pack: Pack) -> Groups:
    """Cards that can lie on the ground, with all of their types: first those that no rule lays there, since they are
    the game master's to lay (what bars the way before the others), then what somebody's doing leaves."""
    return _grounds(pack.digest, pack)


@lru_cache(maxsize=16)
def _grounds(_digest: str, pack: Pack) -> Groups:
    laid = set(_placed(msgspec.to_builtins(pack.source.sections.get("cards", {}))))
    lies = {card for card in laid if any(card in cards for cards in pack.cards.values())}
    types = [name for name, cards in pack.cards.items() if lies & set(cards)]
    own: Groups = []
    left: Groups = []
    for name in types:
        title, cards = pack.card_types[name].title, pack.cards[name]
        by_word = [card for card in cards if card not in laid] if pack.card_types[name].by_hand else []
        own.append((title, [(c, cards[c].title) for c in sorted(by_word, key=lambda card: not cards[card].blocks)]))
        left.append((f"Left by what somebody does: {title}", [(c, cards[c].title) for c in cards if c not in by_word]))
    return [(title, found) for title, found in (*own, *left) if found]


def barring(pack: Pack) -> list[str]:
    """The cards that bar the way where they lie: they are laid as a line, unless something else is said."""
    return [card for cards in pack.cards.values() for card, one in cards.items() if one.blocks]


def _placed(plain: Any) -> Iterator[str]:
    """The cards that steps place, anywhere in what a pack says."""
    if isinstance(plain, dict):
        if isinstance(plain.get("place"), str):
            yield plain["place"]
        for one in plain.values():
            yield from _placed(one)
    elif isinstance(plain, list):
        for one in plain:
            yield from _placed(one)


def laid_of(post: QueryDict, grid: bool) -> Laid:
    """The area that a form says; squares are counted from 1 there. Refused, at its field, where it says none."""
    card = post.get("card", "")
    if not card:
        raise Refused("missing", "Say what lies there.", field="card")
    if not grid:
        return Laid(card=card, inside=post.getlist("inside"))
    size = 0 if post.get("shape") == SQUARE_ALONE else number(post.get("size", "") or "0", "size", f"0 to {LARGEST}")
    if not 0 <= size <= LARGEST:
        raise Refused("out_of_range", "No such size.", field="size", value=size, right=f"0 to {LARGEST}")
    on = post.get("on", "")
    to = _cell(post, "to") if post.get("shape") == "line" else None
    slows = 2 if post.get("slows") == "on" else 1
    if on and to is None:
        return Laid(card=card, on=on, size=size, slows=slows)
    return Laid(card=card, at=_cell(post, "at"), to=to, size=size, slows=slows)


def _cell(post: QueryDict, name: str) -> tuple[int, int]:
    return number(post.get(f"place-{name}-x", ""), name) - 1, number(post.get(f"place-{name}-y", ""), name) - 1


def laying(pack: Pack, found: Encounter, board: BoardRead, post: QueryDict) -> Laying | None:
    """What the form would lay, with who would stand in it; None where it does not say enough yet."""
    try:
        laid = laid_of(post, bool(board.width))
        card = pack.card(laid.card)[1]
    except Refused:
        return None
    names = {one.subject: one.name for one in board.fighters}
    area = Area(
        id="laid",
        card=laid.card,
        shape="burst" if laid.to is None else "wall" if card.blocks else "line",
        at=laid.at,
        on=laid.on,
        to=laid.to,
        size=laid.size,
        inside=tuple(laid.inside),
    )
    areas = (ground(found.fight.scene, area, card.title, board.width, board.height),) if board.width else ()
    return Laying(areas, standing_in(found.fight.scene, area, names))


def standing_in(scene: Scene, area: Area, names: dict[str, str]) -> tuple[str, ...]:
    """The names of those who stand in an area."""
    return tuple(name for subject, name in names.items() if covers(scene, area, subject))


def distances(found: Encounter, board: BoardRead, of: str) -> list[tuple[str, str, int]]:
    """Who is how far from somebody, by the GM's word: (subject, name, units), nearest first."""
    others = [(one.subject, one.name) for one in board.fighters if one.subject != of]
    far = [(subject, name, apart(found.fight.scene, of, subject)) for subject, name in others]
    return sorted(far, key=lambda one: one[2])


def said_distances(post: QueryDict, found: Encounter, of: str) -> list[tuple[str, int]]:
    """The distances of a form that differ from what was: (subject, units)."""
    out = []
    for field, text in post.items():
        name, _, other = field.partition("-")
        if name != "apart" or other not in found.fight.members or not text.strip():
            continue
        units = number_or_text(text)
        if not isinstance(units, int) or units < 0:
            raise Refused("wrong_value", "This is no distance.", field=field, value=text[:40], right="0 or more")
        if units != apart(found.fight.scene, of, other):
            out.append((other, units))
    if not out:
        raise Refused("nothing_changes", "Nothing would change.", field="of")
    return out
