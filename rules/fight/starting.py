"""The order of turns at the start: initiatives given by hand or by the pack's test, ties, roll-offs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from rules.board import Board, Warm
from rules.dice.sources import DiceSource
from rules.fight.commands import Begin
from rules.fight.events import Ordered
from rules.fight.order import Instant, Order, begin, with_extras
from rules.fight.state import Doing, Fight
from rules.packs.pack import Pack
from rules.refusal import Refused
from rules.sheets.subject import Subject
from rules.tests.run import run


def ordered(  # noqa: PLR0913
    pack: Pack,
    fight: Fight,
    subjects: Mapping[str, Subject],
    command: Begin,
    dice: DiceSource,
    warm: Warm | None = None,
) -> tuple[Ordered, Doing]:
    """The order, and the instants with which the fight begins."""
    names = [name for name, member in fight.members.items() if member.present]
    for name in command.initiative:
        if name not in names:
            raise Refused("nobody", "Nobody of that name takes part.", field="initiative", value=name)
    rolled: list[int] = []
    values = {name: initiative_of(pack, fight, subjects, command, name, dice, rolled) for name in names}
    rules = pack.encounter
    rolling = {name for name in names if not rules.rolls_off or subjects[name].kind in rules.rolls_off}
    ranked = settle(names, values, rules.roll_off if rules.roll_off > 1 else 0, rolling, dice, rolled)
    order, came = begin((name, values[name][0]) for name in ranked)
    order = with_second_turns(pack, fight, subjects, order, warm)
    event = Ordered(
        initiative={name: values[name][0] for name in ranked}, order=order, rolled=rolled, diagonal=rules.diagonal
    )
    return event, Doing(instants=[Instant("encounter_start"), *came], order=order)


def with_second_turns(
    pack: Pack, fight: Fight, subjects: Mapping[str, Subject], order: Order, warm: Warm | None = None
) -> Order:
    """The order with a second turn for those of whom the pack says so as things stand."""
    rules, when = pack.encounter.extra_turn, pack.extra_turn
    if rules is None or when is None:
        return order
    present = list(dict.fromkeys(slot.subject for slot in order.slots if slot.present and slot.subject in subjects))
    board = Board(pack, replace(fight.scene, order=present, round=order.round), subjects, warm=warm)
    frame: dict[str, Any] = {"setting": pack.settings, "asker": "server", "@board": board}
    wanted = {}
    for name in present:
        frame["user"] = board.sheet(name)
        if when.run(frame):
            wanted[name] = rules.lower
    return with_extras(order, wanted)


def initiative_of(  # noqa: PLR0913
    pack: Pack,
    fight: Fight,
    subjects: Mapping[str, Subject],
    command: Begin,
    name: str,
    dice: DiceSource,
    rolled: list[int],
) -> tuple[int, int]:
    """Initiative and what settles ties; from the command, from before, or by the pack's test."""
    if name in command.initiative:
        return command.initiative[name], fight.members[name].tie
    before = fight.members[name].initiative
    if before is not None:
        return before, fight.members[name].tie
    test = pack.encounter.initiative
    if test is None:
        raise Refused("no_initiative", "Say the initiative of everybody.", field="initiative", value=name)
    role = next(iter(pack.test(test).spec.roles))
    found = run(pack, test, command.given.get(name), dice, subjects={role: subjects[name]}, trace=False)
    rolled += found.faces
    if found.status != "done":
        raise Refused("no_initiative", "The initiative of somebody is not known.", field="initiative", value=name)
    return int(found.facts["initiative"]), int(found.facts.get("tie", 0))


def settle(  # noqa: PLR0913
    names: list[str],
    values: Mapping[str, tuple[int, int]],
    sides: int,
    rolling: set[str],
    dice: DiceSource,
    rolled: list[int],
) -> list[str]:
    """From first to last; those equal in all roll off, again among those who are still equal. Without a die, or where
    nobody of those who roll is among them, they stand as they came."""
    groups: dict[tuple[int, int], list[str]] = {}
    for name in names:
        groups.setdefault(values[name], []).append(name)
    out: list[str] = []
    for key in sorted(groups, reverse=True):
        equals = groups[key]
        out += roll_off(equals, sides, dice, rolled) if sides and rolling & {*equals} else equals
    return out


def roll_off(names: list[str], sides: int, dice: DiceSource, rolled: list[int]) -> list[str]:
    if len(names) == 1:
        return names
    faces: dict[int, list[str]] = {}
    for name in names:
        face = dice.roll(sides)
        rolled.append(face)
        faces.setdefault(face, []).append(name)
    return [name for face in sorted(faces, reverse=True) for name in roll_off(faces[face], sides, dice, rolled)]
