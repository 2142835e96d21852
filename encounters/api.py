"""Reads of `encounters` in the API: the encounters one may see, and the board of one, now or as it stood."""

from __future__ import annotations

import msgspec

from campaigns.api.past_reads import AsOf, state_at
from campaigns.api.reading import Ask, register_read
from campaigns.past import corrected
from campaigns.state import State
from encounters.board_reading import BoardRead, LineRead, board_of, encounters_of
from encounters.seeing import Since


class EncountersRead(msgspec.Struct):
    """Encounters that are not over, or were not then."""

    encounters: list[LineRead]


def _looked(ask: Ask) -> tuple[State, Since | None]:
    """The state that is asked for and, of the past, what came after it."""
    state = state_at(ask, ask.query)
    if state is ask.state:
        return state, None
    return state, Since(ask.state, corrected(ask.campaign_id, state, ask.state))


@register_read("encounters", title="Encounters", answer=EncountersRead, query=AsOf)
def encounters(ask: Ask) -> EncountersRead:
    """Prepared ones are told to GMs alone."""
    state, since = _looked(ask)
    return EncountersRead(encounters_of(state, ask.viewer, since))


@register_read("encounters/<str:encounter>", title="The board of an encounter", answer=BoardRead, query=AsOf)
def board(ask: Ask) -> BoardRead:
    """Who is there, whose turn it is, what is asked, and what one can do; in the past nothing is asked and done."""
    state, since = _looked(ask)
    return board_of(state, ask.viewer, ask.path["encounter"], since)
