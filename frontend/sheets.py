"""Sheets as templates draw them: what one seat sees of each, what can be done from it, the form of one value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from campaigns.packs import Packs
from campaigns.parts.growth import Growths
from campaigns.parts.subjects import Subjects
from campaigns.registry import provided
from campaigns.rolling import subject_of
from campaigns.sheet_reading import SheetRead, audience_of, known_subject, sheets_known, shown_stats
from campaigns.state import State
from frontend.asking import Offered
from frontend.making import ChoiceView, choice_view
from frontend.seat import Seat
from rules.creation import Offer, offer
from rules.packs import Pack
from rules.packs.says import worded
from rules.packs.values import NONE
from rules.sheets import Sheet


@dataclass(frozen=True)
class SheetView:
    """A sheet, and the tests that its subject can be the first in."""

    read: SheetRead
    tests: tuple[Offered, ...]


@dataclass(frozen=True)
class OfferView:
    """Something that can be bought, taken or given: its cost, why it is closed (empty: it is open), its choices."""

    id: str
    title: str
    text: str
    cost: str
    closed: str
    times: int
    choices: tuple[ChoiceView, ...]
    award: bool


@dataclass(frozen=True)
class StatField:
    """One value to be changed: how it is typed (number, tick, select, text, json) and what stands there."""

    stat: str
    key: str
    title: str
    kind: str
    value: Any
    options: tuple[tuple[str, str], ...] = ()
    keys: tuple[tuple[str, str], ...] = ()
    low: int | None = None
    high: int | None = None


def sheet_views(state: State, audience: str, subject: str, tests: Iterable[Offered]) -> list[SheetView]:
    """Every sheet of a subject that an audience sees something of, with those of the tests that it can begin."""
    kind = state.part(Subjects).by_id[subject].kind
    return [
        SheetView(read, tuple(t for t in tests if t.key.startswith(f"{read.pack}/") and _first(state, t, kind)))
        for read in sheets_known(state, audience, subject)
    ]


def _first(state: State, test: Offered, kind: str) -> bool:
    """Whether a kind can take the first role of a test."""
    pack, _, name = test.key.partition("/")
    roles = list(Packs(state).get(pack).test(name).spec.roles.values())
    return bool(roles) and kind in roles[0].kinds


def offers(state: State, seat: Seat, subject: str, pack: Pack) -> list[OfferView]:
    """What growing offers to a subject: what is due first, then the menu, then what a GM gives."""
    kind = state.part(Subjects).by_id[subject].kind
    plan, growth = pack.advancements[kind], state.part(Growths).growth(subject, pack.id)
    due = {d.grant for d in growth.due}
    found = []
    for name, one in plan.offers.items():
        if (one.at and name not in due) or ((one.award or one.by == "gm") and not seat.is_gm):
            continue
        found.append(offer_view(state, seat, subject, pack, name, {}))
    return sorted(found, key=lambda view: (not plan.offers[view.id].at, view.award))


def offer_view(state: State, seat: Seat, subject: str, pack: Pack, name: str, choices: Mapping[str, Any]) -> OfferView:
    """One offer under the choices made so far."""
    growth = state.part(Growths).growth(subject, pack.id)
    found: Offer = offer(pack, subject_of(state, subject, pack.id), growth, name, choices, seat="gm")
    stats = found.standing.sheet.kind.stats
    cost = [f"{amount} {stats[s].spec.title or worded(s)}" for s, amount in found.cost.items()]
    closed = "" if found.refused is None else found.refused.message
    standings = [found.standing.choices[c.id] for c in found.plan.choices if c.id in found.standing.choices]
    return OfferView(
        id=name,
        title=found.plan.title,
        text=found.plan.text,
        cost=", ".join(cost),
        closed=closed,
        times=growth.bought.get(name, 0),
        choices=tuple(choice_view(one, found.standing, seat) for one in standings),
        award=found.plan.award,
    )


def level_of(state: State, subject: str, pack: Pack) -> tuple[str, int] | None:
    """What levels are called, and the subject's own; None where its kind has none."""
    known = subject_of(state, subject, pack.id)
    levels = pack.advancements[known.kind].levels
    if levels is None:
        return None
    return levels.spec.title, Sheet(known, pack.kinds[known.kind], pack.settings).base(levels.spec.stat)


def changeable(state: State, seat: Seat, subject: str, pack: Pack) -> list[tuple[str, str]]:
    """(stat, title) of the kept values that this seat sees, which are those that it can change."""
    kind = pack.kinds[state.part(Subjects).by_id[subject].kind]
    shown = shown_stats(kind, audience_of(seat.viewer, subject) or "all") - provided(state, subject, pack.id).keys()
    return [(n, p.spec.title or worded(n)) for n, p in kind.stats.items() if n in shown and p.formula is None]


def stat_field(state: State, seat: Seat, subject: str, pack: Pack, stat: str, key: str) -> StatField:
    """The field of one kept value as it stands for this seat."""
    known = known_subject(state, subject, pack.id, audience_of(seat.viewer, subject) or "all")
    plan = pack.kinds[known.kind].stats[stat]
    keys = tuple((k, pack.card(k)[1].title) for k in plan.keys or ())
    if keys and key not in dict(keys):
        key = keys[0][0]
    kept = known.values.get(stat, {} if keys else plan.default)
    value = kept.get(key, plan.default) if keys else kept
    spec = plan.spec
    kind = {"int": "number", "flag": "tick", "name": "select", "card": "select", "text": "text"}.get(spec.type, "json")
    options: list[tuple[str, str]] = [(NONE, "none")] if spec.optional else []
    if spec.type == "name":
        options += list(spec.titles().items())
    if spec.type == "card":
        options += [(card, found.title) for card, found in pack.cards.get(spec.card or "", {}).items()]
    if kind == "json":
        value = msgspec.json.encode(value).decode()
    title = spec.title or worded(stat)
    return StatField(stat, key, title, kind, value, tuple(options), keys, spec.min, spec.max)


def typed(field: StatField, text: str) -> Any:
    """What was typed, in the type of the stat; what cannot be read is left for the entrance to refuse."""
    from frontend.making import number

    if field.kind == "tick":
        return text == "on"
    if field.kind == "number":
        return number(text.strip())
    if field.kind == "json":
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError:
            return text
    return text
