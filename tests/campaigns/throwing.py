"""A part, an event and commands for the tests of the store: dice thrown for an audience, each throw caused or not."""

from __future__ import annotations

import msgspec

from campaigns import registry
from campaigns.context import Context
from campaigns.events import EVERY_FIELD, GM, PLAYER, WATCHER, Draft, Event, event_type
from campaigns.registry import Command, decides
from campaigns.state import State


class Throws(msgspec.Struct):
    """Part of the state: sum of faces and number of throws, by name."""

    sums: dict[str, int] = {}
    count: int = 0


part = registry.part("throws", Throws)


@event_type(
    "test.thrown",
    shows={GM: EVERY_FIELD, PLAYER: ("name", "faces"), WATCHER: ("name",)},
    says=lambda d, names: f"{d['name']} threw.",
)
class Thrown(Event):
    """Dice fell; ``note`` is the GM's."""

    name: str
    faces: tuple[int, ...]
    note: str = ""


@part.evolves(Thrown)
def _thrown(throws: Throws, event: Thrown, _position: int) -> None:
    throws.sums[event.name] = throws.sums.get(event.name, 0) + sum(event.faces)
    throws.count += 1


class Throw(Command):
    """Throws dice (none named: a d20) ``events`` times, of and for an ``audience``; ``cause`` is a position."""

    name: str
    sides: tuple[int, ...] = ()
    audience: str = "table"
    events: int = 1
    cause: int | None = None
    typed: tuple[int, ...] = ()
    note: str = ""


@decides(Throw, "test.throw", roles=["gm", "player"], title="Throwing")
def throw(_state: State, command: Throw, context: Context) -> list[Draft]:
    """One event a throw."""
    drafts, dice = [], command.sides or (20,)
    for _ in range(command.events):
        if command.typed:
            context.enter_dice(command.audience, dice, command.typed)
            faces = command.typed
        else:
            roll = context.dice(command.audience)
            faces = tuple(roll(sides) for sides in dice)
        event = Thrown(name=command.name, faces=faces, note=command.note)
        drafts.append(Draft(event, audience=command.audience, cause=command.cause, dice=context.draws()))
    return drafts
