"""The form that calls for a test, made from what the test's pack says it needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from campaigns.packs import Packs
from campaigns.registry import can_take
from campaigns.state import State
from frontend.calls import worded
from frontend.numbers import number_or_text
from frontend.people import SubjectLine, subjects
from frontend.seat import Seat
from rules.packs import Pack
from rules.packs.schema import Input, Spec
from rules.packs.sections import PAIR

DRAWN = ("card", "name", "int", "flag", "text", "modifiers")
"""and lists of what is no list: all that a caller can be asked for"""
MODIFIER = {"value": Spec(type="int"), "source": Spec(type="text"), "type": Spec(type="text")}


@dataclass(frozen=True)
class Offered:
    """A test that this seat may call for."""

    key: str
    title: str
    says: str
    decides: bool = True
    """it comes to an outcome; others only write down what happens"""
    main: bool = False


@dataclass(frozen=True)
class Asked:
    """One field of the form. ``kind``: select, number, tick, text, lines; ``groups``: (label, ((value, text), ...))."""

    name: str
    title: str
    says: str
    kind: str
    optional: bool
    value: Any
    groups: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    low: int | None = None
    high: int | None = None


def offered(state: State, seat: Seat, subject: str = "") -> list[Offered]:
    """Every test of the campaign's packs that this seat may call for and somebody (or this ``subject``) can take; those
    that are called most come first."""
    role, packs, people = ("gm" if seat.is_gm else "player"), Packs(state), subjects(state, seat)
    found = [
        Offered(
            f"{pack.id}/{test}", program.spec.title, program.spec.text, bool(program.spec.outcomes), program.spec.main
        )
        for pack in packs.all()
        for test, program in pack.tests.items()
        if role in program.spec.called_by
        and not (pack.knows_fights and pack.encounter.initiative == test)
        and _taken(state, people, pack, test, subject)
    ]
    return sorted(found, key=lambda one: not one.main)


def pair_test(state: State, seat: Seat, subject: str) -> str:
    """The first test of a subject that is about a pair, by its key; "" where no pack has one."""
    packs = Packs(state)
    keys = (one.key for one in offered(state, seat, subject))
    return next((key for key in keys if pair_input(packs.get(key.partition("/")[0]), key.partition("/")[2])), "")


def pair_input(pack: Pack, test: str) -> str:
    """The input of a test that says which pair it is about, "" for none."""
    inputs = pack.test(test).spec.inputs.items()
    return next((name for name, spec in inputs if spec.type == "card" and spec.card == PAIR), "")


def _taken(state: State, people: list[SubjectLine], pack: Pack, test: str, subject: str) -> bool:
    """Whether a test's first role can be taken. Where nobody is there yet, that is not what stands in the way."""
    first = next(iter(pack.test(test).spec.roles), "")
    if not first or not people:
        return True
    return any(subject in ("", one.id) for one in _able(state, people, pack, test, first))


def _able(state: State, people: list[SubjectLine], pack: Pack, test: str, role: str) -> list[SubjectLine]:
    kinds = pack.test(test).spec.roles[role].kinds
    return [one for one in people if one.kind in kinds and can_take(state, pack, test, role, one.id)]


def shelves(state: State, tests: list[Offered]) -> list[tuple[str, list[Offered]]]:
    """Tests under headings: each pack's tests, in their order, and behind them what else it lets happen."""
    found: dict[str, list[Offered]] = {}
    for decides in (True, False):
        for one in (one for one in tests if one.decides == decides):
            title = Packs(state).get(one.key.partition("/")[0]).manifest.title
            found.setdefault(title if decides else f"{title}: what else happens", []).append(one)
    return list(found.items())


def takers(state: State, seat: Seat, pack: Pack, test: str, role: str) -> list[SubjectLine]:
    """Subjects that can take a role, one's own first."""
    return sorted(
        _able(state, subjects(state, seat), pack, test, role), key=lambda one: one.id not in seat.viewer.plays
    )


def roles_of(state: State, seat: Seat, pack: Pack, test: str, chosen: str) -> list[dict[str, Any]]:
    """The roles of a test with who can take each; the first is taken by ``chosen`` unless told otherwise."""
    roles = []
    for place, (name, spec) in enumerate(pack.test(test).spec.roles.items()):
        choices = takers(state, seat, pack, test, name)
        value = chosen if place == 0 else ""
        roles.append({"name": f"role-{name}", "title": spec.title or worded(name), "takers": choices, "value": value})
    return roles


