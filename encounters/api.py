"""Reads of `encounters` in the API: the encounters one may see, the board of one, a fight sized for the party."""

from __future__ import annotations

import msgspec

from campaigns.api.reading import Ask, register_read
from campaigns.events import GM
from encounters.board_reading import BoardRead, LineRead, board_of, encounters_of
from encounters.sizing import party_of, sized_for, sizing_packs
from rules.refusal import Refused
from rules.sizing import Chosen, Sized, foe_cards


class EncountersRead(msgspec.Struct):
    """Encounters that are not over."""

    encounters: list[LineRead]


@register_read("encounters", title="Encounters", answer=EncountersRead)
def encounters(ask: Ask) -> EncountersRead:
    """Prepared ones are told to GMs alone."""
    return EncountersRead(encounters_of(ask.state, ask.viewer))


class SizingQuery(msgspec.Struct, forbid_unknown_fields=True):
    """``pack``: by whose rules (the first that knows). ``party``: subjects, apart by commas (all who are played).
    ``foes``: cards and how many, as ``wolf:3,bear:1``. ``dials``: as ``rounds:4``."""

    pack: str = ""
    party: str = ""
    foes: str = ""
    dials: str = ""


class FoeRead(msgspec.Struct):
    """What foes can be made of."""

    card: str
    title: str


class SizingRead(msgspec.Struct):
    """A fight as it adds up for a party, and what it could be made of."""

    pack: str
    party: list[str]
    sized: Sized
    made_of: list[FoeRead]


@register_read("sizing", title="A fight sized for the party", answer=SizingRead, query=SizingQuery, roles=(GM,))
def sizing(ask: Ask) -> SizingRead:
    """How much there may be of foes and how much there is, with what to beware of."""
    packs, query = sizing_packs(ask.state), ask.query
    pack = next((one for one in packs if query.pack in ("", one.id)), None)
    if pack is None:
        right = " or ".join(one.id for one in packs) or "a pack that says how fights are sized"
        raise Refused("no_sizing", "No such rules size fights.", field="pack", value=query.pack, right=right)
    party = _listed(query.party) or [one.subject for one in party_of(ask.state, pack) if one.played]
    foes = [Chosen(card, _count("foes", count or "1")) for card, count in map(_parted, _listed(query.foes))]
    dials = {
        name: int(value) if value.lstrip("-").isdecimal() else _plain(value)
        for name, value in map(_parted, _listed(query.dials))
    }
    sized = sized_for(ask.state, ask.viewer.role, pack.id, party, foes, dials)
    made_of = [FoeRead(card, pack.card(card)[1].title) for card in foe_cards(pack)]
    return SizingRead(pack.id, party, sized, made_of)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _parted(text: str) -> tuple[str, str]:
    name, _, rest = text.partition(":")
    return name.strip(), rest.strip()


def _plain(text: str) -> bool | str:
    return {"true": True, "false": False}.get(text, text)


def _count(field: str, text: str) -> int:
    if not text.isdecimal() or len(text) > 6:
        raise Refused("wrong_value", "This is no number.", field=field, value=text[:40], right="such as wolf:3")
    return int(text)


@register_read("encounters/<str:encounter>", title="The board of an encounter", answer=BoardRead)
def board(ask: Ask) -> BoardRead:
    """Who is there, whose turn it is, what is asked, and what one can do."""
    return board_of(ask.state, ask.viewer, ask.path["encounter"])
