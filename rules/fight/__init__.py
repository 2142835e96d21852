"""The kernel of a fight: whose turn it is, and what each instant sets off and ends. Pure; packs say what happens.

    order, came = begin([("ana", 15), ("wolf", 12)])        # came: [round_start, turn_start of ana]
    for instant in came:
        happened = happen(pack, subjects, instant, dice)     # effects of triggers, then what ends
        subjects = happened.subjects
    order, came = next_turn(order)

    window = open_window(order, "hit", "wolf", ["ana", "bo"])  # asked at once; answers take effect in order of turns
    window = answer(window, "bo", "parry")

A subject that is removed keeps its place: its turns still come and go unseen, so that what lasts until then ends on
time whoever is skipped, removed or has not yet acted.
"""

from rules.fight.happen import Happened, happen, happen_all
from rules.fight.order import Instant, Order, Slot, add, begin, end, move, next_turn, remove, whose_turn
from rules.fight.windows import Window, answer, open_window
from rules.fight.windows import close as close_window

__all__ = [
    "Happened",
    "Instant",
    "Order",
    "Slot",
    "Window",
    "add",
    "answer",
    "begin",
    "close_window",
    "end",
    "happen",
    "happen_all",
    "move",
    "next_turn",
    "open_window",
    "remove",
    "whose_turn",
]
