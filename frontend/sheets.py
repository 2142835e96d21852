"""Sheets as templates draw them: what one seat sees of each, what can be done from it, the form of one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from campaigns.commands.growth import LEVEL, award
from campaigns.differing import drafts_between
from campaigns.events import GM_ONLY
from campaigns.packs import Packs
from campaigns.parts.growth import Growths
from campaigns.parts.sheets import SheetChanged, Sheets
from campaigns.parts.subjects import Subjects
from campaigns.registry import provided
from campaigns.rolling import subject_of
from campaigns.sheet_reading import SheetRead, audience_of, known_subject, sheets_known, shown_stats
from campaigns.state import State
from frontend.asking import Frames, Offered, offered
from frontend.making import ChoiceView, choice_view
from frontend.seat import Seat
from rules.creation import Offer, offer, take
from rules.packs import Pack
from rules.packs.values import NONE
from rules.packs.wording import counted, titled
from rules.refusal import Refused
from rules.sheets import Sheet
from rules.tests.offers import fits


@dataclass(frozen=True)
class Act:
    """Something that is done from a sheet with one of its cards: ``says`` is its button, ``more`` whether its form asks
    for anything beside the card, ``barred`` and ``open`` as for what is offered."""

    key: str
    says: str
    title: str
    field: str
    role: str
    more: bool
    barred: str = ""
    open: bool = True

    @property
    def pack(self) -> str:
        """The pack's id."""
        return self.key.partition("/")[0]

    @property
    def test(self) -> str:
        """The test's id."""
        return self.key.partition("/")[2]


@dataclass(frozen=True)
class SheetView:
    """A sheet, and what its subject can do: under headings, and with each card by its id. ``keeping``: what a game
    master writes down of them."""

    read: SheetRead
    acts: tuple[tuple[str, tuple[Offered, ...]], ...] = ()
    keeping: tuple[Offered, ...] = ()
    by_card: Mapping[str, tuple[Act, ...]] = field(default_factory=dict)

    @property
    def barred(self) -> list[tuple[str, list[str]]]:
        """What cannot be done in this mode of play: each reason with all that it bars, by their titles."""
        found: dict[str, list[str]] = {}
        with_cards = (one for ones in self.by_card.values() for one in ones)
        for act in (*(one for _, ones in self.acts for one in ones), *with_cards):
            if act.barred and act.title not in found.setdefault(act.barred, []):
                found[act.barred].append(act.title)
        return list(found.items())

    @property
    def count(self) -> int:
        """How much can be done beside what stands with a card."""
        return sum(len(ones) for _, ones in self.acts) + len(self.keeping)


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


def sheet_views(state: State, audience: str, subject: str, acting: Seat | None = None) -> list[SheetView]:
    """Every sheet of a subject that an audience sees something of, with what ``acting`` can do by it."""
    return [
        _acting(state, acting, subject, read) if acting is not None and read.begun else SheetView(read)
        for read in sheets_known(state, audience, subject)
    ]


def _acting(state: State, seat: Seat, subject: str, read: SheetRead) -> SheetView:
    pack = Packs(state).get(read.pack)
    own = [one for one in offered(state, seat, subject, pack.id) if one.kind != "test"]
    acts = [one for one in own if one.kind == "act"]
    groups: dict[str, list[Offered]] = {}
    for one in acts:
        if pack.test(one.test).spec.at is None:
            groups.setdefault(one.group, []).append(one)
    keeping = tuple(one for one in own if one.kind == "keeping") if seat.is_gm else ()
    cards = dict.fromkeys(card.card for group in read.groups for card in group.cards)
    with_cards = _with_cards(state, seat, subject, pack, acts, list(cards))
    return SheetView(read, tuple((group, tuple(ones)) for group, ones in groups.items()), keeping, with_cards)