def fields_of(
    seat: Seat, pack: Pack, test: str, kind: str, chosen: Mapping[str, str], *, every: bool = False
) -> list[Asked]:
    """The inputs that whoever calls gives, or every input. Cards that name a holder of another kind are left out."""
    return [
        field_of(pack, name, spec, kind, chosen.get(name, spec.default))
        for name, spec in pack.test(test).spec.inputs.items()
        if drawn(spec) and (every or spec.by == "asker" or (spec.by == "gm" and seat.is_gm))
    ]


def gms_fields(pack: Pack, test: str, known: Mapping[str, Any]) -> list[Asked]:
    """The inputs that the game master gives to a test which a player called for."""
    inputs = pack.test(test).spec.inputs.items()
    return [
        field_of(pack, name, spec, "", known.get(name, spec.default))
        for name, spec in inputs
        if spec.by == "gm" and drawn(spec)
    ]


def gms_given(pack: Pack, test: str, post: Mapping[str, str]) -> dict[str, Any]:
    """Those inputs as typed values."""
    inputs = pack.test(test).spec.inputs
    return {name: value for name, value in _values(pack, test, post) if inputs[name].by == "gm"}


def rollers_fields(pack: Pack, test: str) -> list[Asked]:
    """The inputs that whoever rolls gives beside the dice."""
    inputs = pack.test(test).spec.inputs.items()
    return [
        field_of(pack, name, spec, "", spec.default) for name, spec in inputs if spec.by == "roller" and drawn(spec)
    ]


def rollers_given(pack: Pack, test: str, post: Mapping[str, str]) -> dict[str, Any]:
    """Those inputs as typed values."""
    inputs = pack.test(test).spec.inputs
    return {name: value for name, value in _values(pack, test, post) if inputs[name].by == "roller"}


def drawn(spec: Spec) -> bool:
    """Whether the form has a field for it."""
    return spec.type in DRAWN or (spec.type == "list" and spec.of is not None and spec.of.type != "list")


def field_of(pack: Pack, name: str, spec: Input, kind: str, value: Any) -> Asked:
    """One input as a field of a form; ``kind`` is of who is about to do it."""
    kinds = {"card": "select", "name": "select", "int": "number", "flag": "tick", "list": "lines", "modifiers": "lines"}
    field = kinds.get(spec.type, "text")
    groups: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    if spec.type == "card":
        groups = ((("", (("none", "none"),)),) if spec.optional else ()) + _cards(pack, spec, kind)
    elif spec.type == "name":
        options = (("none", "none"),) * spec.optional + tuple(spec.titles().items())
        groups = (("", options),)
    says, optional = spec.text, spec.optional
    if field == "lines":
        parts = "; ".join(map(worded, parts_of(spec)))
        says, optional = f"{says} One a line{f': {parts}' if parts else ''}.".strip(), True
        value = value if isinstance(value, str) else ""
    title = spec.title or worded(name)
    return Asked(f"given-{name}", title, says, field, optional, value, groups, spec.min, spec.max)


def parts_of(spec: Spec) -> dict[str, Spec]:
    """What one line of a field says, apart by semicolons; nothing for a plain value."""
    if spec.type == "modifiers":
        return MODIFIER
    return spec.of.fields if spec.of is not None and spec.of.type == "record" else {}


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
        value = value_of(spec, post.get(f"given-{name}", "").strip())
        if value is not None:
            yield name, value


def value_of(spec: Input, text: str) -> Any:
    """What was typed for an input, in its type; None where nothing was."""
    if spec.type == "flag":
        return text != "off" if text else None
    if not text or (spec.optional and text == "none" and spec.type not in ("int", "list")):
        return None
    if parts_of(spec):
        return [_record(parts_of(spec), one) for one in text.splitlines() if one.strip()]
    if spec.type == "list" and spec.of is not None:
        parts = text if spec.of.type == "text" else text.replace(",", "\n")
        return [_plain(spec.of, one) for one in parts.splitlines() if one.strip()]
    return number_or_text(text) if spec.type == "int" else text


def _record(parts: Mapping[str, Spec], text: str) -> dict[str, Any]:
    """One line as a record: its parts in order; an empty one is left out."""
    said = (one.strip() for one in text.split(";", len(parts) - 1))
    return {name: _plain(spec, one) for (name, spec), one in zip(parts.items(), said, strict=False) if one}


def _plain(spec: Spec, text: str) -> Any:
    """One plain value. What is no number stays text, for the entrance to refuse by name."""
    text = text.strip()
    if spec.type == "flag":
        return {"yes": True, "no": False}.get(text.lower(), text)
    return number_or_text(text) if spec.type == "int" else text
