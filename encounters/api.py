"""Reads of `encounters` in the API: the encounters one may see, and the board of one."""

from __future__ import annotations

import msgspec

from campaigns.api.reading import Ask, register_read
from encounters.board_reading import BoardRead, LineRead, board_of, encounters_of


class EncountersRead(msgspec.Struct):
    """Encounters that are not over."""

    encounters: list[LineRead]


@register_read("encounters", title="Encounters", answer=EncountersRead)
def encounters(ask: Ask) -> EncountersRead:
    """Prepared ones are told to GMs alone."""
    return EncountersRead(encounters_of(ask.state, ask.viewer))


@register_read("encounters/<str:encounter>", title="The board of an encounter", answer=BoardRead)
def board(ask: Ask) -> BoardRead:
    """Who is there, whose turn it is, what is asked, and what one can do."""
    return board_of(ask.state, ask.viewer, ask.path["encounter"])
