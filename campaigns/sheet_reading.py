"""A subject's sheets as one viewer may know them: values as the pack lays them out, cards in force, what waits.

What is hidden is left out, and so is all that is worked out from it; of what was changed behind a viewer's back they
see what they knew before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from campaigns import registry
from campaigns.audience import Viewer
from campaigns.events import GM, PLAYER
from campaigns.modes import is_metered
from campaigns.packs import Packs
from campaigns.parts.growth import Growths
from campaigns.parts.making import Making
from campaigns.parts.sheets import Sheets
from campaigns.parts.subjects import Subjects
from campaigns.state import State
from rules.board.scene import Scene
from rules.packs import Pack
from rules.packs.schema import SheetGroup, Spec
from rules.packs.wording import counted, titled
from rules.sheets import Held, Sheet, Subject
from rules.sheets.plan import KindPlan, StatPlan
from rules.sheets.seen import LEVELS, seen_levels
from rules.sheets.sheet import read
from rules.tests.perform import possible

BOOKKEEPING = "Bookkeeping"


class ValueRead(msgspec.Struct, kw_only=True):
    """One value: which (`stat`, and `key` where it has one for each card), its title, and how it reads.

    `lines` are the items of a list, `most` the top of a track, `most_of` its stat where that is worked out; `derived`:
    the value is worked out; `seen`: who may see it.
    """

    stat: str
    title: str
    value: Any
    shown: str
    lines: list[str] = []
    key: str = ""
    most: int | None = None
    most_of: str = ""
    derived: bool = False
    seen: str = "all"


class HeldRead(msgspec.Struct, kw_only=True):
    """A card in force. `says` are the values that it carries, `facts` what its kind says of it, `does` the actions that
    it gives with what each costs now, `ends` when it ends by itself, `seen` who may know; `values` are the numbers that
    the sheet has for it, `warns` what its holder should know of it."""

    held: str
    card: str
    kind: str
    title: str
    text: str = ""
    says: list[str] = []
    facts: list[str] = []
    does: list[str] = []
    ends: str = ""
    seen: str = "all"
    values: list[ValueRead] = []
    warns: list[str] = []
    deeds: list[str] = []
    """what its actions do, where the card itself says nothing"""


class RowRead(msgspec.Struct, kw_only=True):
    """The values of one card, in the order of the table's columns."""

    key: str
    title: str
    cells: list[ValueRead]


class TableRead(msgspec.Struct, kw_only=True):
    """Stats that have a value for each card of one type: a column each, a row for each card."""

    title: str
    columns: list[str]
    rows: list[RowRead]


class GroupRead(msgspec.Struct, kw_only=True):
    """One part of a sheet."""

    title: str
    text: str = ""
    values: list[ValueRead] = []
    rest: bool = False
    """what no group of the layout names"""
    tables: list[TableRead] = []
    cards: list[HeldRead] = []


class DueRead(msgspec.Struct, kw_only=True):
    """A choice that a level brought and that is still to be made."""

    offer: str
    title: str
    level: int


class SheetRead(msgspec.Struct, kw_only=True):
    """A subject's sheet in one pack. `begun`: they play by this pack, or by none yet; `made`: by the pack's creation;
    `makes`: the pack has one for this kind; `blank`: it has, and nothing is written down yet; `grows`: it says how the
    kind grows."""

    pack: str
    title: str
    kind: str
    begun: bool
    made: bool
    makes: bool
    blank: bool = False
    grows: bool
    groups: list[GroupRead]
    due: list[DueRead] = []


def audience_of(viewer: Viewer, subject: str) -> str:
    """The narrowest audience that a viewer belongs to: gm, holders or all; "" for watchers, who see no sheet."""
    if viewer.role == GM:
        return "gm"
    if viewer.role != PLAYER:
        return ""
    return "holders" if subject in viewer.plays else "all"


def known_subject(state: State, subject: str, pack: str, audience: str) -> Subject:
    """A subject as an audience knows it, with what the apps provide."""
    known = state.part(Subjects).by_id[subject]
    values, held = state.part(Sheets).sheet(subject, pack).known_to(audience)
    values.update(registry.provided(state, subject, pack))
    return Subject(id=subject, kind=known.kind, values=values, held=held, title=known.name)


