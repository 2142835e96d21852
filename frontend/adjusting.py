"""Turning dice by hand: how they lie after the moves made so far, what can still be turned, and where each press leads.

The moves stand in the address of the page (``2:11,4:8``: the second die to 11, the fourth to 8). Nothing of them is
kept before they are sent, and a reload, a lost connection or a page without script loses none of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from campaigns.packs import Packs
from campaigns.parts.calls import Call
from campaigns.rolling import look_at
from campaigns.state import State
from frontend.seat import Seat
from rules.refusal import Refused
from rules.sheets import Actor

MOVES = re.compile(r"(\d{1,3}:\d{1,4})(,\d{1,3}:\d{1,4})*")


@dataclass(frozen=True)
class Turned:
    """One die: where it stands in its roll, its face now and as it fell; ``on`` and ``back`` are the moves after one
    more press and after taking one back, None where there is none."""

    place: int
    sides: int
    face: int
    fell: int
    tone: str
    on: str | None
    back: str | None


@dataclass(frozen=True)
class Adjusting:
    """The dice, the steps left of all, the moves so far, and what the dice come to (None where it is not told)."""

    dice: tuple[Turned, ...]
    left: int
    steps: int
    least: int
    moves: str
    value: int | None
    before: int | None
    up: bool


def moves_of(text: str) -> list[dict[str, int]]:
    """The moves that an address or a form names. Refused where it names none."""
    if not text:
        return []
    if not MOVES.fullmatch(text):
        raise Refused("wrong_value", "These are no moves of dice.", field="moves", value=text, right="2:11,4:8")
    pairs = (part.split(":") for part in text.split(","))
    return [{"die": int(die), "to": int(face)} for die, face in pairs]


def adjusting(state: State, seat: Seat, call: Call, text: str) -> Adjusting | None:
    """What the page shows of an adjusting after these moves; moves that can no longer be made are left out."""
    asked = call.ask
    if asked is None or asked["kind"] != "adjust":
        return None
    try:
        found = _looked(state, seat, call, moves_of(text)) if text else asked
    except Refused:
        return adjusting(state, seat, call, "")
    way = 1 if asked["direction"] == "up" else -1
    faces = {at: die["face"] for at, die in enumerate(asked["dice"], 1)}
    now = {at: die["face"] for at, die in enumerate(found["dice"], 1)}
    room = dict(zip(found.get("movable", ()), found.get("room", ()), strict=False))

    def after(place: int, step: int) -> str:
        lie = {**now, place: now[place] + step}
        return ",".join(f"{at}:{face}" for at, face in lie.items() if face != faces[at])

    dice = tuple(
        Turned(
            place=at,
            sides=die["sides"],
            face=die["face"],
            fell=faces[at],
            tone="dropped" if not die.get("kept", True) else "extra" if die["face"] != faces[at] else "",
            on=after(at, way) if room.get(at, 0) > 0 else None,
            back=after(at, -way) if die["face"] != faces[at] else None,
        )
        for at, die in enumerate(found["dice"], 1)
    )
    return Adjusting(
        dice=dice,
        left=found.get("steps", 0),
        steps=asked["steps"],
        least=found.get("least", 0),
        moves=",".join(f"{die.place}:{die.face}" for die in dice if die.face != die.fell),
        value=found.get("value"),
        before=asked.get("value"),
        up=way > 0,
    )


def _looked(state: State, seat: Seat, call: Call, moves: list[dict[str, int]]) -> dict[str, Any]:
    actor = Actor(seat="gm" if seat.is_gm else "player", plays=seat.viewer.plays)
    found = look_at(state, Packs(state).get(call.pack), call, moves, actor)
    assert found is not None
    return found