def _with_cards(
    state: State, seat: Seat, subject: str, pack: Pack, acts: list[Offered], cards: list[str]
) -> dict[str, tuple[Act, ...]]:
    """Card -> what can be done with it."""
    frames, found = Frames(state, seat, pack), dict[str, list[Act]]()
    for one in acts:
        program = pack.test(one.test)
        at = program.spec.at
        if at is None:
            continue
        kind, frame = program.spec.inputs[at.input].card or "", frames.of(program, subject)
        asks = {name for name, spec in program.spec.inputs.items() if spec.by == "asker" or seat.is_gm}
        more = len(asks - {at.input}) > 0 or len(program.spec.roles) > 1
        for card in cards:
            if card in pack.cards.get(kind, {}) and fits(program, at.input, card, frame):
                says = program.offers.says({**frame, "option": card}) if program.offers.says else one.title
                act = Act(one.key, says, one.title, f"given-{at.input}", one.first, more, one.barred, one.open)
                found.setdefault(card, []).append(act)
    return {card: tuple(ones) for card, ones in found.items()}


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
    cost = [counted(stats[s].spec, s, amount) for s, amount in found.cost.items()]
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


def would_change(
    state: State, seat: Seat, subject: str, pack: Pack, name: str, choices: Mapping[str, Any]
) -> list[str]:
    """What taking an offer with these choices would change on a sheet, in words; nothing while it is not complete."""
    known, growth = subject_of(state, subject, pack.id), state.part(Growths).growth(subject, pack.id)
    try:
        after, _, _ = take(pack, known, growth, name, choices, seat="gm" if seat.is_gm else "player")
    except Refused:
        return []
    own, unseen = state.part(Subjects).by_id[subject], state.part(Sheets).sheet(subject, pack.id).unseen
    drafts = drafts_between(pack, own, known, after, "", unseen)
    changed = (draft.event for draft in drafts if seat.is_gm or draft.audience != GM_ONLY)
    return [one.words for one in changed if isinstance(one, SheetChanged) and one.words and not one.quiet]


def level_of(state: State, subject: str, pack: Pack) -> tuple[str, int] | None:
    """What levels are called, and the subject's own; None where its kind has none."""
    known = subject_of(state, subject, pack.id)
    levels = pack.advancements[known.kind].levels
    if levels is None:
        return None
    return levels.spec.title, Sheet(known, pack.kinds[known.kind], pack.settings).base(levels.spec.stat)


def level_ahead(state: State, subject: str, pack: Pack) -> list[str]:
    """What the next level would change on a sheet, in words; nothing where there is none."""
    try:
        drafts = award(state, pack, subject, LEVEL, "", datetime.now(UTC))
    except Refused:
        return []
    changed = (draft.event for draft in drafts)
    return [one.words for one in changed if isinstance(one, SheetChanged) and one.words and not one.quiet]


def changeable(state: State, seat: Seat, subject: str, pack: Pack) -> list[tuple[str, str]]:
    """(stat, title) of the kept values that this seat sees, which are those that it can change."""
    kind = pack.kinds[state.part(Subjects).by_id[subject].kind]
    shown = shown_stats(kind, audience_of(seat.viewer, subject) or "all") - provided(state, subject, pack.id).keys()
    return [(n, p.spec.title or titled(n)) for n, p in kind.stats.items() if n in shown and p.formula is None]


def stat_field(state: State, seat: Seat, subject: str, pack: Pack, stat: str, key: str) -> StatField:
    """The field of one kept value as it stands for this seat."""
    known = known_subject(state, subject, pack.id, audience_of(seat.viewer, subject) or "all")
    plan = pack.kinds[known.kind].stats[stat]
    keys = tuple((k, pack.card(k)[1].title) for k in plan.keys or ())
    if keys and key not in dict(keys):
        key = keys[0][0]
    kept = known.values.get(stat, {} if keys else plan.default)
    value = kept.get(key, plan.default) if keys else kept
    if plan.at_most is not None and not keys:
        value = Sheet(known, pack.kinds[known.kind], pack.settings).standing(stat)
    spec = plan.spec
    kind = {"int": "number", "flag": "tick", "name": "select", "card": "select", "text": "text"}.get(spec.type, "json")
    options: list[tuple[str, str]] = [(NONE, "none")] if spec.optional else []
    if spec.type == "name":
        options += list(spec.titles().items())
    if spec.type == "card":
        options += [(card, found.title) for card, found in pack.cards.get(spec.card or "", {}).items()]
    if kind == "json":
        value = msgspec.json.encode(value).decode()
    title = spec.title or titled(stat)
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
