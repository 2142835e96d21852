"""The GM's hand in an encounter: places, distances, initiative, sheets, each with a reason where it changes numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from campaigns.commands.texts import SENTENCE, cleaned
from campaigns.context import Context
from campaigns.events import Draft
from campaigns.registry import Command, decides
from campaigns.state import State
from encounters.commands.common import carried_out, in_it, known_encounter, pack_of
from encounters.commands.preparing import WIDEST
from encounters.parts.encounters import Encounter
from rules.fight import commands as fight
from rules.refusal import Refused


class PlaceInEncounter(Command):
    """Puts somebody on a square; nothing is asked or paid for it."""

    encounter: str
    subject: str
    x: int
    y: int


class PlaceApart(Command):
    """Says how far two are from one another, where there is no grid."""

    encounter: str
    one: str
    other: str
    units: int


class RankInEncounter(Command):
    """Gives somebody another initiative."""

    encounter: str
    subject: str
    initiative: int


class AdjustInEncounter(Command):
    """Changes what is kept of those who take part: stats ``set`` by subject, cards to ``give``, held cards to ``end``,
    with a ``reason`` once the fight has begun; areas to ``lift`` and to ``lay``, for which none is needed. ``secret``:
    for game masters alone to know of."""

    encounter: str
    reason: str = ""
    set: dict[str, dict[str, Any]] = {}
    give: dict[str, list[str]] = {}
    end: dict[str, list[str]] = {}
    lift: list[str] = []
    lay: list[fight.Laid] = []
    secret: bool = False


@decides(PlaceInEncounter, "encounter.place", roles=["gm"], title="Moving somebody by hand")
def place(state: State, command: PlaceInEncounter, context: Context) -> list[Draft]:
    """Anywhere on the grid."""
    found = known_encounter(state, command.encounter, context)
    in_it(state, found, command.subject, context)
    for field, value, most in (("x", command.x, found.width or WIDEST), ("y", command.y, found.height or WIDEST)):
        if not 0 <= value < most:
            raise Refused("out_of_range", "No such square.", field=field, value=value, right=f"0 to {most - 1}")
    asked = fight.Put(subject=command.subject, place=(command.x, command.y))
    return carried_out(state, command.encounter, asked, context, about=(command.subject,))


@decides(PlaceApart, "encounter.apart", roles=["gm"], title="Saying how far two are apart")
def apart(state: State, command: PlaceApart, context: Context) -> list[Draft]:
    """The GM's word, where no grid says it."""
    found = known_encounter(state, command.encounter, context)
    for field, subject in (("one", command.one), ("other", command.other)):
        in_it(state, found, subject, context, field)
    hidden = any(found.fight.members[subject].hidden for subject in (command.one, command.other))
    asked = fight.Apart(one=command.one, other=command.other, units=command.units)
    return carried_out(state, command.encounter, asked, context, secret=hidden)


@decides(RankInEncounter, "encounter.rank", roles=["gm"], title="Changing an initiative")
def rank_anew(state: State, command: RankInEncounter, context: Context) -> list[Draft]:
    """Nobody gets a second turn in a round by it, nor loses theirs."""
    found = known_encounter(state, command.encounter, context)
    in_it(state, found, command.subject, context)
    asked = fight.Rank(subject=command.subject, initiative=command.initiative)
    return carried_out(state, command.encounter, asked, context, secret=found.fight.members[command.subject].hidden)


@decides(AdjustInEncounter, "encounter.adjust", roles=["gm"], title="Adjusting by hand")
def adjust(state: State, command: AdjustInEncounter, context: Context) -> list[Draft]:
    """Any number, any card, any area: the GM's word stands, and is written down."""
    found = known_encounter(state, command.encounter, context)
    touched = {*command.set, *command.give, *command.end}
    for subject in touched:
        in_it(state, found, subject, context, "set")
    _require_ground(found, command, context, state)
    ground = [area.on for area in command.lay] + _lying_on(found, command.lift)
    # What lies around somebody unseen is about them, as all else that is done to them alone.
    about = tuple(sorted({*touched, *ground})) if all(ground) else ()
    asked = fight.Adjust(
        reason=cleaned("reason", command.reason, SENTENCE) if command.reason or (touched and found.begun) else "",
        set=command.set,
        give=command.give,
        end=command.end,
        lift=command.lift,
        lay=command.lay,
    )
    return carried_out(state, command.encounter, asked, context, secret=command.secret, about=about)


def _lying_on(found: Encounter, areas: Sequence[str]) -> list[str]:
    """Around whom each of these areas lies, "" where it lies on the ground."""
    known = found.fight.scene.areas
    return [known[area].on or "" if area in known else "" for area in areas]


def _require_ground(found: Encounter, command: AdjustInEncounter, context: Context, state: State) -> None:
    """Refuses areas off the grid, of cards that are none, or about those who take no part."""
    for area in command.lay:
        pack_of(found, context).card(area.card)
        for one in (*area.inside, *([area.on] if area.on else [])):
            in_it(state, found, one, context, "lay")
        for cell in (area.at, area.to):
            if cell is not None and not (0 <= cell[0] < WIDEST and 0 <= cell[1] < WIDEST):
                raise Refused("out_of_range", "No such square.", field="lay", value=list(cell))
        if not 0 <= area.size <= WIDEST:
            raise Refused("out_of_range", "No such size.", field="size", value=area.size, right=f"0 to {WIDEST}")
