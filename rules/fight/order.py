"""The order of turns. Every change answers the new order and the instants that came, in the order they came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from rules.refusal import Refused


class Instant(Struct, frozen=True, order=True, gc=False):
    """A moment: one of `rules.sheets.instants.INSTANTS`, and whose it is (empty: nobody's)."""

    at: str
    of: str = ""


class Slot(Struct, frozen=True, gc=False):
    """A place in the order. A subject that left keeps its place, so that its instants still come."""

    subject: str
    initiative: int
    present: bool = True
    from_round: int = 1
    """who comes late takes turns from the next round on"""
    extra: bool = False
    """a second turn in the round, for as long as the pack says so"""


class Order(Struct, frozen=True, gc=False):
    """Slots from first to last, the round (from 1), and the place of the running turn."""

    slots: tuple[Slot, ...]
    round: int = 1
    at: int = 0


Change = tuple[Order, list[Instant]]


def begin(entries: Iterable[tuple[str, int]]) -> Change:
    """Start with the highest initiative; equal ones keep the order they are given in (the pack settles ties)."""
    slots = tuple(sorted((Slot(subject, value) for subject, value in entries), key=lambda slot: -slot.initiative))
    if not slots:
        raise Refused("nobody_there", "A fight needs somebody in it.", field="entries")
    if len({slot.subject for slot in slots}) != len(slots):
        raise Refused("twice_in_order", "Nobody stands in the order twice.", field="entries")
    return Order(slots), [Instant("round_start"), Instant("turn_start", slots[0].subject)]


def whose_turn(order: Order) -> str:
    return order.slots[order.at].subject


def next_turn(order: Order) -> Change:
    """End the running turn and begin that of the next who is present; turns of those who left pass unseen."""
    if not any(slot.present for slot in order.slots):
        raise Refused("nobody_left", "Nobody is left in the order.", right="end the fight")
    came = [Instant("turn_end", whose_turn(order))]
    while True:
        order = step(order, came)
        slot = order.slots[order.at]
        if slot.from_round > order.round:
            continue
        came.append(Instant("turn_start", slot.subject))
        if slot.present:
            return order, came
        came.append(Instant("turn_end", whose_turn(order)))


def step(order: Order, came: list[Instant]) -> Order:
    """On to the next place; past the last one a round ends and the next begins, in the order of initiative as it now is
    (equal ones stay as they stood)."""
    if order.at + 1 < len(order.slots):
        return replace(order, at=order.at + 1)
    came += [Instant("round_end"), Instant("round_start")]
    slots = tuple(sorted(order.slots, key=lambda slot: -slot.initiative))
    return replace(order, slots=slots, at=0, round=order.round + 1)


def place(order: Order, subject: str) -> int:
    for at, slot in enumerate(order.slots):
        if slot.subject == subject:
            return at
    raise Refused("not_in_order", "Nobody of that name is in the order.", field="subject", value=subject)


def remove(order: Order, subject: str) -> Change:
    """Someone leaves. If it was their turn, the next one's begins (unless nobody is left)."""
    at = place(order, subject)
    subject = order.slots[at].subject
    slots = [replace(slot, present=False) if slot.subject == subject else slot for slot in order.slots]
    order = replace(order, slots=tuple(slots))
    if subject != whose_turn(order) or not any(slot.present for slot in slots):
        return order, []
    return next_turn(order)


def add(order: Order, subject: str, initiative: int) -> Change:
    """Someone joins after those with as much initiative, and has a turn from the next round on; back in their old place
    if they had left."""
    for at, slot in enumerate(order.slots):
        if slot.subject == subject:
            if slot.present:
                raise Refused("twice_in_order", "Nobody stands in the order twice.", field="subject", value=subject)
            return replaced(order, at, replace(slot, present=True)), []
    at = sum(1 for slot in order.slots if slot.initiative >= initiative)
    slots = (*order.slots[:at], Slot(subject, initiative, from_round=order.round + 1), *order.slots[at:])
    return replace(order, slots=slots, at=order.at + (at <= order.at)), []


def replaced(order: Order, at: int, slot: Slot) -> Order:
    return replace(order, slots=(*order.slots[:at], slot, *order.slots[at + 1 :]))


def move(order: Order, subject: str, initiative: int) -> Change:
    """Another initiative from now on. Whose turn runs goes on with it; nobody gets a second turn in this round or loses
    the one they had: the place changes with the next round when it would pass the running turn."""
    at = place(order, subject)
    if subject == whose_turn(order):
        raise Refused("own_turn", "Not in their own turn.", field="subject", value=subject, right="wait for its end")
    rest = [slot for number, slot in enumerate(order.slots) if number != at]
    new = sum(1 for slot in rest if slot.initiative >= initiative)
    had_turn = at < order.at
    running = order.at - had_turn
    new = min(new, running) if had_turn else max(new, running + 1)
    rest.insert(new, replace(order.slots[at], initiative=initiative))
    return replace(order, slots=tuple(rest), at=running + (new <= running)), []


def with_extras(order: Order, wanted: Mapping[str, int]) -> Order:
    """A second turn from this round on for those who are named, so much lower than their first; for nobody else."""
    running = order.slots[order.at]
    slots = [slot for slot in order.slots if not slot.extra or slot is running or slot.subject in wanted]
    have = {slot.subject for slot in slots if slot.extra}
    for subject, lower in wanted.items():
        first = order.slots[place(order, subject)]
        if subject not in have and first.present:
            slots.append(Slot(subject, first.initiative - lower, from_round=order.round, extra=True))
    slots.sort(key=lambda slot: -slot.initiative)
    at = next(number for number, slot in enumerate(slots) if slot is running)
    return replace(order, slots=tuple(slots), at=at)


def end(order: Order) -> list[Instant]:
    """The fight is over: the running turn and round end with it."""
    return [Instant("turn_end", whose_turn(order)), Instant("round_end"), Instant("encounter_end")]


def subjects(order: Order) -> Sequence[str]:
    """Those present, from first to last, everybody once."""
    return list(dict.fromkeys([slot.subject for slot in order.slots if slot.present]))
