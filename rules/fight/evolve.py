"""Folding events into a fight, in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import singledispatch
from typing import Any

from msgspec.structs import replace

from rules.board import apply_to_scene
from rules.board.scene import grown
from rules.fight import events as ev
from rules.fight.order import Order, add
from rules.fight.order import subjects as present
from rules.fight.state import Fight, Member, Waiting
from rules.sheets.subject import Subject
from rules.tests.effects import applied
from rules.tests.result import Effect


def evolve(event: object, fight: Fight) -> None:
    """Change the fight by one event; events of others change nothing."""
    kind = type(event)
    if kind not in known:
        known[kind] = evolving.dispatch(kind)
    known[kind](event, fight)


known: dict[type, Callable[[Any, Fight], None]] = {}
"""what folds an event, by its class: quicker than asking again and again"""


@singledispatch
def evolving(event: object, fight: Fight) -> None:
    """An event of others."""


def set_order(fight: Fight, order: Order) -> None:
    """Takes an order, as those who take part make it: whose coming or going was taken back since, or stands again,
    is not what it was when the order was made. With the very slots that stand, only the turn is another one."""
    known = fight.order
    fits_in(fight, order, same=known is not None and order.slots is known.slots)


def come_or_gone(fight: Fight, order: Order | None) -> None:
    """The order after somebody came or went; none was made where there was no order then, though there may be one by
    now: that the fight began was taken back for a while."""
    kept = order if order is not None else fight.order
    if kept is not None:
        fits_in(fight, kept)


def fits_in(fight: Fight, order: Order, same: bool = False) -> None:
    fight.order = order if same or fits(fight, order) else fitted(fight, order)
    fight.scene.order = [] if fight.order is None else list(present(fight.order))


def fits(fight: Fight, order: Order) -> bool:
    members = fight.members
    for slot in order.slots:
        member = members.get(slot.subject)
        if member is None or member.present != slot.present:
            return False
    found = {slot.subject for slot in order.slots}
    return len(found) == len(members) or not any(one.present and name not in found for name, one in members.items())


def fitted(fight: Fight, order: Order) -> Order | None:
    """Those of an order who take part; where the one whose turn it was does not, it is the next one's."""
    members = fight.members
    slots = tuple(
        replace(slot, present=members[slot.subject].present) for slot in order.slots if slot.subject in members
    )
    if not slots:
        return None
    before = sum(1 for slot in order.slots[: order.at] if slot.subject in members)
    order = replace(order, slots=slots, at=before % len(slots))
    for name, one in members.items():
        if one.present and all(slot.subject != name for slot in slots):
            order = add(order, name, one.initiative or 0)[0]
    return order


@evolving.register
def _(event: ev.Joined, fight: Fight) -> None:
    fight.members[event.subject] = Member(side=event.side, hidden=event.hidden, initiative=event.initiative)
    fight.scene.sides[event.subject] = event.side
    if event.place is not None:
        fight.scene.places[event.subject] = event.place
    grown(fight.scene, event.subject, event.size)
    come_or_gone(fight, event.order)


@evolving.register
def _(event: ev.Shown, fight: Fight) -> None:
    if event.subject in fight.members:
        fight.members[event.subject].hidden = event.hidden


@evolving.register
def _(event: ev.Left, fight: Fight) -> None:
    if event.subject in fight.members:
        fight.members[event.subject].present = False
    come_or_gone(fight, event.order)


@evolving.register
def _(event: ev.Ordered, fight: Fight) -> None:
    for subject, initiative in event.initiative.items():
        if subject in fight.members:
            fight.members[subject].initiative = initiative
    set_order(fight, event.order)
    fight.status, fight.scene.diagonal = "running", event.diagonal


@evolving.register
def _(event: ev.Ranked, fight: Fight) -> None:
    if event.subject in fight.members:
        fight.members[event.subject].initiative = event.initiative
    set_order(fight, event.order)


@evolving.register
def _(event: ev.Waited, fight: Fight) -> None:
    fight.waiting = Waiting(doing=event.doing, faces=event.faces, choices=event.choices, ask=event.ask)


@evolving.register
def _(event: ev.Done, fight: Fight) -> None:
    fight.waiting = None
    if event.doing.order is not None:
        set_order(fight, event.doing.order)
    for effect in event.effects:
        verb = effect.verb
        if verb not in SHEETS:
            apply_to_scene(fight.scene, effect)
            if verb == "leave":
                gone(fight, effect.subject)
    if event.doing.ends:
        fight.status, fight.order = "ended", None
    elif fight.order is not None:
        # the order says which round and whose turn it is, also where something before this was taken back
        fight.scene.round = fight.order.round
        if fight.scene.turn not in fight.members:
            fight.scene.turn = fight.order.slots[fight.order.at].subject


def gone(fight: Fight, subject: str) -> None:
    """They keep their place in the order unseen, so that what lasts until their turn ends on time."""
    if subject in fight.members:
        fight.members[subject].present = False
    if fight.order is not None:
        slots = tuple(replace(s, present=False) if s.subject == subject else s for s in fight.order.slots)
        set_order(fight, replace(fight.order, slots=slots))


@evolving.register
def _(event: ev.Cancelled, fight: Fight) -> None:
    fight.waiting = None


@evolving.register
def _(event: ev.Paused, fight: Fight) -> None:
    fight.status = "paused" if event.paused else "running"


@evolving.register
def _(event: ev.Adjusted, fight: Fight) -> None:
    for effect in event.effects:
        if effect.verb not in SHEETS:
            apply_to_scene(fight.scene, effect)


SHEETS = frozenset({"set", "apply", "end", "narrate"})
"""verbs of effects that change sheets, or nothing"""


def effects_of(event: object) -> list[Effect]:
    """The effects that an event has on sheets and board."""
    return event.effects if isinstance(event, ev.Done | ev.Adjusted) else []


def changed(subjects: Mapping[str, Subject], event: object) -> dict[str, Subject]:
    """The subjects that an event changes, as they are after it."""
    by_subject: dict[str, list[Effect]] = {}
    for effect in effects_of(event):
        if effect.verb in SHEETS:
            name = effect.subject
            if name in by_subject:
                by_subject[name].append(effect)
            elif name in subjects:
                by_subject[name] = [effect]
    return {name: applied(subjects[name], effects) for name, effects in by_subject.items()}