def sheets_of(state: State, viewer: Viewer, subject: str) -> list[SheetRead]:
    """Every sheet of a subject that this viewer may see something of, in the order of the campaign's packs; those by
    which the subject does not play, last."""
    return sheets_known(state, audience_of(viewer, subject), subject)


def sheets_known(state: State, audience: str, subject: str) -> list[SheetRead]:
    """The same for an audience: gm, holders or all; "" sees none."""
    if not audience:
        return []
    found, known = [], state.part(Subjects).by_id[subject]
    for pack in Packs(state).all():
        if known.kind in pack.kinds and laid_out(state, pack, subject):
            found.append(sheet_read(state, pack, subject, audience))
    return sorted(found, key=lambda one: not one.begun)


def laid_out(state: State, pack: Pack, subject: str) -> bool:
    """Whether there is more to a sheet than what apps show on pages of their own."""
    kind = state.part(Subjects).by_id[subject].kind
    return bool(pack.kinds[kind].stats.keys() - registry.provided(state, subject, pack.id).keys() - pairs_stat(pack))


def pairs_stat(pack: Pack) -> set[str]:
    """The stat that opposed pairs bring, which has a page of its own."""
    from rules.packs.sections import RATING

    return {RATING} if pack.source.sections["pairs"] is not None else set()


def plays_by(state: State, subject: str, pack: str) -> bool:
    """Whether somebody plays by a pack: something is kept of them on its sheet or by an app, or nothing in any pack."""
    return state.part(Sheets).begun(subject, pack) or bool(registry.provided(state, subject, pack))


def sheet_read(state: State, pack: Pack, subject: str, audience: str) -> SheetRead:
    """One sheet as an audience may know it."""
    known = known_subject(state, subject, pack.id, audience)
    sheet = Sheet(known, pack.kinds[known.kind], pack.settings)
    unseen = state.part(Sheets).sheet(subject, pack.id).unseen
    growth = state.part(Growths).growth(subject, pack.id)
    plan = pack.advancements.get(known.kind)
    made = pack.id in state.part(Making).made.get(subject, {})
    return SheetRead(
        pack=pack.id,
        title=pack.manifest.title,
        kind=pack.kinds[known.kind].title,
        begun=plays_by(state, subject, pack.id),
        made=made,
        makes=known.kind in pack.creations,
        blank=known.kind in pack.creations and not made and not known.values and not known.held,
        grows=plan is not None,
        groups=list(
            groups_of(
                pack,
                sheet,
                audience,
                unseen,
                {h.source: _name(state, h.source) for h in sheet.held},
                metered=is_metered(state, pack, subject, audience),
            )
        ),
        due=[
            DueRead(offer=due.grant, title=plan.offers[due.grant].title, level=due.level)
            for due in growth.due
            if plan is not None and due.grant in plan.offers and audience != "all"
        ],
    )


def _name(state: State, subject: str) -> str:
    found = state.part(Subjects).by_id.get(subject)
    return found.name if found is not None else ""


