"""Making characters and letting them grow, by the sections `creation` and `advancement` of a pack. Pure.

found = standing(pack, "character", {"folk": "stout"})
found.wrong             what is still open or not allowed, step by step, each with what would be legal
found.choices["skills"] what may be chosen now, and how many
found.sheet["hp_max"]   every number as it stands

subject, growth, made = take(pack, subject, growth, "endurance", {})     buys something
subject, growth, level = gain_level(pack, subject, growth)
"""

from rules.creation.growing import Due, Growth, Offer, advancement_of, gain_level, levels_of, offer, take
from rules.creation.standing import ChoiceStanding, Option, Standing, Wrong, creation_of, standing

__all__ = [
    "ChoiceStanding",
    "Due",
    "Offer",
    "Option",
    "Growth",
    "Standing",
    "Wrong",
    "advancement_of",
    "creation_of",
    "gain_level",
    "levels_of",
    "offer",
    "standing",
    "take",
]
