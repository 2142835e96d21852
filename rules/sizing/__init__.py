"""Fights sized for a party, by what the pack says: what foes can be made of, how much there may be, what to beware of.

sized = size(pack, party, [Chosen("wolf", 3)], {"rounds": 4})      # party: subjects
sized.budget, sized.used, sized.left, sized.figures, sized.cautions
"""

from rules.sizing.foes import foe_cards, foe_kinds, foe_of, numbers_of, ready_types
from rules.sizing.sized import Chosen, Shown, Sized, size, sizing_of

__all__ = [
    "Chosen",
    "Shown",
    "Sized",
    "foe_cards",
    "foe_kinds",
    "foe_of",
    "numbers_of",
    "ready_types",
    "size",
    "sizing_of",
]