def groups_of(
    pack: Pack,
    sheet: Sheet,
    audience: str,
    unseen: dict[str, str] | None = None,
    names: dict[str, str] | None = None,
    *,
    metered: bool = True,
) -> Iterator[GroupRead]:
    """The groups of a sheet in the pack's order, then what no group names. Empty ones are left out, and what only
    meters a fight where nothing is ``metered``."""
    kind = sheet.kind
    spec = pack.source.sections["kinds"][kind.id].sheet
    levels = seen_levels(kind)
    shown = {name for name, level in levels.items() if LEVELS.index(level) <= LEVELS.index(audience)}
    shown -= {*spec.left_out, *pairs_stat(pack)}
    if not metered and pack.knows_fights:
        shown -= set(pack.encounter.budgets)
    tracks = {stat: most for stat, most in spec.tracks.items() if stat in shown and most in shown}
    does = doings(pack, sheet)
    held = [
        replace(
            held_read(pack, one, unseen or {}, names or {}),
            does=does.get(one.card, []),
            warns=sheet.warned(pack.card(one.card)[0], one.card),
            deeds=deeds_of(pack, one, does),
        )
        for one in sheet.cards
        if one.card in does or not idle(pack, one)
    ]
    left_cards = {one.kind for one in held} - {card for group in spec.groups for card in group.cards}
    rest = SheetGroup(
        title=BOOKKEEPING if spec.groups else kind.title,
        stats=[name for name in kind.stats if name not in {s for g in spec.groups for s in g.stats}],
        cards=sorted(left_cards),
        only="changed" if spec.groups else "all",
    )
    for group in [*standing_groups(sheet, spec.groups), rest]:
        stats = [kind.stats[stat] for stat in group.stats if stat in shown and stat not in set(tracks.values())]
        only_changed = group.only == "changed"
        values = [
            track_read(sheet, value_read(pack, plan, sheet[plan.name], levels[plan.name]), tracks.get(plan.name))
            for plan in stats
            if plan.keys is None
            and (not only_changed or plan.name in tracks or sheet[plan.name] != plain_default(plan))
        ]
        tables = list(tables_of(pack, sheet, [plan for plan in stats if plan.keys is not None], levels, only_changed))
        cards = [one for one in held if one.kind in group.cards]
        cards, tables = with_numbers(cards, tables, only_changed)
        if values or tables or cards:
            cards = [replace(one, kind=pack.card_types[one.kind].title) for one in cards]
            rest_too = group is rest and bool(spec.groups)
            yield GroupRead(
                title=group.title, text=group.text, values=values, tables=tables, cards=cards, rest=rest_too
            )


def with_numbers(
    cards: list[HeldRead], tables: list[TableRead], only_changed: bool
) -> tuple[list[HeldRead], list[TableRead]]:
    """Cards with the numbers that their own group has for them, which then stand in no table."""
    numbers: dict[str, list[ValueRead]] = {}
    left, here = [], {one.card for one in cards}
    for table in tables:
        for row in table.rows:
            if row.key in here:
                plain = [one for one in row.cells if not only_changed or one.value not in (0, False, [], "")]
                numbers.setdefault(row.key, []).extend(plain)
        rows = [row for row in table.rows if row.key not in here]
        if rows:
            left.append(replace(table, rows=rows))
    return [replace(one, values=numbers.get(one.card, [])) for one in cards], left


def standing_groups(sheet: Sheet, groups: list[SheetGroup]) -> list[SheetGroup]:
    """The groups whose condition holds on this sheet."""
    pairs = zip(groups, sheet.kind.whens, strict=True)
    return [group for group, when in pairs if when is None or read(when, sheet)]


def tables_of(
    pack: Pack, sheet: Sheet, plans: list[StatPlan], levels: dict[str, str], only_changed: bool
) -> Iterator[TableRead]:
    """One table for each card type; rows in which nothing differs from its default are left out where asked."""
    for card_type in dict.fromkeys(str(plan.spec.each) for plan in plans):
        columns = [plan for plan in plans if plan.spec.each == card_type]
        rows = []
        for key in columns[0].keys or ():
            found = [(plan, sheet[plan.name][key]) for plan in columns]
            if only_changed and all(value == plain_default(plan) for plan, value in found):
                continue
            cells = [replace(value_read(pack, p, v, levels[p.name]), key=key) for p, v in found]
            rows.append(RowRead(key=key, title=pack.card(key)[1].title, cells=cells))
        if rows:
            title = pack.card_types[card_type].title
            yield TableRead(title=title, columns=[p.spec.title or titled(p.name) for p in columns], rows=rows)


def plain_default(plan: StatPlan) -> Any:
    """What a value is when nothing was done to it; of a derived number, 0."""
    if plan.formula is not None:
        return {"int": 0, "flag": False}.get(plan.spec.type, [])
    return plan.default


def track_read(sheet: Sheet, value: ValueRead, top: str | None) -> ValueRead:
    """The value with the most of its track, where it is one."""
    if top is None:
        return value
    plan = sheet.kind.stats[top]
    worked_out = plan.formula is not None or bool(plan.modifiers)
    return replace(value, most=sheet[top], most_of=top if worked_out else "")


