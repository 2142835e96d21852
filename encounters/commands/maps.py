"""The map of an encounter: a picture that lies under its grid."""

from __future__ import annotations

from campaigns.context import Context
from campaigns.events import ALL, GM_ONLY, TABLE, Draft
from campaigns.parts.pictures import MAP, Pictures
from campaigns.registry import Command, decides
from campaigns.state import State
from encounters.commands.common import known_encounter
from encounters.commands.preparing import WIDEST
from encounters.parts.encounters import Encounter, EncounterMapLaid, Laid
from rules.refusal import Refused


class LayMap(Command):
    """Lays a picture of use `map` under the grid, in place of the one before; takes it away where `picture` is empty.

    It is `across` squares wide (0: as wide as the grid), and its upper left corner lies at the square `left`, `top`,
    counted from 0. Who sees it is the picture's to say: `picture.show` reveals it.
    """

    encounter: str
    picture: str = ""
    across: int = 0
    left: int = 0
    top: int = 0


@decides(LayMap, "encounter.map", roles=["gm"], title="Laying a map under an encounter")
def lay(state: State, command: LayMap, context: Context) -> list[Draft]:
    """The same map laid in the same way again does nothing."""
    found = known_encounter(state, command.encounter, context)
    laid = _laid(state, found, command) if command.picture else None
    if laid == found.map:
        return []
    event = EncounterMapLaid(
        encounter=command.encounter,
        title=found.title,
        picture=laid.picture if laid else "",
        across=laid.across if laid else 0,
        left=laid.left if laid else 0,
        top=laid.top if laid else 0,
    )
    return [Draft(event, audience=_told_to(state, found, event.picture, found.map.picture if found.map else ""))]


def _laid(state: State, found: Encounter, command: LayMap) -> Laid:
    require_map(state, command)
    require_place(found, command)
    return Laid(command.picture, command.across or found.width, command.left, command.top)


def require_map(state: State, command: LayMap) -> None:
    """Refuses what is no map."""
    picture = state.part(Pictures).by_id.get(command.picture)
    if picture is None or picture.use != MAP:
        right = "the id of a picture of use `map`"
        raise Refused("no_such_map", "There is no such map.", field="picture", value=command.picture, right=right)


def require_place(found: Encounter, command: LayMap) -> None:
    """Refuses where no map can lie, whatever it shows."""
    if not found.width:
        right = "a grid, by `encounter.set`"
        raise Refused(
            "no_grid", "It is played without a grid.", field="encounter", value=command.encounter, right=right
        )
    for name, least in (("across", 0), ("left", -WIDEST), ("top", -WIDEST)):
        value = getattr(command, name)
        if not least <= value <= WIDEST:
            message = "This is out of range."
            raise Refused("out_of_range", message, field=name, value=value, right=f"{least} to {WIDEST}")


def _told_to(state: State, found: Encounter, *pictures: str) -> str:
    """Those who see the encounter and one of the pictures, the new or the one before, so that their boards follow."""
    known = state.part(Pictures).by_id
    seen_by = {known[picture].audience for picture in pictures if picture in known} & {ALL, TABLE}
    if not seen_by or not found.begun:
        return GM_ONLY
    return ALL if found.public and ALL in seen_by else TABLE
