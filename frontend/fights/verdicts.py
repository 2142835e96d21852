"""How a simulated fight adds up by the pack's tables, beside what came of it: the one counts, the other was fought."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from urllib.parse import urlencode

from campaigns.packs import Packs
from campaigns.parts.sheets import Sheets
from campaigns.parts.subjects import Subjects
from campaigns.state import State
from encounters.parts.encounters import Encounters
from encounters.parts.simulations import SimulationBegun
from encounters.sizing import party_of, sized_for
from rules.packs import Pack
from rules.refusal import Refused
from rules.sizing import Chosen, foe_cards


@dataclass(frozen=True)
class Verdict:
    """``used`` of ``budget``; ``left`` below zero is too much. ``query`` puts the same together anew."""

    used: str
    budget: str
    left: int
    query: str

    @property
    def over(self) -> int:
        """By how much it is too much."""
        return max(0, -self.left)


def verdict_of(state: State, role: str, begun: SimulationBegun) -> Verdict | None:
    """Of the fight that was simulated; None where the tables know nothing of it, or somebody of it is gone."""
    if begun.designs or begun.pack not in Packs(state).ids():
        return None
    pack = Packs(state).get(begun.pack)
    if pack.sizing is None:
        return None
    party, foes = _sides(state, pack, begun.encounter) if begun.encounter else (begun.party, begun.foes)
    if not party or not foes:
        return None
    try:
        sized = sized_for(state, role, pack.id, party, foes, {})
    except Refused:
        return None
    fields = [("pack", pack.id), *(("party", one) for one in party)]
    fields += [(f"count-{one.card}", str(one.count)) for one in foes]
    fields += [(f"number-{one.card}-{name}", str(value)) for one in foes for name, value in one.numbers.items()]
    return Verdict(str(sized.used), str(sized.budget), sized.left, urlencode(fields))


def _sides(state: State, pack: Pack, encounter: str) -> tuple[list[str], list[Chosen]]:
    """The party and the foes of an encounter as it stands, by the cards that foes hold; nothing where somebody in it is
    neither."""
    found = state.part(Encounters).open.get(encounter)
    if found is None:
        return [], []
    can_be = {one.subject for one in party_of(state, pack)}
    there = [name for name, member in found.fight.members.items() if member.present]
    played = {found.fight.members[name].side for name in there if state.part(Subjects).by_id[name].players}
    party = [name for name in there if name in can_be and found.fight.members[name].side in played]
    cards = [_made_of(state, pack, name) for name in there if name not in party]
    if "" in cards:
        return [], []
    return party, [Chosen(card, count) for card, count in Counter(cards).items()]


def _made_of(state: State, pack: Pack, subject: str) -> str:
    """The card that a foe was made of, "" for none."""
    held = {one.card for one in state.part(Sheets).sheet(subject, pack.id).held}
    return next((card for card in foe_cards(pack) if card in held), "")