def value_read(pack: Pack, plan: StatPlan, value: Any, seen: str) -> ValueRead:
    """One value in words."""
    derived = plan.formula is not None or bool(plan.modifiers)
    plain = list(value) if isinstance(value, tuple) else value
    return ValueRead(
        stat=plan.name,
        title=plan.spec.title or titled(plan.name),
        value=plain,
        shown=shown_value(pack, value, plan.spec),
        lines=[shown_value(pack, one, plan.spec.of) for one in value] if isinstance(value, list | tuple) else [],
        derived=derived,
        seen=seen,
    )


def shown_value(pack: Pack, value: Any, spec: Spec | None = None) -> str:
    """A value in words: cards by their titles, lists with commas, records in the order of their fields, however they
    were kept."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(shown_value(pack, one, spec.of if spec else None) for one in value) or "none"
    if isinstance(value, dict):
        fields = spec.fields if spec is not None else {}
        parts = [(value[name], fields.get(name)) for name in dict.fromkeys((*fields, *sorted(value))) if name in value]
        said = (shown_value(pack, one, inner) for one, inner in parts)
        return " · ".join(text for text in said if text not in ("", "none", "no"))
    if isinstance(value, str):
        return title_of(pack, value)
    return str(value)


def title_of(pack: Pack, word: str) -> str:
    """A card's title, an id in words, or the text itself."""
    for cards in pack.cards.values():
        if word in cards:
            return cards[word].title
    return titled(word) if word.islower() and " " not in word and "_" in word else word


def doings(pack: Pack, sheet: Sheet) -> dict[str, list[str]]:
    """Card -> its actions, each with what it costs now."""
    found: dict[str, list[str]] = {}
    stats = sheet.kind.stats
    for one in possible(pack, Scene(), {sheet.id: sheet.subject()}, sheet.id) if pack.actions else ():
        cost = [counted(stats[s].spec, s, amount) for s, amount in one.cost.items() if s in stats]
        found.setdefault(one.card, []).append(f"{one.title}: {', '.join(cost)}" if cost else one.title)
    return found


def idle(pack: Pack, held: Held) -> bool:
    """Whether a card is nothing but a holder of acts: where none of them stands, neither does the card."""
    card = pack.card(held.card)[1]
    return bool(card.actions) and not (card.text or card.grants or card.modifiers or card.reactions or card.triggers)


def deeds_of(pack: Pack, held: Held, does: dict[str, list[str]]) -> list[str]:
    """What each action does that somebody has by a card which says nothing of itself."""
    card = pack.card(held.card)[1]
    if card.text:
        return []
    had = [one.partition(":")[0] for one in does.get(held.card, [])]
    return [f"{one.title}: {one.text}" for one in card.actions.values() if one.text and one.title in had]


def held_read(pack: Pack, held: Held, unseen: dict[str, str], names: dict[str, str]) -> HeldRead:
    """A card in force in words."""
    kind, card = pack.card(held.card)
    specs = pack.card_types[kind].held
    says = [
        f"{spec.title or titled(name)}: {shown_value(pack, held.values[name])}"
        for name, spec in specs.items()
        if name in held.values and held.values[name] not in ("", None, False)
    ]
    return HeldRead(
        held=held.id,
        card=held.card,
        kind=kind,
        title=card.title,
        text=card.text,
        says=says,
        facts=list(pack.says.get(pack.current_id(held.card), ())),
        ends=ends_said(held, names),
        seen=unseen.get(held.id, "all"),
    )


def ends_said(held: Held, names: dict[str, str]) -> str:
    """When a card ends by itself, in words; "" where it does not."""
    if held.ends is None or held.ends.at == "never":
        return ""
    thing, _, side = held.ends.at.rpartition("_")
    if not thing:
        return "once used" if side == "used" else titled(side).lower()
    whose = f" of {names[held.ends.of]}" if names.get(held.ends.of) else ""
    times = f", {held.ends.count} times over" if held.ends.count > 1 else ""
    return f"until the {side} of the {thing.replace('_', ' ')}{whose}{times}"


def shown_stats(kind: KindPlan, audience: str) -> set[str]:
    """The stats that an audience may see."""
    return {n for n, level in seen_levels(kind).items() if LEVELS.index(level) <= LEVELS.index(audience)}
