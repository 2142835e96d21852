"""Fights sized for a campaign's party, for game masters alone: who the party is, what foes there can be, how it adds
up. It reads hidden numbers, so nobody else gets an answer from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from campaigns.events import GM
from campaigns.packs import Packs
from campaigns.parts.subjects import Subjects
from campaigns.rolling import subject_of
from campaigns.state import State
from rules.packs import Pack
from rules.refusal import Refused
from rules.sheets import Subject
from rules.sizing import Chosen, Sized, size, sizing_of


@dataclass(frozen=True)
class Member:
    """Somebody who can be of the party; ``played``: by a player, and so of it unless the game master says otherwise."""

    subject: str
    name: str
    played: bool


def sizing_packs(state: State) -> list[Pack]:
    """The campaign's packs that say how fights are sized."""
    return [pack for pack in Packs(state).all() if pack.sizing is not None]


def party_of(state: State, pack: Pack) -> list[Member]:
    """Those who can be of the party, by name, those with players first."""
    kinds, known = sizing_of(pack).party, state.part(Subjects).here()
    found = [
        Member(one, subject.name, bool(subject.players)) for one, subject in known.items() if subject.kind in kinds
    ]
    return sorted(found, key=lambda one: (not one.played, one.name.casefold()))


def sheets_of(state: State, pack: Pack, party: Sequence[str]) -> list[Subject]:
    """The party as the pack's rules see it."""
    known = {one.subject for one in party_of(state, pack)}
    for one in party:
        if one not in known:
            raise Refused("no_such_subject", "Nobody of that name can be of the party.", field="party", value=one)
    return [subject_of(state, one, pack.id) for one in dict.fromkeys(party)]


def sized_for(
    state: State, role: str, pack_id: str, party: Sequence[str], foes: Sequence[Chosen], dials: Mapping[str, Any]
) -> Sized:
    """How a fight adds up. Refused for everybody but game masters."""
    if role != GM:
        raise Refused("gm_only", "This is for those who run the game.", field="actor", right="a GM")
    pack = Packs(state).get(pack_id)
    return size(pack, sheets_of(state, pack, party), foes, dials)
