"""The form that calls for a test, made from what the test's pack says it needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from campaigns.packs import Packs
from campaigns.state import State
from frontend.calls import worded
from frontend.numbers import number_or_text
from frontend.people import SubjectLine, subjects
from frontend.seat import Seat
from rules.packs import Pack
from rules.packs.schema import Input

DRAWN = ("card", "name", "int", "flag", "text")


@dataclass(frozen=True)
class Offered:
    """A test that this seat may call for."""

    key: str
    title: str
    says: str


@dataclass(frozen=True)
class Asked:
    """One field of the form. ``kind``: select, number, tick, text; ``groups`` are (label, ((value, text), ...))."""

    name: str
    title: str
    says: str
    kind: str
    optional: bool
    value: Any
    groups: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    low: int | None = None
    high: int | None = None


def offered(state: State, seat: Seat) -> list[Offered]:
    """Every test of the campaign's packs that this seat may call for."""
    role, packs = ("gm" if seat.is_gm else "player"), Packs(state)
    return [
        Offered(f"{pack_id}/{test_id}", program.spec.title, program.spec.text)
        for pack_id in packs.ids()
        for test_id, program in packs.get(pack_id).tests.items()
        if role in program.spec.called_by
    ]


def takers(state: State, seat: Seat, kinds: list[str]) -> list[SubjectLine]:
    """Subjects that can take a role, one's own first."""
    found = [one for one in subjects(state, seat) if one.kind in kinds]
    return sorted(found, key=lambda one: one.id not in seat.viewer.plays)


def roles_of(state: State, seat: Seat, pack: Pack, test: str, chosen: str) -> list[dict[str, Any]]:
    """The roles of a test with who can take each; the first is taken by ``chosen`` unless told otherwise."""
    roles = []
    for place, (name, spec) in enumerate(pack.test(test).spec.roles.items()):
        choices = takers(state, seat, list(spec.kinds))
        value = chosen if place == 0 else ""
        roles.append({"name": f"role-{name}", "title": spec.title or worded(name), "takers": choices, "value": value})
    return roles


def fields_of(
    seat: Seat, pack: Pack, test: str, kind: str, chosen: Mapping[str, str], *, every: bool = False
) -> list[Asked]:
    """The inputs that whoever calls gives, or every input. Cards that name a holder of another kind are left out."""
    return [
        _asked(pack, name, spec, kind, chosen.get(name, spec.default))
        for name, spec in pack.test(test).spec.inputs.items()
        if spec.type in DRAWN and (every or spec.by == "asker" or (spec.by == "gm" and seat.is_gm))
    ]


def _asked(pack: Pack, name: str, spec: Input, kind: str, value: Any) -> Asked:
    drawn = {"card": "select", "name": "select", "int": "number", "flag": "tick"}.get(spec.type, "text")
    groups: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    if spec.type == "card":
        groups = _cards(pack, spec, kind)
    elif spec.type == "name":
        options = (("none", "none"),) * spec.optional + tuple((o, worded(o)) for o in spec.options or [])
        groups = (("", options),)
    title = spec.title or worded(name)
    return Asked(f"given-{name}", title, spec.text, drawn, spec.optional, value, groups, spec.min, spec.max)


def _cards(pack: Pack, spec: Input, kind: str) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    groups: dict[str, list[tuple[str, str]]] = {}
    for card_id, card in pack.cards.get(spec.card or "", {}).items():
        holder = card.values.get("holder", kind)
        if not kind or holder == kind:
            groups.setdefault(worded(card.values.get("kind", "")).capitalize(), []).append((card_id, card.title))
    return tuple((label, tuple(cards)) for label, cards in groups.items())


def given(pack: Pack, test: str, post: Mapping[str, str]) -> dict[str, Any]:
    """The inputs as typed values. What is no number stays text, for the entrance to refuse by name."""
    return dict(_values(pack, test, post))


def _values(pack: Pack, test: str, post: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    for name, spec in pack.test(test).spec.inputs.items():
        text = post.get(f"given-{name}", "").strip()
        if spec.type == "flag":
            if text:
                yield name, True
        elif text and spec.type == "int":
            yield name, number_or_text(text)
        elif text and not (spec.optional and text == "none"):
            yield name, text
