"""The kernel of a fight. Pure; packs say what can be done and what comes of it.

    fight = Fight()                                       # who takes part, order, places, what is waited for
    for event in decide(command, fight, Context(pack, subjects, dice)):    # Refused where it cannot be
        subjects.update(changed(subjects, event))         # sheets are not in the fight: events carry effects on them
        evolve(event, fight)                              # in place

    table = FightTable(pack, subjects); table.do(command, dice)            # both in one, for cases and simulations

What is done (an action, a turn that passes) runs as one program. Where it needs a choice, `Waited` says what for: with
the faces and choices so far it comes to the same point again, and nothing has changed before it is `Done`. A moment
asks all who may react at once; each answers for themselves, and what they declare takes effect in the order of turns.

A subject that leaves keeps its place: its turns still come and go unseen, so that what lasts until then ends on time.
"""

from rules.fight import commands, events
from rules.fight.decide import Context, decide, their_turn
from rules.fight.evolve import changed, effects_of, evolve
from rules.fight.happen import Acted, Ahead, AtTable, Happened, ahead, happen, happen_all
from rules.fight.order import Instant, Order, Slot, add, begin, end, move, next_turn, remove, whose_turn
from rules.fight.state import Doing, Fight, Member, Waiting
from rules.fight.table import FightTable

__all__ = [
    "Acted",
    "Ahead",
    "AtTable",
    "Context",
    "Doing",
    "Fight",
    "FightTable",
    "Happened",
    "Instant",
    "Member",
    "Order",
    "Slot",
    "Waiting",
    "add",
    "ahead",
    "begin",
    "changed",
    "commands",
    "decide",
    "effects_of",
    "end",
    "events",
    "evolve",
    "happen",
    "happen_all",
    "move",
    "next_turn",
    "remove",
    "their_turn",
    "whose_turn",
]
